import { expect, test } from "vitest";
import { agentStep, condition, program, taskWork, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, RepeatBlock } from "../program/index.ts";

// Loops that have done all their rounds. A person's retry allows as many again; nobody else's does.

const person = { kind: "person" as const, name: "ada", session: "t", surface: "cli" };
const loop = (more: Partial<RepeatBlock> = {}): RepeatBlock => ({
  kind: "repeat",
  id: "loop",
  until: condition("done"),
  max: 2,
  onLimit: "fail",
  body: "a",
  ...more,
});

/** No condition ever holds. */
function runOf(...blocks: readonly Block[]): MemoryRun {
  const run = new MemoryRun(program([...blocks, agentStep("a")], blocks[0]?.id ?? ""), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key): [string, Json] => [key, key === "items" ? [{ id: "X" }] : false])),
  );
  run.start();
  return run;
}

/** Does what is open until nothing is; answers how many rounds that were. */
function rounds(run: MemoryRun): number {
  for (let done = 0; ; done += 1) {
    const [action] = Object.values(run.state.actions).filter(({ block }) => block === "a");
    if (action === undefined) return done;
    if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
    const { fence = 0 } = run.state.strands[action.strand] ?? {};
    run.input({ type: "report", action: action.id, holder, fence, outcome: { ok: true, value: null }, write: true });
    expect(replay(run.events)).toEqual(run.state);
  }
}

test("a person's retry allows as many rounds again, each time, and the failure counts all of them", () => {
  const run = runOf(loop());
  expect(rounds(run)).toBe(2);
  for (const all of [4, 6]) {
    run.input({ type: "retry", resetCounts: false }, person);
    expect([rounds(run), run.state.status]).toEqual([2, "failed"]);
    expect(run.state.error).toMatchObject({ code: "LOOP_LIMIT", message: `\`loop\` did ${all} rounds and its condition still holds.` });
  }
});

test("an agent's retry allows no more rounds", () => {
  const run = runOf(loop());
  rounds(run);
  run.input({ type: "retry", resetCounts: false });
  expect([rounds(run), run.state.status, run.state.error?.code]).toEqual([0, "failed", "LOOP_LIMIT"]);
});

test("a person's retry allows them to a loop in a task too, with any next holder of the task", () => {
  const run = runOf(taskWork({ fill: value("X"), body: "loop", onItemFailure: { retries: 0, then: "fail_at_end" } }), loop());
  expect([rounds(run), run.state.status]).toEqual([2, "failed"]);
  run.input({ type: "retry", resetCounts: false });
  expect([rounds(run), run.state.status]).toEqual([0, "failed"]);
  run.input({ type: "retry", resetCounts: false }, person);
  expect([rounds(run), run.state.status]).toEqual([2, "failed"]);
});

test("a loop that says what its rounds were to bring fails without that", () => {
  const run = runOf(loop({ lacks: "`ALL_DONE`" }));
  rounds(run);
  expect(run.state.error?.message).toBe("2 rounds without `ALL_DONE`.");
});
