import { expect, test } from "vitest";
import { agentStep, itemRow, part, program, taskWork } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, LeaveBlock, Part } from "../program/index.ts";

const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });
const leave = (how: LeaveBlock["how"], more: Partial<LeaveBlock> = {}): Block => ({ kind: "leave", id: "exit", how, ...more });

/** Conditions hold, lists are three items. */
function runOf(blocks: Block[], more: Partial<Part> = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), ({ exprs }) =>
    Object.fromEntries(
      Object.keys(exprs).map((key): [string, Json] => [key, key === "items" ? [{ id: "A" }, { id: "B" }, { id: "C" }] : true]),
    ),
  );
  run.start();
  return run;
}

const statuses = (run: MemoryRun): string[] => [...run.items.values()].map(({ id, status }) => `${id} ${status}`);
const left = (run: MemoryRun): string[] => run.events.flatMap((event) => (event.type === "left" ? [`${event.block} ${event.how}`] : []));
const cancel = (run: MemoryRun): unknown => run.input({ type: "end", status: "cancelled", reason: "enough" });
const report = (run: MemoryRun, step = "a"): unknown => {
  const { id = "", strand = "" } = Object.values(run.state.actions).find((action) => action.step === step) ?? {};
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  return run.report(id);
};

test("only leaves are marked as such when they are left", () => {
  const run = runOf([seq("root", "a", "b"), agentStep("a"), agentStep("b")]);
  report(run);
  report(run, "b");
  expect(run.events.filter(({ type }) => type === "left")).toEqual([
    { type: "left", strand: "main", block: "a", how: "done", leaf: true },
    { type: "left", strand: "main", block: "b", how: "done", leaf: true },
    { type: "left", strand: "main", block: "root", how: "done" },
  ]);
});

test("a work that is left early closes its handout once, skips what is open and what was not begun, and closes its list", () => {
  const run = runOf([taskWork({ task: { name: "t", prompt: "p" } }), agentStep("a")]);
  const handout = Object.values(run.state.actions).find(({ what }) => what === "parallel_tasks")?.id;
  cancel(run);
  expect(run.events.filter((event) => event.type === "action_closed" && event.action === handout)).toEqual([
    { type: "action_closed", action: handout, how: "joined" },
  ]);
  expect(statuses(run)).toEqual(["A skipped", "B skipped", "C skipped"]);
  expect(run.items.get([...run.items.keys()][0] ?? "")).toMatchObject({ reason: "enough", attempts: 1 });
  expect(run.events.find(({ type }) => type === "items_swept")).toMatchObject({
    from: "pending",
    to: "skipped",
    count: 1,
    reason: "enough",
  });
  expect(run.state).toMatchObject({ status: "cancelled", actions: {} });
  expect(replay(run.events)).toEqual(run.state);
});

test("a work that is left when nothing is pending sweeps nothing", () => {
  const run = runOf([taskWork({ parallel: 3 }), agentStep("a")]);
  cancel(run);
  expect(run.events.filter(({ type }) => type === "items_swept")).toEqual([]);
  expect(run.events.filter(({ type }) => type === "list_closed")).toHaveLength(1);
});

test("items of a declared list whose work is left early are open again, and the try that was broken off does not count", () => {
  const { fill: _fill, ...declared } = taskWork({ list: "l" });
  const machine: Block = {
    kind: "machine",
    id: "m",
    initial: "one",
    states: { one: { body: "w", outcomes: [{ to: null }] }, two: { body: "b", outcomes: [{ to: null }] } },
  };
  const blocks = [seq("root", "begin", "m"), agentStep("begin"), machine, declared, seq("a", "x", "exit"), agentStep("x")];
  const run = runOf([...blocks, leave("to", { state: "two" }), agentStep("b")]);
  run.input({ type: "items", change: { add: [{ list: "l", items: [itemRow("A"), itemRow("B")] }] }, reason: "r" });
  report(run, "begin");
  expect(statuses(run)).toEqual(["A in_progress", "B in_progress"]);
  report(run, "x");
  expect(run.open()).toEqual(["b"]);
  expect([...run.items.values()].map(({ id, status, attempts, reason }) => [id, status, attempts, reason])).toEqual([
    ["A", "pending", 0, "moved to state `two` by `exit`"],
    ["B", "pending", 0, "moved to state `two` by `exit`"],
  ]);
  expect(run.state.held).toEqual({});
  expect(replay(run.events)).toEqual(run.state);
});

