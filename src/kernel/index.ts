/**
 * Decides and remembers: `transition(program, state, input)` and `apply(state, event)`. Pure: no clock, no disk, no dice,
 * no platform types. Begin with `run-state.ts`, then `transition.ts`.
 */
export type { Frame } from "./frame.ts";
export type { Holder, ListCounts, Mark, RunOptions, RunState, RunStatus, Scope, Strand, TakenItem } from "./run-state.ts";
export type { Action, Decision, Effect, Timer } from "./run-state.ts";
export { mainScope, mainStrand, treeKey, wholeList } from "./run-state.ts";
export { eventVersion, type Event, type ItemMove, type Update } from "./event.ts";
export type { Actor, Given, Input, ItemsChange, Need, Outcome, Rejected, Usage, Warning } from "./input.ts";
export { apply, emptyState } from "./apply.ts";
export { upcastState } from "./upcast-counters.ts";
export { readyStrands, transition } from "./transition.ts";
export { frontOf, localsOf } from "./turn.ts";
export { handOutId, handOutOfKey, isMinted, questionNamed, readHandOutId, writeKey } from "./hand-out-id.ts";
export { nameInList, nameOfItem, readListName, taskName } from "./task-name.ts";
export { wrongOption } from "./input-answer.ts";
export { openRefs } from "./input-outcome.ts";
export { isPositionStale } from "./stale-position.ts";
export { matchStored, storesAnswer, withoutStored } from "./stored-writes.ts";
export { applyUpdates, targetOf } from "./write-state.ts";
