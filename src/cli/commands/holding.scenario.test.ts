import { once } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";
import { oldCalls } from "../../../test/support/checklist-sample.ts";
import { openEngine } from "../../bin/open-engine.ts";
import { next, start, type Caller } from "../../engine/index.ts";
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

/** As when the process of who holds it was killed: what it had taken is left behind, and its time is over. */
async function dropHeld(): Promise<void> {
  const opened = await openEngine({ workspace: bench.workspace, env: { HOME: bench.home, PATH: process.env["PATH"] ?? "" } });
  const { store } = opened.context;
  for (const { key, owner, fence } of await store.readLeases("strand/")) {
    await store.releaseLease(key, owner);
    await store.acquire(key, owner, fence, 0);
  }
  await opened.close();
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

test("lists of runs say of a holder that it is gone", async () => {
  const { run_id: run } = await bench.json(["start", "work"]);
  await bench.run(["next", String(run)]);
  for (const command of ["status", "runs"]) expect((await bench.run([command])).stdout).toMatch(/ ada {2}/);
  await dropHeld();
  for (const command of ["status", "runs"]) {
    expect((await bench.run([command])).stdout).toMatch(/ ada \(gone\) {2}/);
    expect(await bench.json([command])).toMatchObject({ runs: [{ run_id: run, holder: "ada", holder_gone: true }] });
  }
});

test("who gave a run back does not hold it", async () => {
  const { run_id: run } = await bench.json(["start", "work"]);
  await bench.run(["next", String(run)]);
  await bench.run(["checkpoint", String(run)], { terminal: true });
  expect(await held()).toEqual([]);
  expect((await bench.run(["runs"])).stdout).not.toContain("ada");
  expect(await bench.json(["runs"])).toMatchObject({ runs: [expect.not.objectContaining({ holder: expect.anything() })] });
  expect((await bench.run(["status", String(run)])).stdout).toMatch(/^main .* nobody$/m);
});

test("of many parts whose holders are gone the first are shown", async () => {
  const items = `'{{ ${JSON.stringify(Array.from({ length: 8 }, (_, at) => at))} }}'`;
  const part = "part: { description: One, steps: [{ id: ask, type: agent_shell_command, command: make }] }";
  const each = `{ id: each, type: parallel_foreach, items: ${items}, sub_agent_task: part }`;
  const head = 'name: many\ndescription: Many\nversion: "1.0.0"\n';
  await bench.write(".waymark/workflows/many.yaml", `${head}steps: [${each}]\nsub_agent_tasks: { ${part} }\n`);
  const run = String((await bench.json(["start", "many"]))["run_id"]);
  for (let at = 0; at < 8; at += 1) await bench.run(["next", run, "--task", `each.${at}`]);
  const rows = async (): Promise<readonly string[]> =>
    (await bench.run(["status", run])).stdout.split("\n").filter((line) => /^each\.\d| more /.test(line));
  expect(await rows()).toHaveLength(8);
  await dropHeld();
  expect(await rows()).toEqual([
    ...[0, 1, 2, 3, 4].map((at) => expect.stringMatching(new RegExp(`^each\\.${at} .* ada \\(gone\\)$`)) as string),
    "and 3 more whose holders are gone",
  ]);
});

describe("while an agent that is alive has a run", () => {
  const gated = `name: gated
description: A question, then a step.
version: "1.0.0"
steps:
  - { id: ask, type: user_input, prompt: "Go on?", options: ["yes", "no"] }
  - { id: do_it, type: agent_shell_command, command: make }
`;
  const alpha: Caller = { holder: { kind: "agent", name: "alpha", session: "s-alpha" }, surface: "mcp-stdio", leaseOwner: "alpha" };
  let opened: Awaited<ReturnType<typeof openEngine>>;
  let run: string;
  beforeEach(async () => {
    await bench.write(".waymark/workflows/gated.yaml", gated);
    opened = await openEngine({ workspace: bench.workspace, env: { HOME: bench.home, PATH: process.env["PATH"] ?? "" } });
    ({ run } = await start(opened.context, alpha, { workflow: "gated" }));
  });
  afterEach(() => opened.close());

  const asks = (): Promise<{ readonly standing: { readonly kind: string } }> => next(opened.context, alpha, { run });

  test("an answer leads to no line that would be refused, and names who continues", async () => {
    const { questions } = await bench.json<{ questions: { decision: string }[] }>(["status", run]);
    const decision = questions[0]?.decision ?? "";
    const decided = await bench.run(["decide", run, "yes"], { terminal: true });
    expect(decided.stdout).toContain("The agent `alpha` continues: there is nothing for you to do.");
    expect(decided.stdout).not.toContain("waymark next");
    const status = await bench.run(["status", run]);
    expect(status.stdout).toContain("The agent `alpha` continues: there is nothing for you to do.");
    expect(status.stdout).not.toContain("→");
    expect(await bench.json(["decide", run, decision, "yes"])).toMatchObject({ recorded: "before", continues: "alpha" });
    expect((await asks()).standing.kind).toBe("action");
  });

  test("an answer that is reported is recorded, and not called refused because the agent has what follows", async () => {
    const done = await bench.run(["done", run, "--result", "yes"], { terminal: true });
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(/^Recorded `ask@d\d+`\.\nThe agent `alpha` continues: there is nothing for you to do\.\n$/);
    expect((await asks()).standing.kind).toBe("action");
  });

  test("where it is gone, an answer leads to the next step as before", async () => {
    await dropHeld();
    const { stdout } = await bench.run(["decide", run, "yes"], { terminal: true });
    expect(stdout).toContain(`→ waymark next ${run}`);
    expect((await bench.run(["next", run])).code).toBe(0);
  });

  test("a person who takes the run over reads how to give it back, and the agent continues then", async () => {
    await bench.run(["decide", run, "yes"], { terminal: true });
    const back = `waymark checkpoint ${run}`;
    expect((await bench.run(["next", run])).stderr).toContain(`give it back with \`${back}\``);
    const resumed = await bench.run(["resume", run], { terminal: true });
    expect(resumed.stdout).toContain(`You have taken it from the agent \`alpha\`. To give it back: ${back}\n`);
    await expect(asks()).rejects.toMatchObject({ code: "STRAND_HELD" });
    expect((await bench.run(["resume", run], { terminal: true })).stdout).not.toContain("alpha");
    await bench.run(["checkpoint", run], { terminal: true });
    expect((await asks()).standing.kind).toBe("action");
  });
});

test("nobody works on a file whose holder is gone", async () => {
  await bench.write(".waymark/workflows/old-calls.workflow.yaml", oldCalls.replace(/.*batch_auto.*\n/, ""));
  await bench.write("a.js", "old(a, 1);\n");
  const run = String((await bench.json(["start", "old-calls"]))["run_id"]);
  await bench.run(["next", run]);
  expect((await bench.run(["status", run])).stdout).toContain("Working on  a.js (ada)\n");
  await dropHeld();
  expect((await bench.run(["status", run])).stdout).not.toContain("Working on");
});
