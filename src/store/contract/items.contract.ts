import { expect, test } from "vitest";
import type { ItemMove } from "../../kernel/index.ts";
import type { ItemChange } from "../../ports/index.ts";
import type { Item, ItemStatus } from "../../program/index.ts";
import type { OpenedStore } from "../store.contract.ts";
import { added, change, item, startRun } from "./sample.contract.ts";

function move(id: string, to: ItemStatus, more: Partial<ItemMove> = {}): ItemChange {
  return { type: "item_moved", move: { list: "files", id, from: "pending", to, facets: {}, root: id, ...more } };
}

export function itemContract(opened: () => OpenedStore): void {
  const full: Item = {
    list: "files",
    id: "a/\0\u{1f600}\ud800.al",
    order: "\ud7ff\0k",
    status: "failed",
    data: { deep: [1, null, "\0\ud800"] },
    facets: { 'gu"ide\0': "v\u{1f600}", type: "" },
    parent: "p\u0001",
    root: "r\0",
    label: "l\0l",
    result: null,
    reason: "why\0 not",
    blockedUntil: 12.5,
    attempts: 3,
    dependsOn: ["x", "y\0", "x"],
    waitsFor: 2,
  };

  test("an item comes back as it was given", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await change(store, run, added([full, item("plain"), item("empty", { dependsOn: [], result: false, data: null })]));
    expect(await store.readItem(run, "files", full.id)).toEqual(full);
    expect(await store.readItem(run, "files", "plain")).toEqual(item("plain"));
    expect(await store.readItem(run, "files", "empty")).toEqual(item("empty", { dependsOn: [], result: false, data: null }));
    expect(await store.readItem(run, "files", "other")).toBeUndefined();
    expect(await store.readItem(run, "others", "plain")).toBeUndefined();
    expect(await store.countItems(run, "files", {})).toMatchObject({ count: 3, facets: { 'gu"ide\0=v\u{1f600}': 1, "type=": 1 } });
  });

  test("an item that is there already stays as it is", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await change(store, run, added([item("a", { facets: { type: "x" }, dependsOn: ["b"] })]), move("a", "completed"));
    await change(store, run, added([item("a", { data: "new", facets: { type: "y" }, dependsOn: ["c"] }), item("b")]));
    expect(await store.readItem(run, "files", "a")).toMatchObject({ status: "completed", data: { id: "a" }, facets: { type: "x" } });
    expect(await store.dependants(run, "files", "c")).toEqual([]);
    expect(await store.countItems(run, "files", {})).toEqual({
      count: 2,
      facets: { "type=x": 1 },
      byStatus: { pending: 1, in_progress: 0, completed: 1, skipped: 0, failed: 0 },
    });
  });

  test("a move may give an item new data and new facets, and both selections and counts follow", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await change(store, run, added([item("a", { facets: { type: "x", fix: "auto" } }), item("b", { facets: { type: "x", fix: "auto" } })]));
    await change(store, run, move("a", "completed", { data: { line: 7 }, newFacets: { type: "x", done: "hand" } }));
    await change(store, run, move("b", "pending", { newFacets: { type: "y\0", fix: "auto" } }));
    expect(await store.readItem(run, "files", "a")).toMatchObject({ data: { line: 7 }, facets: { type: "x", done: "hand" } });
    const ids = async (facets: Record<string, string>) =>
      (await store.selectItems(run, { list: "files", query: { facets }, limit: 9 })).map(({ id }) => id);
    expect(await ids({ fix: "auto" })).toEqual(["b"]);
    expect(await ids({ type: "x" })).toEqual(["a"]);
    expect(await ids({ done: "hand" })).toEqual(["a"]);
    expect(await ids({ type: "y\0" })).toEqual(["b"]);
    expect((await store.countItems(run, "files", {})).facets).toEqual({ "type=x": 1, "done=hand": 1, "type=y\0": 1, "fix=auto": 1 });
    expect(await store.verify()).toEqual([]);
  });

  test("the same id in another list or run is another item", async () => {
    const { store } = opened();
    const [run, other] = [await startRun(store), await startRun(store)];
    await change(store, run, added([item("a")]), added([item("a", { list: "tasks" })], "tasks"));
    await change(store, other, added([item("a")]));
    await change(store, run, move("a", "failed"));
    expect(await store.readItem(run, "tasks", "a")).toMatchObject({ list: "tasks", status: "pending" });
    expect(await store.readItem(other, "files", "a")).toMatchObject({ status: "pending" });
  });

  test("a move changes what it names and leaves the rest", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await change(store, run, added([item("a", { reason: "blocked", blockedUntil: 5, label: "A" })]));
    await change(store, run, move("a", "in_progress", { attempts: 1 }));
    expect(await store.readItem(run, "files", "a")).toEqual(
      item("a", { status: "in_progress", reason: "blocked", blockedUntil: 5, label: "A", attempts: 1 }),
    );
    await change(store, run, move("a", "completed", { reason: null, blockedUntil: null, label: "B", result: { n: 1 } }));
    expect(await store.readItem(run, "files", "a")).toEqual(item("a", { status: "completed", label: "B", result: { n: 1 }, attempts: 1 }));
    await change(store, run, move("a", "pending", { reason: "again", blockedUntil: 9 }));
    expect(await store.readItem(run, "files", "a")).toEqual(
      item("a", { reason: "again", blockedUntil: 9, label: "B", result: { n: 1 }, attempts: 1 }),
    );
  });

  test("a sweep moves the items that the query means, and no other", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const of = (id: string, type: string, status: ItemStatus = "pending"): Item => item(id, { facets: { type, guide: "g" }, status });
    await change(
      store,
      run,
      added([of("a", "x"), of("b", "y"), of("c", "x", "completed"), of("d", "x"), item("e", { parent: "a", root: "a" })]),
    );
    const sweep = (query: Extract<ItemChange, { type: "items_swept" }>["query"]): ItemChange => ({
      type: "items_swept",
      list: "files",
      query,
      from: "pending",
      to: "skipped",
      reason: "passed",
      count: 0,
      facets: {},
    });
    await change(store, run, sweep({ facets: { type: "x", guide: "g" } }), sweep({ status: "completed" }), sweep({ parent: "a" }));
    const statuses = (await store.selectItems(run, { list: "files", query: {}, limit: 10 })).map(({ id, status, reason }) => [
      id,
      status,
      reason,
    ]);
    expect(statuses).toEqual([
      ["a", "skipped", "passed"],
      ["b", "pending", undefined],
      ["c", "completed", undefined],
      ["d", "skipped", "passed"],
      ["e", "skipped", "passed"],
    ]);
    expect(await store.countItems(run, "files", { status: "skipped" })).toMatchObject({ count: 3, facets: { "type=x": 2, "guide=g": 2 } });
  });

  test("a sweep for ready items does not look at the clock", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await change(store, run, added([item("a"), item("b", { waitsFor: 1 }), item("c", { blockedUntil: 1 })]));
    await change(store, run, {
      type: "items_swept",
      list: "files",
      query: { ready: true },
      from: "pending",
      to: "skipped",
      reason: "r",
      count: 1,
      facets: {},
    });
    expect((await store.selectItems(run, { list: "files", query: { status: "pending" }, limit: 10 })).map(({ id }) => id)).toEqual([
      "b",
      "c",
    ]);
  });

  test("dependants are found, and become ready when all they wait for is settled", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await change(
      store,
      run,
      added([item("a", { dependsOn: ["b", "c"], waitsFor: 2 }), item("d", { dependsOn: ["c"], waitsFor: 1 }), item("b"), item("c")]),
    );
    expect(await store.dependants(run, "files", "c")).toEqual(["a", "d"]);
    expect(await store.dependants(run, "files", "a")).toEqual([]);
    const ready = async (): Promise<string[]> =>
      (await store.selectItems(run, { list: "files", query: { status: "pending", ready: true }, limit: 10 })).map(({ id }) => id);
    expect(await ready()).toEqual(["b", "c"]);
    await change(store, run, { type: "dependency_settled", list: "files", of: "x", ids: ["a", "d"] });
    expect(await ready()).toEqual(["b", "c", "d"]);
    await change(store, run, { type: "dependency_settled", list: "files", of: "x", ids: ["a", "a"] });
    expect(await ready()).toEqual(["a", "b", "c", "d"]);
    expect(await store.readItem(run, "files", "a")).toMatchObject({ waitsFor: 0, dependsOn: ["b", "c"] });
  });

  test("a change that says how many dependencies are open sets that number, more or less than before", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await change(
      store,
      run,
      added([
        item("a", { dependsOn: ["b", "c"], waitsFor: 2, facets: { type: "x" } }),
        item("d", { dependsOn: ["c"], waitsFor: 1 }),
        item("b"),
        item("c"),
      ]),
    );
    const waits = async (): Promise<(number | undefined)[]> =>
      [await store.readItem(run, "files", "a"), await store.readItem(run, "files", "d")].map((row) => row?.waitsFor);
    const ready = async (): Promise<string[]> =>
      (await store.selectItems(run, { list: "files", query: { ready: true, facets: { type: "x" } }, limit: 10 })).map(({ id }) => id);
    await change(store, run, { type: "dependency_settled", list: "files", of: "c", ids: ["a", "d"], waits: [1, 0] });
    await change(store, run, { type: "dependency_settled", list: "files", of: "c", ids: ["a", "d"], waits: [1, 0] });
    expect(await waits()).toEqual([1, 0]);
    await change(store, run, { type: "dependency_settled", list: "files", of: "b", ids: ["a"], waits: [0] });
    expect(await ready()).toEqual(["a"]);
    await change(store, run, { type: "dependency_reopened", list: "files", of: "c", ids: ["a", "d"], waits: [1, 1] });
    expect(await waits()).toEqual([1, 1]);
    expect(await ready()).toEqual([]);
  });

  test("lists are known in the order of their first item", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await change(store, run, added([], "empty"), added([item("a", { list: "z" })], "z"), added([item("a", { list: "b" })], "b"));
    await change(store, run, added([item("b", { list: "z" })], "z"));
    expect(await store.itemLists(run)).toEqual(["z", "b"]);
  });

  test("rows that were dropped are rebuilt from the same changes", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const changes: ItemChange[] = [
      added([full, item("b", { facets: { type: "x" } }), item("c", { facets: { type: "x" } })]),
      move("b", "completed", { result: 1 }),
      {
        type: "items_swept",
        list: "files",
        query: { facets: { type: "x" } },
        from: "pending",
        to: "skipped",
        reason: "r",
        count: 1,
        facets: {},
      },
      { type: "dependency_settled", list: "files", of: "x", ids: [full.id] },
      { type: "dependency_reopened", list: "files", of: "x", ids: [full.id], waits: [7] },
    ];
    await change(store, run, ...changes);
    const all = { list: "files", query: {}, limit: 10 };
    const before = [await store.selectItems(run, all), await store.countItems(run, "files", {}), await store.dependants(run, "files", "x")];
    await store.dropItems(run);
    expect(await store.itemLists(run)).toEqual([]);
    await store.applyItems(run, changes);
    expect([
      await store.selectItems(run, all),
      await store.countItems(run, "files", {}),
      await store.dependants(run, "files", "x"),
    ]).toEqual(before);
    expect(await store.readRun(run)).toMatchObject({ head: 1 });
  });
}
