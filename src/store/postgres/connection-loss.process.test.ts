import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitSent, openDatabaseProxy } from "../../../test/support/database-proxy.ts";
import { notDurable, startPostgres, type PostgresServer } from "../../../test/support/postgres-server.ts";
import type { Store } from "../../ports/index.ts";
import { commitOf, record, startRun } from "../contract/sample.contract.ts";
import { postgresStore } from "./open-postgres-store.ts";

/** The port of `discard`, on which nobody listens. */
const nobody = 9;
let server: PostgresServer;
let url = "";
let cacheFolder = "";
const opened: Store[] = [];

beforeAll(async () => {
  server = await startPostgres({ settings: notDurable });
  url = await server.createDatabase("runs");
  cacheFolder = mkdtempSync(join(tmpdir(), "waymark-loss-"));
});
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await server.close();
  rmSync(cacheFolder, { recursive: true });
});

function openStore(more: { readonly url?: string; readonly waitMs?: number; readonly firstWaitMs?: number } = {}): Store {
  const { store } = postgresStore({ url, project: "tests", cacheFolder, connections: 2, ...more });
  opened.push(store);
  return store;
}

/** Commits until it is told to stop, and answers how many were acknowledged. Its records have no keys: one that is done twice is one more. */
async function append(store: Store, run: string, isOver: () => boolean): Promise<number> {
  let head = 0;
  let acknowledged = 0;
  while (!isOver()) {
    const result = await store.commit(run, head, commitOf());
    head = result.head;
    if (result.ok) acknowledged += 1;
  }
  return acknowledged;
}

test("a server that is restarted in the middle of commits loses nothing and doubles nothing", async () => {
  const [one, two, seen] = [openStore(), openStore(), openStore()];
  const run = await startRun(seen);
  await seen.acquire("holder", "me", 1, 3_600_000);
  const length = async (): Promise<number> => (await seen.readRun(run))!.head;
  let isOver = false;
  const writers = [one, two].map((store) => append(store, run, () => isOver));
  for (let restarts = 0; restarts < 2; restarts += 1) {
    const before = await length();
    while ((await length()) < before + 10);
    await server.crash();
  }
  const before = await length();
  while ((await length()) < before + 10);
  isOver = true;
  const acknowledged = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0);
  expect(await length()).toBe(1 + acknowledged);
  expect(await seen.verify()).toEqual([]);
  expect(await seen.beat("me", 3_600_000)).toBe(1);
});

test("a server that is not there is waited for as long as is stated, and used again when it is back", async () => {
  const store = openStore({ waitMs: 500 });
  const run = await startRun(store, { id: "limit" });
  const patient = openStore();
  await patient.now();
  await server.stop("fast");
  await expect(store.commit(run, 1, commitOf())).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringMatching(/could not be reached for \d+\.\d seconds.*Nothing was recorded\.$/),
    fix: expect.stringContaining("`store.wait_ms`"),
    details: { uncertain: false },
  });
  const [waiting, started] = [patient.commit(run, 1, commitOf()), server.start()];
  await started;
  expect(await waiting).toEqual({ ok: true, head: 2 });
  expect(await store.commit(run, 2, commitOf())).toEqual({ ok: true, head: 3 });
});

test("a server that answers that it is starting is waited for as one that was reached, one that does not answer is not", async () => {
  const starting = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(errorOf("57P03", "the database system is starting up")));
  });
  starting.listen(0, "127.0.0.1");
  await once(starting, "listening");
  const { port } = starting.address() as { port: number };
  const address = Object.assign(new URL(url), { port: String(port) }).href;
  const waited = async (): Promise<number> => {
    const asked = openStore({ url: address, waitMs: 1_200, firstWaitMs: 100 }).now();
    const { code, fix, details } = (await asked.catch((error: unknown) => error)) as {
      code: string;
      fix: string;
      details: { waitedMs: number };
    };
    expect(code).toBe("STORE_UNREACHABLE");
    // The limit that counted is the one that is named.
    expect(fix.includes("never answered is waited for 0.1 seconds")).toBe(details.waitedMs < 1_200);
    return details.waitedMs;
  };
  expect(await waited()).toBeGreaterThanOrEqual(1_200);
  starting.close();
  await once(starting, "close");
  expect(await waited()).toBeLessThan(1_200);
});

test("the time in which a server that takes connections says nothing counts", async () => {
  let asked = 0;
  const silent = createServer((socket) => {
    asked += 1;
    socket.on("error", () => undefined);
    socket.resume();
  });
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as { port: number };
  const store = openStore({ url: Object.assign(new URL(url), { port: String(port) }).href, waitMs: 400 });
  await expect(store.now()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  expect(asked).toBe(1);
  silent.close();
});

/** The message with which a server ends a connection. */
function errorOf(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

test("who cannot know whether the change was recorded is told so", async () => {
  const proxy = await openDatabaseProxy(url);
  const store = openStore({ url: proxy.url, waitMs: 500 });
  const run = await startRun(store, { id: "uncertain" });
  proxy.cut(commitSent, "after", nobody);
  await expect(store.commit(run, 1, commitOf())).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringContaining("Whether the last change was recorded is not known."),
    details: { uncertain: true },
  });
  await proxy.close();
});

