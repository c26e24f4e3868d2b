import type { ChecklistFacts } from "../definition/index.ts";
import { defined, type JsonObject, counted } from "../../../base/index.ts";
import { gatherFacts } from "../run/index.ts";
import { status, type EngineContext } from "../../../engine/index.ts";
import { changedText, checklistMetrics, metricTable, statusReply } from "../views/index.ts";
import { renderTable, type Output, type ShownPart } from "../../../cli/index.ts";

/** The status of a checklist run: files, instances, phases, batches, measures, and what blocks it. */
export async function checklistStatus(context: EngineContext, run: string): Promise<ShownPart> {
  const facts = await gatherFacts(context, run);
  const { strands } = await status(context, run);
  const gone = new Set(strands.flatMap(({ strand, alive }) => (alive ? [] : [strand])));
  const inHand = facts.inHand.filter(({ strand = "" }) => !gone.has(strand));
  return { data: { checklist: statusData(facts) }, show: (out) => showStatus(out, { ...facts, inHand }) };
}

function statusData(facts: ChecklistFacts): JsonObject {
  const { session_id: _id, workflow_type: _type, status: _status, ...data } = statusReply(facts).data;
  return {
    ...data,
    phases: facts.phases.map(({ id, name, mode, status }) => ({ id, name, mode, status })),
    batches: facts.batches.map(({ at, ...batch }) => ({ ...batch, at: new Date(at).toISOString() })),
    ...defined({ blocked: facts.blocked, by_type: facts.instances?.byType as JsonObject | undefined }),
  };
}

function showStatus(out: Output, facts: ChecklistFacts): void {
  const { files, instances, findings, changes, topics } = facts;
  const { by, total: entries } = facts.entries;
  const rows = [
    ["Files", filesText(files)],
    ...(facts.changedSince === undefined ? [] : [["Only", `files${changedText(facts.changedSince)}`]]),
    ...(instances === undefined ? [] : [["Instances", instancesText(instances)]]),
    ...(facts.called ?? []).map((called) => [`Calls ${called.type}`, calledText(called)]),
    ["Checklist", `${by.completed} of ${entries} entries completed, ${by.skipped} skipped${some(by.failed, ", ", "failed")}`],
    ...(topics.suggested + topics.applied + topics.pending > 0 ? [["Topics", `${topics.applied} applied, ${topics.pending} open`]] : []),
    ["Findings", `${findings.total}${findings.total === 0 ? "" : ` (${severityText(findings.bySeverity)})`}`],
    ...(changes.total === 0 ? [] : [["Changes", `${changes.total} proposed, ${changes.applied} applied`]]),
    ["Phases", facts.phases.map(({ name, status }) => `${marks[status]} ${name}`).join("  ")],
    ["Measures", measureText(facts)],
  ];
  for (const line of renderTable(rows)) out.line(line);
  for (const { id, operation, modified, previewed, failed, leftOut, files: count, undone, remaining, underWay } of facts.batches) {
    const left = remaining === undefined ? "" : `, a second scan found ${remaining} left`;
    const did = `${modified} of ${previewed} in ${counted(count, "file")}, ${failed} failed, ${leftOut} left out${left}${undone ? "; undone" : ""}`;
    out.line(`Batch ${id}  ${operation}: ${underWay === undefined ? did : `${underWay}, ${modified} of ${previewed} recorded so far`}`);
  }
  const held = facts.inHand.map(({ file, holder }) => (holder === undefined ? file : `${file} (${holder})`));
  for (const line of firstOf(held)) out.line(`Working on  ${line}`);
  for (const line of firstOf(facts.problems ?? [])) out.line(`Problem  ${line}`);
  // What continues at a time is shown with the parts that wait for it.
  if (facts.blocked === undefined || facts.blocked.until !== undefined) return;
  out.advice(`${out.paint("yellow", "!")} Blocked: ${facts.blocked.reason}`);
  for (const file of facts.blocked.files.slice(0, mostShown)) out.line(`  ${file}`);
  const retry = `waymark retry ${facts.run}`;
  out.line("  Ways out:");
  out.advice(`    try again, when the cause is fixed: ${retry}`);
  out.advice(`    skip what cannot be done: ${retry}, then for each entry: waymark skip ${facts.run} --reason '<why>'`);
  out.advice(`    end the run: waymark abort ${facts.run}`);
}

const mostShown = 5;

function firstOf(lines: readonly string[]): readonly string[] {
  return lines.length <= mostShown ? lines : [...lines.slice(0, mostShown), `and ${lines.length - mostShown} more`];
}

const marks = { completed: "✓", in_progress: "▶", skipped: "–", pending: "·" } as const;

function filesText({ total, completed, skipped, inProgress, pending, blocked, outOfScope, withMatches }: ChecklistFacts["files"]): string {
  const open = `, ${pending + inProgress} open`;
  const left = `${some(blocked, ", ", "blocked")}${some(outOfScope, ", ", "out of scope")}${some(withMatches, "; ", "with matches")}`;
  return `${completed + skipped} of ${total} done${some(skipped, ", ", "of them skipped")}${open}${left}`;
}

function calledText({ status, files, instances }: NonNullable<ChecklistFacts["called"]>[number]): string {
  if (status === "pending") return "not called yet";
  if (status === "skipped") return "was not called";
  return `${filesText(files)}${instances === undefined ? "" : `; instances: ${instancesText(instances)}`}`;
}

function instancesText({
  total,
  completed,
  skipped,
  failed,
  autoFixed,
  byHand,
  flagged,
  toVerify,
  judged,
  suppressed = 0,
  open,
}: NonNullable<ChecklistFacts["instances"]>): string {
  if (judged !== undefined) {
    const fixed = byHand > 0 ? ` (${byHand} fixed)` : "";
    const said = `${judged.confirmed} of ${total} confirmed${fixed}, ${judged.dismissed} dismissed`;
    return `${said}${some(failed, ", ", "failed")}${some(flagged, ", ", "flagged")}${some(suppressed, ", ", "suppressed")}, open: ${open.auto + open.review + open.manual}`;
  }
  const done = `${completed} of ${total} converted (${autoFixed} by batch, ${byHand} by hand), ${skipped} skipped`;
  const left = `open: ${open.auto} auto-fixable, ${open.review} to review, ${open.manual} by hand`;
  return `${done}${some(toVerify, ", ", "to verify")}${some(failed, ", ", "failed")}${some(flagged, ", ", "flagged")}${some(suppressed, ", ", "suppressed")}, ${left}`;
}

/** Nothing for 0. */
function some(count: number, before: string, what: string): string {
  return count === 0 ? "" : `${before}${count} ${what}`;
}

function severityText(counts: ChecklistFacts["findings"]["bySeverity"]): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${severity} ${count}`)
    .join(", ");
}

function measureText(facts: ChecklistFacts): string {
  const measures = checklistMetrics(facts);
  const parts = metricTable.flatMap(({ id, title }) => {
    const value = measures[id];
    if (value === null) return [];
    return [`${title.toLowerCase()} ${id === "findingDensity" ? value.toFixed(2) : `${Math.round(value * 100)} %`}`];
  });
  return parts.length === 0 ? "nothing to measure yet" : parts.join(", ");
}
