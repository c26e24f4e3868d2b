import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commitOf, pins, startRun } from "../contract/sample.contract.ts";
import { runLockMs } from "../run-lock.ts";
import { openSqliteStore, requireEngine, sqliteStore } from "./open-sqlite-store.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

let base = "";
let folder = "";
let file = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-open-"));
  folder = join(base, "deep", "store");
  file = join(folder, "waymark.db");
});
afterEach(() => rmSync(base, { recursive: true }));

function connect(): SqliteConnection {
  return new SqliteConnection({ file, patienceMs: 0 });
}

test("a new folder hides itself from git and holds the database and the blobs", async () => {
  const store = await openSqliteStore({ folder });
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  const { hash } = await store.putBlob(Buffer.from("x"));
  expect(await store.blobFile(hash)).toBe(join(folder, "blobs", hash.slice(0, 2), hash));
  expect(await store.describe()).toMatchObject({
    kind: "sqlite",
    location: folder,
    schema: 4,
    engine: expect.stringMatching(/^SQLite 3\./),
  });
  await store.close();
  expect(
    readdirSync(folder)
      .filter((name) => !/-(wal|shm)$/.test(name))
      .sort(),
  ).toEqual([".gitignore", "blobs", "waymark.db"]);
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
});

test("a store that lost what hides it from git, or never had it, is hidden when it is opened", async () => {
  await (await openSqliteStore({ folder })).close();
  rmSync(join(folder, ".gitignore"));
  await (await openSqliteStore({ folder })).close();
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
});

test.skipIf(process.platform === "win32")(
  "only its user can enter the folder, also one that exists and was open to others; folders above stay as they are",
  async () => {
    const modeOf = (path: string): number => statSync(path).mode & 0o777;
    await (await openSqliteStore({ folder })).close();
    expect(modeOf(folder)).toBe(0o700);
    chmodSync(join(base, "deep"), 0o755);
    chmodSync(folder, 0o755);
    await (await openSqliteStore({ folder })).close();
    expect([modeOf(folder), modeOf(join(base, "deep"))]).toEqual([0o700, 0o755]);
  },
);

test("who only looks creates nothing, and sees what another process keeps from then on", async () => {
  const store = sqliteStore({ folder });
  expect(await store.listRuns({})).toEqual([]);
  expect(await store.readRun("r")).toBeUndefined();
  expect(await store.verify()).toEqual([]);
  expect(await store.readBlob("a".repeat(64))).toBeUndefined();
  expect(await store.describe()).toMatchObject({ kind: "sqlite", location: folder, schema: 0 });
  expect(readdirSync(base)).toEqual([]);
  const other = await openSqliteStore({ folder });
  await startRun(other, { id: "r" });
  expect((await store.listRuns({})).map(({ id }) => id)).toEqual(["r"]);
  await store.dropSnapshots("r");
  await Promise.all([store.close(), other.close()]);
});

test("who only looks is told when a file is where a folder should be", async () => {
  writeFileSync(join(base, "deep"), "a file");
  await expect(sqliteStore({ folder }).listRuns({})).rejects.toMatchObject({ code: "STORE_CANNOT_OPEN" });
  await expect(sqliteStore({ folder: join(base, "deep") }).verify()).rejects.toMatchObject({ code: "STORE_CANNOT_OPEN" });
});

test("a folder that holds other files is not hidden", async () => {
  writeFileSync(join(base, "notes.md"), "mine");
  const store = await openSqliteStore({ folder: base });
  await store.close();
  expect(existsSync(join(base, ".gitignore"))).toBe(false);
});

test("an engine that can lose data is refused", () => {
  for (const good of ["3.51.3", "3.51.10", "3.52.0", "4.0.0"]) expect(() => requireEngine(good)).not.toThrow();
  for (const bad of ["3.51.2", "3.50.9", "3.9.30", "2.99.99", "3.51", "0"])
    expect(() => requireEngine(bad)).toThrow(expect.objectContaining({ code: "STORE_ENGINE_TOO_OLD" }));
});

test("what is no store is refused and left as it is", async () => {
  writeFileSync(join(base, "waymark.db"), "not a database, but quite long ".repeat(50));
  await expect(openSqliteStore({ folder: base })).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    message: expect.stringContaining(join(base, "waymark.db")),
  });
  expect(readFileSync(join(base, "waymark.db"), "utf8")).toContain("not a database");
  writeFileSync(join(base, "plain"), "");
  for (const wrong of [join(base, "plain"), join(base, "plain", "below")])
    await expect(openSqliteStore({ folder: wrong })).rejects.toMatchObject({ code: "STORE_CANNOT_OPEN" });
});

