import type { Json, JsonObject } from "../base/index.ts";

/** The result that the last text of a turn is: the text itself, or the JSON in it where the step wants that. */
export function resultIn(text: string, schema: JsonObject | undefined): { readonly value: Json } | { readonly problem: string } {
  if (schema === undefined) return { value: text };
  try {
    return { value: JSON.parse(withoutFence(text)) as Json };
  } catch {
    return { problem: `Your answer must be JSON that fits this schema, and nothing else: ${JSON.stringify(schema)}` };
  }
}

/** Models like to put a fence around JSON. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}
