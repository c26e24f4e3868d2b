import { type Json, type JsonObject, counted, isoTime } from "../../../base/index.ts";
import type { BatchFacts, ChecklistFacts, UpgradeFacts } from "../definition/index.ts";
import { checklistMetrics, inThousandths, metricTable } from "./metrics.ts";
import { type FactsSection, type ReportSection, type TableSection, lineSection, table } from "./render-report.ts";
import { changedText, judgedData, severities } from "./facts-and-rows.ts";
import { stepText } from "./status-bar.ts";
import { toolTable } from "./tool-sections.ts";

type Entry = FactsSection["entries"][number];

function entry(key: string, label: string, value: Json): Entry {
  return { key, label, value };
}

/** Counts of the whole run; what does not exist in this workflow is left out. */
export function summarySection({ changedSince, files, instances, findings, changes, topics, entries }: ChecklistFacts): FactsSection {
  const list: Entry[] = [
    ...(changedSince === undefined ? [] : [entry("only_files", "Only files", changedText(changedSince).trim())]),
    entry("files_total", "Files in scope", files.total),
    entry("files_completed", "Files processed", files.completed),
    entry("files_skipped", "Files skipped", files.skipped),
    entry("files_blocked", "Files blocked", files.blocked),
    entry("files_open", "Files open", files.pending + files.inProgress),
    entry("files_out_of_scope", "Files out of scope", files.outOfScope),
    entry("files_changed", "Files changed", files.changed),
  ];
  if (instances !== undefined)
    list.push(
      entry("files_with_matches", "Files with matches", files.withMatches),
      entry("total_instances", "Total instances", instances.total),
      ...(instances.judged === undefined
        ? [
            entry("auto_fixed", "Auto-applied", instances.autoFixed),
            entry("manually_reviewed", "Manually reviewed", instances.byHand),
            entry("instances_skipped", "Skipped (with reasons)", instances.skipped),
          ]
        : [
            entry("instances_confirmed", "Confirmed", instances.judged.confirmed),
            entry("instances_dismissed", "Dismissed (with reasons)", instances.judged.dismissed),
            entry("instances_fixed", "Fixed", instances.byHand),
          ]),
      ...(instances.settled === 0 ? [] : [entry("instances_settled_by_engine", "Of these settled by the engine", instances.settled)]),
      entry("instances_suppressed", "Suppressed by the team", instances.suppressed ?? 0),
      entry("instances_failed", "Failed", instances.failed),
      ...(instances.toVerify === 0 ? [] : [entry("instances_to_verify", "Reported as fixed, not verified yet", instances.toVerify)]),
      entry("instances_flagged", "Flagged", instances.flagged),
      entry("instances_open", "Open", instances.pending + instances.inProgress),
    );
  list.push(
    entry("checklist_entries", "Checklist entries", entries.total),
    entry("checklist_entries_open", "Checklist entries open", entries.by.pending + entries.by.in_progress),
    entry("total_findings", "Findings", findings.total),
    entry("proposed_changes", "Proposed changes", changes.total),
    entry("changes_applied", "Changes applied", changes.applied),
    entry("topics_applied", "Topics applied", topics.applied),
    entry("topics_pending", "Topics pending", topics.pending),
  );
  return { kind: "facts", key: "summary", title: "Summary", entries: list };
}

/** Tables that are made of counts alone. */
export function countSections(facts: ChecklistFacts): readonly ReportSection[] {
  const phases = facts.phases.map(({ id, name, mode, required, status }): JsonObject => ({ phase: id, name, mode, required, status }));
  return [
    table("by_phase", "By phase", "name: Phase, mode, required, status", { rows: phases }),
    ...taskTable(facts),
    ...calledTable(facts),
    ...toolTable(facts),
    ...typeTable(facts),
    ...(facts.upgrade === undefined ? [] : upgradeTables(facts.upgrade)),
    severityTable(facts),
  ];
}

/** Absent while no task has ended. */
function taskTable({ tasks }: ChecklistFacts): TableSection[] {
  if (tasks === undefined) return [];
  return [table("tasks", "Tasks", "name: Phase, status, result", { rows: tasks.map((task): JsonObject => ({ ...task })) })];
}

/** Absent where nothing is called. */
function calledTable({ called }: ChecklistFacts): TableSection[] {
  if (called === undefined) return [];
  const rows = called.map(({ type, name, status, files, instances, entries }): JsonObject => ({
    workflow: type,
    name,
    status,
    files: files.total,
    completed: files.completed,
    skipped: files.skipped,
    blocked: files.blocked,
    open: files.pending + files.inProgress,
    entries: entries.total,
    entries_open: entries.by.pending + entries.by.in_progress,
    ...(instances === undefined
      ? {}
      : {
          instances: instances.total,
          instances_completed: instances.completed,
          ...judgedData(instances),
          instances_skipped: instances.skipped,
          instances_failed: instances.failed,
          instances_open: instances.pending + instances.inProgress,
        }),
  }));
  return [
    table(
      "called_workflows",
      "Called workflows",
      "workflow, status, files, completed, skipped, blocked, open, instances, instances_completed: Converted or confirmed, instances_skipped: Skipped or dismissed, instances_failed: Failed, instances_open: Open",
      {
        note: "Each goes through files of its own, which are counted here and not in the summary; findings and changes are the run's.",
        rows,
      },
    ),
  ];
}

