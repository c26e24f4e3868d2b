import { isList, isObject, type Json, type JsonObject } from "../base/index.ts";

/** How much of a value is shown: characters of a text, entries of a list or object, and levels of nesting. */
export interface CutLevel {
  readonly chars: number;
  readonly entries: number;
  readonly depth: number;
}

/** From generous to tiny; the last one makes any value short. */
export const cutLevels: readonly CutLevel[] = [
  { chars: 3000, entries: 200, depth: 12 },
  { chars: 1500, entries: 80, depth: 8 },
  { chars: 700, entries: 40, depth: 6 },
  { chars: 300, entries: 20, depth: 5 },
  { chars: 120, entries: 10, depth: 4 },
  { chars: 60, entries: 5, depth: 3 },
  { chars: 40, entries: 3, depth: 2 },
  { chars: 24, entries: 2, depth: 1 },
  { chars: 16, entries: 1, depth: 1 },
];

/** The value with what is too long replaced by its beginning and its size. Nothing changes when nothing is too long. */
export function cutValue(value: Json, level: CutLevel): Json {
  return cut(value, level, 0);
}

/** Cuts what lies under each key and keeps every key. */
export function cutMembers(members: JsonObject, level: CutLevel): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([key, held]) => [key, cut(held, level, 0)]));
}

function cut(value: Json, level: CutLevel, depth: number): Json {
  if (typeof value === "string") return cutText(value, level.chars);
  if (isList(value)) {
    if (value.length === 0) return value;
    if (depth >= level.depth) return `list of ${value.length} entries`;
    const shown = value.slice(0, level.entries).map((entry) => cut(entry, level, depth + 1));
    return value.length > shown.length ? [...shown, `... ${value.length - shown.length} more entries`] : shown;
  }
  if (isObject(value)) {
    const keys = Object.keys(value);
    if (keys.length === 0) return value;
    if (depth >= level.depth) return `object with ${keys.length} keys`;
    const shown = keys
      .slice(0, level.entries)
      .map((key): [string, Json] => [cutText(key, Math.max(level.chars, 40)), cut(value[key] ?? null, level, depth + 1)]);
    return Object.fromEntries(keys.length > shown.length ? [...shown, ["...", `${keys.length - shown.length} more keys`]] : shown);
  }
  return value;
}

/** The beginning of a text and its length; never half a character. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = /[\uD800-\uDBFF]/.test(text[chars - 1] ?? "") ? chars - 1 : chars;
  return `${text.slice(0, end)}... (${text.length} characters)`;
}
