import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, DoBlock, Part } from "../program/index.ts";

const entries: Part["entries"] = {
  side: { root: "b", by: "anyone", main: "goes_on" },
  tasks: { root: "v", by: "anyone", main: "goes_on" },
};
const question: DoBlock = { kind: "do", id: "q", who: "person", what: "user_input", args: {}, writes: [], ask: { answerBy: "relay" } };

/** A work that nobody waits for, and after it the step `a`; commands start the step `b`, or tasks with a question each. */
function runOf(root: string, more: Block[] = []): MemoryRun {
  const blocks: Block[] = [
    { kind: "seq", id: "root", blocks: ["w", "a"] },
    { kind: "work", id: "w", fill: value("x"), mode: "strands", join: "later", body: "task" },
    agentStep("task", { timeoutMs: 900 }),
    agentStep("a", { timeoutMs: 500 }),
    agentStep("b"),
    { kind: "work", id: "v", fill: value("x"), mode: "strands", join: "all", body: "q" },
    question,
    ...more,
  ];
  const run = new MemoryRun(program(blocks, root, { entries }), ({ exprs }) =>
    "items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {},
  );
  run.start();
  return run;
}

const statuses = (run: MemoryRun): unknown => Object.values(run.state.strands).map(({ id, status }) => [id, status]);

test("a run that is cancelled has nothing open any more, and items in hand are skipped with the reason", () => {
  const run = runOf("root");
  run.input({ type: "entry", name: "side", args: {} });
  run.input({ type: "entry", name: "tasks", args: {} });
  expect(run.open()).toEqual(["a", "task", "task", "b"]);
  expect(Object.keys(run.state.decisions)).toHaveLength(2);
  expect(Object.keys(run.state.timers)).toHaveLength(3);
  run.input({ type: "end", status: "cancelled", reason: "not needed" });
  expect(run.state).toMatchObject({ status: "cancelled", actions: {}, timers: {}, decisions: {}, endedAt: run.clock });
  expect(statuses(run)).toEqual([["main", "cancelled"]]);
  expect(run.state.strands["main"]?.frames).toEqual([]);
  expect([...run.items.values()].map(({ status, reason }) => [status, reason])).toEqual(Array(4).fill(["skipped", "not needed"]));
  expect(replay(run.events)).toEqual(run.state);
});

test("a run that fails keeps the places of main and its works; what commands started ends with it", () => {
  const run = runOf("root");
  run.input({ type: "entry", name: "side", args: {} });
  run.input({ type: "entry", name: "tasks", args: {} });
  const work = Object.values(run.state.strands).find(({ parent, item }) => parent === "main" && item === undefined)?.id ?? "";
  run.input({ type: "end", status: "failed", reason: "given up" });
  expect(run.state).toMatchObject({ status: "failed", actions: {}, timers: {}, decisions: {} });
  expect(statuses(run)).toEqual([
    ["main", "failed"],
    [work, "blocked"],
  ]);
  expect(run.state.strands["main"]?.frames.map(({ block }) => block)).toEqual(["root", "a"]);
  expect(run.state.strands[work]).toMatchObject({ blocked: { code: "STOPPED", reason: "stopped: given up" } });
  expect([...run.items.values()].map(({ list, status, reason }) => [list.slice(0, 1), status, reason])).toEqual([
    ["w", "pending", "stopped: given up"],
    ["w", "pending", "stopped: given up"],
    ["v", "skipped", "given up"],
    ["v", "skipped", "given up"],
  ]);
});

test("a gate that was answered stays so when the run ends, and an open one is cancelled with the reason", () => {
  const gate = (id: string): Block => ({ ...question, id, ask: { answerBy: "relay", decision: id } });
  const run = runOf("gates", [{ kind: "seq", id: "gates", blocks: ["g", "h"] }, gate("g"), gate("h")]);
  run.answer("g", "yes");
  run.input({ type: "entry", name: "side", args: {} });
  const before = run.events.length;
  run.input({ type: "end", status: "failed", reason: "given up" });
  expect(run.state.decisions).toMatchObject({ g: { status: "answered", answer: "yes" }, h: { status: "cancelled" } });
  expect(run.events.slice(before).filter(({ type }) => type === "decision_closed")).toMatchObject([{ decision: "h", status: "cancelled" }]);
});

