/**
 * What agents and people read of a checklist: replies, reports, measures, the exported session and the state of status bars. Pure, from
 * `ChecklistFacts`. Begin with `replies.ts` and `report.ts`.
 */
export type { ActionOption, CheckAction } from "./action-view.ts";
export { batchPreviewReply, batchResultReply, leftText, undoneText } from "./batch-reply.ts";
export { changedText } from "./facts-and-rows.ts";
export { checklistMetrics, metricTable } from "./metrics.ts";
export { fileStatus } from "./facts-and-rows.ts";
export { type StartExtras, blockedReply, nextReply, progressUpdate, startReply, failedText } from "./replies.ts";
export { type Report, renderHtml, renderMarkdown, table } from "./render-report.ts";
export { checklistReport, type ReportFormat } from "./report.ts";
export { topIssues } from "./row-sections.ts";
export { sessionJson } from "./session-json.ts";
export { mergeSharedState, parseSharedState } from "./merge-shared-state.ts";
export { type SharedWorkflowSession, type SharedWorkflowState, sharedSession } from "./shared-state.ts";
export { statusBar } from "./status-bar.ts";
export { type FileLine, type StatusExtras, completeReply, statusReply } from "./status-reply.ts";
