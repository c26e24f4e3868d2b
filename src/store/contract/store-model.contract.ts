import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import type { ItemChange, Lease, Store } from "../../ports/index.ts";
import { itemStatuses, type Item, type ItemQuery } from "../../program/index.ts";
import { added, commitOf, item, record, startRun } from "./sample.contract.ts";

export interface OpenedModel {
  /** The same data, opened twice. */
  readonly store: Store;
  readonly second: Store;
  /** Sets the time of both. */
  readonly setTime: (milliseconds: number) => Promise<void>;
  readonly clean: () => Promise<void>;
}

/** The model of a run: its records' keys and its items, in the order they were added. */
interface Model {
  keys: (string | undefined)[];
  items: Map<string, Item>;
}

/** One run while steps are performed on it. */
interface Walk {
  readonly run: string;
  readonly model: Model;
  readonly leases: Map<string, Lease>;
  readonly applied: ItemChange[];
  readonly now: number;
}

type Step =
  | {
      readonly do: "commit";
      readonly off: number;
      readonly keys: readonly (string | undefined)[];
      readonly changes: readonly ItemChange[];
      readonly held: { readonly key: string; readonly owner: string } | undefined;
      readonly by: 0 | 1;
    }
  | { readonly do: "lease" | "beat" | "release"; readonly key: string; readonly owner: string; readonly ttl: number; readonly by: 0 | 1 }
  | { readonly do: "wait"; readonly ms: number };

function applyToModel(items: Map<string, Item>, change: ItemChange): boolean {
  switch (change.type) {
    case "items_added":
      for (const one of change.items) if (!items.has(one.id)) items.set(one.id, one);
      return true;
    case "item_moved": {
      const { id, to, reason } = change.move;
      const held = items.get(id);
      if (held === undefined) return false;
      const { reason: old, ...rest } = held;
      const kept = reason === undefined ? old : (reason ?? undefined);
      items.set(id, { ...rest, status: to, ...(kept === undefined ? {} : { reason: kept }) });
      return true;
    }
    case "items_swept":
      for (const [id, one] of items)
        if (one.status === change.from && meant(one, change.query)) items.set(id, { ...one, status: change.to, reason: change.reason });
      return true;
    case "dependency_settled":
    case "dependency_reopened":
      if (!change.ids.every((id) => items.has(id))) return false;
      for (const [at, id] of change.ids.entries())
        items.set(id, { ...items.get(id)!, waitsFor: change.waits?.[at] ?? Math.max(0, items.get(id)!.waitsFor - 1) });
      return true;
  }
}

function meant(one: Item, query: ItemQuery): boolean {
  if (query.status !== undefined && query.status !== one.status) return false;
  return Object.entries(query.facets ?? {}).every(([facet, value]) => one.facets[facet] === value);
}

type Result = { readonly ok: boolean; readonly head: number; readonly lost?: true } | { readonly code: string };

/** What the model says will come of it; the model changes when it is accepted. */
function predictCommit({ model, leases }: Walk, step: Extract<Step, { do: "commit" }>): Result {
  const head = model.keys.length;
  if (step.held !== undefined && leases.get(step.held.key)?.owner !== step.held.owner) return { ok: false, head, lost: true };
  if (step.off !== 0) return { ok: false, head };
  const items = new Map(model.items);
  const keys = [...model.keys, ...step.keys];
  const named = keys.filter((key) => key !== undefined);
  if (new Set(named).size < named.length) return { code: "STORE_DUPLICATE_KEY" };
  if (!step.changes.every((change) => applyToModel(items, change))) return { code: "STORE_NO_ITEM" };
  Object.assign(model, { keys, items });
  return { ok: true, head: keys.length };
}

async function commitStep({ store, second }: OpenedModel, walk: Walk, step: Extract<Step, { do: "commit" }>): Promise<void> {
  const head = walk.model.keys.length + step.off;
  const commit = commitOf({ records: step.keys.map((key) => record(key === undefined ? {} : { key })), items: step.changes });
  const held = step.held === undefined ? {} : { held: step.held };
  const asked: Promise<Result> = (step.by === 0 ? store : second).commit(walk.run, head, commit, held);
  expectSame(await asked.catch(({ code }: { code: string }) => ({ code })), predictCommit(walk, step));
}

/** As the port has them: what is undefined is not there. */
function expectSame(actual: unknown, expected: unknown): void {
  const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
  deepStrictEqual(plain(actual), plain(expected));
}

type LeaseStep = Extract<Step, { do: "lease" | "beat" | "release" }>;

function predictLease({ leases, now }: Walk, { do: what, key, owner, ttl }: LeaseStep): unknown {
  const held = leases.get(key);
  switch (what) {
    case "lease": {
      const granted = held === undefined || held.owner === owner || held.expiresAt <= now;
      const lease = granted ? { key, owner, fence: now, expiresAt: now + ttl, beatAt: now } : held;
      leases.set(key, lease);
      return { granted, lease };
    }
    case "release":
      if (held?.owner === owner) leases.delete(key);
      return undefined;
    case "beat": {
      const alive = [...leases.values()].filter((lease) => lease.owner === owner && lease.expiresAt > now);
      for (const lease of alive) leases.set(lease.key, { ...lease, beatAt: now, expiresAt: Math.max(lease.expiresAt, now + ttl) });
      return alive.length;
    }
  }
}

async function leaseStep(opened: OpenedModel, walk: Walk, step: LeaseStep): Promise<void> {
  expectSame(await performLease(opened, walk.now, step), predictLease(walk, step));
}

