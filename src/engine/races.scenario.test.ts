import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WaymarkError } from "../base/index.ts";
import { answer } from "./commands/answer.ts";
import { doctor } from "./commands/doctor.ts";
import { end } from "./commands/end.ts";
import { note } from "./commands/note.ts";
import { journal } from "./commands/journal.ts";
import { status } from "./commands/status.ts";
import { next } from "./commands/next.ts";
import { oneCommand } from "./one-command.ts";
import { progress } from "./commands/progress.ts";
import { readState, updateState } from "./commands/state.ts";
import { start } from "./commands/start.ts";
import { codeOf } from "../../test/crash/engine-bench.ts";
import { composeEngine, type ComposedEngine, type Composition } from "../../test/crash/compose-engine.ts";

/** Two engines on one store are two processes as far as either can tell; hooks put one call of one between two of the other. */
let base = "";
const engines: ComposedEngine[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-race-"));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  rmSync(base, { recursive: true, force: true });
});

async function open(options: Omit<Composition, "base"> = {}): Promise<ComposedEngine> {
  const engine = await composeEngine({ base, ...options });
  engines.push(engine);
  return engine;
}

const lines = (name: string): number =>
  existsSync(join(base, "work", name)) ? readFileSync(join(base, "work", name), "utf8").split("\n").length - 1 : 0;

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await what()) return;
    await sleep(10);
  }
  throw new Error("It did not happen.");
}

const each = `
name: race:each
default_state: { raw: { seen: [] } }
steps:
  - { id: first, type: user_message, message: one }
  - id: each
    type: foreach
    items: [1, 2]
    steps:
      - { id: inside, type: user_message, message: "{{ item }} {{ seen.concat([]).length }}" }
`;

test("a decision is committed only on the head it was made from, also when this process has seen a newer one meanwhile", async () => {
  const person = await open();
  let run = "";
  let between = false;
  const one = await open({
    sandbox: async (_name, _args, call) => {
      const value = await call();
      if (!between) {
        between = true;
        await updateState(person.context, person.person(), { run, updates: [{ path: "raw.seen", operation: "append", value: "b" }] });
        await status(one.context, run);
      }
      return value;
    },
  });
  await one.define("race:each", each);
  const caller = one.caller();
  ({ run } = await start(one.context, caller, { workflow: "race:each" }));
  const { position } = await progress(one.context, caller, { run });
  expect(position.standing).toMatchObject({ kind: "action", action: { args: { message: "1 1" } } });
  expect(between).toBe(true);
  expect((await readState(one.context, run)).state["seen"]).toEqual(["b"]);
  expect((await doctor(one.context, run)).problems).toEqual([]);
  expect((await doctor(person.context, run)).problems).toEqual([]);
});

test("who asks for the next step while another process ends the run is told that it ended", async () => {
  const [one, two] = [await open(), await open()];
  await one.define("race:each", each);
  const driver = one.caller();
  const { run } = await start(one.context, driver, { workflow: "race:each" });
  const command = oneCommand(two.context);
  await command.runs.open(run);
  await end(one.context, driver, { run, status: "cancelled" });
  expect((await next(command, two.caller(), { run, takeOver: true })).standing).toEqual({ kind: "ended" });
});

const append = (extra = ""): string => `
name: race:append
steps:
  - id: command
    type: shell_command
    command: "echo x >> log${extra}"
  - { id: after, type: user_message, message: done }
`;

test.each(["readLease", "acquire"])("a command that another process is just finishing is not done again (%s)", async (method) => {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const one = await open({
    commands: async (_name, _args, call) => {
      await gate;
      return call();
    },
  });
  await one.define("race:append", append());
  const caller = one.caller();
  const started = start(one.context, caller, { workflow: "race:append" });
  await until(async () => (await one.context.store.readLeases("effect/")).length === 1);
  const [row] = await one.context.store.listRuns({});
  const run = row?.id ?? "";
  let waited = false;
  let again = 0;
  const two = await open({
    commands: async (_name, _args, call) => {
      again += 1;
      return call();
    },
    storeMethods: [method],
    store: async (_name, args, call) => {
      if (!waited && String(args[0]).startsWith("effect/")) {
        waited = true;
        letGo();
        await started;
        await until(async () => (await one.context.store.readLeases("effect/")).length === 0);
      }
      return call();
    },
  });
  await note(two.context, two.person(), { run, text: "look" });
  letGo();
  await started;
  await sleep(100);
  expect([again, lines("log")]).toEqual([0, 1]);
  expect((await doctor(two.context, run)).problems).toEqual([]);
});

