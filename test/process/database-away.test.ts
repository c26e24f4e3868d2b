/** A database that is away is waited for, also by a worker that starts meanwhile; it is said once, and once that it is back. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMachine, otherMachine, type Machine } from "../support/machine.ts";
import { notDurable, startPostgres, type PostgresServer } from "../support/postgres-server.ts";
import { spawnClient } from "./mcp-client.ts";

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
  const worker = machine.start(["work", "--jsonl"]);
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

test("a call over MCP is answered before its client gives up, with the same call for later, which then counts once", async () => {
  const steps =
    'name: "two:steps"\nsteps:\n  - { id: a, type: user_message, message: one }\n  - { id: b, type: user_message, message: two }\n';
  await mkdir(join(machine.workspace, ".waymark/workflows"), { recursive: true });
  await writeFile(join(machine.workspace, ".waymark/workflows/two.yaml"), steps);
  const env = { ...otherMachine("one"), WAYMARK_STORE_URL: server.url("postgres"), WAYMARK_LIMITS_CALL_WAIT_MS: "2000" };
  const client = await spawnClient(machine.command(["mcp"], env), "legacy");
  const { data: begun } = await client.call("workflow_start", { workflow: "two:steps" });
  const report = { run_id: begun.run_id, action_id: begun.action_id };
  await server.stop("fast");
  const away = await client.call("workflow_progress", report);
  expect(away.data).toMatchObject({
    error: { code: "STORE_UNREACHABLE", details: { waitedMs: expect.toSatisfy((ms: number) => ms < 30_000) as number } },
    later: { when: "when the database is back", tool: "workflow_progress", arguments: report },
  });
  expect(away.text).not.toContain("Next:");
  await server.start();
  expect((await client.call(away.data.later.tool, away.data.later.arguments)).data).toMatchObject({
    recorded: "now",
    step: { id: expect.stringMatching(/^b@/) as string },
  });
  await client.close();
});
