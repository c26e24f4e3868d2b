import { type JsonObject, counted, isoTime } from "../../../base/index.ts";
import type { ChecklistFacts, ChecklistRows } from "../definition/index.ts";
import { batchSection, countSections, metricSection, summarySection, verificationSections } from "./fact-sections.ts";
import { lineSection, renderHtml, renderJson, renderMarkdown, type Report } from "./render-report.ts";
import { rowSections } from "./row-sections.ts";
import { overall } from "./facts-and-rows.ts";
import { stepText } from "./status-bar.ts";

export type ReportFormat = "markdown" | "json" | "html";

export interface ReportWish {
  readonly format: ReportFormat;
  /** Unless given, a run that has not ended gives an interim report. */
  readonly interim?: boolean;
}

/** The whole report in pieces. */
export function checklistReport(facts: ChecklistFacts, rows: ChecklistRows, wish: ReportWish): AsyncIterable<string> {
  const report = reportOf(facts, rows, wish.interim ?? facts.endedAt === undefined);
  switch (wish.format) {
    case "markdown":
      return renderMarkdown(report);
    case "json":
      return renderJson(report);
    case "html":
      return renderHtml(report);
  }
}

function reportOf(facts: ChecklistFacts, rows: ChecklistRows, interim: boolean): Report {
  const { workflow, upgrade, problems } = facts;
  const left = recommendations(facts);
  return {
    title: upgrade === undefined ? `${workflow.name} Report` : `${upgrade.source} → ${upgrade.target} Migration Report`,
    interim,
    opening: opening(facts, interim),
    head: headOf(facts, interim),
    sections: [
      summarySection(facts),
      lineSection("recommendations", "Action Items", left.length === 0 ? ["Nothing is left to do."] : left),
      ...countSections(facts),
      ...rowSections(facts, rows),
      batchSection(facts),
      ...verificationSections(facts),
      ...(problems === undefined ? [] : [lineSection("problems", "Problems", problems)]),
      metricSection(facts),
    ],
  };
}

function opening(facts: ChecklistFacts, interim: boolean): readonly string[] {
  const { files, createdAt, endedAt, now, run, workflow, paused, blocked } = facts;
  const until = endedAt ?? now;
  const status = paused ? `${facts.status}, paused` : facts.status;
  const lines = [
    `Run ${run} (${workflow.type}), ${status}, ${counted(minutes(until - createdAt), "minute")}, started ${isoTime(createdAt)}.`,
  ];
  if (interim) {
    const open = files.pending + files.inProgress;
    lines.push(
      `As of ${isoTime(now)} ${open === 0 ? "no file is" : counted(open, "file is", "files are")} open${endedAt === undefined ? "; the run has not ended" : ""}.`,
    );
  }
  if (blocked !== undefined) lines.push(`Blocked: ${blocked.reason}`);
  return lines;
}

function headOf({ run, workflow, status, createdAt, endedAt, now, phase }: ChecklistFacts, interim: boolean): JsonObject {
  return {
    session_id: run,
    workflow_type: workflow.type,
    workflow_name: workflow.name,
    status,
    interim,
    current_phase: phase,
    created_at: isoTime(createdAt),
    ...(endedAt === undefined ? {} : { completed_at: isoTime(endedAt) }),
    duration_minutes: minutes((endedAt ?? now) - createdAt),
  };
}

export function minutes(ms: number): number {
  return Math.max(0, Math.round(ms / 60_000));
}

/** What is left for people to do, the gravest first. Every number is counted; nothing is said that the run does not show. */
export function recommendations(facts: ChecklistFacts): readonly string[] {
  return [...aboutFindings(facts), ...aboutVerification(facts), ...aboutPlaces(facts), ...aboutChanges(facts), ...aboutScope(facts)];
}

function aboutFindings({ findings: { bySeverity } }: ChecklistFacts): string[] {
  const lines: string[] = [];
  if (bySeverity.critical > 0) lines.push(`Address ${counted(bySeverity.critical, "critical finding")} before deployment.`);
  if (bySeverity.error > 0) lines.push(`Review ${counted(bySeverity.error, "finding")} of severity error.`);
  return lines;
}

function aboutVerification({ verification, files }: ChecklistFacts): string[] {
  const lines: string[] = [];
  if (files.changed > 0 && verification?.compiled !== true)
    lines.push(
      `Compile and run the tests: ${counted(files.changed, "file was", "files were")} changed and nothing was compiled in this run.`,
    );
  for (const { name, ok, errors } of verification?.commands ?? [])
    if (!ok) lines.push(`Fix ${errors > 0 ? `${counted(errors, "error")} that` : "what"} \`${name}\` reported.`);
  if (verification !== undefined && verification.remaining > 0)
    lines.push(`Look at ${counted(verification.remaining, "place")} that the second scan still found.`);
  return lines;
}

