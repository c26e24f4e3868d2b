/** The text with a full stop where it has no end of its own, so that another sentence can follow it. */
export function asSentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === "" || /[.!?:;…。！？]["'`)\]*_»”’]*$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