test("a database of something else is refused", async () => {
  await (await openSqliteStore({ folder })).close();
  const db = connect();
  db.exec("drop table meta");
  db.close();
  await expect(openSqliteStore({ folder })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
});

test("damaged pages are reported", async () => {
  const store = await openSqliteStore({ folder });
  const run = await startRun(store);
  for (let head = 1; head < 60; head += 1)
    await store.commit(run, head, commitOf({ records: [{ ...commitOf().records[0]!, events: JSON.stringify(["x".repeat(2_000)]) }] }));
  await store.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length - 4_096 * 20, bytes.length - 4_096 * 10);
  writeFileSync(file, bytes);
  const damaged = await openSqliteStore({ folder });
  await expect(damaged.readRecords(run, 0, 100)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  expect((await damaged.verify())[0]).toContain("damaged");
  await damaged.close();
});

test("a journal with a gap, records after the head and lost references are found", async () => {
  const store = await openSqliteStore({ folder });
  const [gap, ahead] = [await startRun(store), await startRun(store)];
  for (const head of [1, 2]) await store.commit(gap, head, commitOf());
  await store.commit(ahead, 1, commitOf());
  const db = connect();
  db.exec(`pragma foreign_keys = off; delete from record where position = 2 and run = (select no from run where id = '${gap}');
    update run set head = 1 where id = '${ahead}'; insert into timer values (99, 't', 's', 1, 'wait')`);
  db.close();
  expect(await store.verify()).toEqual([
    expect.stringContaining("`timer`"),
    expect.stringMatching(`${gap}.*gaps`),
    expect.stringMatching(`head of run .${ahead}. is 1`),
  ]);
  await expect(store.commit(ahead, 1, commitOf())).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  await store.close();
});

test("who holds the file for too long is waited for, then named", async () => {
  const store = await openSqliteStore({ folder, busyTimeoutMs: 80 });
  const run = await startRun(store);
  const other = connect();
  other.exec("begin immediate");
  await expect(store.commit(run, 1, commitOf())).rejects.toMatchObject({
    code: "STORE_LOCKED",
    message: expect.stringContaining(file),
    fix: expect.stringContaining("Wait"),
  });
  expect(await store.readRun(run)).toMatchObject({ head: 1 });
  const waiting = store.commit(run, 1, commitOf());
  other.exec("rollback");
  expect(await waiting).toEqual({ ok: true, head: 2 });
  other.close();
  await store.close();
});

test("the lock of a decider that never comes back expires", async () => {
  let now = 1_000;
  const [dead, store] = [
    await openSqliteStore({ folder, now: () => now }),
    await openSqliteStore({ folder, now: () => now, busyTimeoutMs: 50 }),
  ];
  const run = await startRun(store);
  expect(await dead.commit(run, 0, commitOf(), { locked: true })).toEqual({ ok: false, head: 1 });
  now += runLockMs - 1;
  await expect(store.commit(run, 1, commitOf())).rejects.toMatchObject({ code: "STORE_LOCKED", message: expect.stringContaining(run) });
  await expect(store.commit(run, 1, commitOf(), { locked: true })).rejects.toMatchObject({ code: "STORE_LOCKED" });
  now += 1;
  expect(await store.commit(run, 1, commitOf())).toEqual({ ok: true, head: 2 });
  await dead.close();
  await store.close();
});

test("a store that is moved away or replaced under an open process takes nothing more", async () => {
  const store = await openSqliteStore({ folder });
  const run = await startRun(store);
  await new Promise((done) => setTimeout(done, 110));
  renameSync(folder, `${folder}-away`);
  await expect(store.commit(run, 1, commitOf())).rejects.toMatchObject({ code: "STORE_MOVED" });
  cpSync(`${folder}-away`, folder, { recursive: true });
  await expect(store.commit(run, 1, commitOf())).rejects.toMatchObject({ code: "STORE_MOVED" });
  await store.close();
});

test("the clock can be given, and is the only one", async () => {
  let now = 5_000.5;
  const store = await openSqliteStore({ folder, now: () => now });
  await store.createRun({ id: "r", workflow: "w", ...(await pins(store)) }, commitOf());
  now += 10;
  await store.commit("r", 1, commitOf());
  expect(await store.now()).toBe(5_010.5);
  expect(await store.readRun("r")).toMatchObject({ createdAt: 5_000.5, updatedAt: 5_010.5 });
  expect(await store.acquire("k", "me", 1, 100)).toMatchObject({ lease: { beatAt: 5_010.5, expiresAt: 5_110.5 } });
  await store.close();
});

test("files that are read-only for everybody are refused before anything is opened", async () => {
  await (await openSqliteStore({ folder })).close();
  chmodSync(file, 0o444);
  const opening = openSqliteStore({ folder }).then(
    async (store) => (await store.close(), "opened"),
    ({ code }: { code: string }) => code,
  );
  // The superuser may write to them; another user is tried in the process tests.
  expect(await opening).toBe(process.getuid?.() === 0 ? "opened" : "STORE_READ_ONLY");
});
