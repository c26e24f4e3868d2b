import { expect, test } from "vitest";
import { agentStep, part, program, taskWork, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, Part, Rescue } from "../program/index.ts";
import type { Need } from "./input.ts";

type Asked = Extract<Need, { type: "evaluate" }>;

/** Lists have the items A and B, paths are what their expressions say, and what is called `broken` cannot be evaluated. */
function evaluate({ exprs }: Asked): Record<string, Json> | Error {
  if (Object.values(exprs).some(({ of }) => of === "broken")) return new Error("it is broken");
  return Object.fromEntries(
    Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, key === "items" ? [{ id: "A" }, { id: "B" }] : of]),
  );
}

function runOf(blocks: Block[], more: Partial<Part> = {}, seen: Asked[] = []): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), (need) => {
    seen.push(need);
    return evaluate(need);
  });
  run.start();
  return run;
}

/** Reports the open step of this name. */
function act(run: MemoryRun, step: string, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.step === step);
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const outcome = ok ? { ok: true as const, value: step } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

/** The time limit of the block runs out. */
function runOut(run: MemoryRun, depth: number): void {
  const timer = Object.values(run.state.timers).find((set) => set.why === "timeout" && set.depth === depth);
  run.clock = Math.max(run.clock, timer?.due ?? 0);
  run.input({ type: "woke", timer: timer?.id ?? "" });
}

const again = (times = 1, delayMs = 0): Rescue => ({ retry: { times, delayMs, factor: 1, capMs: delayMs }, then: "fail" });
const seq = (id: string, blocks: string[], more: Partial<Block> = {}): Block => ({ kind: "seq", id, blocks, ...more }) as Block;

test("an error that names no block is that of the innermost one", () => {
  const run = runOf([{ kind: "leave", id: "out", how: "skip" }]);
  expect(run.events.find(({ type }) => type === "failed")).toMatchObject({ block: "out", error: { code: "NO_LOOP" } });
});

test("tasks of a work whose time ran out stand still while its error steps are at work", () => {
  const rescue = { then: "body" as const, body: "clean", after: "continue" as const };
  const run = runOf([
    { kind: "work", id: "w", fill: value("x"), mode: "strands", join: "all", body: "a", timeoutMs: 500, rescue },
    agentStep("a"),
    agentStep("clean"),
  ]);
  expect(run.open()).toEqual(["a", "a"]);
  runOut(run, 0);
  expect(run.open()).toEqual(["clean"]);
  expect([...run.items.values()].map(({ status, reason }) => [status, reason])).toEqual([
    ["pending", "stopped: `w` took longer than its limit of 500 ms."],
    ["pending", "stopped: `w` took longer than its limit of 500 ms."],
  ]);
  act(run, "clean");
  expect(run.state.status).toBe("completed");
});

test("a failure after a call is tracked once, for the step that failed", () => {
  const tracking = { failed: "raw.failed" };
  const blocks: Block[] = [
    { kind: "call", id: "call", part: "callee", inputs: {}, as: "kept", onComplete: "done", rescue: { then: "continue" } },
    agentStep("in"),
    agentStep("done"),
  ];
  const whole = { ...program(blocks, "call"), parts: { test: part("call", { tracking }), callee: part("in") } };
  const run = new MemoryRun(whole, evaluate);
  run.start();
  act(run, "in");
  act(run, "done", false);
  expect(run.state.status).toBe("completed");
  expect(run.state.scopes["run"]?.raw["failed"]).toEqual(["done"]);
});

test("a loop in one strand that is tried again begins with its first item", () => {
  const run = runOf([{ kind: "work", id: "w", fill: value("x"), mode: "each", join: "all", body: "a", rescue: again() }, agentStep("a")]);
  act(run, "a");
  act(run, "a", false);
  const frame = run.state.strands["main"]?.frames[0];
  expect(frame).toMatchObject({ kind: "work", tries: 1, item: { id: "A" }, total: 2 });
  act(run, "a");
  act(run, "a");
  expect(run.state.status).toBe("completed");
  expect(run.state.lists["w"]).toMatchObject({ total: 4, by: { completed: 3, skipped: 1 } });
  expect(replay(run.events)).toEqual(run.state);
});

test("the body of a task that is tried again still knows its item", () => {
  const seen: Asked[] = [];
  const run = runOf(
    [
      { kind: "work", id: "w", fill: value("x"), mode: "strands", parallel: 1, join: "all", body: "a" },
      agentStep("a", { args: { x: value("x") }, rescue: again() }),
    ],
    {},
    seen,
  );
  act(run, "a", false);
  expect(run.open()).toEqual(["a"]);
  const given = seen.filter(({ exprs }) => "arg:x" in exprs).map(({ locals }) => locals);
  expect(given).toHaveLength(2);
  expect(given[1]).toEqual(given[0]);
  expect(given[0]).toMatchObject({ item: { id: "A" }, index: 0 });
});

test("a step that is tried again has all its time again", () => {
  const run = runOf([agentStep("a", { timeoutMs: 500, rescue: again() })]);
  const [first] = Object.values(run.state.timers);
  run.clock += 300;
  act(run, "a", false);
  const [second, ...others] = Object.values(run.state.timers);
  expect(others).toEqual([]);
  expect(second).toMatchObject({ why: "timeout", depth: 0, due: run.clock + 500 });
  expect(second?.id).not.toBe(first?.id);
});

