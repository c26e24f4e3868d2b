/**
 * Decides and remembers: `transition(program, state, input)` and `apply(state, event)`. Pure: no clock, no disk, no dice,
 * no platform types. Begin with `run-state.ts`, then `transition.ts`.
 */
export { apply, emptyState } from "./apply.ts";
export { type Event, type ItemMove, type Update, eventVersion } from "./event.ts";
export { handOutId, isMinted, readHandOutId } from "./hand-out-id.ts";
export { wrongOption } from "./input-answer.ts";
export { mainScope, mainStrand } from "./input-command.ts";
export type { Actor, Given, Input, ItemsChange, Need, Outcome, Rejected, Usage, Warning } from "./input.ts";
export { openRefs } from "./open-refs.ts";
export { questionNamed } from "./question-id.ts";
export {
  type Action,
  type Decision,
  type Effect,
  type Frame,
  type Holder,
  type ListCounts,
  type Mark,
  type RunOptions,
  type RunState,
  type RunStatus,
  type Scope,
  type Strand,
  type TakenItem,
  type Timer,
  treeKey,
  wholeList,
} from "./run-state.ts";
export { matchStored, storesAnswer, withoutStored } from "./stored-writes.ts";
export { nameInList, nameOfItem, readListName, taskName } from "./task-name.ts";
export { readyStrands, transition } from "./transition.ts";
export { frontOf, localsOf } from "./turn.ts";
export { isUnshown } from "./unshown.ts";
export { upcastState } from "./upcast-counters.ts";
export { handOutOfKey, writeKey } from "./write-key.ts";
export { applyUpdates, targetOf } from "./write-state.ts";
