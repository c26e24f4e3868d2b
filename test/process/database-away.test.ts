/** A database that is away is waited for, also by a worker that starts meanwhile; it is said once, and once that it is back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMachine, type Machine } from "../support/machine.ts";
import { notDurable, startPostgres, type PostgresServer } from "../support/postgres-server.ts";

let server: PostgresServer;
let machine: Machine;
beforeAll(async () => {
  server = await startPostgres({ settings: notDurable });
  machine = await openMachine({ name: "one", files: {}, url: server.url("postgres") });
});
afterAll(async () => {
  await machine.close();
  await server.close();
});

test("a worker waits for the database at its start and while it works, and says each once in words", async () => {
  await server.stop("fast");
  const worker = machine.start(["work", "--json"]);
  await worker.complains(/is away; waiting up to 60 s\./);
  await server.start();
  await worker.says(/"type":"ready"/);
  await worker.complains(/is back\./);
  await server.stop("fast");
  await worker.complains(/is back\.[^]*is away; waiting up to 60 s\./);
  await server.start();
  await worker.complains(/is back\.[^]*is back\./);
  worker.process.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  expect(worker.stderr().match(/is away/g)).toHaveLength(2);
  expect(worker.stderr()).not.toContain("{");
});

test("a command says that it waits, and for how long", async () => {
  await server.stop("fast");
  const looks = machine.start(["status"]);
  await looks.complains(/is away; waiting up to 10 s\./);
  await server.start();
  expect(await looks.ended).toBe(0);
});
