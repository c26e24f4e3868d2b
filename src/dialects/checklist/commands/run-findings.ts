import { isObject, type JsonObject } from "../../../base/index.ts";
import { checklistRows } from "../run/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import type { ReportedFinding } from "../../../findings/index.ts";
import type { Severity } from "../../../ports/index.ts";
import type { Item } from "../../../program/index.ts";
import { reportedRow } from "./reported-instance.ts";
import { selectRows } from "./select-rows.ts";

/**
 * Findings of a run with what has become of them: its instances file by file, then what agents recorded. What was recorded of an instance that was
 * confirmed is that instance, and is listed once.
 */
export async function* runFindings(context: EngineContext, handle: RunHandle): AsyncGenerator<ReportedFinding, void, undefined> {
  const confirmed = new Set<string>();
  for await (const { row, rules, workflow } of selectRows(context, handle.id, { kinds: ["instance"], types: [], files: [] })) {
    const finding = reportedRow(row, rules, workflow);
    if (finding.status === "confirmed") confirmed.add(`${finding.file}:${finding.line}`);
    yield finding;
  }
  for await (const row of checklistRows(context, handle).findings()) {
    const finding = recordedFinding(row);
    if (finding.line === undefined || !confirmed.has(`${finding.file}:${finding.line}`)) yield finding;
  }
}

/** What an agent recorded as a finding of its own. */
function recordedFinding(row: Item): ReportedFinding {
  const data: JsonObject = isObject(row.data) ? row.data : {};
  const text = (name: string): string | undefined => (typeof data[name] === "string" && data[name] !== "" ? data[name] : undefined);
  const line = typeof data["line"] === "number" && data["line"] > 0 ? data["line"] : undefined;
  const [message, suggestion] = [text("description") ?? "", text("suggestion")];
  return {
    file: text("file") ?? "",
    severity: (text("severity") ?? "info") as Severity,
    rule: text("category") ?? "review",
    message: suggestion === undefined ? message : `${message} ${suggestion}`,
    autoFixable: false,
    fingerprint: row.id,
    status: "recorded",
    ...(line === undefined ? {} : { line }),
  };
}
