import { expect, test } from "vitest";
import { agentStep, condition, part, program, taskWork } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, DoBlock, Rescue } from "../program/index.ts";

// Works that nobody waits for, begun in calls of one workflow, which have the same blocks: `sub` begins `later` with A, then does `s`.

const again: Rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" };
const seq = (id: string, blocks: string[], more: Partial<Block> = {}): Block => ({ kind: "seq", id, blocks, ...more }) as Block;
const call = (id: string, more: Partial<Block> = {}): Block => ({ kind: "call", id, part: "sub", inputs: {}, as: id, ...more }) as Block;
const command: DoBlock = { kind: "do", id: "inner", who: "engine", what: "shell", args: {}, writes: [], whenLost: "fail" };

function runOf(blocks: Block[], inner: Block = agentStep("inner")): MemoryRun {
  const sub = [seq("p", ["later", "s"]), taskWork({ id: "later", join: "later", body: "inner" }), inner, agentStep("s")];
  const whole = program([...blocks, ...sub], blocks[0]?.id ?? "");
  const run = new MemoryRun({ ...whole, parts: { ...whole.parts, sub: part("p") } }, ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key) => [key, key === "items" ? [{ id: "A" }] : true])),
  );
  run.start();
  return run;
}

function act(run: MemoryRun, step: string, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.step === step);
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

/** What became of A in each list of `later`, in the order in which they were begun. */
const statuses = (run: MemoryRun): string[] =>
  [...run.items.values()].filter(({ list }) => list.startsWith("later")).map(({ status }) => status);

/** As an earlier version would have opened the strands that are there now. */
function forgetCalls(run: MemoryRun): void {
  const strands = Object.values(run.state.strands).map(({ calls: _calls, ...strand }): [string, typeof strand] => [strand.id, strand]);
  run.state = { ...run.state, strands: Object.fromEntries(strands) };
}

function finish(run: MemoryRun): void {
  for (let left = 50; left > 0 && run.state.status === "running"; left -= 1) act(run, run.open()[0] ?? "");
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
}

test.each<[string, Block[]]>([
  ["the call", [seq("root", ["first", "second"]), call("first"), call("second", { rescue: again })]],
  ["a block around the call", [seq("root", ["first", "b"]), call("first"), seq("b", ["second"], { rescue: again }), call("second")]],
  [
    "a block that has another call inside",
    [seq("root", ["first", "b"]), call("first"), seq("b", ["second", "x"], { rescue: again }), call("second"), agentStep("x")],
  ],
])("%s that is tried again ends what it left to work by itself, and not what another call of the workflow did", (_title, blocks) => {
  const run = runOf(blocks);
  act(run, "s");
  expect(statuses(run)).toEqual(["in_progress", "in_progress"]);
  if (blocks.some(({ id }) => id === "x")) act(run, "s");
  act(run, run.open().includes("x") ? "x" : "s", false);
  expect(statuses(run)).toEqual(["in_progress", "skipped", "in_progress"]);
  finish(run);
  expect(statuses(run)).toEqual(["completed", "skipped", "completed"]);
});

test("a block inside the call that is tried again ends what this call left to work by itself only", () => {
  const run = runOf([seq("root", ["first", "second"]), call("first"), call("second")]);
  const whole = { ...run.program.blocks, p: seq("p", ["later", "s"], { rescue: again }) };
  const other = new MemoryRun({ ...run.program, blocks: whole }, run.evaluate);
  other.start();
  act(other, "s");
  act(other, "s", false);
  expect(statuses(other)).toEqual(["in_progress", "skipped", "in_progress"]);
  finish(other);
});

test("a command of another call that must not be repeated does not keep the call from being tried again", () => {
  const run = runOf([seq("root", ["first", "second"]), call("first"), call("second", { rescue: again })], command);
  act(run, "s");
  const second = Object.keys(run.state.effects)[1] ?? "";
  run.input({ type: "outcome", effect: second, outcome: { ok: true, value: null } });
  act(run, "s", false);
  expect(run.state.status).toBe("running");
  expect(statuses(run)).toEqual(["in_progress", "completed", "in_progress"]);
});

test("works of which an earlier version did not note the call are not ended", () => {
  const run = runOf([seq("root", ["first", "second"]), call("first"), call("second", { rescue: again })]);
  act(run, "s");
  forgetCalls(run);
  act(run, "s", false);
  expect(statuses(run)).toEqual(["in_progress", "in_progress", "in_progress"]);
});

test("a command of such a work that must not be repeated keeps the call from being tried again by itself", () => {
  const run = runOf([seq("root", ["first", "second"]), call("first"), call("second", { rescue: again })], command);
  act(run, "s");
  forgetCalls(run);
  act(run, "s", false);
  expect(run.state).toMatchObject({ status: "failed", error: { lost: true } });
  expect(run.events.filter(({ type }) => type === "effect_opened")).toHaveLength(2);
});

test("a task ends what it left to work by itself also when the strand that began its work is in a loop by now", () => {
  const loop: Block = { kind: "repeat", id: "loop", while: condition("c"), max: 2, onLimit: "warn", body: "y" };
  const tasks = taskWork({ id: "tasks", join: "later", body: "t", onItemFailure: { retries: 1, then: "fail" } });
  const own = [seq("t", ["v", "x"]), taskWork({ id: "v", join: "later", body: "z" }), agentStep("z"), agentStep("x")];
  const whole = program(
    [seq("root", ["begin", "loop"]), seq("begin", ["tasks", "first"]), tasks, ...own, agentStep("first"), loop, agentStep("y")],
    "root",
  );
  const run = new MemoryRun(whole, ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key) => [key, key === "items" ? [{ id: "A" }] : true])),
  );
  run.start();
  act(run, "first");
  expect(run.open().toSorted()).toEqual(["x", "y", "z"]);
  act(run, "x", false);
  expect(run.open().toSorted()).toEqual(["x", "y", "z"]);
});
