/**
 * The loop and the commands: start, next, report, answer and the rest, one file each under `commands/`. Every surface calls
 * these and nothing below. Never knows a protocol, a database or an operating system. Begin with `commands/next.ts`, then
 * `decide.ts`.
 */
export { actorOf, engineActor, type Caller } from "./caller.ts";
export { Catalog, type ListedWorkflow, type LoadedWorkflow } from "./catalog.ts";
export { engineCodes, errorsIn, fromRejected, refused } from "./codes.ts";
export type { EngineContext } from "./context.ts";
export { oneCommand } from "./create-engine.ts";
export { closeEngine, createEngine, finishEffects, type EngineParts } from "./create-engine.ts";
export { expressionChecker } from "./expression-checker.ts";
export { runtimes } from "./runtimes.ts";
export { handOutId, isMinted, readHandOutId } from "../kernel/index.ts";
export { mask, maskSecrets, secretsOf } from "../views/index.ts";
export { taskName } from "../kernel/index.ts";
export { requirePermission, whatItRuns } from "./permission.ts";
export { runWarnings, type RunWarning } from "./commands/run-warnings.ts";
export { shownInputs } from "./shown-inputs.ts";
export type { Position } from "./position.ts";
export { handsOutWork } from "./resolve-strand.ts";
export { shownPosition } from "./commands/next.ts";
export { outputFormats } from "./core-leaves/core-leaves.ts";
export { defaultSettings, type Settings } from "./settings.ts";
export type { RunHandle } from "./run-cache.ts";
export { lineOf, type RunLine } from "./draft.ts";
export { answer, type Answered, type AnswerRequest } from "./commands/answer.ts";
export { refusingOnce } from "./commands/refused-answer.ts";
export {
  debugInfo,
  testTransformation,
  traceTransformations,
  type DebugInfo,
  type TraceView,
  type TransformationTest,
} from "./commands/debug.ts";
export { doctor, prune, rebuildRun, removeRun, type DoctorReport } from "./commands/house-keeping.ts";
export { checkpoint, end, nextAttempt, note, resume, retry, retryRun, setLimits } from "./commands/lifecycle.ts";
export {
  exportRun,
  journal,
  runs,
  status,
  stepHistory,
  type JournalEntry,
  type RunOverview,
  type StepRecord,
  type StrandStatus,
} from "./commands/look.ts";
export { findReported, wordsOf } from "./commands/find-reported.ts";
export { attemptAsking, attemptMeant } from "./commands/attempt-meant.ts";
export { next, type NextRequest } from "./commands/next.ts";
export { fieldsTaken, report } from "./commands/report.ts";
export type { Reported, ReportRequest } from "./commands/report-request.ts";
export { progress } from "./commands/progress.ts";
export { taskAfter } from "./commands/task-facts.ts";
export { tasksTaken } from "./commands/report.ts";
export { start, type StartRequest } from "./commands/start.ts";
export { tellGoneHolder } from "./gone-holder.ts";
export {
  dependencies,
  readOpenState,
  readState,
  updateState,
  type ReadState,
  type StateUpdate,
  type UpdateStateRequest,
} from "./commands/state.ts";
export { actionWord } from "./checklist/action-word.ts";
export { describeCheck } from "./checklist/describe-check.ts";
export type { CheckDescription } from "../dialects/index.ts";
export { openOf } from "./checklist/callers-action.ts";
export { entryNamed } from "./checklist/entry-names.ts";
export type { About } from "./caller.ts";
export type { DeniedClaim } from "./runtime.ts";
export { claimedIn, deniedClaim, type Claimed } from "./checklist/claimed-instance.ts";
export { isAnswered, isReported } from "./commands/hand-out-records.ts";
export {
  begunRuns,
  calledRuns,
  checklistsOf,
  checklistOf,
  isInChecklist,
  requireChecklist,
  runNamed,
  type CalledRun,
  type ChecklistRun,
} from "./checklist/checklist-run.ts";
export { summariseLeftOut, type BatchOperation, type BatchPlan, type BatchRecord, type LeftOutSummary } from "./checklist/batch-plan.ts";
export { findGuides, type FoundGuides } from "./checklist/knowledge-guides.ts";
export { selectInstances, type BatchFilter } from "./checklist/plan-batch.ts";
export type { Finding, ProposedChange } from "./checklist/report-change.ts";
export { batches, previewBatch, runBatch, waitForBatch, type BatchPreview, type BatchRequest } from "./commands/batch.ts";
export { diffBatch } from "./commands/diff-batch.ts";
export { isOfChecklist, reportCheck, type CheckReport, type CheckReported } from "./commands/check-report.ts";
export { completeChecklist } from "./commands/complete-checklist.ts";
export { checklistRows, gatherFacts } from "./commands/gather-facts.ts";
export { reopenFailed, retryWithCalled } from "./commands/retry-checklist.ts";
export { undoBatch, type Undone } from "./commands/undo.ts";
export { botProblems, callBot, type BotCall } from "./commands/bots.ts";
export { currentPlace, openBot } from "./bots/bot-position.ts";
export { answerBot, checkedArea } from "./bots/answer-bot.ts";
export { closeAction, tellsWork, type CloseRequest } from "./bots/close-action.ts";
export type { ClosedAction } from "./bots/closed-action.ts";
export { listBots, type ListedBot } from "./bots/list-bots.ts";
export { undoContent, type UndoneContent } from "./bots/undo-content.ts";
export { actionOf, behaviourOf, botOf, placeOf, requireBot, type BotPlace, type BotRun } from "./bots/bot-run.ts";
export { inspectSessions, planRepairs, repairSession, type InspectedSession, type SessionRepair } from "./commands/inspect-sessions.ts";
