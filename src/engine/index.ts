/**
 * The loop and the commands: start, next, report, answer and the rest, one file each under `commands/`. Every surface calls
 * these and nothing below. Never knows a protocol, a database or an operating system. Begin with `commands/next.ts`, then
 * `decide.ts`.
 */
export { handOutId, isMinted, readHandOutId, taskName } from "../kernel/index.ts";
export { mask, maskSecrets } from "../views/index.ts";
export { type About, type Caller, actorOf, engineActor } from "./caller.ts";
export type { LoadedWorkflow } from "./catalog.ts";
export { engineCodes, errorsIn, fromRejected, noResult, refused } from "./codes.ts";
export { type Answered, answer } from "./commands/answer.ts";
export { attemptAsking, attemptMeant } from "./commands/attempt-meant.ts";
export { debugInfo, testTransformation, traceTransformations } from "./commands/debug.ts";
export { findReported, wordsOf } from "./commands/find-reported.ts";
export { closingRecord, endOf, isAnswered, isReported } from "./commands/hand-out-records.ts";
export { doctor, prune, rebuildRun, removeRun } from "./commands/house-keeping.ts";
export {
  checkpoint,
  end,
  isStopped,
  nextAttempt,
  note,
  resume,
  retry,
  retryRun,
  retryWithCalled,
  setLimits,
} from "./commands/lifecycle.ts";
export { type JournalEntry, type RunOverview, type StrandStatus, exportRun, journal, runs, status, stepHistory } from "./commands/look.ts";
export { type NextRequest, next, shownPosition } from "./commands/next.ts";
export { progress } from "./commands/progress.ts";
export { refusingOnce } from "./commands/refused-answer.ts";
export type { ReportRequest, Reported } from "./commands/report-request.ts";
export { fieldsTaken, recordReport, report, reportingStrand, tasksTaken } from "./commands/report.ts";
export { type RunWarning, runWarnings } from "./commands/run-warnings.ts";
export { type StartRequest, start } from "./commands/start.ts";
export { type ReadState, type StateUpdate, dependencies, readOpenState, readState, updateState } from "./commands/state.ts";
export { readTaskFacts, taskAfter } from "./commands/task-facts.ts";
export type { EngineContext } from "./context.ts";
export { type EngineParts, closeEngine, createEngine, finishEffects, oneCommand } from "./create-engine.ts";
export { runId } from "./create-run.ts";
export { decide } from "./decide.ts";
export { type Draft, type Performed, type Request, type Rows, done, rowsOf, storedRows } from "./draft.ts";
export { expressionChecker } from "./expression-checker.ts";
export { tellGoneHolder } from "./gone-holder.ts";
export { decodeJournal } from "./journal-codec.ts";
export { keepRefusal } from "./keep-refusal.ts";
export { requirePermission, whatItRuns } from "./permission.ts";
export type { Position } from "./position.ts";
export { handsOutWork, heldStrand, listsOnRequest, pulled, resolveStrand } from "./resolve-strand.ts";
export type { RunHandle } from "./run-cache.ts";
export {
  type ActionLeaf,
  type At,
  type DeniedClaim,
  type EffectLeaf,
  type GivenReport,
  type HandedOut,
  type LeafArgs,
  type Run,
  type Runtime,
  type Taken,
  nothing,
} from "./runtime.ts";
export { declinedMark, sealIn, sealedText } from "./seal.ts";
export type { Settings } from "./settings.ts";
export { shownInputs } from "./shown-inputs.ts";
export { waitForChange } from "./wait-for-change.ts";
