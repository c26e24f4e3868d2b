import { textOf, type Json } from "../base/index.ts";

/**
 * A text in a line of an overview: its beginning and its length, never half a character. What an agent must write, show or run is not
 * shortened this way: `pageReply` gives the call that brings the rest.
 */
export function cutText(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, wholeCharacters(text, chars))}... (${text.length} characters)`;
}

/** An end that does not split a surrogate pair. */
export function wholeCharacters(text: string, end: number): number {
  return end > 0 && end < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1)) ? end - 1 : end;
}

/** A value in a sentence: text as it is, everything else as JSON, nothing for what is absent. */
export function plainText(value: Json | undefined): string {
  return value === undefined ? "" : textOf(value);
}

/** The lines that say something. */
export function joinLines(lines: readonly (string | undefined)[]): string {
  return lines.filter((line) => line !== undefined && line !== "").join("\n");
}
