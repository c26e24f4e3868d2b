import { expect, test } from "vitest";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun } from "../../test/support/memory-run.ts";
import { textOf, type Json } from "../base/index.ts";
import type { Block } from "../program/index.ts";
import { apply } from "./apply.ts";

const person = { kind: "person" as const, name: "ada", session: "t", surface: "cli-terminal" };
const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });
const exit: Block = { kind: "leave", id: "exit", how: "fail" };
const choose = (id: string, then: string, otherwise?: string): Block => ({
  kind: "choose",
  id,
  branches: [{ when: condition(id), then }],
  ...(otherwise === undefined ? {} : { otherwise }),
});

/** Conditions hold while they are in `on`; paths are `raw.out`. */
function runOf(blocks: Block[], on = new Set<string>()): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), ({ exprs }) =>
    Object.fromEntries(
      Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, key.startsWith("path:") ? ["raw", "out"] : on.has(textOf(of))]),
    ),
  );
  run.start();
  return run;
}

const report = (run: MemoryRun, result: Json = null): unknown => run.report(Object.keys(run.state.actions)[0] ?? "", result);
const set = (run: MemoryRun, to: Json): unknown =>
  run.input({ type: "set", scope: "run", updates: [{ tier: "raw", keys: ["out"], op: "set", value: to }] }, person);
/** What a retry leaves, before the strand continues. */
function leftByRetry(run: MemoryRun): string[] {
  run.input({ type: "retry", resetCounts: false });
  const events = run.journal.findLast(({ input }) => input.type === "retry")?.events ?? [];
  return events.flatMap((event) => (event.type === "left" ? [event.block] : []));
}

test("a retried exit leaves the outermost choice around it and what is in that, and nothing else", () => {
  const run = runOf(
    [seq("root", "choose"), choose("choose", "inner"), seq("inner", "a", "exit"), agentStep("a"), exit],
    new Set(["choose"]),
  );
  report(run);
  expect(run.state.status).toBe("failed");
  expect(leftByRetry(run)).toEqual(["exit", "inner", "choose"]);
});

test("a retried exit without a choice around it is left in its place", () => {
  const run = runOf([seq("root", "a", "exit"), agentStep("a"), exit]);
  report(run);
  expect(leftByRetry(run)).toEqual([]);
  expect(run.state.status).toBe("failed");
});

test("a choice around the loop of a retried exit is not made again", () => {
  const loop: Block = { kind: "repeat", id: "loop", max: 2, onLimit: "warn", body: "round" };
  const blocks = [choose("outer", "loop"), loop, seq("round", "a", "inner"), agentStep("a"), choose("inner", "exit"), exit];
  const run = runOf(blocks, new Set(["outer", "inner"]));
  report(run);
  expect(leftByRetry(run)).toEqual(["exit", "inner"]);
});

test("a choice that is the first block of all is made again too", () => {
  const on = new Set(["choose"]);
  const run = runOf([choose("choose", "inner", "b"), seq("inner", "a", "exit"), agentStep("a"), exit, agentStep("b")], on);
  report(run);
  on.clear();
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["b"]);
});

test("what stands again after a choice was made as before has its time again", () => {
  const inner: Block = { kind: "seq", id: "inner", blocks: ["a", "x"], timeoutMs: 500 };
  const blocks = [choose("choose", "inner"), inner, agentStep("a"), choose("x", "exit", "b"), exit, agentStep("b")];
  const on = new Set(["choose", "x"]);
  const run = runOf(blocks, on);
  report(run);
  expect(run.state).toMatchObject({ status: "failed", timers: {} });
  on.delete("x");
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["b"]);
  expect(Object.values(run.state.timers)).toMatchObject([{ why: "timeout", depth: 1, due: run.clock + 500 }]);
});

test("a step that writes state and failed writes when it is retried", () => {
  const write = agentStep("s", { who: "engine", what: "set", writes: [{ path: value("p"), op: "append", value: value("v") }] });
  const run = runOf([seq("root", "a", "s"), agentStep("a"), write]);
  set(run, 5);
  report(run);
  expect(run.state.error).toMatchObject({ code: "STATE_WRITE", block: "s" });
  run.state = apply(run.state, { type: "wrote", scope: "run", updates: [{ tier: "raw", keys: ["out"], op: "set", value: [] }] });
  run.input({ type: "retry", resetCounts: false });
  expect(run.state).toMatchObject({ status: "completed", effects: {}, scopes: { run: { raw: { out: [false] } } } });
});

test("a step that is parked because its result could not be written is done again when it is retried", () => {
  const step = agentStep("a", { writes: [{ path: value("p"), op: "append" }], rescue: { then: "block" } });
  const run = runOf([step]);
  set(run, 5);
  report(run, "first");
  expect(run.state.strands["main"]?.blocked).toMatchObject({ code: "STATE_WRITE" });
  set(run, []);
  run.input({ type: "retry", resetCounts: false }, { ...holder, surface: "test" });
  expect(run.open()).toEqual(["a"]);
  report(run, "second");
  expect(run.state.scopes["run"]?.raw).toEqual({ out: ["second"] });
});