test.each([
  ["tried again", again(), ["a"]],
  ["given up", { then: "continue" as const }, ["b"]],
])("a blocked step whose time ran out is %s at once", (_title, rescue, open) => {
  const run = runOf([seq("root", ["a", "b"]), agentStep("a", { timeoutMs: 500, rescue }), agentStep("b")]);
  const outcome = { ok: "blocked" as const, until: run.clock + 9_000, reason: "limit" };
  run.input({ type: "report", action: Object.keys(run.state.actions)[0] ?? "", holder, fence: 1, outcome, write: true });
  expect(run.state.strands["main"]?.status).toBe("blocked");
  runOut(run, 1);
  expect(run.open()).toEqual(open);
  expect(run.state.strands["main"]).not.toHaveProperty("blocked");
});

test("a failure that would come again is not tried again by its own step, but by what is around it", () => {
  const run = runOf([{ id: "all", kind: "seq", blocks: ["a"], rescue: again(1) }, agentStep("a", { rescue: again(5) })]);
  const fail = (): void => {
    const [action] = Object.values(run.state.actions);
    const { fence = 0 } = run.state.strands["main"] ?? {};
    const outcome = { ok: false as const, code: "STEP_FAILED", message: "no", final: true as const };
    if (run.state.strands["main"]?.holder === undefined) run.input({ type: "claim", strand: "main", holder });
    run.input({ type: "report", action: action?.id ?? "", holder, fence: fence || 1, outcome, write: true });
  };
  fail();
  expect(run.state.status).toBe("running");
  fail();
  expect(run.state.status).toBe("failed");
});

test("a retry without a delay waits for no timer, and one with a delay never longer than its cap", () => {
  const delayed = (delayMs: number, capMs: number): MemoryRun => {
    const run = runOf([agentStep("a", { rescue: { retry: { times: 3, delayMs, factor: 10, capMs }, then: "fail" } })]);
    act(run, "a", false);
    return run;
  };
  expect(delayed(0, 1_000).state.timers).toEqual({});
  expect(delayed(0, 1_000).open()).toEqual(["a"]);
  const run = delayed(1, 50);
  expect(Object.values(run.state.timers)).toMatchObject([{ why: "retry", due: run.clock + 1 }]);
  for (const wait of [10, 50]) {
    const [timer] = Object.values(run.state.timers);
    run.clock = timer?.due ?? 0;
    run.input({ type: "woke", timer: timer?.id ?? "" });
    act(run, "a", false);
    expect(Object.values(run.state.timers)).toMatchObject([{ why: "retry", due: run.clock + wait }]);
  }
});

test("a step that is to be blocked keeps its place until it is retried", () => {
  const run = runOf([agentStep("a", { rescue: { then: "block" } })]);
  act(run, "a", false);
  expect(run.state.status).toBe("running");
  expect(run.state.strands["main"]).toMatchObject({ status: "blocked", blocked: { code: "STEP_FAILED", reason: "no" } });
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["a"]);
});

/** The earliest timer comes due. */
function wakeNext(run: MemoryRun): string | undefined {
  const [timer] = Object.values(run.state.timers).sort((a, b) => a.due - b.due);
  run.clock = Math.max(run.clock, timer?.due ?? 0);
  run.input({ type: "woke", timer: timer?.id ?? "" });
  return timer?.why;
}

test.each([
  ["a step", [agentStep("x", { timeoutMs: 500, rescue: again(2, 10_000) })]],
  ["a work of tasks", [taskWork({ body: "x", timeoutMs: 500, rescue: again(2, 10_000) }), agentStep("x")]],
] as [string, Block[]][])("the time of %s that is tried again begins after the delay before the try", (_title, blocks) => {
  const run = runOf(blocks);
  act(run, "x", false);
  expect(run.open()).toEqual([]);
  expect(wakeNext(run)).toBe("retry");
  expect(run.open()).toContain("x");
  expect(Object.values(run.state.timers)).toMatchObject([{ why: "timeout", due: run.clock + 500 }]);
  expect(wakeNext(run)).toBe("timeout");
  expect(wakeNext(run)).toBe("retry");
  expect(run.open()).toContain("x");
});

test("a block that is parked because its time ran out has nothing open whose report could lead it on", () => {
  const run = runOf([seq("root", ["x", "y"], { timeoutMs: 500, rescue: { then: "block" } }), agentStep("x"), agentStep("y")]);
  runOut(run, 0);
  expect(run.state.strands["main"]).toMatchObject({ status: "blocked", blocked: { code: "TIMEOUT" } });
  expect(run.open()).toEqual([]);
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["x"]);
});

test("a work whose own time ran out has nothing handed out, and a retry hands its tasks out under another id", () => {
  const run = runOf([taskWork({ timeoutMs: 500, task: { name: "t", prompt: "p" } }), agentStep("a")]);
  const handedOut = (): string | undefined => Object.values(run.state.actions).find(({ step }) => step === "w")?.id;
  const before = handedOut();
  expect(before).toBeDefined();
  runOut(run, 0);
  expect([run.state.status, run.open()]).toEqual(["failed", []]);
  run.input({ type: "retry", resetCounts: false });
  expect(handedOut()).toBeDefined();
  expect(handedOut()).not.toBe(before);
});
