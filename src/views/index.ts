/**
 * Renderings of a run for agents and people. Pure: state in, text and data out. Never decides anything. Begin with
 * `position-view.ts`.
 */
export {
  type AtomicStep,
  type CallSpec,
  type Following,
  type LaterCall,
  type Shown,
  callText,
  coreResultsWanted,
  coreShown,
  followingData,
  followingText,
  questionStep,
  stepFor,
  withWritesLeft,
} from "./atomic-step.ts";
export { type LeafWords, handOutName } from "./hand-out-name.ts";
export { type AgentUse, type LiveFacts, liveBlock, liveChanges, usageText, workerText } from "./live-block.ts";
export { type AgentActivity, type AgentAt, addUse, liveFacts, usedIn } from "./live-facts.ts";
export { mask, maskSecrets } from "./mask-secrets.ts";
export {
  type CutText,
  type PositionFacts,
  type PositionView,
  type RunView,
  positionView,
  retryLater,
  taskArgument,
  taskOf,
} from "./position-view.ts";
export { isPartOfItem, itemCounts, progressOf } from "./item-counts.ts";
export { RunLines, inOneLine } from "./run-lines.ts";
export { scopeName } from "./scope-name.ts";
export { shownInputs } from "./shown-inputs.ts";
export {
  type OpenTask,
  type RunLine,
  type Standing,
  authorsPrompt,
  afterTask,
  openQuestions,
  promptText,
  runLine,
  becameText,
  reportedBeforeText,
  holderPlace,
  standingOf,
  strandAt,
  taskAround,
  taskPrompt,
  tasksBeside,
  timeOver,
  lastCheckpoint,
  resumeText,
  askUserText,
  decideCommand,
  fitsForm,
} from "./standing.ts";
export { authorsName, commonEffects, nameOfBlock } from "./authors-name.ts";
export { standingText, workingText } from "./standing-text.ts";
export { type PlayedBy, freshAgent, taskPromptText, taskShown } from "./task-shown.ts";
export { type TextChange, unifiedDiff } from "./unified-diff.ts";
