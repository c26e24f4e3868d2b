import { toolLines, toolsData } from "./tool-sections.ts";
import { type JsonObject, defined, counted, grouped, isoTime } from "../../../base/index.ts";
import { followingData, type PositionView } from "../../../views/index.ts";
import { actionData, actionText, cutOf, fitAction, type CheckAction, clipChars, clipTokens } from "./action-view.ts";
import type { ChecklistFacts } from "../definition/index.ts";
import {
  calledData,
  calledText,
  changedText,
  judgedData,
  percentComplete,
  settledText,
  severities,
  settledData,
  suppressedData,
} from "./facts-and-rows.ts";
import { checklistMetrics, metricsData, metricTable } from "./metrics.ts";
import { recommendations, minutes } from "./report.ts";
import { progressText, statusWord } from "./replies.ts";

const recommendationsShown = 8;
const issuesShown = 5;
/** A report that is also kept as a file is shown up to here. */
const reportChars = 3000;

export interface StatusExtras {
  /** The open action, as `workflow_next` would give it. */
  readonly action?: CheckAction;
  readonly lastCompleted?: { readonly action: string; readonly file?: string; readonly item?: string; readonly status: string };
  /** One page of files, and where the next one begins. */
  readonly files?: { readonly page: readonly FileLine[]; readonly next?: string };
}

export interface FileLine {
  readonly path: string;
  readonly status: string;
  readonly findings: number;
  readonly changes: number;
  readonly checklistComplete: boolean;
  /** The workflow it is a file of, when that is one that the run calls. */
  readonly workflow?: string;
}

/** How far the run is, what was done last, and what is open. Advances nothing. */
export function statusReply(facts: ChecklistFacts, extras: StatusExtras = {}): PositionView {
  const { lastCompleted: last, files } = extras;
  const fitted = extras.action === undefined ? undefined : fitAction(extras.action, 240);
  const data = defined({
    session_id: facts.run,
    workflow_type: facts.workflow.type,
    status: statusWord(facts),
    paused: facts.paused ? true : undefined,
    created_at: isoTime(facts.createdAt),
    updated_at: isoTime(facts.updatedAt),
    changed_since: facts.changedSince,
    progress: fullProgress(facts),
    ...calledData(facts),
    summary: statusSummary(facts),
    ...toolsData(facts),
    metrics: metricsData(facts),
    blocked_reason: facts.blocked === undefined ? undefined : clipTokens(facts.blocked.reason, 80),
    last_completed:
      last === undefined ? undefined : defined({ action: last.action, file: last.file, checklist_item_id: last.item, status: last.status }),
    ...(fitted === undefined ? {} : { next_action: actionData(fitted), ...followingData(fitted.action) }),
    files: files?.page.map(({ path, status, findings, changes, checklistComplete, workflow }) => {
      const counts = { findings_count: findings, proposed_changes_count: changes, checklist_complete: checklistComplete };
      return defined({ path, status, ...counts, workflow_type: workflow });
    }),
    next_page: files?.next,
  });
  const { findings, topics } = facts;
  const lines = [
    `${facts.run} (${facts.workflow.type}): ${statusWord(facts)}${facts.paused ? ", paused" : ""}, ${progressText(facts)}`,
    ...onlyChanged(facts),
    `${counted(findings.total, "finding")} (${severities.map((severity) => `${severity} ${grouped(findings.bySeverity[severity])}`).join(", ")}), ${counted(facts.changes.total, "proposed change")}, topics ${grouped(topics.applied)} applied, ${grouped(topics.pending)} pending`,
    ...(facts.called === undefined ? [] : [`Called: ${facts.called.map(calledText).join("; ")}`]),
    ...toolLines(facts),
    metricsLine(facts),
    ...(facts.blocked === undefined ? [] : [`Blocked: ${clipTokens(facts.blocked.reason, 80)}`]),
    ...(last === undefined ? [] : [`Last: ${last.action}${last.file === undefined ? "" : ` ${last.file}`} ${last.status}`]),
    ...(fitted === undefined ? [] : [`Open: ${actionText(fitted)}`]),
    ...(files?.page ?? []).map(
      (line) =>
        `${line.path}${line.workflow === undefined ? "" : ` (${line.workflow})`} ${line.status}, findings ${line.findings}, changes ${line.changes}`,
    ),
    ...(files?.next === undefined ? [] : [`More files from ${files.next}`]),
  ];
  return { text: lines.join("\n"), data, ...(fitted === undefined ? {} : cutOf(fitted)) };
}

function onlyChanged({ changedSince }: ChecklistFacts): readonly string[] {
  return changedSince === undefined ? [] : [`Only files${changedText(changedSince)}`];
}

function fullProgress(facts: ChecklistFacts): JsonObject {
  const { phase, files, instances } = facts;
  return defined({
    phase,
    files_completed: files.completed,
    files_total: files.total,
    files_in_progress: files.inProgress,
    files_pending: files.pending,
    files_skipped: files.skipped > 0 ? files.skipped : undefined,
    files_blocked: files.blocked > 0 ? files.blocked : undefined,
    files_out_of_scope: files.outOfScope > 0 ? files.outOfScope : undefined,
    percent_complete: percentComplete(facts),
    ...(instances === undefined ? {} : instanceProgress(instances)),
  });
}

