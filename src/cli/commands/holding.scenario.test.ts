import { once } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";
import { openEngine } from "../../bin/open-engine.ts";
import type { Lease } from "../../ports/index.ts";

const work = `name: work
description: One step
version: "1.0.0"
steps: [{ id: do_it, type: agent_shell_command, command: make }]
`;

let bench: CliBench;
beforeEach(async () => void (bench = await openCliBench({ ".waymark/workflows/work.yaml": work })));
afterEach(() => bench.close());

/** What is held, as another process sees it. */
async function held(): Promise<readonly Lease[]> {
  const opened = await openEngine({ workspace: bench.workspace, env: { HOME: bench.home, PATH: process.env["PATH"] ?? "" } });
  const leases = await opened.context.store.readLeases("strand/");
  await opened.close();
  return leases;
}

const minutes = ({ expiresAt, beatAt }: Lease): number => (expiresAt - beatAt) / 60_000;

test("a command keeps a run for as long as a person may be silent at a terminal, else as an agent may", async () => {
  const run = String((await bench.json(["start", "work"]))["run_id"]);
  await bench.run(["next", run]);
  expect((await held()).map(minutes)).toEqual([10]);
  await bench.run(["next", run], { terminal: true });
  expect((await held()).map(minutes)).toEqual([30]);
  await bench.run(["checkpoint", run], { terminal: true });
  expect(await held()).toEqual([]);
});

test("a run that a person drives by hand is held by that process alone, and free when it ends", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let shown = "";
  stdout.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  const driving = bench.run(["run", "work", "--by-hand"], { terminal: true, world: { stdin, stdout } });
  while (!shown.includes("Do this")) await once(stdout, "data");
  const [lease] = await held();
  // Other processes know by the name that it is dead.
  expect(lease?.owner).toMatch(new RegExp(`^p${process.pid}-`));
  stdin.end();
  expect((await driving).code).toBe(0);
  expect(shown).toContain("nothing is lost");
  expect(await held()).toEqual([]);
});
