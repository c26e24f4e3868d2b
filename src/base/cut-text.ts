/** An end that does not split a surrogate pair. */
export function wholeCharacters(text: string, end: number): number {
  return end > 0 && end < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1)) ? end - 1 : end;
}

/** At most this many characters of its beginning. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, wholeCharacters(text, most));
}

/** At most this many characters of its end. */
export function endOf(text: string, most: number): string {
  const from = Math.max(0, text.length - most);
  return text.slice(from > wholeCharacters(text, from) ? from + 1 : from);
}

/** At most this many characters, with the sign of the cut. */
export function shorten(text: string, most: number, sign = "..."): string {
  return text.length <= most ? text : `${text.slice(0, wholeCharacters(text, Math.max(0, most - sign.length)))}${sign}`;
}

/** At most this many characters, cut between two words where one of them does not fill most of the text: no name looks like a shorter one. */
export function shortenAtWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(0, most - 2).search(/\s\S*$/);
  return end > most / 4 ? `${text.slice(0, end)}...` : shorten(text, most);
}

/** At most this many characters, with dots in the middle where it was cut: of a path its beginning and its name. */
export function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = Math.max(0, most - 3);
  return `${beginningOf(text, Math.ceil(kept / 2))}...${endOf(text, Math.floor(kept / 2))}`;
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
