/**
 * What a run of a checklist does: effects that list, scan and edit files, rows and their counts, and the commands that only checklists
 * have. Shows nothing by itself. Begin with `runtime.ts`, then `checklist-run.ts` and one file of `effects/`.
 */
export { changeBase } from "./changed/change-base.ts";
export { changedFiles, filesAt } from "./changed/changed-files.ts";
export { changedLines, onChangedLines } from "./changed/changed-lines.ts";
export { type BatchPlan, type BatchRecord, type LeftOutSummary, newRecord, summariseLeftOut } from "./batch-plan.ts";
export {
  applyAutoFirst,
  begunRuns,
  checklistOf,
  checklistsOf,
  decodeChecklist,
  isApproach,
  isInChecklist,
  openOf,
  requireChecklist,
  rulesOf,
  runNamed,
  scansAtOnce,
  shownAsEverywhere,
} from "./checklist-run.ts";
export { type BatchPreview, type BatchRequest, closeApproach, editing, previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
export { type CheckReport, type CheckReported, isOfChecklist, plainReport, reportCheck } from "./commands/check-report.ts";
export { completeChecklist } from "./commands/complete-checklist.ts";
export { batches, checklistRows, gatherFacts } from "./commands/gather-facts.ts";
export { reopenFailed } from "./commands/retry-checklist.ts";
export { type Undone, undoBatch } from "./commands/undo.ts";
export { describeCheck } from "./describe-check.ts";
export { editsInText } from "./edits-in-text.ts";
export { instanceId } from "./file-rows.ts";
export { findGuides } from "./knowledge-guides.ts";
export { withMatchContext } from "./match-context.ts";
export { type ScanSum, inPages, sumOf } from "./run-rows.ts";
export { type BatchFilter, diffBatch, selectInstances } from "./plan-batch.ts";
export { type SaidFinding, verdicts } from "./judge-instance.ts";
export type { ProposedChange } from "./report-change.ts";
export { toolFindings } from "./tool-findings.ts";
export { checklistRuntime } from "./runtime.ts";
export { actionWord, entryNamed, topicOf } from "./take-entry.ts";
