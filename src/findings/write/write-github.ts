import type { Severity } from "../../ports/index.ts";
import { isStanding, type ReportedFinding, type Results } from "./reported-finding.ts";

const commands: Readonly<Record<Severity, string>> = { critical: "error", error: "error", warning: "warning", info: "notice" };

/** Workflow commands that a GitHub Action shows beside the lines of a pull request. */
export async function* writeGithub(findings: AsyncIterable<ReportedFinding>): Results {
  for await (const finding of findings) {
    if (!isStanding(finding)) continue;
    const { file, line, column, endLine, endColumn, severity, rule, message } = finding;
    // Columns count only where one line is meant.
    const columns = endLine === line ? { col: column, endColumn } : {};
    const given = Object.entries({ file, line, endLine, ...columns, title: `${severity}: ${rule}` });
    const properties = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${escapedProperty(String(value))}`]));
    yield `::${commands[severity]} ${properties.join(",")}::${escaped(message === "" ? rule : message)}\n`;
  }
}

function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
