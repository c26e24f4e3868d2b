import { describe, expect, test } from "vitest";
import type { OpenedStore } from "../store.contract.ts";
import { added, commitOf, item, nothing, pins, record, refusal, startRun } from "./sample.contract.ts";

export function runContract(opened: () => OpenedStore): void {
  test("a created run can be read, also by another who opens the store", async () => {
    const { store, reopen } = opened();
    const before = await store.now();
    const run = await startRun(store, { workflow: "standards:fix", commit: { summary: { status: "running", line: '{"label":"first"}' } } });
    const other = await reopen();
    for (const reader of [store, other]) {
      const row = await reader.readRun(run);
      expect(row).toMatchObject({
        id: run,
        workflow: "standards:fix",
        ...(await pins(store)),
        status: "running",
        line: '{"label":"first"}',
        head: 1,
      });
      expect(row?.createdAt).toBeGreaterThanOrEqual(before);
      expect(row?.updatedAt).toBe(row?.createdAt);
    }
    await other.close();
  });

  test("a run without a summary is running and has an empty line", async () => {
    const { store } = opened();
    expect(await store.readRun(await startRun(store))).toMatchObject({ status: "running", line: "{}" });
  });

  test("an id is used once, and the refused run leaves nothing behind", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const again = store.createRun(
      { id: run, workflow: "other", ...(await pins(store)) },
      commitOf({ records: [record(), record()], items: [added([item("a")])] }),
    );
    await expect(again).rejects.toMatchObject(refusal("STORE_RUN_EXISTS"));
    expect(await store.readRun(run)).toMatchObject({ workflow: "demo", head: 1 });
    expect(await store.itemLists(run)).toEqual([]);
  });

  test("a run whose first commit is refused does not exist", async () => {
    const { store } = opened();
    const row = { id: "stillborn", workflow: "demo", ...(await pins(store)) };
    const twice = commitOf({ records: [record({ key: "k" }), record({ key: "k" })] });
    await expect(store.createRun(row, twice)).rejects.toMatchObject(refusal("STORE_DUPLICATE_KEY"));
    expect(await store.readRun("stillborn")).toBeUndefined();
  });

  describe("lists", () => {
    test("are newest first and can be filtered and paged", async () => {
      const { store } = opened();
      const workflow = "listed";
      const [a, b, c] = [await startRun(store, { workflow }), await startRun(store, { workflow }), await startRun(store, { workflow })];
      await store.commit(b, 1, commitOf({ summary: { status: "completed", line: "{}" } }));
      const ids = async (filter: Parameters<typeof store.listRuns>[0]): Promise<string[]> =>
        (await store.listRuns({ workflow, ...filter })).map(({ id }) => id);
      expect(await ids({})).toEqual([c, b, a]);
      expect(await ids({ status: ["completed", "failed"] })).toEqual([b]);
      expect(await ids({ status: ["running"], limit: 1 })).toEqual([c]);
      expect(await ids({ status: ["running"], limit: 1, after: c })).toEqual([a]);
      expect(await ids({ after: a })).toEqual([]);
      expect(await ids({ status: [] })).toEqual([]);
    });

    test("can be limited to runs that were not changed lately", async () => {
      const { store } = opened();
      const run = await startRun(store, { workflow: "old" });
      const { updatedAt } = (await store.readRun(run)) ?? { updatedAt: 0 };
      expect(await store.listRuns({ workflow: "old", updatedBefore: updatedAt })).toEqual([]);
      expect(await store.listRuns({ workflow: "old", updatedBefore: updatedAt + 1 })).toHaveLength(1);
    });

    test("refuse to go on after a run that is not there", async () => {
      await expect(opened().store.listRuns({ after: "nowhere" })).rejects.toMatchObject(refusal("STORE_NO_RUN"));
    });
  });

  test("removing a run takes everything of it and nothing of another", async () => {
    const { store } = opened();
    const commit = {
      records: [record({ key: "k" })],
      items: [added([item("a", { facets: { type: "x" }, dependsOn: ["b"] })])],
    };
    const [gone, kept] = [await startRun(store, { commit }), await startRun(store, { commit })];
    for (const run of [gone, kept]) {
      await store.writeSnapshot(run, 1, "{}");
      await store.acquire(`strand/${run}/main`, "me", 1, 60_000);
      await store.acquire(`effect/${run}/e1`, "me", 1, 60_000);
    }
    // A strand has the name of the run, and another run begins with it.
    const others = [
      `strand/${kept}/${gone}`,
      `strand/${kept}/${gone}/x`,
      `strand/${gone}-2/main`,
      `strand/x${gone}/main`,
      `bot-area/a/${gone}/b`,
    ];
    for (const key of others) await store.acquire(key, "me", 1, 60_000);
    await store.removeRun(gone);
    expect(await store.readRun(gone)).toBeUndefined();
    expect(await store.readLease(`strand/${gone}/main`)).toBeUndefined();
    expect(await store.readLease(`effect/${gone}/e1`)).toBeUndefined();
    for (const key of others) expect(await store.readLease(key), key).toMatchObject({ owner: "me" });
    // The id is free again and nothing of the old run shows.
    await startRun(store, { id: gone });
    expect(await store.findRecord(gone, "k")).toBeUndefined();
    expect(await store.readSnapshot(gone)).toBeUndefined();
    expect(await store.itemLists(gone)).toEqual([]);
    expect(await store.dependants(kept, "files", "b")).toEqual(["a"]);
    expect(await store.readSnapshot(kept)).toEqual({ position: 1, text: "{}" });
    expect(await store.readLease(`strand/${kept}/main`)).toMatchObject({ owner: "me" });
    expect(await store.verify()).toEqual([]);
  });

  test("a run that went on is not removed by who saw it end", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const { head = 0 } = (await store.readRun(run)) ?? {};
    await store.commit(run, head, commitOf());
    expect(await store.removeRun(run, head)).toBe(false);
    expect(await store.readRun(run)).toMatchObject({ head: head + 1 });
    expect(await store.removeRun(run, head + 1)).toBe(true);
    expect(await store.removeRun(run, head + 1)).toBe(false);
    expect(await store.readRun(run)).toBeUndefined();
  });

  test("who writes to a run that is removed at that moment is told that it is not there", async () => {
    const { store, reopen } = opened();
    const other = await reopen();
    const { program } = await pins(store);
    const answers = new Set(["done", "STORE_NO_RUN"]);
    for (let round = 0; round < 20; round += 1) {
      const run = await startRun(store);
      const changes = [added([item("a")])];
      const removing = store.removeRun(run);
      const writes = [
        other.writeSnapshot(run, 1, "{}"),
        other.writeSnapshot(run, 1, JSON.stringify({ $blob: program })),
        other.commit(run, 1, commitOf({ items: changes })),
        other.applyItems(run, changes),
      ];
      const told = writes.map((write) => write.then(() => "done").catch(({ code }: { code: string }) => code));
      for (const answer of await Promise.all(told)) answers.add(answer);
      expect(await removing).toBe(true);
    }
    expect([...answers]).toEqual(["done", "STORE_NO_RUN"]);
    await other.close();
    expect(await store.verify()).toEqual([]);
  });

  test("every operation on a run that is not there says so", async () => {
    const { store } = opened();
    const attempts = [
      store.removeRun("nowhere"),
      store.commit("nowhere", 0, nothing),
      store.readRecords("nowhere", 0, 1),
      store.findRecord("nowhere", "k"),
      store.readSnapshot("nowhere"),
      store.writeSnapshot("nowhere", 1, "{}"),
      store.dropSnapshots("nowhere"),
      store.selectItems("nowhere", { list: "l", query: {}, limit: 1 }),
      store.countItems("nowhere", "l", {}),
      store.readItem("nowhere", "l", "i"),
      store.dependants("nowhere", "l", "i"),
      store.itemLists("nowhere"),
      store.dropItems("nowhere"),
      store.applyItems("nowhere", []),
    ];
    for (const attempt of await Promise.allSettled(attempts))
      expect(attempt).toMatchObject({ status: "rejected", reason: { code: "STORE_NO_RUN" } });
  });

  test("it says where and how it lies, and finds nothing wrong with itself", async () => {
    const { store } = opened();
    const { kind, location, schema, engine } = await store.describe();
    expect([kind, location, engine].every((text) => text !== "")).toBe(true);
    expect(schema).toBeGreaterThanOrEqual(1);
    expect(await store.verify()).toEqual([]);
  });

  test("a closed store refuses everything, and may be closed twice", async () => {
    const second = await opened().reopen();
    await second.close();
    await second.close();
    await expect(second.listRuns({})).rejects.toMatchObject(refusal("STORE_CLOSED"));
    await expect(second.beat("me", 1)).rejects.toMatchObject(refusal("STORE_CLOSED"));
  });
}
