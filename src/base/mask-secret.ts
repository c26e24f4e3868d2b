/**
 * A secret as it may be shown: how it begins and how long it is. What it begins with is a quarter of it at most, so that a short one cannot
 * be guessed from it.
 */
export function maskSecret(secret: string): string {
  const kept = Math.min(4, Math.floor(secret.length / 4));
  return `${secret.slice(0, kept).replaceAll(/\s/g, " ")}*** (${secret.length} characters)`;
}

/** The text with the parts from `start` to `end` masked; the parts may touch or overlap. */
export function maskSpans(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  let [masked, at] = ["", 0];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    masked += text.slice(at, from) + maskSecret(text.slice(from, end));
    at = end;
  }
  return masked + text.slice(at);
}
