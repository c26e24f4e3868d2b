import { isObject, type Json } from "../base/index.ts";
import { botResultWanted } from "../dialects/bots/views/index.ts";
import { coreResultsWanted } from "../views/index.ts";
import { roleResultWanted } from "../dialects/machine/views/index.ts";
import { failure } from "./codes.ts";

/** The place in a printed line that is left to be filled in. */
export function fillIn(what: string): string {
  return `<${what.replace(/[<>]/g, "")}>`;
}

const printed = ["answer", "folder", "message", "reason", "text", "the result", "value", "what was done", "why"];

/** What lines and the help of commands leave to be filled in; every other text between such marks is a value like any other. */
const marks: ReadonlySet<string> = new Set([...printed, ...coreResultsWanted, botResultWanted, roleResultWanted].map(fillIn));

/** No id looks like a mark, whatever it says. */
const anyMark = /^\s*<[^<>]+>\s*$/;

/** How to give a text that is a mark where nothing but the option brings it. */
export const addWord = "If this very text is meant, add a word to it.";

/** Refuses an id that was left as a mark. */
export function refuseUnnamed(ids: Readonly<Record<string, string | undefined>>): void {
  for (const [name, id] of Object.entries(ids)) if (id !== undefined && anyMark.test(id)) throw notFilledIn(name, id, "");
}

/**
 * Refuses values of a line that was run as it was printed. In an object its own values are looked at as well; in a list nothing is: the
 * lines of a file may look the same. `literally`: how to give such a text where it is meant.
 */
export function refuseUnfilled(values: Readonly<Record<string, Json | undefined>>, literally: string): void {
  for (const [name, value] of Object.entries(values)) {
    const left = (isObject(value) ? Object.values(value) : [value]).find(isMark);
    if (left !== undefined) throw notFilledIn(name, left, ` ${literally}`);
  }
}

function isMark(value: Json | undefined): value is string {
  return typeof value === "string" && marks.has(value.trim());
}

function notFilledIn(name: string, left: string, literally: string): Error {
  return failure(
    "CLI_NOT_FILLED_IN",
    `${name} still says \`${left}\`, which marks what is to be filled in. Nothing was changed.`,
    `Run the line again with ${left.trim().slice(1, -1)} in its place.${literally}`,
  );
}
