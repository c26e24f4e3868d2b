/**
 * Renderings of a run for agents and people. Pure: state in, text and data out. Never decides anything. Begin with
 * `position-view.ts`; for checklists over files with `checklist/replies.ts`,
 * for bots with `bots/bot-view.ts`.
 */
export {
  type AtomicStep,
  type CallSpec,
  type Following,
  type LaterCall,
  type Shown,
  type ShownStanding,
  callText,
  coreResultsWanted,
  coreShown,
  followingData,
  followingText,
  questionStep,
  stepFor,
  withWritesLeft,
} from "./atomic-step.ts";
export { decideCommand } from "./decide-command.ts";
export { mask, maskSecrets } from "./mask-secrets.ts";
export { counted, grouped, isoTime, percentOf, roughTime, shareOf, tenthsOf, topCounts } from "./number-text.ts";
export { type CutText, type PositionFacts, type PositionView, type RunView, positionView, taskArgument } from "./position-view.ts";
export { lastCheckpoint, resumeText } from "./resume-view.ts";
export {
  type OpenTask,
  type Standing,
  authorsPrompt,
  itemCounts,
  progressOf,
  promptText,
  standingOf,
  strandAt,
  taskAround,
  taskPrompt,
  tasksBeside,
  timeOver,
} from "./standing.ts";
export { type TextChange, unifiedDiff } from "./unified-diff.ts";
