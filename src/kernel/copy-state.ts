import type { RunState, Strand } from "./run-state.ts";

/** A value that was made just now and that nobody else has seen yet. */
export type Fresh<T> = { -readonly [K in keyof T]: T[K] };

type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
/** Every optional key of the type, checked to be all of them. */
type OptionalKeys<T> = Readonly<Record<OptionalKey<T>, true>>;

const optionalOfState = keysOf<RunState>({ error: true, endedAt: true, retryOf: true, mark: true });
const optionalOfStrand = keysOf<Strand>({
  waits: true,
  parent: true,
  of: true,
  calls: true,
  task: true,
  entry: true,
  pauses: true,
  item: true,
  holder: true,
  last: true,
  error: true,
  unshown: true,
  blocked: true,
});

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
  copyOptional(state, copy, optionalOfState);
  return copy;
}

/** The same for a strand, which `leaving` keys do not come along with. */
export function copyStrand(strand: Strand, ...leaving: readonly OptionalKey<Strand>[]): Fresh<Strand> {
  const copy: Fresh<Strand> = { id: strand.id, status: strand.status, scope: strand.scope, frames: strand.frames, fence: strand.fence };
  copyOptional(strand, copy, leaving.length === 0 ? optionalOfStrand : optionalOfStrand.filter((key) => !leaving.includes(key)));
  return copy;
}

/** A record without one of its keys; the record itself when it has no such key. */
export function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!Object.hasOwn(record, key)) return record;
  const rest: Record<string, T> = {};
  for (const held in record) if (held !== key) rest[held] = record[held] as T;
  return rest;
}

function keysOf<T>(keys: OptionalKeys<T>): readonly OptionalKey<T>[] {
  return Object.keys(keys) as OptionalKey<T>[];
}

function copyOptional<T>(from: T, to: Fresh<T>, keys: readonly OptionalKey<T>[]): void {
  for (const key of keys) if (from[key] !== undefined) to[key] = from[key];
}
