import { textOf, type Json } from "../base/index.ts";

/**
 * A text in a line of an overview: its beginning and its length, never half a character. What an agent must write, show or run is not
 * shortened this way: `pageReply` gives the call that brings the rest.
 */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = /[\uD800-\uDBFF]/.test(text[chars - 1] ?? "") ? chars - 1 : chars;
  return `${text.slice(0, end)}... (${text.length} characters)`;
}

/** A value in a sentence: text as it is, everything else as JSON, nothing for what is absent. */
export function plainText(value: Json | undefined): string {
  return value === undefined ? "" : textOf(value);
}

/** The lines that say something. */
export function joinLines(lines: readonly (string | undefined)[]): string {
  return lines.filter((line) => line !== undefined && line !== "").join("\n");
}
