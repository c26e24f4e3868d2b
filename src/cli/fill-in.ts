import { isObject, jsonOrText, type Json } from "../base/index.ts";
import { coreResultsWanted } from "../views/index.ts";
import type { Shares } from "./command-share.ts";
import { anyMark, notFilledIn } from "./not-filled-in.ts";
import { fillIn } from "./printed-lines.ts";

const printed = ["answer", "message", "reason", "text", "the result", "value", "why"];

/** How to give a text that is a mark where nothing but the option brings it. */
export const addWord = "If this very text is meant, add a word to it.";

/** Refuses an input that was left as the mark with its name, or with such a mark for one of its keys. */
export function refuseUnfilledInput(name: string, text: string): void {
  const value = jsonOrText(text);
  for (const [key, held] of [[name, text] as const, ...(isObject(value) ? Object.entries(value) : [])])
    if (typeof held === "string" && held.trim() === fillIn(key)) throw notFilledIn(`The input \`${name}\``, held, addWord);
}

/**
 * Refuses values of a line that was run as it was printed. In an object its own values are looked at as well; in a list nothing is: the
 * lines of a file may look the same. `literally`: how to give such a text where it is meant.
 */
export async function refuseUnfilled(shares: Shares, values: Readonly<Record<string, Json | undefined>>, literally: string): Promise<void> {
  for (const [name, value] of Object.entries(values))
    for (const held of isObject(value) ? Object.values(value) : [value])
      if (typeof held === "string" && anyMark.test(held) && (await marks(shares)).has(held.trim()))
        throw notFilledIn(name, held, literally);
}

/** Refuses an answer that was left as the place for it. */
export function refuseMark(name: string, left: string, literally: string): never {
  throw notFilledIn(name, left, literally);
}

/** What lines and the help of commands leave to be filled in; every other text between such marks is a value like any other. */
async function marks(shares: Shares): Promise<ReadonlySet<string>> {
  const ofDialects = (await shares.all()).flatMap(({ fillIns = [] }) => fillIns);
  return new Set([...printed, ...coreResultsWanted, ...ofDialects].map(fillIn));
}
