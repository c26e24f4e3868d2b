import { expect, test } from "vitest";
import { agentStep, program } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, DoBlock } from "../program/index.ts";
import { isPositionStale } from "./read-state.ts";
import type { Action } from "./run-state.ts";

function runOf(...blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), () => ({}));
  run.start();
  return run;
}

/** The holder of the main strand is lost, and somebody else takes it. */
function change(run: MemoryRun, session: string): Action | undefined {
  run.input({ type: "release", strand: "main", fence: run.state.strands["main"]?.fence ?? 0, why: "lost" });
  run.input({ type: "claim", strand: "main", holder: { ...holder, session } });
  return Object.values(run.state.actions)[0];
}

test("a step that is taken over is a new action with a higher count, and the strand waits for that one", () => {
  const run = runOf({ kind: "seq", id: "root", blocks: ["a", "b"] }, agentStep("a"), agentStep("b"));
  const [first] = Object.values(run.state.actions);
  run.clock += 100;
  const second = change(run, "s2");
  expect(second).toEqual({ ...first, id: second?.id, openedAt: run.clock, taken: 1 });
  expect(second?.id).not.toBe(first?.id);
  expect(run.state.strands["main"]).toMatchObject({ fence: 2, waits: { on: "action", id: second?.id }, frames: [{}, { ref: second?.id }] });
  const third = change(run, "s3");
  expect(Object.keys(run.state.actions)).toEqual([third?.id]);
  expect(third).toMatchObject({ step: "a", taken: 2 });
  expect(run.report(third?.id ?? "", null, { ...holder, session: "s3" })).toBeUndefined();
  expect(run.open()).toEqual(["b"]);
  expect(replay(run.events)).toEqual(run.state);
});

test("a step that was taken over is given up when its time runs out", () => {
  const run = runOf(
    { kind: "seq", id: "root", blocks: ["a", "b"] },
    agentStep("a", { timeoutMs: 500, rescue: { then: "continue" } }),
    agentStep("b"),
  );
  change(run, "s2");
  const [timer] = Object.values(run.state.timers);
  run.clock = timer?.due ?? 0;
  run.input({ type: "woke", timer: timer?.id ?? "" });
  expect(run.open()).toEqual(["b"]);
});

test("a new holder has been shown what is open", () => {
  const ask = { answerBy: "relay" as const, pattern: "x", attempts: 1 };
  const question: DoBlock = {
    kind: "do",
    id: "q",
    who: "person",
    what: "user_input",
    args: {},
    writes: [],
    ask,
    rescue: { then: "continue" },
  };
  const run = runOf({ kind: "seq", id: "root", blocks: ["q", "b"] }, question, agentStep("b"));
  run.answer(Object.keys(run.state.decisions)[0] ?? "", "y", { valid: false });
  expect(isPositionStale(run.state, "main")).toBe(true);
  change(run, "s2");
  expect(isPositionStale(run.state, "main")).toBe(false);
});

test("attempts that nobody has used are not restored", () => {
  const ask = { answerBy: "relay" as const, pattern: "x", attempts: 2 };
  const run = runOf({ kind: "do", id: "q", who: "person", what: "user_input", args: {}, writes: [], ask });
  change(run, "s2");
  expect(run.events.filter(({ type }) => type === "attempts_restored")).toEqual([]);
});

test("a strand that has ended cannot be taken, and one that nobody holds cannot be given back", () => {
  const run = runOf(agentStep("a"));
  expect(run.input({ type: "claim", strand: "s9", holder })).toMatchObject({ code: "STRAND_ENDED" });
  expect(run.input({ type: "release", strand: "s9", fence: 1, why: "given_back" })).toMatchObject({ code: "STRAND_NOT_HELD" });
  expect(run.input({ type: "release", strand: "main", fence: 2, why: "given_back" })).toMatchObject({ code: "STRAND_NOT_HELD" });
  expect(run.input({ type: "release", strand: "main", fence: 1, why: "given_back" })).toBeUndefined();
  expect(run.state.strands["main"]).not.toHaveProperty("holder");
  expect(run.input({ type: "release", strand: "main", fence: 1, why: "given_back" })).toMatchObject({ code: "STRAND_NOT_HELD" });
});

test("who takes a step over is told what was said while it was open, once", () => {
  const run = runOf({ kind: "seq", id: "root", blocks: ["a", "b"] }, agentStep("a"), agentStep("b"));
  run.input({ type: "note", text: "for all" });
  run.input({ type: "note", text: "for b", target: "b" });
  expect(change(run, "s2")?.notes).toEqual(["for all"]);
  run.input({ type: "note", text: "more" });
  const third = change(run, "s3");
  expect(third?.notes).toEqual(["for all", "more"]);
  run.report(third?.id ?? "", null, { ...holder, session: "s3" });
  expect(Object.values(run.state.actions)[0]).toMatchObject({ step: "b", notes: ["for b"] });
  expect(run.state.notes).toEqual([]);
  expect(replay(run.events)).toEqual(run.state);
});
