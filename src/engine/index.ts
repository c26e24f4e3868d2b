/**
 * The loop and the commands: start, next, report, answer and the rest, one file each under `commands/`. Every surface calls
 * these and nothing below. Never knows a protocol, a database or an operating system. Begin with `commands/next.ts`, then
 * `commit-inputs.ts`.
 */
export { endLeftAgents } from "./end-abandoned.ts";
export { handOutId, isMinted, mainScope, readHandOutId, taskName, usedOf } from "../kernel/index.ts";
export { testTransformation } from "../state/index.ts";
export { mask, maskSecrets } from "../views/index.ts";
export { activityAfter, noActivity, toolText } from "./agent-activity.ts";
export { type About, type Caller, actorOf, engineActor, stampOf, plainDriver } from "./caller.ts";
export { type LoadedWorkflow, type StartableWorkflow, expressionChecker } from "./catalog.ts";
export { engineCodes, errorsIn, fromRejected, noResult, refused } from "./codes.ts";
export { type Answered, answer, isListedAnswer, listedChoices } from "./commands/answer.ts";
export { askPerson } from "./commands/ask-person.ts";
export { attemptAsking, attemptMeant } from "./commands/attempts.ts";
export { debugInfo, traceTransformations } from "./commands/debug.ts";
export { findReported, lateText, wordsOf } from "./commands/find-reported.ts";
export { closingRecord, endOf, isAnswered, isClosedByHolder, isReported, readLoss } from "./commands/hand-out-records.ts";
export { doctor, rebuildRun } from "./commands/doctor.ts";
export { driversOf, prune, removeRun } from "./commands/prune.ts";
export { checkpoint } from "./commands/checkpoint.ts";
export { end } from "./commands/end.ts";
export { readItems } from "./commands/items.ts";
export { isStopped, resume, retry, retryWithCalled } from "./commands/resume.ts";
export { beginAgain, nextAttempt, retryRun } from "./commands/attempts.ts";
export { note } from "./commands/note.ts";
export { setLimits } from "./commands/set-limits.ts";
export { type JournalEntry, exportRun, journal, stepHistory } from "./commands/journal.ts";
export { type RunOverview, type StrandStatus, runHolders, runs, status } from "./commands/status.ts";
export { type NextRequest, type Position, next, shownPosition } from "./commands/next.ts";
export { progress } from "./commands/progress.ts";
export { beginTurn, unknownOf } from "./commands/begin-turn.ts";
export { type UseSum, type UseTotal, readTotals, sumOf } from "./commands/read-totals.ts";
export { recordUse } from "./commands/record-use.ts";
export { refusingOnce } from "./commands/refused-answer.ts";
export type { ReportRequest, Reported } from "./commands/report-request.ts";
export { type RecordedReport, fieldsTaken, recordReport, report, reportingStrand, tasksTaken } from "./commands/report.ts";
export { runWarnings } from "./commands/run-warnings.ts";
export { type StartRequest, start } from "./commands/start.ts";
export { type ReadState, type StateUpdate, dependencies, readOpenState, readState, updateState } from "./commands/state.ts";
export { readTaskFacts, taskAfter } from "./commands/task-facts.ts";
export { type ShownEntry, transcript } from "./commands/transcript.ts";
export type { EngineContext } from "./context.ts";
export { type CutOff, cutOff } from "./cut-off.ts";
export { type EngineParts, closeEngine, createEngine, finishEffects } from "./create-engine.ts";
export { runId } from "./create-run.ts";
export { commandClaim } from "./command-claim.ts";
export { commitInputs, commitOrThrow, wakeDue } from "./commit-inputs.ts";
export { type Draft, type Performed, type Request, type Rows, done, rowsOf, storedRows } from "./draft.ts";
export { tellFreeRuns } from "./free-runs.ts";
export { tellGoneHolder } from "./gone-holder.ts";
export { computerText, elsewhere } from "./folder-here.ts";
export { findEvent, lastHolder, recordsWith } from "./journal-records.ts";
export { keepRefusal } from "./keep-refusal.ts";
export { readLife } from "./holding.ts";
export { oneCommand } from "./one-command.ts";
export { onKnownRun } from "./on-known-run.ts";
export { isAlive, takeLease } from "./lease-life.ts";
export { readAs } from "./core-leaves/core-leaves.ts";
export { performShell } from "./core-leaves/shell.ts";
export { taskLeaf } from "./core-leaves/task.ts";
export { effectLease } from "./lease-keys.ts";
export {
  isAllowedSince,
  isOwnRun,
  lineOfRun,
  linesAllowed,
  requirePermission,
  requirePermissionToDrive,
  requirePermissionToWork,
  requireRole,
  runsToAllow,
  whatAgentsGet,
  whatItRuns,
} from "./permission.ts";
export { whatPeopleAreAsked } from "./what-people-are-asked.ts";
export { holderBefore } from "./holder-before.ts";
export { handsOutWork, listsOnRequest } from "./hands-out.ts";
export { freeTask, heldStrand, pulled, resolveStrand } from "./resolve-strand.ts";
export { apartFolder, apartWord, foldersOf } from "./apart/apart-folder.ts";
export { bringCommit } from "./apart/bring-commit.ts";
export { commitWork, workOnly } from "./apart/commit-work.ts";
export { inTurn, makeApart, removeApart, worktreesBeside } from "./apart/make-apart.ts";
export { type GitPlace, git, gitDirOf, mustGit } from "./apart/strand-git.ts";
export { neededInputs, requestInput } from "./request-input.ts";
export { bindRole, rolesIn, runOfRole, usualBinding } from "./role-binding.ts";
export type { RunHandle } from "./run-cache.ts";
export {
  type ActionLeaf,
  type At,
  type Beginning,
  type DeniedClaim,
  type EffectJob,
  type EffectLeaf,
  type GivenReport,
  type HandedOut,
  type LeafArgs,
  type NamedRole,
  type Run,
  type Runtime,
  type Settle,
  type Taken,
  nothing,
} from "./runtime.ts";
export { declinedMark, sealIn, sealedText } from "./seal.ts";
export type { Settings, VerifyCommand } from "./settings.ts";
export { type SeenTurn, usedBy } from "./turn-use.ts";
export type { TurnWish } from "./turn-wish.ts";
export { waitForChange, watchStrand } from "./wait-for-change.ts";
