import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { end, next, start } from "../../src/engine/index.ts";
import { bundleChild } from "../crash/bundle-child.ts";
import { AlwaysBench } from "../crash/engine-bench.ts";
import type { OrphanTask } from "../crash/orphan-child.ts";
import { isLocked, orphanMatrix } from "../crash/orphan-matrix.ts";

const program = bundleChild("orphan-child.ts");
let bench: AlwaysBench;
let child: ChildProcess | undefined;
beforeEach(() => {
  bench = new AlwaysBench();
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await bench.close();
});

const work = (name = ""): string => join(bench.base, "work", name);
const marks = (): string[] => (existsSync(work("marks")) ? readFileSync(work("marks"), "utf8").split("\n").slice(0, -1) : []);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10);
}

/** A process that works on the run of a workflow and is in the middle of its command. */
async function midway(workflow: string): Promise<ChildProcess> {
  const task: OrphanTask = { base: bench.base, workflow, leaseTtlMs: 250 };
  child = spawn(process.execPath, [await program, JSON.stringify(task)], { stdio: "ignore" });
  await until(() => marks().length === 1 && isLocked(work()));
  return child;
}

/** `flock` is what shows an overlap, and Linux has it. */
describe.runIf(process.platform === "linux")("what a process leaves of its command", () => {
  test("killed while a command is under way, the same command never runs twice at the same time", async () => {
    // `npm run test:crash` kills 200 times.
    const counts = await orphanMatrix({ program: await program, kills: 12, workers: 2, seed: 7 });
    expect(counts.complaints).toEqual([]);
    expect(counts).toMatchObject({ doubled: 0, broken: 0, unfinished: 0 });
    expect(counts.running).toBeGreaterThan(0);
  }, 300_000);

  test("a process that only stood still: its command is gone before the other one begins it, and it begins nothing when it wakes", async () => {
    const slow = await midway("orphan:children");
    slow.kill("SIGSTOP");
    const other = await bench.open();
    const [run] = await other.context.store.listRuns({});
    const caller = other.caller();
    await untilDone(async () => (await next(other.context, caller, { run: run!.id, takeOver: true })).state.status !== "running");
    const exited = once(slow, "exit");
    slow.kill("SIGCONT");
    await exited;
    expect([marks(), existsSync(work("doubled")), isLocked(work())]).toEqual([["begin", "begin", "end"], false, false]);
  }, 120_000);

  test("a command of a run that was ended meanwhile is ended by the next process that begins an effect", async () => {
    const killed = await midway("orphan:forever");
    killed.kill("SIGKILL");
    const other = await bench.open();
    const [run] = await other.context.store.listRuns({});
    await end(other.context, other.person(), { run: run!.id, status: "cancelled" });
    expect(isLocked(work())).toBe(true);
    await other.define("orphan:other", "name: orphan:other\nsteps: [{ id: one, type: shell_command, command: 'true' }]\n");
    await start(other.context, other.caller(), { workflow: "orphan:other" });
    await until(() => !isLocked(work()));
    expect(marks()).toEqual(["begin"]);
  }, 120_000);

  test("a run that is cancelled while its command is awaited ends the command", async () => {
    const killed = await midway("orphan:awaited-forever");
    killed.kill("SIGKILL");
    const other = await bench.open({ settings: { leaseBeatMs: 50 } });
    const [run] = await other.context.store.listRuns({});
    await untilDone(async () => {
      await next(other.context, other.caller(), { run: run!.id, takeOver: true, waitMs: 50 });
      return other.context.effects.running.size > 0;
    });
    await end(other.context, other.person(), { run: run!.id, status: "cancelled" });
    await until(() => !isLocked(work()));
    expect(marks()).toEqual(["begin"]);
  }, 120_000);
});

async function untilDone(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(20);
}
