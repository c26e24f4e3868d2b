/** The store on PostgreSQL through a pooler in transaction mode, which gives every transaction another connection. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresStore } from "../../src/store/index.ts";
import { postgresContracts } from "../../src/store/contract/postgres.contract.ts";
import { commitOf, startRun } from "../../src/store/contract/sample.contract.ts";
import { noPgbouncer, pgbouncerProgram, startPgbouncer, type Pooler } from "../support/pgbouncer.ts";
import { sharedPostgres } from "../support/postgres-for-tests.ts";
import { startPostgres } from "../support/postgres-server.ts";

const program = pgbouncerProgram();

if (program === undefined) process.stdout.write(`${noPgbouncer}\n`);

describe.runIf(program !== undefined)("behind a pooler", () => {
  let pooler: Pooler;
  beforeAll(async () => {
    pooler = await startPgbouncer(program!, await sharedPostgres());
  });
  afterAll(() => pooler.close());

  postgresContracts("PostgreSQL behind PgBouncer", { rounds: 3, creations: 2, numRuns: 30, through: (url) => pooler.through(url) });

  test("a restart of the server behind the pooler loses nothing and doubles nothing, with many more clients than connections", async () => {
    const server = await startPostgres();
    const own = await startPgbouncer(program!, server.url("postgres"), { connections: 3 });
    const cacheFolder = mkdtempSync(join(tmpdir(), "waymark-pooler-"));
    const url = own.through(await server.createDatabase("runs"));
    const clients = Array.from({ length: 20 }, () => postgresStore({ url, project: "tests", cacheFolder, connections: 2 }).store);
    const run = await startRun(clients[0]!);
    const length = async (): Promise<number> => (await clients[0]!.readRun(run))!.head;
    let isOver = false;
    const writers = clients.slice(1).map(async (store) => {
      let [head, acknowledged] = [1, 0];
      // Who lost has the lock of the run for a moment: nobody leaves before their commit is done.
      for (let lost = 0; !isOver || lost > 0;) {
        const result = await store.commit(run, head, commitOf(), { locked: lost >= 3 });
        head = result.head;
        lost = result.ok ? 0 : lost + 1;
        if (result.ok) acknowledged += 1;
      }
      return acknowledged;
    });
    while ((await length()) < 20);
    // The pooler tries again after 15 seconds only: they are not taken for a lock that nobody frees.
    await server.crash();
    const before = await length();
    while ((await length()) < before + 20);
    isOver = true;
    const acknowledged = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0);
    expect(await length()).toBe(1 + acknowledged);
    expect(await clients[0]!.verify()).toEqual([]);
    await Promise.all(clients.map((store) => store.close()));
    await own.close();
    await server.close();
    rmSync(cacheFolder, { recursive: true });
  });
});