function aboutPlaces(facts: ChecklistFacts): string[] {
  const lines: string[] = [];
  const failed = itemsOf(facts, "failed");
  const skipped = itemsOf(facts, "skipped");
  const open = overall(facts, ({ instances }) => (instances?.pending ?? 0) + (instances?.inProgress ?? 0));
  const blocked = overall(facts, ({ files }) => files.blocked);
  const flagged = overall(facts, ({ instances }) => instances?.flagged ?? 0);
  if (failed !== undefined) lines.push(`Look at ${failed}; the reasons are listed.`);
  if (blocked > 0)
    lines.push(`Repair what blocks ${counted(blocked, "file")}, then ${isOver(facts) ? "start another run" : "call workflow_retry"}.`);
  if (skipped !== undefined) lines.push(`Review ${skipped}; the reasons are listed.`);
  if (flagged > 0) lines.push(`Decide about ${counted(flagged, "flagged place")}.`);
  if (open > 0)
    lines.push(
      isOver(facts)
        ? `Start another run for ${counted(open, "instance")} left open.`
        : `Work through ${counted(open, "instance")} still open.`,
    );
  return lines;
}

/** A run that is retried continues; one that is over takes nothing any more. */
function isOver({ status }: ChecklistFacts): boolean {
  return status === "completed" || status === "cancelled";
}

/** The rows that the report lists with their reasons, by what they are: `4 failed items (2 instances, 2 checklist entries)`. */
function itemsOf(facts: ChecklistFacts, how: "failed" | "skipped"): string | undefined {
  const kinds = [
    // Files that failed are blocked, and listed as such.
    { count: how === "failed" ? 0 : overall(facts, ({ files }) => files.skipped), one: "file", many: "files" },
    {
      // What the engine settled needs nobody's look, and has a table of its own.
      count: overall(facts, ({ instances }) => (instances?.[how] ?? 0) - (how === "skipped" ? (instances?.settled ?? 0) : 0)),
      one: "instance",
      many: "instances",
    },
    { count: overall(facts, ({ entries }) => entries.by[how]), one: "checklist entry", many: "checklist entries" },
    { count: facts.topics[how], one: "topic", many: "topics" },
  ].filter(({ count }) => count > 0);
  const [first, second] = kinds;
  if (first === undefined) return undefined;
  if (second === undefined) return counted(first.count, `${how} ${first.one}`, `${how} ${first.many}`);
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  return `${counted(total, `${how} item`)} (${kinds.map(({ count, one, many }) => counted(count, one, many)).join(", ")})`;
}

function aboutChanges({ changes, batches }: ChecklistFacts): string[] {
  const lines: string[] = [];
  if (changes.pending > 0) {
    const auto =
      changes.autoApplicable > 0 ? ` ${counted(changes.autoApplicable, "of them is", "of them are")} marked as auto-applicable.` : "";
    lines.push(`Apply or reject ${counted(changes.pending, "proposed change")}.${auto}`);
  }
  if (changes.failed > 0) lines.push(`Look at ${counted(changes.failed, "proposed change")} that could not be applied.`);
  const undone = batches.filter((batch) => batch.undone).length;
  if (undone > 0) lines.push(`${counted(undone, "batch was", "batches were")} undone: decide whether to apply them again.`);
  return lines;
}

function aboutScope(facts: ChecklistFacts): string[] {
  const { files, upgrade, called = [] } = facts;
  const lines: string[] = [];
  const pending = overall(facts, (each) => each.files.pending + each.files.inProgress);
  const uncalled = called.filter(({ status }) => status === "pending" || status === "skipped").map(({ type }) => type);
  const over = isOver(facts);
  if (uncalled.length > 0)
    lines.push(`Go through the files with ${uncalled.join(", ")}, which this run has not called${over ? "" : " yet"}.`);
  if (pending > 0)
    lines.push(over ? `Start another run for ${counted(pending, "file")} left open.` : `Finish ${counted(pending, "file")} still open.`);
  if (files.outOfScope > 0) lines.push(`Start another run for ${counted(files.outOfScope, "file")} left out of scope.`);
  const missing = upgrade?.withoutGuide ?? [];
  if (missing.length > 0) {
    lines.push(`Check by hand ${counted(missing.length, "version step")} without a conversion guide: ${missing.map(stepText).join(", ")}.`);
  }
  return lines;
}
