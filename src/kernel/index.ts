/**
 * Decides and remembers: `transition(program, state, input)` and `apply(state, event)`. Pure: no clock, no disk, no dice,
 * no platform types. Begin with `run-state.ts`, then `transition.ts`.
 */
export type { ItemsChange } from "./input.ts";
export type {
  Action,
  BudgetState,
  Decision,
  Effect,
  Frame,
  Holder,
  ListCounts,
  Mark,
  Note,
  RunError,
  RunOptions,
  RunState,
  RunStatus,
  Scope,
  Strand,
  TakenItem,
  Timer,
  Wait,
  WorkFrame,
} from "./run-state.ts";
export { eventVersion, type Event, type EventType, type ItemMove, type Update } from "./event.ts";
export type { Actor, Given, Input, InputType, Need, Outcome, Rejected, Usage, Warning } from "./input.ts";
export { apply, emptyState } from "./apply.ts";
export { treeKey, wholeList } from "./run-state.ts";
export { mainScope, mainStrand } from "./input-command.ts";
export { handOutId, isMinted, readHandOutId } from "./hand-out-id.ts";
export { questionNamed } from "./question-id.ts";
export { wrongOption } from "./input-answer.ts";
export { nameInList, nameOfItem, readListName, taskName } from "./task-name.ts";
export { openRefs } from "./open-refs.ts";
export { frontOf, localsOf } from "./turn.ts";
export { readyStrands, transition, type Decided, type Transition } from "./transition.ts";
export { applyUpdates, targetOf, type Written } from "./write-state.ts";
export { matchStored, storesAnswer, withoutStored, type StoredWrite, type WantedWrite } from "./stored-writes.ts";
export { handOutOfKey, writeKey } from "./write-key.ts";
export { isUnshown } from "./unshown.ts";
export { upcastState } from "./upcast-counters.ts";