async function performLease({ store, second }: OpenedModel, now: number, { do: what, key, owner, ttl, by }: LeaseStep): Promise<unknown> {
  const one = by === 0 ? store : second;
  if (what === "lease") return one.acquire(key, owner, now, ttl);
  return what === "beat" ? one.beat(owner, ttl) : one.releaseLease(key, owner);
}

async function compare({ store, second }: OpenedModel, { run, model }: Walk): Promise<void> {
  const sorted = [...model.items.values()].sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
  expectSame(await second.selectItems(run, { list: "files", query: {}, limit: 1_000 }), sorted);
  for (const status of itemStatuses) {
    const meantByIt = sorted.filter((one) => one.status === status && one.facets["t"] === "x");
    expectSame((await store.countItems(run, "files", { status, facets: { t: "x" } })).count, meantByIt.length);
  }
  expectSame((await store.readRun(run))?.head, model.keys.length);
  const records = await second.readRecords(run, 0, 1_000);
  const expected = model.keys.map((key, index) => [index + 1, key]);
  expectSame(
    records.map(({ position, key }) => [position, key]),
    expected,
  );
}

const id = fc.constantFrom("a", "b", "c", "d", "e");
const status = fc.constantFrom(...itemStatuses);
const key = fc.option(fc.integer({ min: 0, max: 12 }).map(String), { nil: undefined });
const itemChange: fc.Arbitrary<ItemChange> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.record({
          id,
          order: fc.string({ maxLength: 2 }),
          facets: fc.constantFrom<Item["facets"][]>({}, { t: "x" }, { t: "y", u: "x" }),
          waitsFor: fc.nat(2),
        }),
        { maxLength: 4 },
      )
      .map((drafts) => added(drafts.map(({ id: name, ...rest }) => item(name, rest)))),
  },
  {
    weight: 2,
    arbitrary: fc.record({ id, to: status, reason: fc.constantFrom(undefined, null, "r") }).map(({ id: name, to, reason }): ItemChange => ({
      type: "item_moved",
      move: { list: "files", id: name, from: "pending", to, facets: {}, root: name, ...(reason === undefined ? {} : { reason }) },
    })),
  },
  fc
    .record({
      from: status,
      to: status,
      query: fc.constantFrom<ItemQuery[]>({}, { facets: { t: "x" } }, { facets: { t: "y", u: "x" } }, { status: "failed" }),
    })
    .map(({ from, to, query }): ItemChange => ({
      type: "items_swept",
      list: "files",
      query,
      from,
      to,
      reason: "swept",
      count: 0,
      facets: {},
    })),
  fc.array(id, { maxLength: 2 }).map((ids): ItemChange => ({ type: "dependency_settled", list: "files", of: "x", ids })),
  fc
    .record({
      type: fc.constantFrom("dependency_settled" as const, "dependency_reopened" as const),
      counted: fc.array(fc.tuple(id, fc.nat(2)), { maxLength: 2 }),
    })
    .map(({ type, counted }): ItemChange => ({
      type,
      list: "files",
      of: "x",
      ids: counted.map(([name]) => name),
      waits: counted.map(([, waits]) => waits),
    })),
);
const by = fc.constantFrom<(0 | 1)[]>(0, 1);
const lease = { key: fc.constantFrom("p", "q"), owner: fc.constantFrom("me", "you"), ttl: fc.nat(50) };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      off: fc.constantFrom(0, 0, 0, 0, -1, 1),
      keys: fc.array(key, { maxLength: 3 }),
      changes: fc.array(itemChange, { maxLength: 3 }),
      held: fc.option(fc.record({ key: lease.key, owner: lease.owner }), { nil: undefined }),
      by,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("lease" as const, "lease" as const, "beat" as const, "release" as const), ...lease, by }),
  },
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat(60) }),
);

async function perform(opened: OpenedModel, walk: Walk, step: Step): Promise<void> {
  // All walks share one store.
  const own = <T extends { readonly key: string; readonly owner: string }>(lease: T): T => ({
    ...lease,
    key: `${walk.run}/${lease.key}`,
    owner: `${walk.run}-${lease.owner}`,
  });
  if (step.do === "wait") await opened.setTime(walk.now);
  else if (step.do !== "commit") await leaseStep(opened, walk, own(step));
  else {
    const before = walk.model.items;
    await commitStep(opened, walk, { ...step, held: step.held === undefined ? undefined : own(step.held) });
    if (walk.model.items !== before) walk.applied.push(...step.changes);
  }
}

/** Walks of up to 25 random steps, on the store and on a model of it; fails where they differ. */
export async function walkModel(
  opened: OpenedModel,
  { numRuns, seed }: { readonly numRuns: number; readonly seed?: number },
): Promise<void> {
  const { store } = opened;
  let now = 1_000;
  await opened.setTime(now);
  const walkAll = async (steps: readonly Step[]): Promise<void> => {
    const run = await startRun(store, { commit: { records: [] } });
    const walk = { run, model: { keys: [], items: new Map() }, leases: new Map<string, Lease>(), applied: [] };
    for (const one of steps) {
      if (one.do === "wait") now += one.ms;
      await perform(opened, { ...walk, now }, one);
    }
    await compare(opened, { ...walk, now });
    const leases = [...walk.leases.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    expectSame(await store.readLeases(`${run}/`), leases);
    await store.dropItems(run);
    await store.applyItems(run, walk.applied);
    await compare(opened, { ...walk, now });
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), walkAll), { numRuns, ...(seed === undefined ? {} : { seed }) });
  expectSame(await store.verify(), []);
}
