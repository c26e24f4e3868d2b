import type { Severity } from "../../ports/index.ts";
import { isStanding, type ReportedFinding, type Results } from "./reported-finding.ts";

const severities: Readonly<Record<Severity, string>> = { critical: "critical", error: "major", warning: "minor", info: "info" };

/** A code quality report of GitLab. */
export async function* writeGitlab(findings: AsyncIterable<ReportedFinding>): Results {
  yield "[";
  let between = "\n";
  for await (const finding of findings) {
    if (!isStanding(finding)) continue;
    const { file, line = 1, endLine, severity, rule, message, fingerprint } = finding;
    const lines = endLine === undefined ? { begin: line } : { begin: line, end: endLine };
    const entry = { description: message === "" ? rule : message, check_name: rule, fingerprint, severity: severities[severity] };
    yield `${between}${JSON.stringify({ ...entry, location: { path: file, lines } })}`;
    between = ",\n";
  }
  yield between === "\n" ? "]\n" : "\n]\n";
}
