import { expect, test } from "vitest";
import { agentStep, itemRow, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, DoBlock, Part } from "../program/index.ts";
import { apply } from "./apply.ts";
import type { Actor, Outcome } from "./input.ts";
import type { Event } from "./event.ts";

const person: Actor = { kind: "person", name: "ada", session: "t", surface: "cli-terminal" };
const engine: Actor = { kind: "engine", name: "waymark", session: "e1", surface: "engine" };
const failed = { ok: false as const, code: "STEP_FAILED", message: "no" };
const blocked = { ok: "blocked" as const, until: 50_000, reason: "limit" };
const writes = [{ path: value("p"), op: "set" as const }];
const seq = (...blocks: string[]): Block => ({ kind: "seq", id: "root", blocks });
const command = (more: Partial<DoBlock> = {}): DoBlock => ({ ...agentStep("c"), who: "engine", what: "shell", ...more });

function runOf(blocks: Block[], more: Partial<Part> = {}, options: Parameters<MemoryRun["start"]>[0] = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key): [string, Json] => [key, key.startsWith("path:") ? ["raw", "out"] : []])),
  );
  run.start(options);
  return run;
}

const first = <T>(record: Readonly<Record<string, T>>): T | undefined => Object.values(record)[0];
const report = (run: MemoryRun, outcome: Outcome, more: { by?: Actor; change?: object } = {}): unknown => {
  const { by = agent, ...rest } = more;
  const { id = "", strand = "" } = first(run.state.actions) ?? {};
  const { fence = 0 } = run.state.strands[strand] ?? {};
  return run.input({ type: "report", action: id, holder, fence, outcome, write: true, ...rest }, by);
};
const finish = (run: MemoryRun, outcome: Outcome, more: object = {}): unknown =>
  run.input({ type: "outcome", effect: first(run.state.effects)?.id ?? "", outcome, ...more });
const types = (events: readonly Event[]): string[] => events.map(({ type }) => type);
const lastInput = (run: MemoryRun): readonly Event[] => run.journal.findLast(({ input }) => input.type !== "advance")?.events ?? [];

test.each<[string, Block, (run: MemoryRun, change: object) => unknown]>([
  ["report", agentStep("a"), (run, change) => report(run, { ok: true, value: null }, { change })],
  ["report of a failure", agentStep("a", { rescue: { then: "block" } }), (run, change) => report(run, failed, { change })],
  ["result of an effect", command(), (run, change) => finish(run, { ok: true, value: null }, { change })],
  ["failure of an effect", command({ rescue: { then: "block" } }), (run, change) => finish(run, failed, { change })],
])("the rows that come with a %s are changed together with it", (_title, step, tell) => {
  const run = runOf([step]);
  expect(tell(run, { add: [{ list: "l", items: [itemRow("A")] }], count: { seen: 2 } })).toBeUndefined();
  expect(run.state.lists["l"]).toMatchObject({ total: 1, by: { pending: 1 } });
  expect(run.state.counters).toEqual({ seen: 2 });
});

test.each<[string, Block, (run: MemoryRun) => unknown, string]>([
  ["a reported failure", agentStep("a"), (run) => report(run, failed), "action_closed"],
  ["a failed effect", command(), (run) => finish(run, failed), "effect_closed"],
  ["an effect that nobody can do", command(), (run) => finish(run, { ok: "cannot" }), "effect_closed"],
])("%s closes what was open, ends the waiting and is then dealt with", (_title, step, tell, closed) => {
  const run = runOf([step]);
  tell(run);
  expect(types(lastInput(run)).slice(0, 3)).toEqual([closed, "ready", "failed"]);
});

test("an effect is closed as done or as failed", () => {
  const run = runOf([seq("c", "d"), command(), command({ id: "d" })]);
  finish(run, { ok: true, value: 1 });
  finish(run, failed);
  expect(run.events.filter(({ type }) => type === "effect_closed")).toMatchObject([{ how: "done" }, { how: "failed" }]);
});

test("notes that came with a step which is blocked until a time come again with it then", () => {
  const run = runOf([seq("a", "b"), agentStep("a"), agentStep("b")]);
  run.input({ type: "note", text: "careful", target: "b" }, person);
  report(run, { ok: true, value: null });
  report(run, blocked);
  expect(run.state.notes).toMatchObject([{ text: "careful", target: "b" }]);
  expect(run.state.strands["main"]?.frames.at(-1)).toMatchObject({ kind: "do", phase: "args" });
  expect(run.state.strands["main"]?.frames.at(-1)).not.toHaveProperty("ref");
  run.clock = 50_000;
  run.input({ type: "woke", timer: first(run.state.timers)?.id ?? "" });
  expect(first(run.state.actions)).toMatchObject({ step: "b", notes: ["careful"] });
});

