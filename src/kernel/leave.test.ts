import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Block, LeaveBlock } from "../program/index.ts";

function runOf(...blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), (need) => ({
    ...("items" in need.exprs ? { items: [{ id: "A" }, { id: "B" }] } : {}),
    ...("message" in need.exprs ? { message: need.exprs["message"]?.of ?? "" } : {}),
  }));
  run.start();
  return run;
}

function act(run: MemoryRun, at = 0): void {
  const action = Object.values(run.state.actions)[at];
  const strand = action?.strand ?? "";
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  run.report(action?.id ?? "");
}

const leave = (how: LeaveBlock["how"], more: Partial<LeaveBlock> = {}): Block => ({ kind: "leave", id: "out", how, ...more });
const body: Block = { kind: "seq", id: "body", blocks: ["a", "out", "never"] };
const loop = (mode: "each" | "strands"): Block => ({ kind: "work", id: "w", fill: value("x"), mode, join: "all", body: "body" });
const rows = (run: MemoryRun): unknown => [...run.items.values()].map(({ id, status, reason }) => [id, status, reason]);

test.each(["each", "strands"] as const)("a skip settles the item with its reason, and the next one follows: %s", (mode) => {
  const run = runOf(loop(mode), body, agentStep("a"), leave("skip", { message: value("not wanted") }), agentStep("never"));
  act(run);
  act(run);
  expect(run.state.status).toBe("completed");
  expect(rows(run)).toEqual([
    ["A", "skipped", "not wanted"],
    ["B", "skipped", "not wanted"],
  ]);
});

test("a skip without a message names its place, and one outside of items fails", () => {
  const run = runOf(loop("each"), body, agentStep("a"), leave("skip"), agentStep("never"));
  act(run);
  expect(rows(run)).toEqual([
    ["A", "skipped", "left at `out`"],
    ["B", "in_progress", undefined],
  ]);
  expect(runOf(leave("skip")).state.error).toMatchObject({ code: "NO_LOOP" });
});

test("a break settles the item in hand as completed and skips the rest with the reason", () => {
  const run = runOf(
    { kind: "seq", id: "root", blocks: ["w", "after"] },
    loop("each"),
    body,
    agentStep("a"),
    leave("break"),
    agentStep("never"),
    agentStep("after"),
  );
  act(run);
  expect(run.open()).toEqual(["after"]);
  expect(run.state.lists["w"]).toMatchObject({ total: 2, by: { completed: 1, skipped: 1 } });
  const swept = run.events.find(({ type }) => type === "items_swept");
  expect(swept).toMatchObject({ reason: "left by break at `out`", count: 1 });
});

test("a continue ends the round and completes its item", () => {
  const run = runOf(loop("each"), body, agentStep("a"), leave("continue"), agentStep("never"));
  act(run);
  act(run);
  expect(run.state.status).toBe("completed");
  expect(run.state.lists["w"]).toMatchObject({ by: { completed: 2 } });
});

test.each(["break", "continue"] as const)("a %s outside of a loop fails", (how) => {
  expect(runOf(leave(how)).state.error).toEqual({ code: "NO_LOOP", message: `\`out\` is a ${how} outside of a loop.`, block: "out" });
});

const machine = (inside: string): Block => ({
  kind: "machine",
  id: "m",
  initial: "one",
  states: { one: { body: inside, outcomes: [{ to: null }] }, two: { body: "b", outcomes: [{ to: null }] } },
});

test("a way to a state leaves everything inside the machine, also from a task of it", () => {
  const run = runOf(machine("w"), loop("strands"), body, agentStep("a"), leave("to", { state: "two" }), agentStep("never"), agentStep("b"));
  act(run);
  expect(run.open()).toEqual(["b"]);
  expect(Object.keys(run.state.strands)).toEqual(["main"]);
  act(run);
  expect(run.state.status).toBe("completed");
});

test("a way to a state that no machine around has fails", () => {
  const run = runOf(machine("body"), body, agentStep("a"), leave("to", { state: "three" }), agentStep("never"), agentStep("b"));
  act(run);
  expect(run.state.error).toMatchObject({ code: "NO_STATE", block: "out" });
});

test("an exit as failed keeps its place and says why", () => {
  expect(runOf(leave("fail", { message: value("broken") })).state.error).toMatchObject({ code: "STEP_EXIT", message: "broken" });
  expect(runOf(leave("fail")).state.error?.message).toBe("The workflow was ended as failed by `out`.");
});
