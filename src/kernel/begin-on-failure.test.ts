import { expect, test } from "vitest";
import { agentStep, program, taskWork, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, DoBlock } from "../program/index.ts";

// The run's own error steps, when a work that nobody waits for fails the run.

const onFailure = { checkpoint: true, body: "clean", then: "fail" as const, maxRuns: 1 };
const blocks = (...more: Block[]): Block[] => [taskWork({ join: "later" }), agentStep("a"), agentStep("clean"), ...more];

function runOf(main: readonly string[], x: Partial<DoBlock> = {}, ...more: Block[]): MemoryRun {
  const root: Block = { kind: "seq", id: "root", blocks: main };
  const run = new MemoryRun(program([root, ...blocks(agentStep("x", x), ...more)], "root", { onFailure }), ({ exprs }) =>
    "items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {},
  );
  run.start();
  return run;
}

function act(run: MemoryRun, step: string, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.step === step);
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: `no ${step}` };
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

test("they are done in the main strand, with the error, before the run fails; a retry continues everything", () => {
  const run = runOf(["w", "x"]);
  act(run, "a", false);
  expect([run.state.status, run.open()]).toEqual(["running", ["clean"]]);
  expect(run.state.mark).toMatchObject({ reason: expect.stringContaining("no a") as string });
  expect(run.state.strands["main"]?.frames.findLast(({ kind }) => kind === "rescue")?.locals).toMatchObject({
    error: { code: "STEP_FAILED" },
  });
  act(run, "clean");
  expect(run.state).toMatchObject({ status: "failed", error: { code: "STEP_FAILED", message: expect.stringContaining("no a") as string } });
  run.input({ type: "retry", resetCounts: false });
  expect(run.open().toSorted()).toEqual(["a", "a", "x"]);
  for (const step of ["a", "a", "x"]) act(run, step);
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
});

test("they are done also when the main strand has nothing left to do", () => {
  const run = runOf(["w"]);
  act(run, "a", false);
  expect(run.open()).toEqual(["clean"]);
  act(run, "clean");
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["a", "a"]);
});

test("tasks that the main strand waits for stop, and continue after a retry", () => {
  const run = runOf(
    ["w", "own"],
    {},
    taskWork({ id: "own", body: "t" }),
    { kind: "seq", id: "t", blocks: ["one", "two"] },
    agentStep("one"),
    agentStep("two"),
  );
  act(run, "one");
  act(run, "a", false);
  expect(run.open()).toEqual(["clean"]);
  act(run, "clean");
  run.input({ type: "retry", resetCounts: false });
  expect(run.open().toSorted()).toEqual(["a", "a", "one", "two"]);
});

test("a work that fails while they are being done does not cut them short, and the first failure stays", () => {
  const run = runOf(["w", "x"]);
  act(run, "x", false);
  expect(run.open().toSorted()).toEqual(["a", "a", "clean"]);
  act(run, "a", false);
  expect([run.state.status, run.open()]).toEqual(["running", ["clean"]]);
  act(run, "clean");
  expect(run.state).toMatchObject({ status: "failed", error: { message: "no x" } });
});

test("a failure in them fails the run with the first error", () => {
  const run = runOf(["w", "x"]);
  act(run, "a", false);
  act(run, "clean", false);
  expect(run.state).toMatchObject({ status: "failed", error: { message: expect.stringContaining("no a") as string } });
});

test("a step in hand that must not be repeated says so when they are over", () => {
  const run = runOf(["w", "x"], { whenLost: "fail" });
  act(run, "a", false);
  act(run, "clean");
  expect(run.state).toMatchObject({ status: "failed", error: { lost: true } });
});

test("a result that main has but has not written yet is written after a retry, not asked for again", () => {
  const writes = [{ path: value("p"), op: "append" as const }];
  const list: Block[] = [{ kind: "seq", id: "root", blocks: ["w", "x"] }, ...blocks(agentStep("x", { writes }), agentStep("side"))];
  const entries = { side: { root: "side", by: "anyone" as const, main: "waits" as const } };
  const run = new MemoryRun(program(list, "root", { onFailure, entries }), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key) => [key, key === "items" ? [{ id: "A" }] : ["raw", "out"]])),
  );
  run.start();
  run.input({ type: "entry", name: "side", args: {} });
  act(run, "x");
  act(run, "a", false);
  act(run, "side");
  act(run, "clean");
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["a"]);
  expect(run.state.scopes["run"]?.raw).toEqual({ out: [null] });
});

test.each([
  ["what failed and main's step are tried again, not they themselves", ["a", "a", "x"]],
  ["main's step may end first", ["x", "a", "a"]],
])("after a failure in them a retry leaves them: %s", (_title, order) => {
  const run = runOf(["w", "x"]);
  act(run, "a", false);
  act(run, "clean", false);
  run.input({ type: "retry", resetCounts: false });
  expect(run.open().toSorted()).toEqual(["a", "a", "x"]);
  for (const step of order) act(run, step);
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
});

test("after an exit in them a retry leaves them", () => {
  const root: Block = { kind: "seq", id: "root", blocks: ["w", "x"] };
  const exit: Block = { kind: "leave", id: "clean", how: "fail" };
  const rest = blocks(agentStep("x")).filter(({ id }) => id !== "clean");
  const run = new MemoryRun(program([root, ...rest, exit], "root", { onFailure }), ({ exprs }) =>
    "items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {},
  );
  run.start();
  act(run, "a", false);
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  for (const step of ["a", "a", "x"]) act(run, step);
  expect(run.state.status).toBe("completed");
});

test("a retry after a failure in them keeps what the holder of main's step has stored for it", () => {
  const root: Block = { kind: "seq", id: "root", blocks: ["w", "x"] };
  const x = agentStep("x", { writes: [{ path: value("p"), op: "append" }] });
  const run = new MemoryRun(program([root, ...blocks(x)], "root", { onFailure }), ({ exprs }) =>
    Object.fromEntries(
      Object.keys(exprs).map((key) => [key, key === "items" ? [{ id: "A" }] : key.startsWith("path:") ? ["raw", "log"] : key]),
    ),
  );
  run.start();
  run.input({ type: "set", scope: "run", updates: [{ tier: "raw", keys: ["log"], op: "append", value: "one" }] });
  const stored = (): unknown => (run.state.strands["main"]?.frames.at(-1) as { readonly stored?: unknown } | undefined)?.stored;
  const before = stored();
  expect(before).toHaveLength(1);
  act(run, "a", false);
  act(run, "clean", false);
  run.input({ type: "retry", resetCounts: false });
  expect(run.open().toSorted()).toEqual(["a", "x"]);
  expect(stored()).toEqual(before);
});
