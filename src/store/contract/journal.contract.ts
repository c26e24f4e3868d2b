import { expect, test } from "vitest";
import type { OpenedStore } from "../store.contract.ts";
import { added, commitOf, item, nothing, record, refusal, startRun } from "./sample.contract.ts";

export function journalContract(opened: () => OpenedStore): void {
  test("records come back as they were given, numbered from 1 without a gap", async () => {
    const { store } = opened();
    const full = record({
      at: 12.5,
      cause: "report",
      key: "a\0\u{1f600}\ud800",
      facts: '{"why":"\\u0000"}',
      events: '[{"type":"ready"}]',
      version: 3,
    });
    const run = await startRun(store);
    expect(await store.commit(run, 1, commitOf({ records: [full, record()] }))).toEqual({ ok: true, head: 3 });
    const records = await store.readRecords(run, 0, 10);
    expect(records).toEqual([
      { ...record(), position: 1 },
      { ...full, position: 2 },
      { ...record(), position: 3 },
    ]);
    expect(await store.readRecords(run, 1, 1)).toEqual([records[1]]);
    expect(await store.readRecords(run, 3, 10)).toEqual([]);
    expect(await store.findRecord(run, full.key ?? "")).toEqual(records[1]);
    expect(await store.findRecord(run, "other")).toBeUndefined();
  });

  test("a commit on an old head changes nothing and answers the head", async () => {
    const { store } = opened();
    const run = await startRun(store);
    await store.commit(run, 1, commitOf());
    const late = commitOf({ items: [added([item("a")])], summary: { status: "failed", line: "late" } });
    for (const head of [0, 1, 3]) expect(await store.commit(run, head, late)).toEqual({ ok: false, head: 2 });
    expect(await store.readRun(run)).toMatchObject({ head: 2, status: "running" });
    expect(await store.itemLists(run)).toEqual([]);
  });

  test("a key is recorded once in a run, and the refused commit leaves nothing behind", async () => {
    const { store } = opened();
    const run = await startRun(store, { commit: { records: [record({ key: "k" })] } });
    const twice = commitOf({ records: [record({ key: "new" }), record({ key: "k" })], items: [added([item("a")])] });
    await expect(store.commit(run, 1, twice)).rejects.toMatchObject({ code: "STORE_DUPLICATE_KEY", details: { run, key: "k" } });
    expect(await store.readRun(run)).toMatchObject({ head: 1 });
    expect(await store.findRecord(run, "new")).toBeUndefined();
    expect(await store.itemLists(run)).toEqual([]);
    const other = await startRun(store);
    expect(await store.commit(other, 1, commitOf({ records: [record({ key: "k" })] }))).toEqual({ ok: true, head: 2 });
  });

  test("a refused change of an item refuses the whole commit", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const move = { list: "files", id: "ghost", from: "pending", to: "failed", facets: {}, root: "ghost" } as const;
    await expect(store.commit(run, 1, commitOf({ items: [added([item("a")]), { type: "item_moved", move }] }))).rejects.toMatchObject(
      refusal("STORE_NO_ITEM"),
    );
    await expect(
      store.commit(run, 1, commitOf({ items: [{ type: "dependency_settled", list: "files", of: "x", ids: ["ghost"] }] })),
    ).rejects.toMatchObject(refusal("STORE_NO_ITEM"));
    expect(await store.readRun(run)).toMatchObject({ head: 1 });
    expect(await store.itemLists(run)).toEqual([]);
  });

  test("an empty commit keeps the head", async () => {
    const { store } = opened();
    const run = await startRun(store);
    expect(await store.commit(run, 1, nothing)).toEqual({ ok: true, head: 1 });
  });

  test("of deciders that race on one head exactly one wins", async () => {
    const { store, reopen } = opened();
    const run = await startRun(store);
    const stores = await Promise.all([reopen(), reopen(), reopen()]);
    const results = await Promise.all(
      [store, ...stores].map((each, index) => each.commit(run, 1, commitOf({ records: [record({ key: `by ${index}` })] }))),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.every(({ head }) => head === 2)).toBe(true);
    await Promise.all(stores.map((each) => each.close()));
  });

  test("a decider that takes the lock wins its second try, whatever others do meanwhile", async () => {
    const { store, reopen } = opened();
    const run = await startRun(store);
    const other = await reopen();
    await store.commit(run, 1, commitOf());
    const lost = await other.commit(run, 1, commitOf(), { locked: true });
    expect(lost).toEqual({ ok: false, head: 2 });
    // Nobody gets past the lock: these wait, and lose once the owner has committed; the first would have lost anyway.
    expect(await store.commit(run, 1, commitOf())).toEqual({ ok: false, head: 2 });
    const waiting = [
      store.commit(run, 2, commitOf()),
      other.commit(run, 2, commitOf()),
      store.commit(run, 2, commitOf(), { locked: true }),
    ];
    await new Promise((done) => setTimeout(done, 20));
    expect(await store.readRun(run)).toMatchObject({ head: 2 });
    expect(await other.commit(run, lost.head, commitOf({ records: [record({ key: "slow" })] }), { locked: true })).toEqual({
      ok: true,
      head: 3,
    });
    for (const late of await Promise.all(waiting)) expect(late).toEqual({ ok: false, head: 3 });
    expect(await store.findRecord(run, "slow")).toMatchObject({ position: 3 });
    // The last of them took the lock in its turn; an empty commit gives it back.
    expect(await store.commit(run, 3, nothing, { locked: true })).toEqual({ ok: true, head: 3 });
    expect(await other.commit(run, 3, commitOf())).toEqual({ ok: true, head: 4 });
    await other.close();
  });

  test("a locked commit on the right head needs one try and leaves no lock", async () => {
    const { store, reopen } = opened();
    const run = await startRun(store);
    const other = await reopen();
    expect(await store.commit(run, 1, commitOf(), { locked: true })).toEqual({ ok: true, head: 2 });
    expect(await other.commit(run, 2, commitOf(), { locked: true })).toEqual({ ok: true, head: 3 });
    await other.close();
  });

  test("the newest snapshot stays until it is dropped", async () => {
    const { store } = opened();
    const run = await startRun(store);
    expect(await store.readSnapshot(run)).toBeUndefined();
    await store.writeSnapshot(run, 5, "five");
    await store.writeSnapshot(run, 3, "three");
    expect(await store.readSnapshot(run)).toEqual({ position: 5, text: "five" });
    await store.writeSnapshot(run, 5, "five again");
    await store.writeSnapshot(run, 9, "nine");
    expect(await store.readSnapshot(run)).toEqual({ position: 9, text: "nine" });
    await store.dropSnapshots(run);
    expect(await store.readSnapshot(run)).toBeUndefined();
  });

  test("a commit with many records and items is one commit", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const items = Array.from({ length: 2_000 }, (_, index) =>
      item(`i${String(index).padStart(5, "0")}`, { facets: { type: `t${index % 3}` } }),
    );
    const records = Array.from({ length: 256 }, (_, index) => record({ key: `k${index}` }));
    expect(await store.commit(run, 1, commitOf({ records, items: [added(items)] }))).toEqual({ ok: true, head: 257 });
    expect(await store.countItems(run, "files", {})).toMatchObject({
      count: 2_000,
      facets: { "type=t0": 667, "type=t1": 667, "type=t2": 666 },
    });
    expect(await store.verify()).toEqual([]);
  });

  test("text that is not JSON is kept whole or refused, never cut", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const events = '["a\0b"]';
    const kept = store
      .commit(run, 1, commitOf({ records: [record({ events })] }))
      .then(async () => (await store.readRecords(run, 1, 1))[0]?.events);
    expect([events, "STORE_BAD_TEXT"]).toContain(await kept.catch(({ code }: { code: string }) => code));
  });
}