function typeTable({ instances }: ChecklistFacts): TableSection[] {
  if (instances === undefined) return [];
  const rows = Object.entries(instances.byType).map(([type, { count, auto, review, manual, types }]): JsonObject => {
    const inside = Object.entries(types).map(([name, number]) => `${name} ${number}`);
    return { type, count, auto, review, manual, types, inside: inside.join(", ") };
  });
  return [
    table("by_type", "By type", "type, count: Instances, auto, review, manual, inside: Forms", { rows, empty: "No instances were found." }),
  ];
}

function upgradeTables(upgrade: UpgradeFacts): TableSection[] {
  const openSteps = upgrade.steps.some((step) => step.open > 0);
  const steps = upgrade.steps.map(({ step, instances, auto, byHand: manual, skipped, open, files }): JsonObject => {
    return { step: stepText(step), instances, auto, manual, skipped, open, files };
  });
  const guides = upgrade.steps.flatMap(({ step, guides: its }) => its.map((guide): JsonObject => ({ step: stepText(step), ...guide })));
  const missing = upgrade.withoutGuide.map(stepText);
  return [
    table("by_version_step", "By Version Step", `step, instances, auto, manual, skipped${openSteps ? ", open" : ""}`, {
      ...(missing.length === 0 ? {} : { note: `Without a conversion guide: ${missing.join(", ")}.` }),
      rows: steps,
    }),
    table("by_guide", "By conversion guide", "step, title: Guide, instances, done", { rows: guides }),
  ];
}

function severityTable({ findings }: ChecklistFacts): FactsSection {
  return {
    kind: "facts",
    key: "findings_by_severity",
    title: "Findings by severity",
    entries: severities.map((severity) =>
      entry(severity, `${severity.slice(0, 1).toUpperCase()}${severity.slice(1)}`, findings.bySeverity[severity]),
    ),
  };
}

export function batchSection({ batches }: ChecklistFacts): TableSection {
  return table(
    "batches",
    "Batches",
    "id: Batch, operation, previewed, modified, failed, left_out: Left out, files, state, remaining: Found by the second scan",
    { note: batchNote(batches), rows: batches.map(batchRow) },
  );
}

/** A batch that does not add up is named: the report must not say more than the numbers. */
function batchNote(batches: readonly BatchFacts[]): string {
  const wrong = batches.filter(({ previewed, modified, failed, leftOut }) => modified + failed + leftOut !== previewed).map(({ id }) => id);
  if (wrong.length === 0) return "Modified, failed and left out add up to what was previewed.";
  return `The numbers of these batches do not add up to what was previewed: ${wrong.join(", ")}.`;
}

function batchRow({ id, operation, at, previewed, modified, failed, leftOut, files, undone, remaining, underWay }: BatchFacts): JsonObject {
  const state = underWay ?? (undone ? "undone" : "applied");
  const row = { id, operation, at: isoTime(at), previewed, modified, failed, left_out: leftOut, files, state };
  return remaining === undefined ? row : { ...row, remaining };
}

/** Says plainly what was proved and what was not. */
export function verificationSections({ verification }: ChecklistFacts): readonly ReportSection[] {
  const lines = (said: readonly string[]): ReportSection => lineSection("verification", "Verification", said);
  if (verification === undefined) return [lines(["Nothing was compiled and nothing was scanned again: the run has not been verified."])];
  const { compiled, commands, errorsByFile, rescanned, remaining, notAllowed = [] } = verification;
  const said = [compiled ? "The configured commands were run." : "Nothing was compiled."];
  for (const { name, ok, errors } of commands) said.push(`${name}: ${ok ? "passed" : `failed with ${counted(errors, "error")}`}.`);
  for (const command of notAllowed) said.push(`Not run, because nobody has allowed it: \`${command}\` (see \`waymark allow\`).`);
  said.push(
    `${counted(rescanned, "file was", "files were")} scanned again; ${counted(remaining, "instance")} of the converted kinds remained.`,
  );
  const errors = Object.entries(errorsByFile).flatMap(([file, list]) => list.map((error): JsonObject => ({ file, error })));
  const errorTable = table("verification_errors", "Errors by file", "file, error", { rows: errors });
  return [lines(said), errorTable];
}

export function metricSection(facts: ChecklistFacts): TableSection {
  const metrics = checklistMetrics(facts);
  return table("metrics", "Metrics", "title: Measure, shown: Value, meaning", {
    rows: metricTable.map(({ id, key, title, meaning }): JsonObject => {
      const value = metrics[id];
      const rounded = inThousandths(value);
      const shown = rounded === null ? "not applicable" : id === "findingDensity" ? rounded : `${Math.round(rounded * 1000) / 10} %`;
      return { metric: key, title, value: rounded, shown, meaning };
    }),
  });
}