test.each<[Actor, string]>([
  [agent, "agent"],
  [engine, "worker"],
])("notes that are given back are from the one who reported the failure: %j", (by, kind) => {
  const run = runOf([seq("a", "b"), agentStep("a"), agentStep("b", { rescue: { then: "block" } })]);
  run.input({ type: "note", text: "careful", target: "b" }, person);
  report(run, { ok: true, value: null });
  report(run, failed, { by });
  expect(run.state.notes[0]?.from).toEqual({ kind, name: by.name, session: by.session });
});

test("a reported failure keeps the stack that it has, and says nothing of one that it has not", () => {
  const run = runOf([agentStep("a")]);
  report(run, { ...failed, stack: "at x" });
  expect(run.state.error).toEqual({ code: "STEP_FAILED", message: "no", block: "a", stack: "at x" });
  const other = runOf([agentStep("a")]);
  report(other, failed);
  expect(other.state.error).not.toHaveProperty("stack");
});

test("a step that its holder cannot do fails", () => {
  const run = runOf([agentStep("a")]);
  report(run, { ok: "cannot" });
  expect(run.state.error).toEqual({ code: "STEP_FAILED", message: "`a` cannot be done here.", block: "a" });
});

test("an update of which nothing was written by hand is written with its report, whatever else was written", () => {
  const run = runOf([agentStep("u", { what: "state_update", writes })]);
  run.input({ type: "set", scope: "run", updates: [{ tier: "raw", keys: ["else"], op: "set", value: 1 }], holder });
  report(run, { ok: true, value: "reported" });
  expect(run.state.scopes["run"]?.raw).toEqual({ else: 1, out: "reported" });
});

test("an update that was written by hand leaves its report unwritten without asking for anything", () => {
  const asked: string[] = [];
  const step = agentStep("u", { what: "state_update", writes: [{ ...writes[0], path: value("p"), op: "set", value: value("v") }] });
  const run = new MemoryRun(program([step], "u"), ({ exprs }) => {
    asked.push(...Object.keys(exprs));
    return { "path:0": ["raw", "out"], "value:0": "made" };
  });
  run.start();
  run.input({ type: "set", scope: "run", updates: [{ tier: "raw", keys: ["out"], op: "set", value: "by hand" }], holder });
  report(run, { ok: true, value: "reported" });
  expect(run.state).toMatchObject({ status: "completed", scopes: { run: { raw: { out: "by hand" } } } });
  expect(asked).toEqual(["path:0"]);
});

test.each([
  [2, "Still open: T0, T1."],
  [10, "T8, T9."],
  [12, "T8, T9 and 2 more."],
])("who reports a handout of %i tasks is told which of them are open", (count, said) => {
  const work: Block = {
    kind: "work",
    id: "w",
    fill: value([]),
    mode: "strands",
    parallel: 20,
    join: "all",
    body: "a",
    task: { name: "t", prompt: "p" },
  };
  const later: Block = { ...work, id: "x", join: "later", body: "b" };
  const items = Array.from({ length: count }, (_, index) => ({ id: `T${index}` }));
  const run = new MemoryRun(program([seq("x", "w"), later, work, agentStep("a"), agentStep("b")], "root"), ({ strand }) => ({
    items: strand === "main" ? items : [{ id: "X" }],
  }));
  run.start();
  const handout = Object.values(run.state.actions).find(({ what, strand }) => what === "parallel_tasks" && strand === "main");
  const names = items.map(({ id }) => id);
  expect(run.report(handout?.id ?? "")).toMatchObject({ code: "TASKS_OPEN", details: { open_tasks: names } });
  expect(run.report(handout?.id ?? "")?.message).toContain(said);
});

test("a lost command without a policy is done again, and a budget that is used up holds it first", () => {
  const run = runOf([command()], {}, { budget: { steps: 1 } });
  finish(run, { ok: "lost" });
  expect(run.state.effects).toEqual({});
  expect(run.state.strands["main"]?.frames.at(-1)).toMatchObject({ kind: "do", phase: "args" });
  expect(run.state.strands["main"]?.frames.at(-1)).not.toHaveProperty("ref");
  run.answer(first(run.state.decisions)?.id ?? "", "double");
  expect(first(run.state.effects)).toMatchObject({ block: "c" });
});

test("a lost command that counts as done writes nothing", () => {
  const run = runOf([command({ whenLost: "continue", writes })]);
  finish(run, { ok: "lost" });
  expect(run.state).toMatchObject({ status: "completed", scopes: { run: { raw: {} } } });
  expect(run.state.scopes["run"]?.raw).not.toHaveProperty("out");
});

test("a timer is over at the very time that it is due", () => {
  const run = runOf([agentStep("a", { timeoutMs: 100 })]);
  const { id = "", due = 0 } = first(run.state.timers) ?? {};
  run.clock = due - 2;
  expect(run.input({ type: "woke", timer: id })).toMatchObject({ code: "TIMER_EARLY" });
  expect(run.input({ type: "woke", timer: id })).toBeUndefined();
  expect(run.state.error).toMatchObject({ code: "TIMEOUT", message: "`a` took longer than its limit of 100 ms." });
});

