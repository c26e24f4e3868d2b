import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, DoBlock, LostPolicy, Rescue, WorkBlock } from "../program/index.ts";

const again: Rescue = { retry: { times: 5, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" };
const command = (more: Partial<DoBlock> = {}): DoBlock => ({
  kind: "do",
  id: "c",
  who: "engine",
  what: "shell",
  args: {},
  writes: [],
  whenLost: "fail",
  ...more,
});

function runOf(...blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), (need) =>
    "items" in need.exprs ? { items: [{ id: "A" }, { id: "B" }] } : {},
  );
  run.start();
  return run;
}

const opened = (run: MemoryRun): number => run.events.filter(({ type }) => type === "effect_opened" || type === "action_opened").length;

function loseEffect(run: MemoryRun): void {
  run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome: { ok: "lost" } });
}

/** Whoever held the strand of the first action is gone, and somebody else takes it. */
function loseHolder(run: MemoryRun): void {
  const strand = Object.values(run.state.actions)[0]?.strand ?? "";
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  run.input({ type: "release", strand, fence: run.state.strands[strand]?.fence ?? 0, why: "lost" });
  run.input({ type: "claim", strand, holder: { ...holder, session: "s2" } });
}

function fail(run: MemoryRun, step: string): void {
  const action = Object.values(run.state.actions).find((open) => open.step === step);
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  const outcome = { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

const work = (more: Partial<WorkBlock>): WorkBlock => ({
  kind: "work",
  id: "w",
  fill: value([]),
  mode: "strands",
  parallel: 2,
  join: "all",
  body: "c",
  ...more,
});

test.each<[string, Block[]]>([
  ["itself", [command({ rescue: again })]],
  ["the block around it", [{ kind: "seq", id: "root", blocks: ["c"], rescue: again }, command()]],
  ["the items of its loop", [work({ mode: "each", onItemFailure: { retries: 5, then: "fail" } }), command()]],
  ["its task", [work({ parallel: 1, onItemFailure: { retries: 5, then: "fail" } }), command()]],
  ["the work around its task", [work({ parallel: 1, rescue: again }), command()]],
])("a command that was lost and must not be repeated is not, whatever %s says about retries", (_title, blocks) => {
  const run = runOf(...blocks);
  const before = opened(run);
  loseEffect(run);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "EFFECT_LOST", lost: true } });
  expect(opened(run)).toBe(before);
  run.input({ type: "retry", resetCounts: false });
  expect(Object.values(run.state.effects)).toMatchObject([{ block: "c" }]);
  expect(replay(run.events)).toEqual(run.state);
});

test.each<[string, Block[]]>([
  ["itself", [agentStep("c", { whenLost: "fail", rescue: again })]],
  ["the block around it", [{ kind: "seq", id: "root", blocks: ["c"], rescue: again }, agentStep("c", { whenLost: "fail" })]],
  ["its task", [work({ onItemFailure: { retries: 5, then: "fail" } }), agentStep("c", { whenLost: "fail" })]],
])("an action whose holder was lost and that must not be repeated is not, whatever %s says about retries", (_title, blocks) => {
  const run = runOf(...blocks);
  const before = opened(run);
  loseHolder(run);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "HOLDER_LOST", lost: true } });
  expect(opened(run)).toBe(before);
});

test("an error step that was lost and must not be repeated fails the run with the first failure, and a retry alone comes to it again", () => {
  const run = runOf(
    { kind: "seq", id: "root", blocks: ["x"], rescue: again },
    agentStep("x", { rescue: { then: "body", body: "clean", after: "fail" } }),
    agentStep("clean", { whenLost: "fail" }),
  );
  fail(run, "x");
  expect(run.open()).toEqual(["clean"]);
  loseHolder(run);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "STEP_FAILED", lost: true }, actions: {} });
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["clean"]);
});

test("a work that lets the others end first is not tried again when one of them was lost", () => {
  const run = runOf(work({ rescue: again, onItemFailure: { retries: 5, then: "fail_at_end" } }), command());
  loseEffect(run);
  expect(run.state.status).toBe("running");
  const before = opened(run);
  run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome: { ok: true, value: null } });
  expect(run.state).toMatchObject({ status: "failed", error: { code: "TASKS_FAILED", lost: true } });
  expect(opened(run)).toBe(before);
  run.input({ type: "retry", resetCounts: false });
  run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome: { ok: true, value: null } });
  expect(run.state.status).toBe("completed");
});

test.each<[string, Block[]]>([
  ["its own retries", [work({ rescue: again, timeoutMs: 500, onItemFailure: { retries: 5, then: "fail_at_end" } }), command()]],
  [
    "its own retries, its failures ignored",
    [work({ rescue: again, timeoutMs: 500, onItemFailure: { retries: 5, then: "continue" } }), command()],
  ],
  [
    "those of the block around it",
    [
      { kind: "seq", id: "root", blocks: ["w"], rescue: again },
      work({ timeoutMs: 500, onItemFailure: { retries: 5, then: "fail_at_end" } }),
      command(),
    ],
  ],
  [
    "those of a block around it whose time runs out",
    [
      { kind: "seq", id: "root", blocks: ["w"], rescue: again, timeoutMs: 500 },
      work({ onItemFailure: { retries: 5, then: "fail_at_end" } }),
      command(),
    ],
  ],
])("a work with a lost item is not tried again when time runs out, whatever %s say", (_title, blocks) => {
  const run = runOf(...blocks);
  loseEffect(run);
  const before = opened(run);
  run.clock += 1_000;
  run.input({ type: "woke", timer: Object.keys(run.state.timers)[0] ?? "" });
  expect(run.state).toMatchObject({ status: "failed", error: { code: "TIMEOUT", lost: true } });
  expect(opened(run)).toBe(before);
  run.input({ type: "retry", resetCounts: false });
  expect(Object.values(run.state.effects)).toMatchObject([{ block: "c" }, { block: "c" }]);
  expect(replay(run.events)).toEqual(run.state);
});

test("a work whose lost item was retried by hand may be tried again by itself after an ordinary failure", () => {
  const run = runOf(work({ parallel: 1, rescue: again, onItemFailure: { retries: 0, then: "fail_at_end" } }), command());
  loseEffect(run);
  run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome: { ok: true, value: null } });
  run.input({ type: "retry", resetCounts: false });
  const outcome = { ok: false as const, code: "COMMAND_FAILED", message: "no" };
  run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome });
  expect(run.state.status).toBe("running");
  expect(Object.keys(run.state.effects)).toHaveLength(1);
});

test("a lost command whose failure is dealt with goes on without it", () => {
  const run = runOf(
    { kind: "seq", id: "root", blocks: ["c", "after"] },
    command({ rescue: { ...again, then: "continue" } }),
    agentStep("after"),
  );
  loseEffect(run);
  expect(run.open()).toEqual(["after"]);
});

test.each<[LostPolicy, string]>([
  ["retry", "effect"],
  ["continue", "after"],
  ["ask", "question"],
])("a lost command whose policy is %s leads to: %s", (policy, expected) => {
  const run = runOf({ kind: "seq", id: "root", blocks: ["c", "after"] }, command({ whenLost: policy }), agentStep("after"));
  loseEffect(run);
  const seen = [
    ...Object.keys(run.state.effects).map(() => "effect"),
    ...run.open(),
    ...Object.values(run.state.decisions).map(() => "question"),
  ];
  expect(seen).toEqual([expected]);
});
