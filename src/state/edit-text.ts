/** Replaces `start` to `end`; an insertion when they are equal. At one place insertions with a higher rank come first. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly rank?: number;
}

/** Applies edits that do not overlap. Insertions at a place come before a replacement that begins there. */
export function editText(text: string, edits: readonly Edit[]): string {
  const sorted = edits.toSorted(
    (a, b) => a.start - b.start || Number(a.end > a.start) - Number(b.end > b.start) || (b.rank ?? 0) - (a.rank ?? 0),
  );
  let made = "";
  let at = 0;
  for (const edit of sorted) {
    made += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return made + text.slice(at);
}
