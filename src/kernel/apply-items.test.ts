import { expect, test } from "vitest";
import { itemRow } from "../../test/support/make-program.ts";
import type { Item, ItemStatus } from "../program/index.ts";
import { apply, emptyState } from "./apply.ts";
import type { Event } from "./event.ts";
import type { RunState } from "./run-state.ts";
import type { Frame } from "./frame.ts";

const item = (id: string, more: Partial<Item> = {}): Item => itemRow(id, { list: "jobs", facets: { kind: "x" }, ...more });
const added = (...items: Item[]): Event => ({ type: "items_added", list: "jobs", items });
const moved = (id: string, from: ItemStatus, to: ItemStatus, more: object = {}): Event => ({
  type: "item_moved",
  move: { list: "jobs", id, from, to, facets: { kind: "x" }, root: id, ...more },
});
const after = (...events: Event[]): RunState => events.reduce(apply, emptyState);
const none = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };

test("items are counted by status and by each of their facets", () => {
  const state = after(added(item("A"), item("B", { facets: { kind: "y" } })), added(item("C", { status: "completed" })));
  expect(state.lists["jobs"]).toEqual({
    total: 3,
    by: { ...none, pending: 2, completed: 1 },
    facets: { "kind=x": { ...none, pending: 1, completed: 1 }, "kind=y": { ...none, pending: 1 } },
    hasDependencies: false,
  });
});

test("a sweep moves as many as it says, in all and per facet, and the list stays what it was", () => {
  const state = after(added(item("A"), item("B"), item("C", { facets: { kind: "y" }, dependsOn: ["A"] })), {
    type: "items_swept",
    list: "jobs",
    query: { status: "pending" },
    from: "pending",
    to: "skipped",
    reason: "not wanted",
    count: 3,
    facets: { "kind=x": 2, "kind=y": 1 },
  });
  expect(state.lists["jobs"]).toEqual({
    total: 3,
    by: { ...none, skipped: 3 },
    facets: { "kind=x": { ...none, skipped: 2 }, "kind=y": { ...none, skipped: 1 } },
    hasDependencies: true,
  });
});

test("an item whose facets change is counted under the new ones, and the list stays what it was", () => {
  const state = after(added(item("A", { dependsOn: ["Z"] }), item("B")), moved("A", "pending", "completed", { newFacets: { kind: "y" } }));
  expect(state.lists["jobs"]).toEqual({
    total: 2,
    by: { ...none, pending: 1, completed: 1 },
    facets: { "kind=x": { ...none, pending: 1 }, "kind=y": { ...none, completed: 1 } },
    hasDependencies: true,
  });
});

const work = (block: string, held?: Item): Frame => ({
  block,
  kind: "work",
  phase: "run",
  list: "jobs",
  mode: "each",
  open: [],
  total: 2,
  failed: [],
  ...(held === undefined ? {} : { item: held }),
});

test("a strand that has the item in hand knows its new facets, and what others have in hand stays as it is", () => {
  const taken = (id: string) => ({ list: "jobs", id, facets: { kind: "x" }, root: id, attempts: 1 });
  const before = after(
    added(item("A"), item("B")),
    { type: "strand_opened", strand: "main", scope: "run" },
    { type: "entered", strand: "main", frame: work("outer", item("B")) },
    { type: "entered", strand: "main", frame: work("inner", item("A")) },
    { type: "entered", strand: "main", frame: work("empty") },
    { type: "strand_opened", strand: "s1", scope: "run", parent: "main", item: taken("A") },
    { type: "strand_opened", strand: "s2", scope: "run", parent: "main", item: taken("B") },
    { type: "entered", strand: "s2", frame: work("other", item("B")) },
    { type: "strand_opened", strand: "s3", scope: "run", parent: "main", item: { ...taken("A"), list: "others" } },
    { type: "strand_opened", strand: "s4", scope: "run", parent: "main", item: taken("B") },
    { type: "entered", strand: "s4", frame: work("mixed", item("A")) },
  );
  const { strands } = apply(before, moved("A", "in_progress", "in_progress", { newFacets: { kind: "y" } }));
  const facets = { kind: "y" };
  expect(strands["main"]?.frames).toEqual([work("outer", item("B")), work("inner", item("A", { facets })), work("empty")]);
  expect(strands["s1"]?.item).toEqual({ ...taken("A"), facets });
  expect(strands["s2"]).toBe(before.strands["s2"]);
  expect(strands["s3"]).toBe(before.strands["s3"]);
  expect(strands["s4"]).toMatchObject({ item: taken("B"), frames: [{ item: { id: "A", facets } }] });
});

test("a list that is closed is added to what the block did before", () => {
  const own = (list: string, id: string): Event => ({ type: "items_added", list, items: [item(id, { list, facets: {} })] });
  const done = (list: string, id: string): Event => ({
    type: "item_moved",
    move: { list, id, from: "pending", to: "completed", facets: {}, root: id },
  });
  const state = after(own("w#1", "A"), done("w#1", "A"), { type: "list_closed", list: "w#1", into: "w" }, own("w#2", "A"), {
    type: "list_closed",
    list: "w#2",
    into: "w",
  });
  expect(Object.keys(state.lists)).toEqual(["w"]);
  expect(state.lists["w"]).toMatchObject({ total: 2, by: { ...none, pending: 1, completed: 1 } });
});

test("a tree is held as long as its strand has one of its items in hand", () => {
  const take = (id: string): Event => moved(id, "pending", "in_progress", { root: "A", strand: "s1" });
  const settle = (id: string): Event => moved(id, "in_progress", "completed", { root: "A", strand: "s1" });
  const both = after(added(item("A"), item("B", { root: "A" }), item("C")), take("A"), take("B"));
  expect(both.held).toEqual({ "jobs/A": { strand: "s1", items: 2 } });
  const one = apply(both, settle("B"));
  expect(one.held).toEqual({ "jobs/A": { strand: "s1", items: 1 } });
  expect(apply(one, moved("C", "pending", "in_progress")).held).toEqual(one.held);
  const other = apply(one, moved("C", "pending", "in_progress", { strand: "s2" }));
  expect(other.held).toEqual({ ...one.held, "jobs/C": { strand: "s2", items: 1 } });
  expect(apply(one, settle("A")).held).toEqual({});
});

test("a move or a sweep in a list that nothing is known of does not stop a replay", () => {
  const swept = { type: "items_swept", list: "jobs", query: {}, from: "pending", to: "skipped", reason: "", count: 2, facets: {} } as const;
  expect(after(swept).lists["jobs"]).toMatchObject({ total: 0, by: { ...none, pending: -2, skipped: 2 } });
  expect(after(moved("A", "pending", "completed")).lists["jobs"]).toMatchObject({ total: 0, by: { ...none, pending: -1, completed: 1 } });
});
