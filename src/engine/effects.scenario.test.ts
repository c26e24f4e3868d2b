import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkpoint } from "./commands/checkpoint.ts";
import { doctor } from "./commands/doctor.ts";
import { journal } from "./commands/journal.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { readState } from "./commands/state.ts";
import { start } from "./commands/start.ts";
import type { CommandRequest } from "../ports/index.ts";
import { AlwaysBench } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";

let bench: AlwaysBench;
beforeEach(() => {
  bench = new AlwaysBench();
});
afterEach(() => bench.close());

const work = (...names: string[]): string => join(bench.base, "work", ...names);
const lines = (): number => (existsSync(work("log")) ? readFileSync(work("log"), "utf8").split("\n").length - 1 : 0);

const command = (policy: string): string => `
name: effect:one
default_state: { raw: { out: untouched } }
steps:
  - id: command
    type: shell_command
    command: "echo x >> log; echo done"
    ${policy}
    on_error: continue
    error_state_update: { path: raw.error, value: "{{ error.type }}" }
    state_update: { path: raw.out }
  - { id: after, type: user_message, message: "{{ out }}" }
`;

/** A process that does the command and then stands still, as if it had been stopped or had died: it never beats. */
async function stuckProcess(): Promise<{ readonly engine: ComposedEngine; readonly wake: () => void }> {
  let wake = (): void => undefined;
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const engine = await bench.open({
    settings: { leaseTtlMs: 80, leaseBeatMs: 1_000_000, callWaitMs: 30 },
    commands: async (_name, args, call) => {
      const done = await call();
      const { signal } = args[0] as CommandRequest;
      await Promise.race([woken, new Promise((resolve) => signal?.addEventListener("abort", resolve))]);
      return done;
    },
  });
  return { engine, wake };
}

test("rule 7: an effect is recorded as intended before it starts and as done after it ends", async () => {
  const seen: string[] = [];
  const engine = await bench.open({
    commands: async (_name, _args, call) => {
      const [run] = await engine.context.store.listRuns({});
      const { state } = await bench.stored(run?.id ?? "");
      seen.push(
        ...Object.values(state.effects).map((effect) => `intended ${effect.step}`),
        `${(await engine.context.store.readLeases("effect/")).length} lease`,
      );
      return call();
    },
  });
  await engine.define("effect:one", command(""));
  const { run } = await start(engine.context, engine.caller(), { workflow: "effect:one" });
  expect(seen).toEqual(["intended command", "1 lease"]);
  const { state, keys } = await bench.stored(run);
  expect([Object.keys(state.effects), keys.filter((key) => key.startsWith("effect:")).length]).toEqual([[], 1]);
});

test.each([
  ["retry", "", { out: "done" }, "done", 2],
  ["continue", "on_lost: continue", { out: "untouched" }, "untouched", 1],
  ["fail", "on_lost: fail", { out: "untouched", error: "EFFECT_LOST" }, "untouched", 1],
])("rule 7: after a crash in between a command follows its policy: %s", async (_policy, yaml, state, message, done) => {
  const { engine: dead, wake } = await stuckProcess();
  await dead.define("effect:one", command(yaml));
  const { run } = await start(dead.context, dead.caller(), { workflow: "effect:one" });
  while (lines() < 1) await sleep(5);
  await sleep(100);
  const two = await bench.open();
  const position = await next(two.context, two.caller(), { run });
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "after", args: { message } } });
  expect([(await readState(two.context, run)).state, lines()]).toEqual([state, done]);

  const { length } = await bench.records(run);
  wake();
  await sleep(50);
  expect((await bench.records(run)).length, "the late outcome of the first process changes nothing").toBe(length);
  expect((await doctor(two.context, run)).problems).toEqual([]);
});

test("rule 7: a process that stands still before its command begins does not begin it once another one has taken it up", async () => {
  let wake = (): void => undefined;
  const woken = new Promise<void>((resolve) => (wake = resolve));
  const slow = await bench.open({
    settings: { leaseTtlMs: 80, leaseBeatMs: 1_000_000, callWaitMs: 30 },
    commands: async (_name, _args, call) => {
      await woken;
      return call();
    },
  });
  await slow.define("effect:one", command(""));
  const { run } = await start(slow.context, slow.caller(), { workflow: "effect:one" });
  const two = await bench.open();
  const position = await next(two.context, two.caller(), { run, takeOver: true });
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "after", args: { message: "done" } } });
  wake();
  while (slow.context.effects.running.size > 0) await sleep(5);
  expect(lines()).toBe(1);
});

