import type { Json } from "../base/index.ts";
import type { Outcome } from "../kernel/index.ts";

export const outputFormats: readonly string[] = ["text", "lines", "json", "key_value"];

/** Turns a command's output into a value. */
export function parseOutput(text: string, format: string, step: string): Outcome {
  switch (format) {
    case "lines":
      return { ok: true, value: lines(text) };
    case "json":
      try {
        return { ok: true, value: JSON.parse(text) as Json };
      } catch (error) {
        return {
          ok: false,
          code: "COMMAND_OUTPUT",
          message: `The output of \`${step}\` is not JSON: ${(error as Error).message}. It begins with: ${text.slice(0, 120)}`,
        };
      }
    case "key_value":
      return { ok: true, value: keyValues(text) };
    default:
      return { ok: true, value: text.replace(/\r?\n$/, "") };
  }
}

function lines(text: string): string[] {
  const all = text.split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  return all;
}

/** `K=V` and `K: V` lines; other lines are passed over. */
function keyValues(text: string): Json {
  const found: Record<string, Json> = {};
  for (const line of lines(text)) {
    const pair = /^\s*([^=:\s][^=:]*?)\s*(?:=|:\s)\s*(.*?)\s*$/.exec(line) ?? /^\s*([^=:\s][^=:]*?)\s*:\s*(.*?)\s*$/.exec(line);
    if (pair?.[1] !== undefined)
      Object.defineProperty(found, pair[1], { value: pair[2] ?? "", enumerable: true, writable: true, configurable: true });
  }
  return found;
}
