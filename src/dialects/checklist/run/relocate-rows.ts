import { defined, fieldOf, isObject, type JsonObject } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";

/**
 * Where rows of tools are in a text that their tools have not seen: the place of the same text that is nearest to where it was, at the same
 * column first. A row whose text is gone has none and keeps its place, as has one that did not move.
 */
export function relocateRows(text: string, rows: readonly Item[]): ReadonlyMap<string, JsonObject> {
  const starts = lineStarts(text);
  const found = new Map<string, JsonObject>();
  for (const row of rows) {
    const data = isObject(row.data) ? row.data : {};
    const place = nearest(text, starts, data);
    if (place !== undefined && (place["line"] !== data["line"] || place["column"] !== data["column"])) found.set(row.id, place);
  }
  return found;
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
}

const mostLooked = 1_000;

function nearest(text: string, starts: readonly number[], data: JsonObject): JsonObject | undefined {
  const wanted = fieldOf(data, "text");
  const [line, column] = [Number(data["line"] ?? 1), Number(data["column"] ?? 1)];
  if (wanted === "") return undefined;
  let best: { readonly at: number; readonly far: number } | undefined;
  let looked = 0;
  for (let at = text.indexOf(wanted); at >= 0 && looked < mostLooked; at = text.indexOf(wanted, at + 1)) {
    const place = placeAt(starts, at);
    const far = Math.abs(place.line - line) * 2 + (place.column === column ? 0 : 1);
    if (best === undefined || far < best.far) best = { at, far };
    looked += 1;
  }
  if (best === undefined) return undefined;
  const from = placeAt(starts, best.at);
  const to = placeAt(starts, best.at + wanted.length);
  // Bytes are of a content that is gone.
  return defined({ line: from.line, column: from.column, end_line: to.line, end_column: to.column });
}

function placeAt(starts: readonly number[], offset: number): { readonly line: number; readonly column: number } {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
