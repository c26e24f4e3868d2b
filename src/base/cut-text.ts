/** An end that does not split a surrogate pair. */
export function wholeCharacters(text: string, end: number): number {
  return end > 0 && end < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1)) ? end - 1 : end;
}

/** At most this many characters, with the sign of the cut. */
export function shorten(text: string, most: number, sign = "..."): string {
  return text.length <= most ? text : `${text.slice(0, wholeCharacters(text, Math.max(0, most - sign.length)))}${sign}`;
}

/** The first characters of a longer text, and after them how long it is. */
export function cutText(text: string, chars: number, after = `... (${text.length} characters)`): string {
  return text.length <= chars ? text : `${text.slice(0, wholeCharacters(text, chars))}${after}`;
}

/** At the end of a text that is kept only in part: a secret may have been cut through in front of it. */
export const cutMark: RegExp = /\.\.\. \(cut, \d+ characters\)$/;

/** The first characters of a longer text as it is kept, with `cutMark` behind them. */
export function markedCut(text: string, chars: number): string {
  return cutText(text, chars, `... (cut, ${text.length} characters)`);
}
