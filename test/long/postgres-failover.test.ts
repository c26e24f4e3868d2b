/** The store on PostgreSQL when another server takes over, and when a process stands still in the middle of a transaction. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../../src/ports/index.ts";
import { commitOf, startRun } from "../../src/store/contract/sample.contract.ts";
import { postgresStore } from "../../src/store/index.ts";
import { PostgresConnection } from "../../src/store/postgres/postgres-connection.ts";
import { openDatabaseProxy } from "../support/database-proxy.ts";
import { startPostgres, type PostgresServer } from "../support/postgres-server.ts";

let server: PostgresServer;
let cacheFolder = "";
const opened: Store[] = [];

beforeAll(async () => {
  server = await startPostgres();
  cacheFolder = mkdtempSync(join(tmpdir(), "waymark-failover-"));
});
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await server.close();
  rmSync(cacheFolder, { recursive: true });
});

function openStore(url: string): Store {
  const { store } = postgresStore({ url, project: "tests", cacheFolder, connections: 2 });
  opened.push(store);
  return store;
}

test("a process that stands still in the middle of a transaction is ended by the server, and others go on", async () => {
  const url = await server.createDatabase("still");
  const store = openStore(url);
  const run = await startRun(store);
  const connection = new PostgresConnection({ url, waitMs: 1_000, connections: 1 });
  let wake = (): void => undefined;
  let isTaken = (): void => undefined;
  const [asleep, taken] = [new Promise<void>((done) => (wake = done)), new Promise<void>((done) => (isTaken = done))];
  let attempts = 0;
  const still = connection.write(async (db) => {
    attempts += 1;
    await db.run("select 1 from waymark_store.run for update");
    isTaken();
    await asleep;
    if (attempts === 1) await db.run("update waymark_store.run set head = 7");
    throw new Error("This is another connection: the server ended the first one.");
  });
  await taken;
  expect(await store.commit(run, 1, commitOf())).toEqual({ ok: true, head: 2 });
  wake();
  await expect(still).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect(attempts).toBe(2);
  expect(await store.readRun(run)).toMatchObject({ head: 2 });
  await connection.close();
});

test("when a standby takes over, nothing that was acknowledged is lost and nothing is done twice", async () => {
  const database = await server.createDatabase("runs");
  const standby = await server.startStandby();
  const proxy = await openDatabaseProxy(database);
  const [seen, ...writers] = [0, 1, 2, 3].map(() => openStore(proxy.url));
  const run = await startRun(seen!);
  await seen!.acquire("holder", "me", 4, 3_600_000);
  const length = async (): Promise<number> => (await seen!.readRun(run))!.head;
  const grow = async (): Promise<void> => {
    const before = await length();
    while ((await length()) < before + 20);
  };
  let isOver = false;
  const writing = writers.map(async (store) => {
    let [head, acknowledged] = [1, 0];
    while (!isOver) {
      const result = await store.commit(run, head, commitOf());
      head = result.head;
      if (result.ok) acknowledged += 1;
    }
    return acknowledged;
  });
  await grow();
  await server.stop("immediate");
  proxy.leadTo(standby.port);
  // It answers, and refuses to be written to.
  await length();
  await standby.promote();
  await grow();
  isOver = true;
  const acknowledged = (await Promise.all(writing)).reduce((sum, count) => sum + count, 0);
  expect(await length()).toBe(1 + acknowledged);
  expect(await seen!.readLease("holder")).toMatchObject({ owner: "me", fence: 4 });
  expect(await seen!.verify()).toEqual([]);
  await proxy.close();
});
