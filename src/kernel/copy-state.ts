import type { RunState, Strand } from "./run-state.ts";

/** A value that was made just now and that nobody else has seen yet. */
export type Fresh<T> = { -readonly [K in keyof T]: T[K] };

/** A shallow copy. Written out key by key, because a step makes a dozen of them and spreading a copy of a copy is many times slower. */
export function copyState(state: RunState): Fresh<RunState> {
  const copy: Fresh<RunState> = {
    id: state.id,
    workflow: state.workflow,
    program: state.program,
    startedAt: state.startedAt,
    status: state.status,
    options: state.options,
    seq: state.seq,
    scopes: state.scopes,
    strands: state.strands,
    actions: state.actions,
    effects: state.effects,
    timers: state.timers,
    decisions: state.decisions,
    lists: state.lists,
    held: state.held,
    settled: state.settled,
    counters: state.counters,
    budget: state.budget,
    notes: state.notes,
  };
  if (state.error !== undefined) copy.error = state.error;
  if (state.endedAt !== undefined) copy.endedAt = state.endedAt;
  if (state.retryOf !== undefined) copy.retryOf = state.retryOf;
  if (state.mark !== undefined) copy.mark = state.mark;
  return copy;
}

/** The same for a strand, which `leaving` keys do not come along with. */
export function copyStrand(strand: Strand, ...leaving: readonly Passing[]): Fresh<Strand> {
  const copy: Fresh<Strand> = { id: strand.id, status: strand.status, scope: strand.scope, frames: strand.frames, fence: strand.fence };
  copyOrigin(strand, copy);
  if (strand.waits !== undefined && !leaving.includes("waits")) copy.waits = strand.waits;
  if (strand.holder !== undefined && !leaving.includes("holder")) copy.holder = strand.holder;
  if (strand.last !== undefined && !leaving.includes("last")) copy.last = strand.last;
  if (strand.error !== undefined && !leaving.includes("error")) copy.error = strand.error;
  if (strand.unshown !== undefined && !leaving.includes("unshown")) copy.unshown = strand.unshown;
  if (strand.blocked !== undefined && !leaving.includes("blocked")) copy.blocked = strand.blocked;
  return copy;
}

/** What a strand has for a time. */
export type Passing = "waits" | "holder" | "last" | "error" | "unshown" | "blocked";

/** What a strand has from its beginning to its end. */
function copyOrigin(strand: Strand, copy: Fresh<Strand>): void {
  if (strand.parent !== undefined) copy.parent = strand.parent;
  if (strand.of !== undefined) copy.of = strand.of;
  if (strand.calls !== undefined) copy.calls = strand.calls;
  if (strand.task !== undefined) copy.task = strand.task;
  if (strand.entry !== undefined) copy.entry = strand.entry;
  if (strand.pauses !== undefined) copy.pauses = strand.pauses;
  if (strand.item !== undefined) copy.item = strand.item;
}

/** A record without one of its keys; the record itself when it has no such key. */
export function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!Object.hasOwn(record, key)) return record;
  const rest: Record<string, T> = {};
  for (const held in record) if (held !== key) rest[held] = record[held] as T;
  return rest;
}
