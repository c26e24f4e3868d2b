import type { Span } from "./call-at.ts";

const quoted = /(["'`])((?:\\.|(?!\1)[^\\\n])+)\1/g;

/** Which parts of a match are the secret: its group `secret`, else what is in quotes, else all of it. */
export function secretSpans(text: string, { start, end }: Span, group: Span | undefined): readonly Span[] {
  if (group !== undefined) return [group];
  const inQuotes = [...text.matchAll(quoted)].map(({ index, 2: inner = "" }) => {
    const from = start + index + 1;
    return { start: from, end: from + inner.length };
  });
  return inQuotes.length > 0 ? inQuotes : [{ start, end }];
}
