import { isWaymarkError } from "../base/index.ts";
import {
  eventVersion,
  readyStrands,
  transition,
  type Event,
  type Input,
  type Need,
  type Rejected,
  type RunState,
} from "../kernel/index.ts";
import type { Commit, ItemChange, JournalRecord, NewRecord, RunSummary } from "../ports/index.ts";
import { answerNeed } from "./answer-need.ts";
import type { EngineContext } from "./context.ts";
import { encodeJournal } from "./journal-codec.ts";
import { PendingItems } from "./pending-items.ts";
import type { RunHandle } from "./run-cache.ts";
import { summaryLine } from "./summary-line.ts";

/** One input with what makes its repeat recognisable. */
export interface Request {
  /** A function when the input depends on rows: it is asked again for every head it is decided against. */
  readonly input: Input | ((draft: Draft) => Promise<Input>);
  readonly key?: string;
  /** A key that only counts when the input led to these events. */
  readonly keyAfter?: (events: readonly Event[]) => string | undefined;
  /** Facts no event carries, for the journal. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

export type Decision =
  | { readonly kind: "accepted"; readonly events: readonly Event[] }
  | { readonly kind: "rejected"; readonly rejected: Rejected }
  | { readonly kind: "repeated"; readonly record: JournalRecord };

const eventsPerRecord = 256;
const sizePerCommit = 4096;
const lossesBeforeLock = 3;

/**
 * Decides inputs against the newest head, walks every ready strand as far as it goes and commits all of it. Resolves
 * after it is durable. The inputs are accepted together or not at all.
 */
export async function decide(context: EngineContext, handle: RunHandle, requests: readonly Request[]): Promise<Decision> {
  const turn = handle.queue.then(() => decideNow(context, handle, requests));
  handle.queue = turn.catch(() => undefined);
  const decision = await turn;
  if (decision.kind === "accepted") {
    context.effects.look(handle);
    context.timers.look(handle);
  }
  return decision;
}

async function decideNow(context: EngineContext, handle: RunHandle, requests: readonly Request[]): Promise<Decision> {
  let losses = 0;
  let open: readonly Request[] = requests;
  const events: Event[] = [];
  for (;;) {
    // Another call may bring the handle up to date meanwhile; what is decided here belongs to this head alone.
    const { head, state } = handle;
    const locked = losses >= lossesBeforeLock;
    const hasLock = losses > lossesBeforeLock;
    const draft = new Draft(state);
    const rejected = await draftRequests(context, handle, draft, open);
    if (rejected !== undefined) {
      const known = await findRepeated(context, handle, requests);
      await context.runs.refresh(handle);
      if (known === undefined && handle.head !== head) continue;
      if (hasLock) await giveBackLock(context, handle);
      return known ?? { kind: "rejected", rejected };
    }
    const complete = await walkReady(context, handle, draft);
    const commit = await draft.commit(context, handle);
    if (commit.records.length === 0) {
      if (hasLock) await giveBackLock(context, handle);
      return { kind: "accepted", events };
    }
    const done = await commitDraft(context, handle, { head, commit, locked });
    if (done === "duplicate") {
      await context.runs.refresh(handle);
      const known = await findRepeated(context, handle, requests);
      if (known !== undefined) return known;
      continue;
    }
    if (!done.ok) {
      losses += 1;
      await context.runs.refresh(handle);
      continue;
    }
    events.push(...draft.events);
    handle.lastAt = Math.max(handle.lastAt, commit.records.at(-1)?.at ?? 0);
    context.runs.moved(
      handle,
      draft.state,
      done.head,
      commit.records.reduce((sum, record) => sum + record.events.length, 0),
    );
    if (complete) return { kind: "accepted", events };
    open = [];
    // A long walk must not keep heartbeats and other calls waiting.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** The record that was made when one of these was asked before. The store refuses a key twice, so nobody need look before. */
async function findRepeated(context: EngineContext, handle: RunHandle, requests: readonly Request[]): Promise<Decision | undefined> {
  for (const { key } of requests) {
    const record = key === undefined ? undefined : await context.store.findRecord(handle.id, key);
    if (record !== undefined) return { kind: "repeated", record };
  }
  return undefined;
}

interface Attempt {
  readonly head: number;
  readonly commit: Commit;
  readonly locked: boolean;
}

async function commitDraft(
  context: EngineContext,
  handle: RunHandle,
  { head, commit, locked }: Attempt,
): Promise<{ readonly ok: boolean; readonly head: number } | "duplicate"> {
  try {
    return await context.store.commit(handle.id, head, commit, locked ? { locked } : undefined);
  } catch (error) {
    if (isWaymarkError(error) && error.code === "STORE_DUPLICATE_KEY") return "duplicate";
    throw error;
  }
}

/** A decider that lost a locked commit keeps the run's lock; one that has nothing to commit any more frees it for the others. */
async function giveBackLock(context: EngineContext, handle: RunHandle): Promise<void> {
  await context.store.commit(handle.id, handle.head, { records: [], items: [], timersSet: [], timersGone: [] }, { locked: true });
}

/** The records of one commit while they are being decided. */
export class Draft {
  state: RunState;
  readonly records: (Omit<NewRecord, "events" | "key"> & { readonly events: Event[]; key?: string })[] = [];
  readonly events: Event[] = [];
  readonly items: PendingItems;

  /** How much is being written: events, and the items that come with them. */
  size = 0;

  constructor(state: RunState) {
    this.state = state;
    this.items = new PendingItems(state.lists);
  }

  begin(request: Omit<Request, "input"> & { readonly input: Input }): void {
    const { input, key, facts } = request;
    this.records.push({
      at: input.at,
      actor: input.by,
      cause: input.type,
      version: eventVersion,
      events: [],
      ...(key === undefined ? {} : { key }),
      ...(facts === undefined ? {} : { facts: JSON.stringify(facts) }),
    });
  }

  add(events: readonly Event[], state: RunState): void {
    this.state = state;
    this.records.at(-1)?.events.push(...events);
    this.events.push(...events);
    this.items.note(events);
    for (const event of events) this.size += event.type === "items_added" ? event.items.length + 1 : 1;
  }

  async commit(context: EngineContext, handle: Pick<RunHandle, "program"> & Partial<Pick<RunHandle, "kept">>): Promise<Commit> {
    const records: NewRecord[] = [];
    for (const { events, ...record } of this.records) {
      if (events.length > 0 || record.key !== undefined)
        records.push({ ...record, events: await encodeJournal(context.store, events, handle.kept) });
    }
    const timersSet = this.events.flatMap((event) =>
      event.type === "timer_set" && this.state.timers[event.timer.id] !== undefined ? [event.timer] : [],
    );
    const timersGone = this.events.flatMap((event) => (event.type === "timer_gone" ? [event.timer] : []));
    return { records, items: this.events.filter(isItemChange), timersSet, timersGone, summary: summaryOf(this.state, handle.program) };
  }
}

const itemChanges: ReadonlySet<Event["type"]> = new Set<ItemChange["type"]>([
  "items_added",
  "item_moved",
  "items_swept",
  "dependency_settled",
  "dependency_reopened",
]);

/** Whether the event changes item rows. */
export function isItemChange(event: Event): event is ItemChange {
  return itemChanges.has(event.type);
}

export function summaryOf(state: RunState, program: RunHandle["program"]): RunSummary {
  return { status: state.status, line: summaryLine(state, program) };
}

async function draftRequests(
  context: EngineContext,
  handle: RunHandle,
  draft: Draft,
  requests: readonly Request[],
): Promise<Rejected | undefined> {
  for (const request of requests) {
    const asked = typeof request.input === "function" ? await request.input(draft) : request.input;
    // Whoever asked took the time before its turn came: times in a journal never go back.
    const input = { ...asked, at: Math.max(asked.at, handle.lastAt, draft.records.at(-1)?.at ?? 0) };
    draft.begin({ ...request, input });
    const decided = transition(handle.program, draft.state, input);
    if ("rejected" in decided) return decided.rejected;
    draft.add(decided.events, decided.state);
    const key = request.keyAfter?.(decided.events);
    const record = draft.records.at(-1);
    if (key !== undefined && record !== undefined) record.key = key;
  }
  return undefined;
}

/** Walks ready strands until all wait (true) or the commit is large enough (false). */
export async function walkReady(
  context: EngineContext,
  handle: Pick<RunHandle, "id" | "program"> & { readonly lastAt?: number },
  draft: Draft,
): Promise<boolean> {
  let stalled = 0;
  for (;;) {
    const ready = readyStrands(draft.state);
    const strand = ready[stalled];
    if (strand === undefined) return true;
    const grown = await walkStrand(context, handle, draft, strand);
    stalled = grown ? 0 : stalled + 1;
    if (draft.size >= sizePerCommit || draft.records.length >= context.settings.commitRecords) {
      return readyStrands(draft.state).length === 0;
    }
  }
}

async function walkStrand(
  context: EngineContext,
  handle: Pick<RunHandle, "id" | "program"> & { readonly lastAt?: number },
  draft: Draft,
  strand: string,
): Promise<boolean> {
  const at = draft.records.at(-1)?.at ?? Math.max(handle.lastAt ?? 0, await context.store.now());
  const by = draft.records.at(-1)?.actor ?? {
    kind: "engine" as const,
    name: "waymark",
    session: context.host.processId,
    surface: "engine",
  };
  let need: Need | undefined;
  let grown = false;
  do {
    const given = need === undefined ? undefined : await answerNeed(context, handle, draft, need);
    const decided = transition(handle.program, draft.state, { type: "advance", strand, at, by, ...(given === undefined ? {} : { given }) });
    if ("rejected" in decided) return grown;
    if (decided.events.length > 0) {
      if (draft.records.length === 0 || (draft.records.at(-1)?.events.length ?? 0) >= eventsPerRecord) {
        draft.begin({ input: { type: "advance", strand, at, by } });
      }
      draft.add(decided.events, decided.state);
      grown = true;
    }
    need = decided.need;
  } while (need !== undefined && draft.size < sizePerCommit);
  return grown;
}
