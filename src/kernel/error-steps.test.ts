import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, Expr, Part, Rescue } from "../program/index.ts";

const asked: string[][] = [];

/** Every expression gives what it says; what is called `broken` cannot be evaluated. */
function runOf(blocks: Block[], more: Partial<Part> = {}): MemoryRun {
  asked.length = 0;
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), ({ exprs }) => {
    asked.push(Object.keys(exprs));
    if (Object.values(exprs).some(({ of }) => of === "broken")) return new Error("it is broken");
    return Object.fromEntries(Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, of]));
  });
  run.start();
  return run;
}

/** Reports the only open step. */
function act(run: MemoryRun, ok = true): void {
  const [action] = Object.values(run.state.actions);
  const { holder: held } = run.state.strands[action?.strand ?? ""] ?? {};
  if (held === undefined) run.input({ type: "claim", strand: action?.strand ?? "", holder });
  const outcome = ok ? { ok: true as const, value: "done" } : { ok: false as const, code: "STEP_FAILED", message: `no ${action?.step}` };
  const { fence = 0 } = run.state.strands[action?.strand ?? ""] ?? {};
  run.input({ type: "report", action: action?.id ?? "", holder, fence, outcome, write: true });
}

/** Step `a`, which fails and is rescued like this, and `b` after it. */
function failed(rescue: Rescue): MemoryRun {
  const run = runOf([{ kind: "seq", id: "root", blocks: ["a", "b"] }, agentStep("a", { rescue }), agentStep("b"), agentStep("clean")]);
  act(run, false);
  return run;
}

const path = (of: Json): Expr => value(of);
const warnings = (run: MemoryRun): unknown => run.events.filter(({ type }) => type === "warned");

test("error writes that cannot be evaluated are warned about, and what follows the failure is done all the same", () => {
  const run = failed({
    then: "body",
    body: "clean",
    after: "continue",
    writes: [{ path: path(["raw", "x"]), op: "set", value: value("broken") }],
  });
  expect(warnings(run)).toEqual([{ type: "warned", code: "EXPRESSION_FAILED", message: "it is broken", strand: "main", block: "a" }]);
  expect(run.open()).toEqual(["clean"]);
  act(run);
  expect(run.open()).toEqual(["b"]);
});

test("an error write to where nothing may be written is warned about, and those beside it are done", () => {
  const run = failed({
    then: "continue",
    writes: [
      { path: path(["computed", "x"]), op: "set", value: value(1) },
      { path: path("raw.deep.y"), op: "set", value: value(2) },
      { path: path(["raw", "z"]), op: "set" },
    ],
  });
  expect(warnings(run)).toMatchObject([{ code: "STATE_WRITE", strand: "main" }]);
  expect(run.state.scopes["run"]?.raw).toEqual({ deep: { y: 2 }, z: true });
  expect(run.open()).toEqual(["b"]);
});

test("an error write that the field refuses is warned about", () => {
  const run = failed({
    then: "continue",
    writes: [
      { path: path(["raw", "x"]), op: "set", value: value("text") },
      { path: path(["raw", "x", "y"]), op: "set", value: value(1) },
    ],
  });
  expect(warnings(run)).toMatchObject([{ code: "STATE_WRITE", strand: "main" }]);
  expect(run.state.scopes["run"]?.raw).toEqual({ x: "text" });
});

test("a rescue without writes asks for nothing", () => {
  for (const writes of [{}, { writes: [] }]) {
    const run = failed({ then: "continue", ...writes });
    expect(run.open()).toEqual(["b"]);
    expect(asked.filter((keys) => keys.some((key) => key.startsWith("path:")))).toEqual([]);
    expect(asked).not.toContainEqual([]);
  }
});

test("error steps that do not say what follows hand the failure on", () => {
  const run = failed({ then: "body", body: "clean" });
  act(run);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "STEP_FAILED", message: "no a", block: "a" } });
  expect(run.state.strands["main"]?.frames.map(({ kind, block }) => [kind, block])).toEqual([
    ["seq", "root"],
    ["do", "a"],
  ]);
});

test("a rescue by error steps that has none hands the failure on", () => {
  expect(failed({ then: "body", after: "fail" }).state.status).toBe("failed");
  expect(failed({ then: "body", after: "continue" }).open()).toEqual(["b"]);
});

