import type { Severity } from "../../ports/index.ts";

const words: Readonly<Record<Severity, string>> = {
  critical: "critical blocker",
  error: "error errors err fatal failure fail severe high major e f",
  warning: "warning warnings warn medium moderate w",
  info: "note notice info information informational hint help message remark suggestion style convention refactor low minor trivial none i n h c r",
};
const known: ReadonlyMap<string, Severity> = new Map(
  (Object.keys(words) as Severity[]).flatMap((severity) => words[severity].split(" ").map((word) => [word, severity] as const)),
);

/** In the words of compilers and linters, `fatal error` too; one that none of them uses counts as a warning. */
export function severityOfWord(said: string): Severity {
  for (const word of said.toLowerCase().match(/[a-z]+/g) ?? []) {
    const severity = known.get(word);
    if (severity !== undefined) return severity;
  }
  return "warning";
}
