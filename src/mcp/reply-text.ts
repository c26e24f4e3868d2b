import { textOf, type Json } from "../base/index.ts";

/** A value in a sentence: text as it is, everything else as JSON, nothing for what is absent. */
export function plainText(value: Json | undefined): string {
  return value === undefined ? "" : textOf(value);
}

/** The lines that say something. */
export function joinLines(lines: readonly (string | undefined)[]): string {
  return lines.filter((line) => line !== undefined && line !== "").join("\n");
}
