/**
 * Decides and remembers: `transition(program, state, input)` and `apply(state, event)`. Pure: no clock, no disk, no dice,
 * no platform types. Begin with `run-state.ts`, then `transition.ts`.
 */
export { apply, emptyState } from "./apply.ts";
export { kernelCodes } from "./codes.ts";
export { isPersonPresent } from "./person-values.ts";
export { type Event, type EventOf, type ItemMove, type Update, eventVersion } from "./event.ts";
export type { Blocked, Frame } from "./frame.ts";
export { wrongOption } from "./input-answer.ts";
export { openRefs } from "./input-outcome.ts";
export type { Actor, Given, Input, ItemsChange, Need, Outcome, Rejected, Settling, Statuses, Usage, Waiting, Warning } from "./input.ts";
export {
  handOutId,
  handOutOfKey,
  isBelow,
  isMinted,
  isOpen,
  isPaused,
  isPositionStale,
  questionNamed,
  readHandOutId,
  readyStrands,
  sameHolder,
  treeKey,
  usedOf,
  wholeList,
  writeKey,
} from "./read-state.ts";
export {
  type Action,
  type AgentSession,
  type CarriedBudget,
  type Counted,
  type Decision,
  type Effect,
  type Holder,
  type ListCounts,
  type Mark,
  type RunOptions,
  type RunState,
  type RunStatus,
  type Scope,
  type Strand,
  type TakenItem,
  mainScope,
  mainStrand,
} from "./run-state.ts";
export { nameInList, nameOfItem, readListName, taskName } from "./task-name.ts";
export { transition } from "./transition.ts";
export { frontOf, localsOf } from "./turn.ts";
export { upcastState } from "./upcast-counters.ts";
export { applyUpdates, matchStored, storesAnswer, targetOf, withoutStored } from "./write-state.ts";