const slow = (policy: string): string => `
name: race:slow
default_state: { raw: {} }
steps:
  - id: command
    type: shell_command
    command: "echo x >> log; [ -f quick ] || sleep 20"
    on_lost: ${policy}
    on_error: continue
    error_state_update: { path: raw.failed, value: "{{ error.type }}" }
  - { id: after, type: user_message, message: done }
`;

/** Starts the slow command in one process, stops that process in good order, and goes on in another. */
async function stopped(policy: string): Promise<{ readonly run: string; readonly two: ComposedEngine }> {
  const one = await open({ settings: { callWaitMs: 100 } });
  await one.define("race:slow", slow(policy));
  const { run } = await start(one.context, one.caller(), { workflow: "race:slow" });
  await until(() => lines("log") === 1);
  await one.close();
  engines.splice(engines.indexOf(one), 1);
  return { run, two: await open() };
}

test("a command stopped by a clean shutdown follows its policy: fail", async () => {
  const { run, two } = await stopped("fail");
  const position = await next(two.context, two.caller(), { run, takeOver: true });
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "after" } });
  expect((await readState(two.context, run)).state).toMatchObject({ failed: "EFFECT_LOST" });
  expect(lines("log")).toBe(1);
});

test("a command stopped by a clean shutdown follows its policy: continue", async () => {
  const { run, two } = await stopped("continue");
  const position = await next(two.context, two.caller(), { run, takeOver: true });
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "after" } });
  expect((await readState(two.context, run)).state).toEqual({});
  expect(lines("log")).toBe(1);
});

test.each(["retry", "continue"])(
  "a command stopped by a clean shutdown asks when its policy is to ask, and does as it is told: %s",
  async (told) => {
    const { run, two } = await stopped("ask");
    await two.define("race:slow", slow("ask"));
    const caller = two.caller();
    const position = await next(two.context, caller, { run, takeOver: true });
    expect(position.standing).toMatchObject({ kind: "question", decision: { kind: "lost", step: "command" } });
    expect(lines("log")).toBe(1);
    writeFileSync(join(base, "work", "quick"), "");
    const decision = position.standing.kind === "question" ? position.standing.decision.id : "";
    await answer(two.context, caller, { run, decision, answer: told, relayed: true });
    expect((await next(two.context, caller, { run })).standing).toMatchObject({ kind: "action", action: { step: "after" } });
    expect(lines("log")).toBe(told === "retry" ? 2 : 1);
  },
);

test("a command stopped by a clean shutdown is done again when its policy is to retry", async () => {
  const { run, two } = await stopped("retry");
  writeFileSync(join(base, "work", "quick"), "");
  expect((await next(two.context, two.caller(), { run, takeOver: true })).standing).toMatchObject({
    kind: "action",
    action: { step: "after" },
  });
  expect(lines("log")).toBe(2);
});

test("an outcome that cannot be recorded at once is recorded later; the command is not done again", async () => {
  let refusals = 0;
  const one = await open({
    store: async (name, args, call) => {
      const commit = args[2] as { records: { cause: string }[] } | undefined;
      if (name === "commit" && commit?.records[0]?.cause === "outcome" && refusals < 3) {
        refusals += 1;
        throw new WaymarkError({ code: "STORE_FULL", message: "No room." });
      }
      return call();
    },
    logged: () => undefined,
  });
  await one.define("race:append", append());
  const position = await start(one.context, one.caller(), { workflow: "race:append" });
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "after" } });
  expect([refusals, lines("log")]).toEqual([3, 1]);
});

const tasks = `
name: race:tasks
steps:
  - { id: all, type: parallel_foreach, items: [1, 2], sub_agent_task: work }
sub_agent_tasks:
  work:
    steps:
      - { id: act, type: user_message, message: "{{ item }}" }
`;

