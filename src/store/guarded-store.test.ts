import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store, StoreIdentity } from "../ports/index.ts";
import { blobFiles } from "./contract/blob-files.contract.ts";
import { guardedStore } from "./guarded-store.ts";
import { openSqliteStore, sqliteStore } from "./sqlite/open-sqlite-store.ts";
import { SqliteConnection } from "./sqlite/sqlite-connection.ts";
import { storeContract } from "./store.contract.ts";

const everyStore = { has: () => Promise.resolve(true) };
const noStore = { has: () => Promise.resolve(false) };

storeContract("The guarded store of its maker", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-guarded-"));
  const opened: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = guardedStore(await openSqliteStore({ folder }), everyStore);
    opened.push(store);
    return store;
  };
  const clean = async (): Promise<void> => {
    await Promise.all(opened.map((store) => store.close()));
    rmSync(folder, { recursive: true });
  };
  const store = await open();
  return { store, ...blobFiles(store), reopen: open, clean };
});

let base: string;
const opened: Store[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-guarded-"));
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(base, { recursive: true });
});

function open(folder = join(base, "store"), newId?: () => Promise<string>): Store {
  const store = sqliteStore({ folder, ...(newId === undefined ? {} : { newId }) });
  opened.push(store);
  return store;
}

const commit = { records: [], items: [], summary: { status: "running" as const, line: "{}" } };
const row = { id: "wf-1", workflow: "demo", program: "a".repeat(64), sources: "b".repeat(64) };

/** Every method that changes the store or takes something in it. */
const writes: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  createRun: (store) => store.createRun({ ...row, id: "wf-2" }, commit),
  removeRun: (store) => store.removeRun("wf-1"),
  commit: (store) => store.commit("wf-1", 0, commit),
  writeSnapshot: (store) => store.writeSnapshot("wf-1", 0, "{}"),
  dropSnapshots: (store) => store.dropSnapshots("wf-1"),
  dropItems: (store) => store.dropItems("wf-1"),
  applyItems: (store) => store.applyItems("wf-1", []),
  acquire: (store) => store.acquire("k", "me", 1, 1_000),
  beat: (store) => store.beat("me", 1_000),
  releaseLease: (store) => store.releaseLease("k", "me"),
  releaseLeases: (store) => store.releaseLeases("me", ""),
  blockPool: (store) => store.blockPool({ name: "p", blockedUntil: 1, reason: "r", seenBy: "wf-1", guesses: 0 }, undefined),
  freePool: (store) => store.freePool("p"),
  putBlob: (store) => store.putBlob(new Uint8Array([1])),
  adoptBlob: (store) => store.adoptBlob(join(base, "none")),
  collectBlobs: (store) => store.collectBlobs(),
};
const looks =
  "now readRun listRuns findWork readRecords findRecord readSnapshot selectItems countItems readItem dependants itemLists readLease readLeases readPool readPools readBlob blobFile describe identity identify verify close";

test("every method of a store either only looks or is guarded", () => {
  expect(Object.keys(open()).sort()).toEqual([...Object.keys(writes), ...looks.split(" ")].sort());
});

test("a store without a mark is looked into, and every write is refused with its place and its open runs", async () => {
  await open().createRun(row, commit);
  const store = guardedStore(open(), noStore);
  expect((await store.listRuns({})).map(({ id }) => id)).toEqual(["wf-1"]);
  for (const [name, write] of Object.entries(writes)) {
    const refused = await write(store).then(
      () => "done",
      (error: unknown) => error,
    );
    expect([name, refused]).toMatchObject([
      name,
      { code: "STORE_NOT_ADOPTED", details: { open_runs: [{ id: "wf-1", workflow: "demo" }] } },
    ]);
    expect((refused as Error).message).toContain(join(base, "store"));
  }
  expect((await store.listRuns({})).map(({ id }) => id)).toEqual(["wf-1"]);
  expect(await store.readLeases("")).toEqual([]);
});

test("a store gets the announced id when it is made, and its mark is asked for at once and then never again", async () => {
  const asked: StoreIdentity[] = [];
  const marks = { has: (store: StoreIdentity) => (asked.push(store), Promise.resolve(true)) };
  const store = guardedStore(
    open(undefined, () => Promise.resolve("id-1")),
    marks,
  );
  expect(await store.identity()).toBeUndefined();
  await store.createRun(row, commit);
  await store.acquire("k", "me", 1, 1_000);
  expect(asked).toEqual([{ id: "id-1", file: expect.stringMatching(/^\d+$/) as string }]);
});

test("a copy has the id of the first store and another file", async () => {
  await open().createRun(row, commit);
  const first = await opened[0]?.identity();
  cpSync(join(base, "store"), join(base, "copy"), { recursive: true });
  const copy = await open(join(base, "copy")).identity();
  expect(copy?.id).toBe(first?.id);
  expect(copy?.file).not.toBe(first?.file);
});

test("a store of an earlier version has no id before it is given one, which it keeps", async () => {
  await open().createRun(row, commit);
  const db = new SqliteConnection({ file: join(base, "store", "waymark.db"), patienceMs: 1_000 });
  await db.write(() => db.run("delete from meta where name = 'id'"));
  db.close();
  const store = open();
  expect(await store.identity()).toMatchObject({ id: "" });
  expect(await store.identify("given")).toMatchObject({ id: "given" });
  expect(await store.identify("other")).toMatchObject({ id: "given" });
});
