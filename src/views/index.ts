/**
 * Renderings of a run for agents and people. Pure: state in, text and data out. Never decides anything. Begin with
 * `position-view.ts`; for checklists over files with `checklist/replies.ts`,
 * for bots with `bots/bot-view.ts`.
 */
export { coreResultsWanted, coreShown, questionStep, type AtomicStep } from "./atomic-step.ts";
export { stepFor, withWritesLeft, type Shown, type ShownStanding } from "./atomic-step.ts";
export { leftUndone } from "./bots/bot-place.ts";
export { botResultWanted, botShown, reportHint } from "./bots/bot-step.ts";
export { roleResultWanted, roleShown } from "./machine/role-step.ts";
export { botView, type BotView, type BotViewOptions, type QuestionAbout, type Wish } from "./bots/bot-view.ts";
export { closeView, type ClosedFacts } from "./bots/close-view.ts";
export { decideCommand } from "./decide-command.ts";
export { positionView, taskArgument, type CutText, type PositionFacts, type PositionView, type RunView } from "./position-view.ts";
export { mask, maskSecrets, secretsOf } from "./mask-secrets.ts";
export { itemCounts, progressOf } from "./standing.ts";
export {
  authorsPrompt,
  promptText,
  standingOf,
  strandAt,
  taskAround,
  taskPrompt,
  tasksBeside,
  type OpenTask,
  type Standing,
} from "./standing.ts";
export { timeOver } from "./standing.ts";
export { lastCheckpoint, resumeText } from "./resume-view.ts";
export { callText, followingData, followingText, type CallSpec, type Following, type LaterCall } from "./atomic-step.ts";
export type { ActionOption, CheckAction } from "./checklist/check-action.ts";
export { batchShown, checkShown, endShown, phaseShown } from "./checklist/check-step.ts";
export { batchPreviewReply, batchResultReply, type BatchPreview, type BatchResult } from "./checklist/batch-reply.ts";
export { counted, grouped } from "./checklist/number-text.ts";
export { leftText, undoneText } from "./checklist/undone-text.ts";
export { checklistMetrics, metricTable, type ChecklistMetrics, type MetricEntry } from "./checklist/metrics.ts";
export { progressUpdate, type WorkDone } from "./checklist/progress-update.ts";
export { blockedReply, nextReply, startReply, type StartExtras } from "./checklist/replies.ts";
export { checklistReport, type ReportFormat, type ReportWish } from "./checklist/report.ts";
export { sessionJson } from "./checklist/session-json.ts";
export {
  mergeSharedState,
  parseSharedState,
  sharedSession,
  type MergedState,
  type SharedWorkflowSession,
  type SharedWorkflowState,
} from "./checklist/shared-state.ts";
export { statusBar, type StatusBar } from "./checklist/status-bar.ts";
export { completeReply, statusReply, type CompleteExtras, type FileLine, type StatusExtras } from "./checklist/status-reply.ts";
export { topIssues } from "./checklist/top-issues.ts";
