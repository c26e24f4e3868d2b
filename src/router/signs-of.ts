import type { FieldOfWork } from "./field-of-work.ts";
import { fieldsAroundCode } from "./fields-around-code.ts";
import { fieldsOfCode } from "./fields-of-code.ts";
import { stemWord } from "./words-of.ts";

/** All kinds of work that are known. */
export const fieldsOfWork: readonly FieldOfWork[] = [...fieldsOfCode, ...fieldsAroundCode];

/** How much a field counts that the text of a workflow only hints at. */
const hint = 0.2;

/** Of how many words a sign consists at most. */
const longest = 4;

/** A field is known by its place in the list. */
type Field = number;

const signs: ReadonlyMap<string, ReadonlyMap<Field, boolean>> = (() => {
  const all = new Map<string, Map<Field, boolean>>();
  for (const [field, { names, signs: other }] of fieldsOfWork.entries())
    for (const [text, isName] of [[other, false] as const, [names, true] as const])
      for (const sign of text.trim().split(/\s+/)) {
        const key = sign.split("_").map(stemWord).join(" ");
        all.set(key, (all.get(key) ?? new Map<Field, boolean>()).set(field, isName));
      }
  return all;
})();

/** Whether a word, in its basic form, is a sign of some field of work. */
export function isSign(word: string): boolean {
  return signs.has(word);
}

/** Whether a word, in its basic form, names some field of work. */
export function isName(word: string): boolean {
  return [...(signs.get(word)?.values() ?? [])].includes(true);
}

/** How strongly a message points to each field: its words, in their basic form and order. A sign of several fields says less about each. */
export function signsOf(words: readonly string[]): ReadonlyMap<Field, number> {
  const found = new Map<Field, number>();
  for (const key of new Set(keysOf(words))) {
    const of = signs.get(key) ?? new Map<Field, boolean>();
    for (const field of of.keys()) found.set(field, (found.get(field) ?? 0) + 1 / Math.sqrt(of.size));
  }
  return found;
}

/** How often the text of a workflow names each field. */
export function namesOf(words: readonly string[]): ReadonlyMap<Field, number> {
  const found = new Map<Field, number>();
  for (const key of keysOf(words))
    for (const [field, isNamed] of signs.get(key) ?? []) found.set(field, (found.get(field) ?? 0) + (isNamed ? 1 : hint));
  return found;
}

/** The signs that are in a text, each as often as it is there. */
function keysOf(words: readonly string[]): readonly string[] {
  return words.flatMap((_, at) =>
    Array.from({ length: longest }, (_each, length) => words.slice(at, at + length + 1).join(" ")).filter((key) => signs.has(key)),
  );
}
