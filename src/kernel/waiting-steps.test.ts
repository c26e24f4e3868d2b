import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block } from "../program/index.ts";
import type { Outcome } from "./input.ts";

function runOf(blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), ({ exprs }) =>
    "items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {},
  );
  run.start();
  return run;
}

function report(run: MemoryRun, outcome: Outcome): void {
  const [action] = Object.values(run.state.actions);
  const strand = action?.strand ?? "";
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  run.input({ type: "report", action: action?.id ?? "", holder, fence: run.state.strands[strand]?.fence ?? 0, outcome, write: true });
}

function passTime(run: MemoryRun): void {
  run.clock += 1_000;
  for (const { id, due } of Object.values(run.state.timers)) if (due <= run.clock) run.input({ type: "woke", timer: id });
}

const full = (run: MemoryRun, idle = true): Outcome => ({
  ok: "blocked",
  until: run.clock + 500,
  reason: "full",
  pool: "p",
  ...(idle ? { idle: true } : {}),
});

test("a step that comes back twice after its time with nothing done waits for a person, and a retry lets it wait as often again", () => {
  const run = runOf([agentStep("a")]);
  for (const _round of [1, 2]) {
    for (const _time of [1, 2]) {
      report(run, full(run));
      expect(run.state.strands["main"]?.blocked).toMatchObject({ code: "BLOCKED_UNTIL", until: expect.any(Number), pool: "p" });
      passTime(run);
      expect(run.open()).toEqual(["a"]);
    }
    report(run, full(run));
    const { blocked, status } = run.state.strands["main"] ?? {};
    expect([status, blocked]).toEqual([
      "blocked",
      { code: "NO_PROGRESS", reason: "It waited 2 times, and nothing could be done. full", pool: "p" },
    ]);
    expect(run.state.timers).toEqual({});
    run.input({ type: "retry", resetCounts: false });
    expect(run.open()).toEqual(["a"]);
  }
  expect(run.state.budget.used.steps).toBe(1);
  expect(replay(run.events)).toEqual(run.state);
});

test("a step that did something between two limits waits as often as it takes", () => {
  const run = runOf([agentStep("a")]);
  for (let time = 0; time < 9; time += 1) {
    report(run, full(run, time % 2 === 0));
    passTime(run);
    expect(run.open()).toEqual(["a"]);
  }
});

test("while a step waits for an account its limit of time does not run, and begins again with it", () => {
  const run = runOf([agentStep("a", { timeoutMs: 900 })]);
  report(run, full(run));
  expect(Object.values(run.state.timers).map(({ why }) => why)).toEqual(["blocked"]);
  passTime(run);
  expect(run.open()).toEqual(["a"]);
  expect(Object.values(run.state.timers)).toMatchObject([{ why: "timeout", due: expect.any(Number) }]);
  expect(Object.values(run.state.timers)[0]?.due).toBeGreaterThan(run.clock);
});

const refused: Outcome = { ok: false, code: "STEP_FAILED", message: "Log in.", needsPerson: true };
const again = { retry: { times: 3, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };

test.each<[string, Block[]]>([
  ["its own", [agentStep("a", { rescue: again })]],
  ["that of the block around it", [{ kind: "seq", id: "root", blocks: ["a"], rescue: again }, agentStep("a")]],
  [
    "that of its item",
    [
      { kind: "work", id: "w", fill: value("x"), mode: "each", join: "all", body: "a", onItemFailure: { retries: 3, then: "fail" } },
      agentStep("a"),
    ],
  ],
  [
    "that of the work around its task",
    [{ kind: "work", id: "w", fill: value("x"), mode: "strands", join: "all", parallel: 1, body: "a", rescue: again }, agentStep("a")],
  ],
])("a failure that only a person can change is tried again by no policy: not by %s", (_what, blocks) => {
  const run = runOf(blocks);
  report(run, refused);
  expect(run.open()).toEqual([]);
  expect(run.state).toMatchObject({ status: "failed" });
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).not.toEqual([]);
});