test("whoever has just claimed a strand counts as alive from the first moment", async () => {
  const two = await open();
  const seen: string[] = [];
  const one = await open({
    store: async (name, args, call) => {
      const done = await call();
      if (name === "createRun")
        seen.push(await codeOf(next(two.context, two.caller(), { run: (args[0] as { id: string }).id, onlyDriver: true, waitMs: 0 })));
      const commit = args[2] as { records: { cause: string }[] } | undefined;
      if (name === "commit" && commit?.records[0]?.cause === "claim")
        seen.push(await codeOf(next(two.context, two.caller(), { run: String(args[0]), task: "all.0", waitMs: 0 })));
      return done;
    },
  });
  await one.define("race:tasks", tasks);
  const { run } = await start(one.context, one.caller(), { workflow: "race:tasks" });
  await next(one.context, one.caller("sub"), { run, task: "all.0" });
  expect(seen).toEqual(["STRAND_HELD", "STRAND_HELD"]);
});

test("of two that want a dead holder's strand at the same time one gets it, and the other is told so", async () => {
  const dead = await open({ settings: { leaseTtlMs: 1, leaseBeatMs: 100_000 } });
  await dead.define("race:tasks", tasks);
  const { run } = await start(dead.context, dead.caller(), { workflow: "race:tasks" });
  await next(dead.context, dead.caller("sub"), { run, task: "all.0" });
  await sleep(5);
  const others = await Promise.all([open(), open(), open()]);
  const got = await Promise.all(others.map((other) => codeOf(next(other.context, other.caller(), { run, task: "all.0", waitMs: 0 }))));
  expect(got.sort()).toEqual(["STRAND_HELD", "STRAND_HELD", "ok"]);
});

test("a state update of a holder that was just replaced is refused", async () => {
  const two = await open();
  let run = "";
  let taken = false;
  const one = await open({
    store: async (name, args, call) => {
      const commit = args[2] as { records: { cause: string }[] } | undefined;
      if (name === "commit" && commit?.records[0]?.cause === "set" && !taken) {
        taken = true;
        await next(two.context, two.caller(), { run, takeOver: true });
      }
      return call();
    },
  });
  await one.define("race:each", each);
  const caller = one.caller();
  ({ run } = await start(one.context, caller, { workflow: "race:each" }));
  expect(await codeOf(updateState(one.context, caller, { run, updates: [{ path: "raw.late", value: true }] }))).toBe("HOLDER_LOST");
  expect((await readState(two.context, run)).state).toEqual({ seen: [] });
});

test("a holder whose lease ran out while nobody wanted its strand has one again after its next call", async () => {
  const one = await open({ settings: { leaseTtlMs: 40, leaseBeatMs: 100_000 } });
  await one.define("race:each", each);
  const caller = one.caller();
  const { run } = await start(one.context, caller, { workflow: "race:each" });
  await sleep(60);
  await next(one.context, caller, { run });
  const lease = await one.context.store.readLease(`strand/${run}/main`);
  expect(lease?.expiresAt).toBeGreaterThan(lease?.beatAt ?? 0);
  expect((lease?.expiresAt ?? 0) - (await one.context.store.now())).toBeGreaterThan(0);
});

test("a run ended by another process stops the command this one is running, though nobody asks it", async () => {
  const one = await open({ settings: { callWaitMs: 50, leaseBeatMs: 40 } });
  await one.define("race:slow", slow("retry"));
  const { run } = await start(one.context, one.caller(), { workflow: "race:slow" });
  await until(() => lines("log") === 1);
  const two = await open();
  await end(two.context, two.person(), { run, status: "cancelled" });
  await until(async () => (await one.context.store.readLeases("effect/")).length === 0);
  expect((await journal(one.context, run, 0, 1000)).at(-1)?.events.at(-1)).toMatchObject({ type: "ended", status: "cancelled" });
});

test("a large output is kept as long as its run", async () => {
  const one = await open({ settings: { commandOutputBytes: 1000 } });
  await one.define(
    "race:large",
    `
name: race:large
steps:
  - { id: command, type: shell_command, command: "seq 1 1000", state_update: { path: raw.out } }
  - { id: after, type: user_message, message: done }
`,
  );
  const { run } = await start(one.context, one.caller(), { workflow: "race:large" });
  const { out } = (await readState(one.context, run)).state as { out: { path: string; sha256: string; bytes: number } };
  const old = new Date(Date.now() - 7_200_000);
  utimesSync(out.path, old, old);
  await one.context.store.collectBlobs();
  expect(readFileSync(out.path, "utf8").length).toBe(out.bytes);
});