test("rule 7: a command whose policy is to ask is neither repeated nor passed over before the answer", async () => {
  const { engine: dead } = await stuckProcess();
  await dead.define("effect:one", command("on_lost: ask"));
  const { run } = await start(dead.context, dead.caller(), { workflow: "effect:one" });
  while (lines() < 1) await sleep(5);
  await sleep(100);
  const two = await bench.open();
  const caller = two.caller();
  expect((await next(two.context, caller, { run })).standing).toMatchObject({ kind: "question", decision: { kind: "lost" } });
  expect(lines()).toBe(1);
  const { position } = await progress(two.context, caller, { run, result: "continue" });
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "after", args: { message: "untouched" } } });
  expect(lines()).toBe(1);
});

test("rule 7: a process that already waits notices by itself that another one died, and that a time has come", async () => {
  const { engine: dead } = await stuckProcess();
  await dead.define(
    "effect:wait",
    `
name: effect:wait
steps:
  - { id: command, type: shell_command, command: "echo x >> log" }
  - { id: pause, type: wait, duration_ms: 30 }
  - { id: after, type: user_message, message: done }
`,
  );
  const { run } = await start(dead.context, dead.caller(), { workflow: "effect:wait" });
  const two = await bench.open();
  const waiting = await next(two.context, two.caller(), { run, takeOver: true });
  expect(waiting.standing).toMatchObject({ kind: "action", action: { step: "after" } });
  expect(lines()).toBe(2);
});

test.each([
  ["retry", "", ["act", 1]],
  ["continue", "on_lost: continue", ["after", 0]],
  ["fail", "on_lost: fail", ["after", 0]],
])("rule 7: the open step of a lost holder follows its policy: %s", async (_policy, yaml, [step, taken]) => {
  const dead = await bench.open({ settings: { leaseTtlMs: 20, leaseBeatMs: 1_000_000 } });
  await dead.define(
    "effect:act",
    `
name: effect:act
default_state: { raw: { out: untouched } }
steps:
  - { id: act, type: agent_shell_command, command: make, state_update: { path: raw.out }, on_error: continue${yaml === "" ? "" : `, ${yaml}`} }
  - { id: after, type: user_message, message: done }
`,
  );
  const lost = dead.caller();
  const first = await start(dead.context, lost, { workflow: "effect:act" });
  await sleep(30);
  const two = await bench.open();
  const position = await next(two.context, two.caller(), { run: first.run });
  expect(position.standing).toMatchObject({ kind: "action", action: { step, taken } });
  const late = progress(dead.context, lost, {
    run: first.run,
    action: first.standing.kind === "action" ? first.standing.action.id : "",
    result: "late",
  });
  await expect(late).rejects.toMatchObject({ code: "HOLDER_LOST" });
  expect((await readState(two.context, first.run)).state["out"]).toBe("untouched");
});

/** Every file of the workspace with its content, but for the store. */
function workspaceFiles(): Record<string, string> {
  const found = readdirSync(work(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes("/.waymark/store/"));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, "utf8")]));
}

test("rule 8: the engine changes no file of the workspace by itself, and what it writes for people is whole", async () => {
  const engine = await bench.open();
  mkdirSync(work("src"));
  writeFileSync(work("src", "a.ts"), "let a = 1;\n");
  await engine.define(
    "effect:act",
    `
name: effect:act
default_state: { raw: { big: "${"x".repeat(200_000)}" } }
steps:
  - { id: hints, type: apply_hints, file: src/a.ts, hints: [rename] }
  - { id: after, type: user_message, message: done }
`,
  );
  const before = workspaceFiles();
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "effect:act" });
  const marks = await Promise.all([1, 2, 3].map(() => checkpoint(engine.context, caller, { run, reason: "now" })));
  for (const { statePath } of marks) expect(JSON.parse(readFileSync(statePath, "utf8"))).toMatchObject({ run_id: run });
  await progress(engine.context, caller, { run, result: { applied_count: 1 } });
  await progress(engine.context, caller, { run });
  expect(workspaceFiles()).toEqual(before);
  const views = readdirSync(join(marks[0]?.statePath ?? "", ".."));
  expect(views.filter((name) => !name.endsWith(".json"))).toEqual([]);
});

test("rule 11: a file the engine wrote for people is a view: editing or removing it changes nothing in the run", async () => {
  const engine = await bench.open();
  await engine.define("effect:one", command(""));
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "effect:one" });
  const { statePath } = await checkpoint(engine.context, caller, { run, reason: "now" });
  const written = JSON.parse(readFileSync(statePath, "utf8")) as { state: object };
  writeFileSync(statePath, JSON.stringify({ ...written, state: { out: "forged" }, status: "completed" }));
  const fresh = await bench.open();
  const position = await next(fresh.context, fresh.caller(), { run, takeOver: true });
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "after", args: { message: "done" } } });
  expect((await readState(fresh.context, run)).state["out"]).toBe("done");
  expect((await journal(fresh.context, run, 0, 100)).every((entry) => !JSON.stringify(entry).includes("forged"))).toBe(true);
});