test("an exit that completes the run leaves everything around it, and ends what runs beside it", () => {
  const finish: Block = { kind: "leave", id: "out", how: "finish" };
  const run = runOf("early", [
    { kind: "seq", id: "early", blocks: ["w", "a", "part"] },
    { kind: "seq", id: "part", blocks: ["out", "b"] },
    finish,
  ]);
  run.input({ type: "entry", name: "side", args: {} });
  run.report(Object.values(run.state.actions).find(({ step }) => step === "a")?.id ?? "");
  expect(run.state).toMatchObject({ status: "completed", actions: {}, timers: {} });
  expect(run.state).not.toHaveProperty("error");
  expect(statuses(run)).toEqual([["main", "done"]]);
  expect(run.state.strands["main"]?.frames).toEqual([]);
  expect([...run.items.values()].map(({ status, reason }) => [status, reason])).toEqual(Array(2).fill(["skipped", "ended by `out`"]));
});

test("a main strand that waits for its own tasks is not woken by the end of what a command started", () => {
  const run = runOf("u", [{ kind: "work", id: "u", fill: value("x"), mode: "strands", join: "all", body: "task" }]);
  run.input({ type: "entry", name: "side", args: {} });
  const side = Object.values(run.state.actions).find(({ step }) => step === "b");
  run.input({ type: "claim", strand: side?.strand ?? "", holder });
  const before = run.events.length;
  run.report(side?.id ?? "");
  expect(run.state.strands["main"]).toMatchObject({ status: "waiting", waits: { on: "strands" } });
  expect(run.events.slice(before).filter((event) => "strand" in event && event.strand === "main")).toEqual([]);
});

test("a main strand with a step in hand is not woken by the end of what a command started", () => {
  const run = runOf("a");
  run.input({ type: "entry", name: "side", args: {} });
  const side = Object.values(run.state.actions).find(({ step }) => step === "b");
  run.input({ type: "claim", strand: side?.strand ?? "", holder });
  const before = run.events.length;
  run.report(side?.id ?? "");
  expect(run.events.slice(before).filter((event) => "strand" in event && event.strand === "main")).toEqual([]);
  expect(run.open()).toEqual(["a"]);
});

test("a main strand that begins again from its first step leaves the tasks of a command alone", () => {
  const run = runOf("c", [agentStep("c", { rescue: { then: "block" } })]);
  run.input({ type: "entry", name: "tasks", args: {} });
  const beside = Object.keys(run.state.strands).filter((id) => id !== "main");
  expect(beside).toHaveLength(3);
  const outcome = { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: Object.keys(run.state.actions)[0] ?? "", holder, fence: 1, outcome, write: true });
  expect(run.state.strands["main"]?.status).toBe("blocked");
  run.input({ type: "retry", strand: "main", resetCounts: false, fromStart: true });
  expect(run.open()).toEqual(["c"]);
  expect(Object.keys(run.state.strands).filter((id) => id !== "main")).toEqual(beside);
  expect(Object.values(run.state.decisions).map(({ status }) => status)).toEqual(["pending", "pending"]);
});

test("a run that fails ends also what a command left to work by itself", () => {
  const blocks: Block[] = [
    agentStep("a"),
    { kind: "seq", id: "side", blocks: ["w", "b"] },
    { kind: "work", id: "w", fill: value("x"), mode: "strands", join: "later", body: "task" },
    agentStep("task"),
    agentStep("b"),
  ];
  const own = { entries: { side: { root: "side", by: "anyone" as const, main: "goes_on" as const } } };
  const run = new MemoryRun(program(blocks, "a", own), ({ exprs }) => ("items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {}));
  run.start();
  run.input({ type: "entry", name: "side", args: {} });
  expect(run.open().sort()).toEqual(["a", "b", "task", "task"]);
  run.input({ type: "end", status: "failed", reason: "given up" });
  expect(run.open()).toEqual([]);
  expect(Object.keys(run.state.strands)).toEqual(["main"]);
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["a"]);
  expect(replay(run.events)).toEqual(run.state);
});
