import type { JsonObject } from "../../../base/index.ts";
import type { ChecklistFacts, ChecklistRows } from "../definition/index.ts";
import { batchSection, countSections, metricSection, summarySection, verificationSections } from "./fact-sections.ts";
import { counted, isoTime } from "../../../views/index.ts";
import { recommendations } from "./recommendations.ts";
import { renderHtml, renderJson, renderMarkdown, type LinesSection, type Report } from "./render-report.ts";
import { rowSections } from "./row-sections.ts";

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
  return {
    title: titleOf(facts),
    interim,
    opening: opening(facts, interim),
    head: headOf(facts, interim),
    sections: [
      summarySection(facts),
      actionItems(facts),
      ...countSections(facts),
      ...rowSections(facts, rows),
      batchSection(facts),
      ...verificationSections(facts),
      ...problemSection(facts),
      metricSection(facts),
    ],
  };
}

function titleOf({ workflow, upgrade }: ChecklistFacts): string {
  return upgrade === undefined ? `${workflow.name} Report` : `${upgrade.source} → ${upgrade.target} Migration Report`;
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

function problemSection({ problems }: ChecklistFacts): LinesSection[] {
  return problems === undefined ? [] : [{ kind: "lines", key: "problems", title: "Problems", lines: problems }];
}

function actionItems(facts: ChecklistFacts): LinesSection {
  const lines = recommendations(facts);
  return { kind: "lines", key: "recommendations", title: "Action Items", lines: lines.length === 0 ? ["Nothing is left to do."] : lines };
}
