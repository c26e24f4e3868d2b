/** A worker that cannot reach the database for longer than its lease, while another one takes over what it works on. */
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { fakeAgent } from "../agents/run-turn.ts";
import { openDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { openMachine, type Machine } from "../support/machine.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres-database.ts";

let database: TestDatabase | undefined;
let proxy: DatabaseProxy | undefined;
const machines: Machine[] = [];
afterEach(async () => {
  await Promise.all(machines.splice(0).map((machine) => machine.close()));
  await proxy?.close();
  await database?.drop();
});

const workflow = `name: one
description: One part.
nodes:
  - { id: only, prompt: Do it. }
`;

async function open(name: string, url: string, turn: readonly object[]): Promise<Machine> {
  const timing = {
    WAYMARK_LEASE_TTL_MS: "1500",
    WAYMARK_LEASE_BEAT_MS: "300",
    WAYMARK_DRIVE_POLL_MS: "1000",
  };
  const machine = await openMachine({ name, url, files: { ".archon/workflows/one.yaml": workflow }, env: timing });
  machines.push(machine);
  const script = join(machine.folder, "script.json");
  await writeFile(script, JSON.stringify([{ do: turn }]));
  await mkdir(join(machine.folder, "config"), { recursive: true });
  const command = [process.execPath, fakeAgent, `--script=${script}`];
  await writeFile(
    join(machine.folder, "config/config.yaml"),
    JSON.stringify({ agents: { fake: { protocol: "acp", command, permission: "edit" } } }),
  );
  return machine;
}

test.runIf(process.platform !== "win32")("its turn is cancelled as soon as it hears of that, and changes nothing", async () => {
  database = await createTestDatabase();
  proxy = await openDatabaseProxy(database.url);
  const cut = await open("cut", proxy.url, [{ run: "echo begun > ../begun; sleep 600", ask: false }]);
  const other = await open("other", database.url, [{ say: "Done." }]);
  await cut.waymark("allow", "one", "--yes");
  const { run_id: run } = await cut.json<{ run_id: string }>("start", "one");
  await other.waymark("adopt", "--yes");
  await other.waymark("allow", "one", "--yes");
  const begun = join(cut.folder, "begun");
  execFileSync("mkfifo", [begun]);
  const loses = cut.start(["work", "--agent", "fake", "--jsonl"]);
  await readFile(begun);
  const port = Number(new URL(database.url).port);
  // Nobody listens on the port of `discard`.
  proxy.leadTo(9);
  const takes = other.start(["work", "--agent", "fake", "--jsonl"]);
  await takes.says(new RegExp(`"type":"leaves","run_id":"${run}"[^\\n]*"kind":"completed"`));
  proxy.leadTo(port);
  await loses.says(/"type":"reported","run_id":"[^"]+","step":"only","how":"lost","why":"Another driver took it over/);
  for (const worker of [loses, takes]) worker.process.kill("SIGTERM");
  expect(await Promise.all([loses.ended, takes.ended])).toEqual([0, 0]);
  expect((await other.waymark("doctor")).code).toBe(0);
});
