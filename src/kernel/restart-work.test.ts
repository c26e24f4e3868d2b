import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Block, Part, WorkBlock } from "../program/index.ts";

const again = (times: number, delayMs = 0, factor = 1) => ({ retry: { times, delayMs, factor, capMs: 100_000 }, then: "fail" as const });
const work = (more: Partial<WorkBlock> = {}): WorkBlock => ({
  kind: "work",
  id: "w",
  fill: value([]),
  mode: "strands",
  parallel: 5,
  join: "all",
  body: "a",
  rescue: again(1),
  ...more,
});

function runOf(blocks: Block[], more: Partial<Part> = {}, serial = false): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), () => ({ items: [{ id: "A" }, { id: "B" }] }));
  run.start({ serial });
  return run;
}

function fail(run: MemoryRun): void {
  const { id = "", strand = "" } = Object.values(run.state.actions)[0] ?? {};
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  const outcome = { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: id, holder, fence: run.state.strands[strand]?.fence ?? 0, outcome, write: true });
}

const timers = (run: MemoryRun, why: string): string[] =>
  Object.values(run.state.timers).flatMap((timer) => (timer.why === why ? [timer.id] : []));

test("a work that is tried again is tracked as retried", () => {
  const run = runOf([work(), agentStep("a")], { tracking: { retries: "raw.retries" } });
  fail(run);
  expect(run.state.scopes["run"]?.raw).toEqual({ retries: { w: 1 } });
});

test("the item in hand of a work whose tasks are done one by one is tried again with the work", () => {
  const run = runOf([work(), agentStep("a")], {}, true);
  fail(run);
  expect(run.open()).toEqual(["a"]);
  expect([...run.items.values()].map(({ id, status }) => `${id} ${status}`)).toEqual(["A in_progress", "B pending"]);
  expect(run.events.filter(({ type }) => type === "item_moved")).toMatchObject([
    { move: { id: "A", to: "in_progress" } },
    { move: { id: "A", to: "pending", reason: "tried again" } },
    { move: { id: "A", to: "in_progress" } },
  ]);
});

test("a work that is tried again has its own time again, and the limits around it and beside it run on", () => {
  const around: Block = { kind: "seq", id: "root", blocks: ["w"], timeoutMs: 9_000 };
  const entries = { side: { root: "other", by: "anyone" as const, main: "goes_on" as const } };
  const other: Block = { kind: "seq", id: "other", blocks: ["b"], timeoutMs: 7_000 };
  const beside = agentStep("b", { timeoutMs: 8_000 });
  const run = runOf([around, work({ timeoutMs: 1_000 }), agentStep("a"), other, beside], { entries });
  run.input({ type: "entry", name: "side", args: {} });
  const before = Object.fromEntries(Object.values(run.state.timers).map(({ id, due }) => [id, due]));
  expect(Object.keys(before)).toHaveLength(4);
  fail(run);
  const after = Object.values(run.state.timers);
  expect(after).toHaveLength(4);
  const renewed = after.filter(({ id }) => before[id] === undefined);
  expect(renewed).toMatchObject([{ strand: "main", depth: 1, due: run.clock + 1_000 }]);
});

test("a delay that was overtaken by the next one wakes nobody", () => {
  const around: Block = { kind: "seq", id: "root", blocks: ["w"], timeoutMs: 50, rescue: again(1, 100) };
  const run = runOf([around, work({ rescue: again(2, 100, 100) }), agentStep("a")]);
  fail(run);
  const [first = ""] = timers(run, "retry");
  run.clock += 60;
  run.input({ type: "woke", timer: timers(run, "timeout")[0] ?? "" });
  const second = timers(run, "retry").find((id) => id !== first);
  expect(run.state.strands["main"]?.waits).toEqual({ on: "timer", id: second });
  run.clock += 60;
  run.input({ type: "woke", timer: first });
  expect(run.state.strands["main"]?.waits).toEqual({ on: "timer", id: second });
  expect(run.open()).toEqual([]);
});