test("time that runs out for a block around a step fails that block, and its error steps begin", () => {
  const rescue = { then: "body" as const, body: "own", after: "continue" as const };
  const around: Block = { kind: "seq", id: "root", blocks: ["a"], timeoutMs: 100, rescue };
  const run = runOf([around, agentStep("a", { rescue: { then: "continue" } }), agentStep("own")]);
  run.clock += 100;
  run.input({ type: "woke", timer: first(run.state.timers)?.id ?? "" });
  expect(run.open()).toEqual(["own"]);
  expect(run.events.find(({ type }) => type === "failed")).toMatchObject({ block: "root", error: { code: "TIMEOUT" } });
});

test("time that runs out ends the waiting of a strand, and leaves one that is parked to what deals with it", () => {
  const around: Block = { kind: "seq", id: "root", blocks: ["a"], timeoutMs: 100 };
  const outOfTime = (parked: boolean): string[] => {
    const run = runOf([around, agentStep("a", { rescue: { then: "block" } })]);
    if (parked) report(run, failed);
    run.clock += 100;
    run.input({ type: "woke", timer: first(run.state.timers)?.id ?? "" });
    expect(run.state.error).toMatchObject({ code: "TIMEOUT" });
    return types(lastInput(run)).slice(0, 3);
  };
  expect(outOfTime(false)).toEqual(["timer_gone", "ready", "failed"]);
  expect(outOfTime(true).slice(0, 2)).toEqual(["timer_gone", "failed"]);
});

test.each<[string, Outcome]>([
  ["something else", failed],
  ["longer", { ok: "blocked", until: 500_000, reason: "limit" }],
])("a step that was retried and is blocked for %s is not opened when the first time has come", (_title, outcome) => {
  const run = runOf([agentStep("a", { rescue: { then: "block" } })]);
  report(run, blocked);
  const [old] = Object.values(run.state.timers);
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["a"]);
  expect(run.state.timers).toEqual({});
  report(run, outcome);
  run.clock = 60_000;
  expect(run.input({ type: "woke", timer: old?.id ?? "" })).toMatchObject({ code: "TIMER_GONE" });
  expect(run.state.strands["main"]?.status).toBe("blocked");
  expect(run.open()).toEqual([]);
});

test("a strand that is blocked until another time is not woken by a timer that an older journal left", () => {
  const run = runOf([agentStep("a")]);
  report(run, blocked);
  const timer = { id: "t0", strand: "main", due: 40_000, why: "blocked" as const };
  run.state = apply(run.state, { type: "timer_set", timer });
  run.clock = 45_000;
  run.input({ type: "woke", timer: "t0" });
  expect(run.state.strands["main"]?.status).toBe("blocked");
  run.clock = 50_000;
  run.input({ type: "woke", timer: Object.keys(run.state.timers)[0] ?? "" });
  expect(run.open()).toEqual(["a"]);
});

test("an effect that a person has to allow first blocks its strand: no try, no step and no time of the workflow is used up", () => {
  const rescue = { retry: { times: 2, delayMs: 0, factor: 1, capMs: 0 }, then: "block" } as const;
  const run = runOf([{ ...seq("c"), timeoutMs: 1_000 }, command({ rescue })]);
  const steps = run.state.budget.used.steps;
  expect(finish(run, { ok: "denied", code: "X_NOT_ALLOWED", reason: "Ask a person." })).toBeUndefined();
  const { main } = run.state.strands;
  expect(main).toMatchObject({ status: "blocked", blocked: { code: "X_NOT_ALLOWED", reason: "Ask a person.", denied: true } });
  expect(main?.frames.at(-1)).toMatchObject({ kind: "do", phase: "args" });
  expect([run.state.effects, run.state.timers, run.state.budget.used.steps]).toEqual([{}, {}, steps - 1]);
  expect(run.events.some(({ type }) => type === "failed")).toBe(false);
  expect(run.input({ type: "allowed", strand: "main" }, engine)).toBeUndefined();
  expect(first(run.state.effects)).toMatchObject({ step: "c", attempt: 0 });
  expect(first(run.state.timers)).toMatchObject({ why: "timeout", due: run.clock + 1_000 });
  expect(run.input({ type: "allowed", strand: "main" }, engine)).toMatchObject({ code: "NOTHING_TO_RETRY" });
});

test("an action that a person has to allow first goes back to be handed out again, and a retry continues it too", () => {
  const run = runOf([agentStep("a")]);
  report(run, { ok: "denied", code: "X_NOT_ALLOWED", reason: "Ask a person." });
  expect(run.state.strands["main"]).toMatchObject({ status: "blocked", blocked: { denied: true } });
  run.input({ type: "retry", resetCounts: false }, person);
  expect(first(run.state.actions)).toMatchObject({ step: "a" });
});