test("what was never sent is known not to be recorded, also behind a commit of this process", async () => {
  const proxy = await openDatabaseProxy(url);
  const store = openStore({ url: proxy.url, waitMs: 300 });
  const run = await startRun(store, { id: "unsent" });
  await store.commit(run, 1, commitOf());
  proxy.leadTo(nobody);
  // No connection is left afterwards.
  await expect(store.readRun(run)).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  for (const ask of [() => store.commit(run, 2, commitOf()), () => store.acquire("unsent", "me", 1, 60_000)])
    await expect(ask()).rejects.toMatchObject({ code: "STORE_UNREACHABLE", details: { uncertain: false } });
  await proxy.close();
});

test("of a lease whose answer was lost it is not known either", async () => {
  const proxy = await openDatabaseProxy(url);
  const store = openStore({ url: proxy.url, waitMs: 500 });
  await store.acquire("first", "me", 1, 60_000);
  proxy.cut("insert into waymark_store.lease", "after", nobody);
  await expect(store.acquire("second", "me", 1, 60_000)).rejects.toMatchObject({ code: "STORE_UNREACHABLE", details: { uncertain: true } });
  await proxy.close();
});

test("who is let in no more after an answer was lost is not told that nothing was recorded", async () => {
  const ask = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await ask("create role guest login superuser password 'guest'");
  const proxy = await openDatabaseProxy(Object.assign(new URL(url), { username: "guest", password: "guest" }).href);
  const store = postgresStore({ url: proxy.url, project: "tests", cacheFolder, connections: 1 }).store;
  opened.push(store);
  const run = await startRun(store, { id: "guest" });
  await ask("alter role guest nologin");
  proxy.cut(commitSent, "after");
  await expect(store.commit(run, 1, commitOf())).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringMatching(/is not permitted to log in\. Whether the last change was recorded is not known\.$/),
    details: { uncertain: true },
  });
  expect(await openStore().readRun(run)).toMatchObject({ head: 2 });
  await expect(store.commit(run, 2, commitOf())).rejects.toMatchObject({ code: "STORE_CANNOT_OPEN" });
  await proxy.close();
});

test("what was begun before the store is closed comes to its end, also where it waits for a connection", async () => {
  const { store } = postgresStore({ url, project: "tests", cacheFolder, connections: 1 });
  await store.now();
  await store.putBlob(Buffer.from("The tables are there."));
  const first = store.readLease("any");
  const behind = Array.from({ length: 10 }, (_, n) => store.acquire(`lease ${n}`, "me", 1, 60_000));
  await first;
  await store.close();
  for (const { granted } of await Promise.all(behind)) expect(granted).toBe(true);
  await expect(store.readLease("any")).rejects.toMatchObject({ code: "STORE_CLOSED" });
});

test("a server that is read-only for a while, as a standby before it takes over, is waited for", async () => {
  const store = openStore();
  const run = await startRun(store, { id: "standby" });
  const impatient = openStore({ waitMs: 300 });
  const other = await startRun(impatient, { id: "impatient" });
  await impatient.commit(other, 1, commitOf());
  const ask = async (...statements: readonly string[]): Promise<unknown> => {
    const client = new pg.Client({ connectionString: server.url("postgres") });
    await client.connect();
    for (const sql of statements) await client.query(sql);
    const { rows } = await client.query("show default_transaction_read_only");
    await client.end();
    return rows[0];
  };
  const setReadOnly = async (is: "on" | "off"): Promise<void> => {
    await ask(`alter system set default_transaction_read_only = ${is}`, "select pg_reload_conf()");
    while (JSON.stringify(await ask()) !== JSON.stringify({ default_transaction_read_only: is }));
  };
  await setReadOnly("on");
  await expect(impatient.commit(other, 2, commitOf())).rejects.toMatchObject({ code: "STORE_UNREACHABLE", details: { uncertain: false } });
  const order: string[] = [];
  const asked = store.commit(run, 1, commitOf({ records: [record({ key: "k" })] })).then((result) => (order.push("committed"), result));
  await openStore().readRecords(run, 0, 9);
  order.push("read");
  await setReadOnly("off");
  expect(await asked).toEqual({ ok: true, head: 2 });
  expect(order).toEqual(["read", "committed"]);
});

test("the password is in no message, no detail and no description", async () => {
  const password = new URL(url).password;
  const wrong = url.replace(password, "wrong-secret");
  const missing = url.replace(/\/runs$/, "/none");
  const nowhere = url.replace(/:\d+\//, ":9/");
  for (const [address, code] of [
    [wrong, "STORE_CANNOT_OPEN"],
    [missing, "STORE_CANNOT_OPEN"],
    [nowhere, "STORE_UNREACHABLE"],
    [`${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`, "STORE_CANNOT_OPEN"],
    [`${url}?sslmode=verify-full`, "STORE_CANNOT_OPEN"],
  ] as const) {
    const error: unknown = await openStore({ url: address, waitMs: address === nowhere ? 50 : 60_000 })
      .listRuns({})
      .catch((refused: unknown) => refused);
    expect(error, address).toMatchObject({ code });
    const shown = inspect(error, { depth: 20, showHidden: true });
    expect(shown).toContain("127.0.0.1");
    expect(shown).not.toMatch(new RegExp(`${password}|wrong-secret`));
  }
  expect(JSON.stringify(await openStore().describe())).not.toContain(password);
});
