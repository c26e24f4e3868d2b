import { isObject, jsonOrText, textOf, type Json, type JsonObject } from "../../../base/index.ts";

/** What is kept of a node that is done, and what others name of it. */
export interface NodeResult extends JsonObject {
  readonly status: "completed" | "running";
  readonly output: string;
}

/**
 * An output as texts can name it. Fields of a JSON object are texts too: what is text as it is, everything else as JSON. `declared` fields that
 * it leaves out, or has as null, are empty.
 */
export function nodeResult(given: Json, declared: readonly string[] = []): NodeResult {
  const output = typeof given === "string" ? given : JSON.stringify(given);
  const value = typeof given === "string" ? jsonOrText(withoutFence(output)) : given;
  if (!isObject(value)) return { status: "completed", output };
  const own = Object.entries(value).filter(([name, field]) => field !== null || !declared.includes(name));
  const empty = declared.filter((name) => (value[name] ?? null) === null).map((name) => [name, ""] as const);
  const fields = [...own.map(([name, field]) => [name, typeof field === "string" ? field : JSON.stringify(field)] as const), ...empty];
  return { status: "completed", output, fields: Object.fromEntries(fields) };
}

/** A text without one line end at its end. */
export function withoutLineEnd(given: Json): Json {
  return typeof given === "string" ? given.replace(/\r?\n$/, "") : given;
}

/** Names of the fields that a JSON Schema declares. */
export function declaredFields(schema: Json | undefined): readonly string[] {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

/** Models put JSON between fences. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}

/** The results of the children of a node, in the order of its items: what each returned, or its error. */
export function gatheredResult(results: JsonObject, total: number): NodeResult {
  const parts = Array.from({ length: total }, (_, at): Json => {
    const result = results[String(at)];
    if (!isObject(result)) return { error: "It was not done." };
    return result["error"] === undefined ? jsonOrText(textOf(result["output"] ?? "")) : { error: result["error"] };
  });
  const failed = Object.entries(results).flatMap(([at, result]) =>
    isObject(result) && result["error"] !== undefined ? [`item ${Number(at) + 1}: ${textOf(result["error"])}`] : [],
  );
  const reason = failed.length === 0 ? {} : { reason: `${failed.length} of ${total} failed: ${failed.join("; ")}` };
  return { status: "completed", output: JSON.stringify(parts), ...reason };
}
