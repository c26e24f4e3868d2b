import type { JsonObject } from "../../../base/index.ts";
import { labelSuggestion } from "../../../scan/index.ts";

/** The Label that the text of an Error() call could become: its declaration, where it needs one, and the call that uses it. */
export function suggestLabel(text: string, data: JsonObject): string | undefined {
  const { line, column, type, suggestion } = data;
  if (typeof line !== "number" || typeof column !== "number" || typeof type !== "string") return undefined;
  const start = offsetOf(text, line, column);
  const found = { type, auto: false, start, end: start, ...(typeof suggestion === "string" ? { suggestion } : {}) };
  const label = labelSuggestion(found, { text });
  if (label === undefined) return undefined;
  return label.declaration === undefined ? label.call : `${label.call} with ${label.declaration}`;
}

function offsetOf(text: string, line: number, column: number): number {
  let at = 1;
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    if (at === line) break;
    at += 1;
    if (at === line) return end.index + end[0].length + column - 1;
  }
  return column - 1;
}
