import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, WorkBlock } from "../program/index.ts";

/** A loop over the items A and B in one strand, each with two steps, and a step after it. */
function loopOf(more: Partial<WorkBlock>): MemoryRun {
  const blocks: Block[] = [
    { kind: "seq", id: "root", blocks: ["w", "after"] },
    { kind: "work", id: "w", fill: value("x"), mode: "each", join: "all", body: "both", ...more },
    { kind: "seq", id: "both", blocks: ["one", "two"] },
    agentStep("one"),
    agentStep("two"),
    agentStep("after"),
  ];
  const run = new MemoryRun(program(blocks, "root"), ({ exprs }) => ("items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {}));
  run.start();
  return run;
}

function act(run: MemoryRun, ok = true): void {
  const [action] = Object.values(run.state.actions);
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  const { fence = 0 } = run.state.strands[action?.strand ?? ""] ?? {};
  run.input({ type: "report", action: action?.id ?? "", holder, fence, outcome, write: true });
}

const rows = (run: MemoryRun): unknown =>
  [...run.items.values()].map(({ id, status, attempts, reason }) => [id, status, attempts, ...(reason === undefined ? [] : [reason])]);

test("an item of a loop whose step failed is tried again from its first step", () => {
  const run = loopOf({ onItemFailure: { retries: 1, then: "continue" } });
  act(run);
  act(run, false);
  expect(run.open()).toEqual(["one"]);
  expect(rows(run)).toEqual([
    ["A", "in_progress", 2, "try 1 failed: no"],
    ["B", "pending", 0],
  ]);
  expect(run.state.strands["main"]?.frames).toHaveLength(4);
});

test("an item of a loop that has no try left has failed, and the loop takes the next one", () => {
  const run = loopOf({ onItemFailure: { retries: 1, then: "continue", collect: "raw.errors" } });
  act(run, false);
  expect(run.state.scopes["run"]?.raw["errors"]).toBeUndefined();
  act(run, false);
  expect(rows(run)).toEqual([
    ["A", "failed", 2, "no"],
    ["B", "in_progress", 1],
  ]);
  expect(run.state.scopes["run"]?.raw["errors"]).toEqual([{ task_id: "A", message: "no", type: "STEP_FAILED", attempts: 2 }]);
  act(run);
  act(run);
  expect(run.open()).toEqual(["after"]);
  expect(run.state.lists["w"]).toMatchObject({ total: 2, by: { completed: 1, failed: 1 } });
  expect(replay(run.events)).toEqual(run.state);
});

test("a loop that fails at its end does all its items first", () => {
  const run = loopOf({ onItemFailure: { retries: 0, then: "fail_at_end" } });
  act(run, false);
  act(run);
  expect(run.state.status).toBe("running");
  act(run);
  expect(run.state).toMatchObject({
    status: "failed",
    error: { code: "TASKS_FAILED", message: "1 of 2 tasks of `w` failed: A.", block: "w" },
  });
});

test.each([
  ["says so", { onItemFailure: { retries: 0, then: "fail" as const } }, ["A", "failed", 1, "no"]],
  ["says nothing of failures", {}, ["A", "in_progress", 1]],
])("a loop that %s fails with its first failed item", (_title, more, first) => {
  const run = loopOf(more);
  act(run, false);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "STEP_FAILED", message: "no", block: "one" } });
  expect(rows(run)).toEqual([first, ["B", "pending", 0]]);
});

test("a failure that a block inside of the item deals with does not cost the item a try", () => {
  const blocks: Block[] = [
    { kind: "work", id: "w", fill: value("x"), mode: "each", join: "all", body: "one", onItemFailure: { retries: 0, then: "fail" } },
    agentStep("one", { rescue: { then: "continue" } }),
  ];
  const run = new MemoryRun(program(blocks, "w"), ({ exprs }) => ("items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {}));
  run.start();
  act(run, false);
  act(run, false);
  expect(run.state.status).toBe("completed");
  expect(rows(run)).toEqual([
    ["A", "completed", 1],
    ["B", "completed", 1],
  ]);
});

test("a retry of the run takes the failed item again, with all its tries", () => {
  const run = loopOf({ onItemFailure: { retries: 1, then: "fail" } });
  act(run, false);
  act(run, false);
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["one"]);
  expect(rows(run)).toMatchObject([
    ["A", "in_progress", 1, "no"],
    ["B", "pending", 0],
  ]);
  act(run, false);
  expect(run.state.status).toBe("running");
  for (let steps = 0; steps < 5; steps += 1) act(run);
  expect(run.state).toMatchObject({ status: "completed", lists: { w: { total: 2, by: { completed: 2 } } } });
});
