import { failure } from "./codes.ts";

/** No id looks like a mark, whatever it says. */
export const anyMark: RegExp = /^\s*<[^<>]+>\s*$/;

/** Refuses an id or a place that was left as a mark. */
export function refuseUnnamed(named: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(named)) if (text !== undefined && anyMark.test(text)) throw notFilledIn(name, text);
}

/** `literally`: how to give such a text where it is meant. */
export function notFilledIn(name: string, left: string, literally?: string): Error {
  const mark = left
    .trim()
    .slice(1, -1)
    .replace(/^why$/, "reason")
    .replace(/^(?=address )/, "the ")
    .replace(/^(?=.* \| )/, "one of ");
  return failure(
    "CLI_NOT_FILLED_IN",
    `${name} still says \`${left}\`, which marks what is to be filled in. Nothing was changed.`,
    `Run the line again with ${/^\w+$/.test(mark) ? "your " : ""}${mark} in its place.${literally === undefined ? "" : ` ${literally}`}`,
  );
}