test("a machine that is moved by an exit of its own leaves the exit as done and what is between as skipped", () => {
  const machine: Block = {
    kind: "machine",
    id: "m",
    initial: "one",
    states: { one: { body: "steps", outcomes: [{ to: null }] }, two: { body: "b", outcomes: [{ to: null }] } },
  };
  const run = runOf([machine, seq("steps", "exit", "a"), leave("to", { state: "two" }), agentStep("a"), agentStep("b")]);
  expect(run.open()).toEqual(["b"]);
  expect(left(run)).toEqual(["exit done", "steps skipped"]);
});

const loop: Block = { kind: "repeat", id: "loop", max: 2, onLimit: "warn", body: "steps" };

test.each<["break" | "continue", string[]]>([
  ["break", ["exit done", "steps skipped", "loop done"]],
  ["continue", ["exit done", "steps skipped", "exit done", "steps skipped", "loop done"]],
])("a %s leaves the exit as done, what is around it as skipped, and the loop as it says", (how, expected) => {
  const run = runOf([loop, seq("steps", "exit", "a"), leave(how), agentStep("a")]);
  expect(run.state.status).toBe("completed");
  expect(left(run)).toEqual(expected);
});

test("a break in a loop inside of a task leaves that loop alone", () => {
  const blocks = [taskWork({ body: "both", parallel: 3 }), seq("both", "loop", "a"), loop, seq("steps", "exit", "b"), leave("break")];
  const run = runOf([...blocks, agentStep("a"), agentStep("b")]);
  expect(run.open()).toEqual(["a", "a", "a"]);
});

test("a break out of a loop over items completes the item in hand and skips the others", () => {
  const run = runOf([taskWork({ mode: "each", body: "steps" }), seq("steps", "exit", "a"), leave("break"), agentStep("a")]);
  expect(run.state.status).toBe("completed");
  expect(statuses(run)).toEqual(["A completed", "B skipped", "C skipped"]);
});

test("a skip in a loop over items leaves the exit as done and settles the item that is in hand", () => {
  const run = runOf([taskWork({ mode: "each", body: "steps" }), seq("steps", "exit", "a"), leave("skip"), agentStep("a")]);
  expect(statuses(run)).toEqual(["A skipped", "B skipped", "C skipped"]);
  expect(left(run).slice(0, 2)).toEqual(["exit done", "steps skipped"]);
});

test("a skip in a task, in the error steps of a work with strands of its own, skips the item of the task", () => {
  const inner = taskWork({ id: "a", body: "b", rescue: { then: "body", body: "exit", after: "continue" } });
  const run = runOf([taskWork({ parallel: 1 }), inner, agentStep("b"), leave("skip")]);
  const { id = "", strand = "" } = Object.values(run.state.actions)[0] ?? {};
  run.input({ type: "claim", strand, holder });
  const outcome = { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: id, holder, fence: 1, outcome, write: true });
  const outer = [...run.items.values()].filter(({ list }) => list.startsWith("w#"));
  expect(outer.map(({ id: name, status }) => `${name} ${status}`)).toEqual(["A skipped", "B in_progress", "C pending"]);
  expect(left(run).slice(-4)).toContain("exit done");
});

test("a skip in a task leaves the exit as done", () => {
  const run = runOf([taskWork({ body: "steps" }), seq("steps", "exit", "a"), leave("skip"), agentStep("a")]);
  expect(run.state.status).toBe("completed");
  expect(left(run).slice(0, 2)).toEqual(["exit done", "steps skipped"]);
});

test("a call gives the scope back when its part is done, and once", () => {
  const one = program([{ kind: "call", id: "call", part: "other", inputs: {}, as: "call" }, agentStep("a")], "call");
  const run = new MemoryRun({ ...one, parts: { ...one.parts, other: part("a") } }, () => ({}));
  run.start();
  report(run);
  expect(run.events.filter(({ type }) => type === "left").at(-1)).toEqual({ type: "left", strand: "main", block: "call", how: "done" });
  expect(run.state.strands["main"]?.scope).toBe("run");
});

test("a call that is left while its part is at work gives the scope back then", () => {
  const one = program([{ kind: "call", id: "call", part: "other", inputs: {}, as: "call" }, agentStep("a")], "call");
  const run = new MemoryRun({ ...one, parts: { ...one.parts, other: part("a") } }, () => ({}));
  run.start();
  cancel(run);
  expect(run.events.filter(({ type }) => type === "left").at(-1)).toMatchObject({ block: "call", how: "skipped", scope: "run" });
});

test("a work that handed nothing out has no handout to close", () => {
  const run = runOf([taskWork({ parallel: 3 }), agentStep("a")]);
  for (let item = 0; item < 3; item += 1) report(run);
  expect(run.state.status).toBe("completed");
  expect(run.events.filter((event) => event.type === "moved" && "action" in event.patch)).toEqual([]);
});
