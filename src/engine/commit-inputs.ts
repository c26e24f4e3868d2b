import { defined, isWaymarkError } from "../base/index.ts";
import { readyStrands, transition, type Event, type Given, type Input, type Need, type Rejected } from "../kernel/index.ts";
import type { JournalRecord } from "../ports/index.ts";
import { answerDefaults, answerExpressions, type Evaluation } from "../state/index.ts";
import { engineActor } from "./caller.ts";
import { fromRejected } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import { Draft, type Request } from "./draft.ts";
import type { RunHandle } from "./run-cache.ts";

export type Committed =
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
export async function commitInputs(context: EngineContext, handle: RunHandle, requests: readonly Request[]): Promise<Committed> {
  const turn = handle.queue.then(() => commitNow(context, handle, requests));
  handle.queue = turn.catch(() => undefined);
  const decision = await turn;
  if (decision.kind === "accepted") startOpenWork(context, handle);
  return decision;
}

/** The same; throws when they are rejected. */
export async function commitOrThrow(
  context: EngineContext,
  handle: RunHandle,
  ...requests: readonly (Input | Request)[]
): Promise<Exclude<Committed, { readonly kind: "rejected" }>> {
  const decision = await commitInputs(
    context,
    handle,
    requests.map((request) => ("type" in request ? { input: request } : request)),
  );
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  return decision;
}

/** Effects and timers that are open begin, and those that are not wanted any more end. */
export function startOpenWork({ effects, timers }: EngineContext, handle: RunHandle): void {
  if (effects.running.size > 0 || hasAny(handle.state.effects)) effects.startOpen(handle);
  if (timers.alarms.size > 0 || hasAny(handle.state.timers)) timers.setAlarm(handle);
}

/** Time may have passed while no process worked on the run: what is due by now happens before anything is shown or taken. */
export async function wakeDue({ timers }: EngineContext, handle: RunHandle): Promise<void> {
  if (hasAny(handle.state.timers)) await timers.wakeDue(handle);
}

function hasAny(held: object): boolean {
  for (const _key in held) return true;
  return false;
}

async function commitNow(context: EngineContext, handle: RunHandle, requests: readonly Request[]): Promise<Committed> {
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
    const commit = await draft.commit(context.store, handle);
    if (commit.records.length === 0) {
      if (hasLock) await giveBackLock(context, handle);
      return { kind: "accepted", events };
    }
    const held = open.find((request) => request.held !== undefined)?.held;
    const done = await context.store.commit(handle.id, head, commit, { locked, ...defined({ held }) }).catch((error: unknown) => {
      if (isWaymarkError(error) && error.code === "STORE_DUPLICATE_KEY") return "duplicate" as const;
      throw error;
    });
    if (done === "duplicate") {
      await context.runs.refresh(handle);
      const known = await findRepeated(context, handle, requests);
      if (known !== undefined) return known;
      continue;
    }
    if (!done.ok) {
      losses += 1;
      await context.runs.refresh(handle);
      if (done.lost !== true) continue;
      if (hasLock) await giveBackLock(context, handle);
      return { kind: "rejected", rejected: taken };
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

const taken: Rejected = { code: "EFFECT_NOT_OPEN", message: "Another process has taken this up. Nothing was recorded." };

/** The record that was made when one of these was asked before. The store refuses a key twice, so nobody need look before. */
async function findRepeated(context: EngineContext, handle: RunHandle, requests: readonly Request[]): Promise<Committed | undefined> {
  for (const { key } of requests) {
    const record = key === undefined ? undefined : await context.store.findRecord(handle.id, key);
    if (record !== undefined) return { kind: "repeated", record };
  }
  return undefined;
}

/** A decider that lost a locked commit keeps the run's lock; one that has nothing to commit any more frees it for the others. */
async function giveBackLock(context: EngineContext, handle: RunHandle): Promise<void> {
  await context.store.commit(handle.id, handle.head, { records: [], items: [] }, { locked: true });
}

async function draftRequests(
  context: EngineContext,
  handle: RunHandle,
  draft: Draft,
  requests: readonly Request[],
): Promise<Rejected | undefined> {
  for (const request of requests) {
    const asked = typeof request.input === "function" ? await request.input(draft) : request.input;
    // The caller took the time before its turn came: times in a journal never go back.
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
  const by = draft.records.at(-1)?.actor ?? engineActor(context.host.processId);
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

/** Answers what a strand needs, before the commit: expressions in the sandbox, items from the store. */
async function answerNeed(
  context: EngineContext,
  { id, program }: Pick<RunHandle, "id" | "program">,
  draft: Draft,
  need: Need,
): Promise<Given> {
  switch (need.type) {
    case "evaluate":
      return answerExpressions(evaluationIn(context), { id, program, state: draft.state }, need);
    case "select": {
      const { list, query, limit, notRoots } = need;
      const items = await draft.items.select(context.store, id, { list, query, limit, notRoots });
      const above = await draft.items.above(context.store, id, items);
      return { type: "items", items, ...defined({ above }) };
    }
    case "rows":
      return { type: "items", items: await draft.items.readAll(context.store, id, need.list, need.ids) };
    case "dependants":
      return { type: "dependants", ...(await draft.items.dependants(context.store, id, need.list, need.id)) };
    case "defaults":
      return answerDefaults(evaluationIn(context), { id, program }, need);
  }
}

/** What expressions are evaluated with: the time is the store's. */
export function evaluationIn({ evaluator, store, host, clock }: EngineContext): Evaluation {
  return {
    evaluator,
    functions: async () => {
      const at = await store.now();
      clock.at = at;
      return { now: () => new Date(at).toISOString(), uuid: () => host.uuid() };
    },
  };
}
