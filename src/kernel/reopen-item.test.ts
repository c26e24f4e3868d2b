import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block } from "../program/index.ts";

const items = [{ id: "A" }, { id: "B", needs: ["A"] }, { id: "G", needs: ["A"] }, { id: "X" }];

/** `b` comes after `a`; beside it `g` opens `a` again once it is reported. `x` is for itself. */
function graph(more: { readonly budget?: { steps?: number } } = {}): MemoryRun {
  const blocks: Block[] = [
    {
      kind: "work",
      id: "w",
      fill: value("x"),
      mode: "strands",
      join: "all",
      body: "a",
      bodies: { B: "b", G: "g", X: "x" },
      dependsOn: "needs",
      onItemFailure: { retries: 0, then: "fail_at_end" },
    },
    agentStep("a"),
    { kind: "seq", id: "b", blocks: ["b1", "b2"] },
    agentStep("b1"),
    agentStep("b2"),
    { kind: "seq", id: "g", blocks: ["ask", "back"] },
    agentStep("ask"),
    { kind: "leave", id: "back", how: "reopen", items: ["A"] },
    { kind: "seq", id: "x", blocks: ["x1", "x2"] },
    agentStep("x1"),
    agentStep("x2"),
  ];
  const run = new MemoryRun(program(blocks, "w"), ({ exprs }) => ("items" in exprs ? { items } : {}));
  run.start(more);
  return run;
}

function open(run: MemoryRun, step: string): string {
  return Object.values(run.state.actions).find((action) => action.step === step)?.id ?? "";
}

function claim(run: MemoryRun, step: string): { readonly action: string; readonly strand: string; readonly fence: number } {
  const action = open(run, step);
  const strand = run.state.actions[action]?.strand ?? "";
  run.input({ type: "claim", strand, holder });
  return { action, strand, fence: run.state.strands[strand]?.fence ?? 0 };
}

function report(run: MemoryRun, step: string): void {
  const { action } = claim(run, step);
  expect(run.report(action)).toBeUndefined();
}

const pending = (run: MemoryRun): string[] =>
  Object.values(run.state.decisions).flatMap(({ status, question }) => (status === "pending" ? [question] : []));

test("what an agent asked in a node that is opened again is asked no more, and its answer counts for nothing", () => {
  const run = graph();
  report(run, "a");
  const { action, fence } = claim(run, "b1");
  run.input({ type: "ask", action, holder, fence, question: "Which?" });
  expect(pending(run)).toEqual(["Which?"]);
  const [asked = ""] = Object.keys(run.state.decisions);
  report(run, "ask");
  expect(run.open()).toEqual(["x1", "a"]);
  expect(pending(run)).toEqual([]);
  expect(run.answer(asked, "this one")).toMatchObject({ code: "DECISION_CLOSED" });
  report(run, "a");
  expect(run.open()).toEqual(["x1", "b1", "ask"]);
  expect(run.state.notes).toEqual([]);
  expect(replay(run.events)).toEqual(run.state);
});

test("a late report for a node that was opened again is refused, and the node has one strand", () => {
  const run = graph();
  report(run, "a");
  const late = claim(run, "b1");
  report(run, "ask");
  expect(run.report(late.action)).toMatchObject({ code: "ACTION_NOT_OPEN" });
  report(run, "a");
  expect(run.report(late.action)).toMatchObject({ code: "ACTION_NOT_OPEN" });
  expect(run.open()).toEqual(["x1", "b1", "ask"]);
});

test("the question about the budget outlives the node that came to it first", () => {
  const run = graph({ budget: { steps: 4 } });
  for (const step of ["a", "b1", "x1"]) report(run, step);
  expect(run.open()).toEqual(["ask"]);
  expect(pending(run)).toHaveLength(1);
  report(run, "ask");
  const [asked = ""] = Object.keys(run.state.decisions);
  expect(pending(run)).toHaveLength(1);
  expect(run.answer(asked, "double")).toBeUndefined();
  expect(run.open()).toEqual(["x2", "a"]);
  expect(replay(run.events)).toEqual(run.state);
});

const person = { kind: "person" as const, name: "p", session: "p", surface: "cli-terminal" };

/** `C` comes after `B`, which comes after `P` and `A`. After `P` comes `Q`, which may open it again. `F` fails once, so that the rest is retried. */
function twice(): MemoryRun {
  const rows = [
    { id: "P" },
    { id: "A" },
    { id: "Q", needs: ["P"] },
    { id: "B", needs: ["P", "A"] },
    { id: "C", needs: ["B"] },
    { id: "F" },
  ];
  const blocks: Block[] = [
    {
      kind: "work",
      id: "w",
      fill: value("x"),
      mode: "strands",
      join: "all",
      body: "none",
      bodies: { P: "p", A: "a", Q: "q", B: "b", C: "c", F: "f" },
      again: ["A", "Q", "B"],
      dependsOn: "needs",
      onItemFailure: { retries: 0, then: "fail_at_end" },
    },
    { kind: "seq", id: "none", blocks: [] },
    ...["p", "a", "b", "c", "f"].map((id) => agentStep(id)),
    { kind: "seq", id: "q", blocks: ["ask", "back"] },
    agentStep("ask"),
    { kind: "choose", id: "back", branches: [{ when: value("again"), then: "reopen" }] },
    { kind: "leave", id: "reopen", how: "reopen", items: ["P"] },
  ];
  let isAgain = false;
  const run = new MemoryRun(program(blocks, "w"), ({ exprs }) => ("items" in exprs ? { items: rows } : { "0": isAgain }));
  run.start();
  for (const step of ["p", "a", "ask", "b", "c"]) report(run, step);
  const { action, fence } = claim(run, "f");
  run.input({ type: "report", action, holder, fence, outcome: { ok: false, code: "STEP_FAILED", message: "no" }, write: true });
  expect(run.state.status).toBe("failed");
  isAgain = true;
  run.input({ type: "retry", resetCounts: false }, person);
  return run;
}

const statusesOf = (run: MemoryRun): Readonly<Record<string, string>> =>
  Object.fromEntries([...run.items.values()].map(({ id, status }) => [id, status]));

test("what is opened alone is done again in the order of its dependencies, and what is behind it stays done", () => {
  const run = twice();
  expect(run.open()).toEqual(["a", "ask", "f"]);
  expect(statusesOf(run)).toMatchObject({ P: "completed", B: "pending", C: "completed" });
  for (const step of ["a", "b"]) report(run, step);
  expect(statusesOf(run)).toMatchObject({ A: "completed", B: "completed", C: "completed" });
});

test("what is behind an item that was opened alone and still waits follows when that one is opened in the ordinary way", () => {
  const run = twice();
  report(run, "ask");
  expect(statusesOf(run)).toMatchObject({ P: "in_progress", Q: "pending", B: "pending", C: "pending" });
  for (const step of ["p", "a"]) report(run, step);
  expect(run.open()).toEqual(["f", "ask", "b"]);
  expect(replay(run.events)).toEqual(run.state);
});
