import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import type { ItemChange, ItemSelection } from "../ports/index.ts";
import { itemStatuses, type Item, type ItemStatus } from "../program/index.ts";
import { apply, emptyState, wholeList } from "../kernel/index.ts";
import { PendingItems } from "./pending-items.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine.close());

const list = "l";
const ids = ["a", "b", "c", "d", "e", "f"];
const item = (id: string, dependsOn: readonly string[]): Item => ({
  list,
  id,
  order: id,
  status: "pending",
  data: id,
  facets: {},
  root: id,
  attempts: 0,
  waitsFor: dependsOn.length,
  ...(dependsOn.length === 0 ? {} : { dependsOn }),
});

/** Each change names the item it is about by its place; whether it happens depends on what is there. */
const change = fc.record({
  at: fc.nat(5),
  kind: fc.constantFrom("add", "move", "move", "count", "sweep"),
  to: fc.constantFrom<ItemStatus>("pending", "in_progress", "completed", "failed"),
  needs: fc.nat(5),
});

let runs = 0;

test("what is selected before a commit is what the store selects after it", async () => {
  const { store } = engine.context;
  const { hash } = await store.putBlob(new TextEncoder().encode("{}"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 12 }),
      fc.array(change, { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (before, after, limit) => {
        const run = `pending-${(runs += 1)}`;
        const rows = new Map<string, Item>();
        let state = emptyState;
        const eventsOf = (changes: typeof before): ItemChange[] =>
          changes.flatMap((made) => {
            const event = eventOf(made, rows);
            if (event !== undefined) state = apply(state, event);
            return event === undefined ? [] : [event];
          });
        const commit = (items: ItemChange[]) => ({
          records: [
            { at: 1, actor: { kind: "engine" as const, name: "t", session: "t", surface: "t" }, cause: "t", events: "[]", version: 1 },
          ],
          items,
        });
        const { head } = await store.createRun({ id: run, workflow: "w", program: hash, sources: hash }, commit(eventsOf(before)));
        const pending = new PendingItems(state.lists);
        const events = eventsOf(after);
        pending.note(events);
        const selections: ItemSelection[] = itemStatuses.flatMap((status) => [
          { list, query: { status }, limit },
          { list, query: { status, ready: true }, limit },
        ]);
        const seen = await Promise.all(selections.map((selection) => pending.select(store, run, selection)));
        const { ids: wrong, waits } = await pending.dependants(store, run, list, wholeList);
        expect(Object.fromEntries(wrong.map((id, at) => [id, waits[at]]))).toEqual(miscounted(rows));
        await store.commit(run, head, commit(events));
        for (const [index, selection] of selections.entries()) {
          expect(seen[index]?.map(({ id, status }) => ({ id, status }))).toEqual(
            (await store.selectItems(run, selection)).map(({ id, status }) => ({ id, status })),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** Rows that wait for another number of open items than they should, with that number. */
function miscounted(rows: ReadonlyMap<string, Item>): Record<string, number> {
  const isOpen = (id: string): boolean => ["pending", "in_progress"].includes(rows.get(id)?.status ?? "pending");
  const open = ({ dependsOn = [] }: Item): number => dependsOn.filter(isOpen).length;
  const wrong = [...rows.values()].filter((row) => row.dependsOn !== undefined && open(row) !== row.waitsFor);
  return Object.fromEntries(wrong.map((row) => [row.id, open(row)]));
}

function eventOf(
  { at, kind, to, needs }: { at: number; kind: string; to: ItemStatus; needs: number },
  rows: Map<string, Item>,
): ItemChange | undefined {
  const id = ids[at] ?? "a";
  const held = rows.get(id);
  const needed = ids[needs] ?? "a";
  if (held === undefined) {
    const fresh = item(id, needed !== id && rows.has(needed) ? [needed] : []);
    rows.set(id, fresh);
    return { type: "items_added", list, items: [fresh] };
  }
  if (kind === "add") return undefined;
  if (kind === "sweep") {
    const from = held.status;
    const meant = [...rows.values()].filter((row) => row.status === from);
    for (const row of meant) rows.set(row.id, { ...row, status: to });
    return { type: "items_swept", list, query: { status: from }, from, to, reason: "r", count: meant.length, facets: {} };
  }
  if (kind === "count") {
    if (held.dependsOn === undefined) return undefined;
    const waitsFor = needs % 2;
    rows.set(id, { ...held, waitsFor });
    return { type: waitsFor === 0 ? "dependency_settled" : "dependency_reopened", list, of: needed, ids: [id], waits: [waitsFor] };
  }
  rows.set(id, { ...held, status: to });
  return { type: "item_moved", move: { list, id, from: held.status, to, facets: {}, root: id } };
}
