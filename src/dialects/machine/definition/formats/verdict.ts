export const reviewVerdicts = ["PASS", "PASS WITH NOTES", "NEEDS FIXES"] as const;
export type ReviewVerdict = (typeof reviewVerdicts)[number];

/**
 * The verdict of a review: what `verdict` says, else the phrase in capitals in the summary. Where a summary holds several, the strictest
 * counts; a `PASS` that is denied is none. Undefined when nothing says it.
 */
export function verdictOf(verdict: unknown, summary: string): ReviewVerdict | undefined {
  if (typeof verdict === "string") {
    const word = verdict
      .trim()
      .toUpperCase()
      .replace(/[\s_-]+/g, " ");
    return reviewVerdicts.find((each) => each === word);
  }
  const text = summary.replace(/\s+/g, " ");
  const denied = /\b(?:not|never|cannot|can't|no|without)\b(?: \w+){0,2} (?:an? |the )?PASS\b/i;
  if (/\bNEEDS[ _-]FIXES\b/.test(text)) return "NEEDS FIXES";
  if (denied.test(text)) return undefined;
  if (/\bPASS[ _-]WITH[ _-]NOTES\b/.test(text)) return "PASS WITH NOTES";
  return /\bPASS\b/.test(text) ? "PASS" : undefined;
}