test("a long walk of the engine alone lets heartbeats and other calls through", async () => {
  const one = await open();
  await one.define(
    "race:long",
    `
name: race:long
inputs: { list: array }
default_state: { raw: { count: 0 } }
steps:
  - { id: loop, type: foreach, items: "{{ inputs.list }}", steps: [{ id: add, type: state_update, path: raw.count, operation: increment }] }
  - { id: after, type: user_message, message: "{{ count }}" }
`,
  );
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const position = await start(one.context, one.caller(), {
    workflow: "race:long",
    inputs: { list: Array.from({ length: 900 }, (_, index) => index) },
  });
  clearInterval(timer);
  expect(position.standing).toMatchObject({ kind: "action", action: { args: { message: "900" } } });
  expect(ticks).toBeGreaterThan(0);
});

test("a command whose outcome makes the engine itself fail is not repeated over and over", async () => {
  let runs = 0;
  const one = await open({
    settings: { callWaitMs: 1_200 },
    commands: async (_name, _args, call) => {
      runs += 1;
      return call();
    },
    store: async (name, args, call) => {
      if (name === "commit" && (args[2] as { records: { cause: string }[] }).records[0]?.cause === "outcome") throw new TypeError("a bug");
      return call();
    },
    logged: () => undefined,
  });
  await one.define("race:append", append());
  const { standing } = await start(one.context, one.caller(), { workflow: "race:append" });
  expect([standing.kind, runs]).toEqual(["working", 1]);
});

const twice = `
name: race:twice
steps:
  - id: command
    type: shell_command
    command: "echo begin >> log; if [ -e second ]; then while [ ! -e go ]; do sleep 0.02; done; fi; touch second; echo end >> log"
  - { id: next, type: shell_command, command: "echo next >> log" }
`;

test("the outcome of a command is not recorded once another process has taken the command up, however late that process did", async () => {
  const log = (): string[] =>
    lines("log") === 0
      ? []
      : readFileSync(join(base, "work", "log"), "utf8")
          .trim()
          .split("\n");
  const two = await open();
  let [run, tried] = ["", false];
  const one = await open({
    // Its lease is over as soon as it has it, and it never beats.
    settings: { leaseTtlMs: 1, leaseBeatMs: 3_600_000 },
    store: async (name, args, call) => {
      const commit = args[2] as { readonly records: readonly { readonly cause: string }[] } | undefined;
      if (tried || name !== "commit" || !commit?.records.some(({ cause }) => cause === "outcome")) return call();
      void next(two.context, two.caller(), { run, takeOver: true, waitMs: 0 });
      await until(() => log().length === 3);
      const done = await call();
      tried = true;
      return done;
    },
  });
  await one.define("race:twice", twice);
  ({ run } = await start(one.context, one.caller(), { workflow: "race:twice", waitMs: 0 }));
  await until(() => tried);
  const { state } = await two.context.runs.open(run);
  expect(Object.values(state.effects).map(({ step }) => step)).toEqual(["command"]);
  writeFileSync(join(base, "work", "go"), "");
  await until(async () => (await two.context.runs.open(run)).state.status === "completed");
  expect(log()).toEqual(["begin", "end", "begin", "end", "next"]);
  expect((await doctor(one.context, run)).problems).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "a command that a process began and died with, just as another one looked, is not taken for one that never began",
  async () => {
    const one = await open();
    await one.define("race:slow", slow("fail"));
    // This process has the number, but it started later than one of that id.
    const dead = one.host.processId.replace(/\d+$/, "1");
    let between: boolean | undefined;
    const two = await open({
      storeMethods: ["acquire"],
      store: async (_name, args, call) => {
        const key = String(args[0]);
        if (between === undefined && key.startsWith("effect/")) between = (await one.context.store.acquire(key, dead, 1, 60_000)).granted;
        return call();
      },
    });
    const caller = two.caller();
    const { run } = await start(two.context, caller, { workflow: "race:slow" });
    const position = await next(two.context, caller, { run });
    expect(position.standing).toMatchObject({ kind: "action", action: { step: "after" } });
    expect((await readState(two.context, run)).state).toMatchObject({ failed: "EFFECT_LOST" });
    expect([between, lines("log")]).toEqual([true, 0]);
  },
);
