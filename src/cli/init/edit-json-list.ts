import type { JsonObject } from "../../base/index.ts";
import { failure } from "../codes.ts";
import { addEntry, entryRange, readEntry, removeEntry, type JsonSlot } from "./edit-json.ts";

/** Puts a text into the list at a slot, as its first one; a list that is missing is made. Nothing else is touched. */
export function addToList(text: string | undefined, slot: JsonSlot, value: string): string {
  const held = text === undefined ? undefined : readEntry(text, slot);
  if (text === undefined || held === undefined) return addEntry(text, slot, [value] as unknown as JsonObject);
  const list = listOf(slot, held);
  if (list.includes(value)) return text;
  const { start, end } = entryRange(text, slot);
  const inside = text.slice(start + 1, end - 1);
  // Behind the white space that is before the first one, which then comes again.
  const gap = list.length === 0 ? "" : (/^\s*(?=["\d[{tfn-])/.exec(inside)?.[0] ?? "");
  const put = list.length === 0 ? JSON.stringify(value) : `${gap}${JSON.stringify(value)},`;
  return `${text.slice(0, start + 1)}${put}${text.slice(start + 1)}`;
}

/** Takes the text out of the list, and the list when nothing else is in it. undefined means that nothing else was in the file. */
export function removeFromList(text: string, slot: JsonSlot, value: string): string | undefined {
  const held = readEntry(text, slot);
  if (!Array.isArray(held) || !held.includes(value)) return text;
  if (held.length === 1) return removeEntry(text, slot);
  const { start, end } = entryRange(text, slot);
  const word = JSON.stringify(value).replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
  const inside = text.slice(start, end);
  const first = new RegExp(`^\\[\\s*${word}\\s*,`).exec(inside);
  const without = first === null ? inside.replace(new RegExp(`,\\s*${word}`), "") : `[${inside.slice(first[0].length)}`;
  return `${text.slice(0, start)}${without}${text.slice(end)}`;
}

function listOf({ file, container, name }: JsonSlot, held: unknown): readonly unknown[] {
  if (Array.isArray(held)) return held;
  throw failure(
    "CLI_INIT_FILE",
    `\`${file}\` cannot be edited: \`${container}.${name}\` is not a list there. It was not changed.`,
    "Make it a list, then run this again.",
  );
}