function instanceProgress(instances: NonNullable<ChecklistFacts["instances"]>): JsonObject {
  return {
    ...(instances.toVerify === 0 ? {} : { instances_to_verify: instances.toVerify }),
    instances_total: instances.total,
    instances_completed: instances.completed,
    instances_skipped: instances.skipped,
    instances_failed: instances.failed,
    instances_remaining: instances.pending + instances.inProgress,
    auto_fixed: instances.autoFixed,
    ...judgedData(instances),
    ...suppressedData(instances),
    ...settledData(instances),
  };
}

function statusSummary({ findings, changes, topics }: ChecklistFacts): JsonObject {
  return {
    total_findings: findings.total,
    findings_by_severity: bySeverity(findings.bySeverity),
    total_proposed_changes: changes.total,
    topics_applied: topics.applied,
    topics_pending: topics.pending,
  };
}

function bySeverity(counts: ChecklistFacts["findings"]["bySeverity"]): JsonObject {
  return Object.fromEntries(severities.map((severity) => [severity, counts[severity]]));
}

function metricsLine(facts: ChecklistFacts): string {
  const metrics = checklistMetrics(facts);
  const parts = metricTable.flatMap(({ id, title }) => {
    const value = metrics[id];
    return value === null ? [] : [`${title.toLowerCase()} ${Math.round(value * 100) / 100}`];
  });
  return parts.length === 0 ? "Nothing to measure yet" : `Measures: ${parts.join(", ")}`;
}

export interface CompleteExtras {
  readonly report?: string;
  /** Where the whole report is; a long report is then shown in part. */
  readonly reportPath?: string;
  readonly reportFormat?: "markdown" | "json" | "html";
  readonly topIssues: readonly JsonObject[];
}

/** The end of a run, or an interim report while it continues. */
export function completeReply(facts: ChecklistFacts, extras: CompleteExtras): PositionView {
  const lines = recommendations(facts).slice(0, recommendationsShown);
  const issues = extras.topIssues.slice(0, issuesShown);
  const report = shownReport(extras);
  const ended = facts.endedAt;
  const data = defined({
    session_id: facts.run,
    status: statusWord(facts),
    interim: ended === undefined ? true : undefined,
    completed_at: ended === undefined ? undefined : isoTime(ended),
    duration_minutes: minutes((ended ?? facts.now) - facts.createdAt),
    summary: completeSummary(facts),
    ...calledData(facts),
    report,
    report_path: extras.reportPath,
    report_format: extras.reportFormat,
    top_issues: issues,
    recommendations: lines,
  });
  const { files, instances, findings, changes } = facts;
  const converted = instances === undefined ? [] : [settledText(instances)];
  const text = [
    `${facts.run}: ${ended === undefined ? "interim report, the run has not ended" : statusWord(facts)}`,
    `${grouped(files.completed)} of ${counted(files.total, "file")} completed${files.skipped === 0 ? "" : `, ${grouped(files.skipped)} skipped`}, ${counted(findings.total, "finding")}, ${grouped(changes.applied)} of ${counted(changes.total, "proposed change")} applied`,
    ...converted,
    ...(facts.called === undefined ? [] : [`Called: ${facts.called.map(calledText).join("; ")}`]),
    ...issues.map((issue) => `- ${issueText(issue)}`),
    ...lines.map((line) => `- ${line}`),
    ...(extras.reportPath === undefined ? [] : [`Report: ${extras.reportPath}`]),
    ...(extras.reportPath === undefined && report !== undefined ? [report] : []),
  ].join("\n");
  return { text, data };
}

/** Markdown is cut at a line; other formats come whole, in pages where one reply has no room. Without a path nothing is cut. */
function shownReport({ report, reportPath, reportFormat = "markdown" }: CompleteExtras): string | undefined {
  if (report === undefined || reportPath === undefined || report.length <= reportChars) return report;
  if (reportFormat !== "markdown") return report;
  const end = report.lastIndexOf("\n", reportChars);
  return `${end > 0 ? report.slice(0, end) : clipChars(report, reportChars)}\n\n(cut; the whole report is at report_path)`;
}

function issueText(issue: JsonObject): string {
  const text = (key: string): string => (typeof issue[key] === "string" ? issue[key] : "");
  const line = typeof issue["line"] === "number" ? `:${issue["line"]}` : "";
  return `${text("severity")} ${text("file")}${line}: ${clipTokens(text("description"), 40)}`;
}

function completeSummary({ files, findings, changes, topics, instances }: ChecklistFacts): JsonObject {
  return defined({
    files_reviewed: files.completed,
    files_processed: instances === undefined ? undefined : files.completed,
    files_skipped: files.skipped > 0 ? files.skipped : undefined,
    files_blocked: files.blocked > 0 ? files.blocked : undefined,
    total_findings: findings.total,
    findings_by_severity: bySeverity(findings.bySeverity),
    proposed_changes: changes.total,
    changes_applied: changes.applied,
    topics_applied: topics.applied,
    ...(instances === undefined
      ? {}
      : {
          ...(instances.judged === undefined ? { instances_converted: instances.completed } : judgedData(instances)),
          ...suppressedData(instances),
          instances_to_verify: instances.toVerify === 0 ? undefined : instances.toVerify,
          instances_skipped: instances.skipped,
          instances_failed: instances.failed,
          auto_fixed: instances.autoFixed,
          manually_reviewed: instances.byHand,
        }),
  });
}
