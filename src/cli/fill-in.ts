import { isObject, type Json } from "../base/index.ts";
import { failure } from "./codes.ts";

/** The place in a printed line that is left to be filled in. */
export function fillIn(what: string): string {
  return `<${what.replace(/[<>]/g, "")}>`;
}

const mark = /^\s*<[^<>]+>\s*$/;

/**
 * Refuses values of a line that was run as it was printed. In an object its own values are looked at as well; in a list nothing is: the
 * lines of a file may look the same.
 */
export function refuseUnfilled(values: Readonly<Record<string, Json | undefined>>, literally: string): void {
  for (const [name, value] of Object.entries(values)) {
    const left = unfilled(value);
    if (left === undefined) continue;
    throw failure(
      "CLI_NOT_FILLED_IN",
      `${name} still says \`${left}\`, which marks what is to be filled in. Nothing was changed.`,
      `Run the line again with ${left.trim().slice(1, -1)} in its place. ${literally}`,
    );
  }
}

function unfilled(value: Json | undefined): string | undefined {
  if (typeof value === "string") return mark.test(value) ? value : undefined;
  return isObject(value) ? Object.values(value).find((held): held is string => typeof held === "string" && mark.test(held)) : undefined;
}
