import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { doctor, next, progress, readState, start } from "../../src/engine/index.ts";
import { bundleChild } from "../crash/bundle-child.ts";
import { codeOf } from "../crash/engine-bench.ts";
import { composeEngine, type ComposedEngine } from "../crash/compose-engine.ts";
import type { WorkerLine, WorkerTask } from "../crash/worker-child.ts";

const base = mkdtempSync(join(tmpdir(), "waymark-zombie-"));
let engine: ComposedEngine | undefined;
afterEach(async () => {
  await engine?.close();
  rmSync(base, { recursive: true, force: true });
});

const workflow = `
name: zombie:task
default_state: { raw: { total: 0 } }
steps:
  - { id: all, type: parallel_foreach, items: [{ id: t0 }], sub_agent_task: work }
sub_agent_tasks:
  work:
    steps:
      - id: rounds
        type: foreach
        items: [1, 2, 3, 4, 5, 6]
        steps: [{ id: act, type: mcp_call, mcp: { method: act, params: { n: "{{ item }}" } }, state_update: { path: raw.total, operation: increment, value: 1 } }]
`;

test.skipIf(process.platform === "win32")(
  "a worker that stood still while another took over changes nothing when it wakes up",
  async () => {
    const program = await bundleChild("worker-child.ts");
    engine = await composeEngine({ base });
    await engine.define("zombie:task", workflow);
    const caller = engine.caller("main");
    const { run } = await start(engine.context, caller, { workflow: "zombie:task" });
    const task: WorkerTask = { base, run, own: ["t0"], all: ["t0"], stopAfter: 3 };
    const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    const lines = (): WorkerLine[] =>
      out
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as WorkerLine);
    while (lines().length < 3) await sleep(20);

    const began = performance.now();
    while ((await codeOf(next(engine.context, caller, { run, task: "t0", waitMs: 0 }))) === "STRAND_HELD") await sleep(50);
    const takenAfter = performance.now() - began;
    const { position } = await progress(engine.context, caller, { run, task: "t0", result: 4 });
    const { head } = await engine.context.runs.open(run);

    child.kill("SIGCONT");
    await once(child, "close");
    expect(lines().filter((line) => "refused" in line)).toEqual([{ refused: "HOLDER_LOST", task: "t0" }]);
    expect((await engine.context.runs.open(run)).head).toBe(head);
    expect((await next(engine.context, caller, { run, task: "t0" })).standing).toEqual(position.standing);
    for (const result of [5, 6]) await progress(engine.context, caller, { run, task: "t0", result });
    expect((await next(engine.context, caller, { run })).state.status).toBe("completed");
    expect((await readState(engine.context, run)).state["total"]).toBe(6);
    expect((await doctor(engine.context)).problems).toEqual([]);
    process.stdout.write(
      `The strand was taken over ${(takenAfter / 1000).toFixed(1)} s after its worker stood still; its late report was refused.\n`,
    );
  },
  60_000,
);
