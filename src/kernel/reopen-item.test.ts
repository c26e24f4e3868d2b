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
