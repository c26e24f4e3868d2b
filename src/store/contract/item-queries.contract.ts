import fc from "fast-check";
import { expect, test } from "vitest";
import type { ItemSelection } from "../../ports/index.ts";
import { itemStatuses, type Item, type ItemQuery, type ItemStatus } from "../../program/index.ts";
import type { OpenedStore } from "../store.contract.ts";
import { added, change, item, startRun } from "./sample.contract.ts";

type Choice = Omit<ItemSelection, "list">;

export function itemQueryContract(opened: () => OpenedStore): void {
  test("items come in code-unit order of their keys, equal keys in the order they were added", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const keys = ["b", "\uffff", "a\0b", "\u{1f600}", "a", "\ud800", "", "a\u0001", "\ue000", "B", "é", "a\0", "\ud7ff", "a"];
    await change(store, run, added(keys.map((order, index) => item(`i${index}`, { order }))));
    const sorted = keys
      .map((order, index) => ({ order, index }))
      .sort((a, b) => (a.order === b.order ? a.index - b.index : a.order < b.order ? -1 : 1));
    for (const query of [{}, { status: "pending" }, { status: "pending", ready: true }] as const) {
      const found = await store.selectItems(run, { list: "files", query, limit: 100 });
      expect(found.map(({ id, order }) => [id, order])).toEqual(sorted.map(({ order, index }) => [`i${index}`, order]));
    }
  });

  test("a blocked item is ready again when its time has come", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const now = await store.now();
    await change(
      store,
      run,
      added([
        item("a", { blockedUntil: now + 60_000, facets: { t: "x" } }),
        item("b", { blockedUntil: now - 1, facets: { t: "x" } }),
        item("c", { blockedUntil: now + 60_000 }),
      ]),
    );
    await change(store, run, {
      type: "item_moved",
      move: { list: "files", id: "c", from: "pending", to: "pending", facets: {}, root: "c", blockedUntil: null },
    });
    const ids = async (query: ItemQuery): Promise<string[]> =>
      (await store.selectItems(run, { list: "files", query, limit: 9 })).map(({ id }) => id);
    expect(await ids({ status: "pending", ready: true })).toEqual(["b", "c"]);
    expect(await ids({ status: "pending", ready: true, facets: { t: "x" } })).toEqual(["b"]);
    expect(await ids({ status: "pending" })).toEqual(["a", "b", "c"]);
    expect(await store.countItems(run, "files", { ready: true })).toMatchObject({ count: 2, facets: { "t=x": 1 } });
  });

  test("selecting and counting agree with a plain filter over all items", async () => {
    const { store } = opened();
    await fc.assert(
      fc.asyncProperty(
        fc.array(itemArbitrary, { maxLength: 25 }),
        fc.array(choiceArbitrary, { minLength: 1, maxLength: 12 }),
        async (drafts, choices) => {
          const items = drafts.map((draft, index) => ({ ...draft, id: `i${index}`, root: draft.root ?? `i${index}` }));
          const run = await startRun(store);
          await change(store, run, added(items));
          const now = await store.now();
          for (const choice of choices) {
            expect(await store.selectItems(run, { list: "files", ...choice })).toEqual(choose(items, choice, now));
            expect(await store.countItems(run, "files", choice.query)).toEqual(count(items, choice.query, now));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
}

function matches(one: Item, query: ItemQuery, now: number): boolean {
  if (query.status !== undefined && one.status !== query.status) return false;
  if (query.parent !== undefined && (one.parent ?? null) !== query.parent) return false;
  if (query.ready === true && (one.waitsFor > 0 || (one.blockedUntil ?? 0) > now)) return false;
  return Object.entries(query.facets ?? {}).every(([facet, value]) => one.facets[facet] === value);
}

function choose(items: readonly Item[], { query, after, notRoots, limit }: Choice, now: number): Item[] {
  return items
    .filter((one) => matches(one, query, now) && (after === undefined || one.order > after) && notRoots?.includes(one.root) !== true)
    .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
    .slice(0, limit);
}

function count(items: readonly Item[], query: ItemQuery, now: number): unknown {
  const byStatus: Record<ItemStatus, number> = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };
  const facets: Record<string, number> = {};
  const meant = items.filter((one) => matches(one, query, now));
  for (const one of meant) {
    byStatus[one.status] += 1;
    for (const [facet, value] of Object.entries(one.facets)) facets[`${facet}=${value}`] = (facets[`${facet}=${value}`] ?? 0) + 1;
  }
  return { count: meant.length, facets, byStatus };
}

const statusArbitrary = fc.constantFrom<ItemStatus>("pending", "pending", ...itemStatuses);
const facetsArbitrary = fc.record({ type: fc.constantFrom("x", "y"), guide: fc.constantFrom("g", "h") }, { requiredKeys: [] });
const orderArbitrary = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\ud7ff", "\ud83d", "\ue000"), maxLength: 3 });
const rootArbitrary = fc.constantFrom("i0", "i1");
const hour = 3_600_000;

const itemArbitrary = fc
  .record({
    order: orderArbitrary,
    status: statusArbitrary,
    facets: facetsArbitrary,
    waitsFor: fc.constantFrom(0, 0, 1),
    parent: fc.option(rootArbitrary, { nil: undefined }),
    blocked: fc.constantFrom(undefined, undefined, -hour, hour),
    root: fc.option(rootArbitrary, { nil: undefined }),
  })
  .map(({ parent, blocked, root, ...rest }) => ({
    ...item("", rest),
    root,
    ...(parent === undefined ? {} : { parent }),
    ...(blocked === undefined ? {} : { blockedUntil: Date.now() + blocked }),
  }));

const queryArbitrary: fc.Arbitrary<ItemQuery> = fc.record(
  { status: statusArbitrary, parent: fc.constantFrom("i0", "i1", null), facets: facetsArbitrary, ready: fc.boolean() },
  { requiredKeys: [] },
);
const choiceArbitrary: fc.Arbitrary<Choice> = fc
  .record({
    query: queryArbitrary,
    limit: fc.integer({ min: 0, max: 30 }),
    after: fc.option(orderArbitrary, { nil: undefined }),
    notRoots: fc.option(fc.subarray(["i0", "i1", "i2", "i3"]), { nil: undefined }),
  })
  .map(({ after, notRoots, ...rest }) => ({
    ...rest,
    ...(after === undefined ? {} : { after }),
    ...(notRoots === undefined ? {} : { notRoots }),
  }));