test("error steps that fail themselves hand on the failure that they were for", () => {
  const blocks: Block[] = [
    { kind: "seq", id: "root", blocks: ["a"], rescue: { then: "body", body: "outer", after: "fail" } },
    agentStep("a", { rescue: { then: "body", body: "clean", after: "continue" } }),
    agentStep("clean"),
    agentStep("outer"),
  ];
  const run = runOf(blocks);
  act(run, false);
  act(run, false);
  expect(run.open()).toEqual(["outer"]);
  act(run);
  expect(run.state.error).toMatchObject({ message: "no a", block: "a" });
});

test("a stand-in that says nothing is null, and a block with no result is left without one", () => {
  const writes = [{ path: path(["raw", "out"]), op: "set" as const }];
  const step = runOf([agentStep("a", { writes, rescue: { then: "value" } })]);
  act(step, false);
  expect(step.state.status).toBe("completed");
  expect(step.state.scopes["run"]?.raw).toEqual({ out: null });
  const patch = { phase: "writes", ref: null, result: null, rescued: true };
  expect(step.events).toContainEqual({ type: "moved", strand: "main", patch });
  const block = runOf([
    { kind: "seq", id: "root", blocks: ["part", "b"] },
    { kind: "seq", id: "part", blocks: ["a", "never"], rescue: { then: "value", value: 1 } },
    agentStep("a"),
    agentStep("never"),
    agentStep("b"),
  ]);
  act(block, false);
  expect(block.open()).toEqual(["b"]);
  expect(block.state.strands["main"]?.frames).toHaveLength(2);
});

const onFailure = { body: "tell", then: "fail" as const, checkpoint: false, maxRuns: 0 };

test("steps for a failed run that fail themselves are not run again, and the run fails with what failed first", () => {
  const run = runOf([agentStep("a"), agentStep("tell")], { onFailure });
  act(run, false);
  expect(run.open()).toEqual(["tell"]);
  expect(run.state).not.toHaveProperty("mark");
  act(run, false);
  expect(run.state).toMatchObject({ status: "failed", actions: {}, error: { message: "no a", block: "a" } });
});

test("steps for a failed run are run also when the error steps of its first block failed", () => {
  const run = runOf([agentStep("a", { rescue: { then: "body", body: "clean" } }), agentStep("clean"), agentStep("tell")], { onFailure });
  act(run, false);
  expect(run.open()).toEqual(["clean"]);
  act(run, false);
  expect(run.open()).toEqual(["tell"]);
  act(run);
  expect(run.state).toMatchObject({ status: "failed", error: { message: "no a" } });
});

test("a failed run without steps for it is marked when it is to be", () => {
  const run = runOf([agentStep("a")], { onFailure: { then: "fail", checkpoint: true, maxRuns: 0 } });
  act(run, false);
  expect(run.state).toMatchObject({ status: "failed", mark: { step: "a", reason: "failed: no a", at: run.clock } });
});

test("the mark of a failure that names no block has no step", () => {
  const run = runOf([{ kind: "leave", id: "out", how: "skip" }], { onFailure: { then: "fail", checkpoint: true, maxRuns: 0 } });
  expect(run.state.mark).toMatchObject({ step: "", reason: "failed: There is no item to skip here." });
});

test("what a command started fails alone, without the steps for a failed run", () => {
  const entries = { side: { root: "part", by: "anyone" as const, main: "goes_on" as const } };
  const blocks: Block[] = [
    agentStep("a"),
    { kind: "seq", id: "part", blocks: ["b", "c"] },
    agentStep("b"),
    agentStep("c"),
    agentStep("tell"),
  ];
  const run = runOf(blocks, { entries, onFailure: { ...onFailure, checkpoint: true } });
  act(run);
  expect(run.state.status).toBe("completed");
  const beside = runOf(blocks, { entries, onFailure: { ...onFailure, checkpoint: true } });
  beside.input({ type: "entry", name: "side", args: {} });
  const side = Object.values(beside.state.actions).find(({ step }) => step === "b");
  act(beside);
  expect(beside.state.strands["main"]).toMatchObject({ status: "waiting", waits: { on: "strands" } });
  expect(beside.open()).toEqual(["b"]);
  act(beside, false);
  expect(beside.events).toContainEqual({
    type: "strand_ended",
    strand: side?.strand,
    status: "failed",
    error: { code: "STEP_FAILED", message: "no b", block: "b" },
  });
  expect(beside.state).toMatchObject({ status: "completed", actions: {} });
  expect(beside.state).not.toHaveProperty("mark");
  expect(Object.keys(beside.state.strands)).toEqual(["main"]);
  expect(replay(beside.events)).toEqual(beside.state);
});
