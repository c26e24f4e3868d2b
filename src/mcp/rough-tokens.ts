/**
 * A cheap estimate of how many tokens a text costs a model, rather too high than too low for prose, JSON, paths and encoded bytes: no
 * tokenizer is shipped. Short words cost one token, long runs of letters one per two or three, digits one per three, signs one per
 * two, and letters beyond ASCII one each.
 */
export function roughTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(/[a-z]+|[A-Z]+|[0-9]+|\s+|[!-/:-@[-`{-~]+|[^\x00-\x7F]+|[^]/g)) tokens += costOf(part);
  return Math.ceil(tokens);
}

function costOf(part: string): number {
  const { length } = part;
  if (part.charCodeAt(0) > 0x7f) return length;
  if (/^[a-z]/.test(part)) return length <= 7 ? 1 : length <= 12 ? 2 : length / 2.4;
  if (/^[A-Z]/.test(part)) return length === 1 ? 0.7 : length / 1.8;
  if (/^[0-9]/.test(part)) return Math.ceil(length / 3);
  if (/^\s/.test(part)) return length > 1 || part === "\n" ? 1 : 0;
  return Math.ceil(length / 2);
}
