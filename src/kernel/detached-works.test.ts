import { expect, test } from "vitest";
import { agentStep, condition, program, taskWork, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, Rescue, WorkBlock } from "../program/index.ts";

// Works that nobody waits for, when the block that began them is begun again.

const again: Rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" };
const seq = (id: string, blocks: string[], more: Partial<Block> = {}): Block => ({ kind: "seq", id, blocks, ...more }) as Block;
const later = (more: Partial<WorkBlock> = {}): WorkBlock => taskWork({ id: "later", join: "later", body: "inner", ...more });

function runOf(...blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key) => [key, key === "items" ? [{ id: "A" }, { id: "B" }] : true])),
  );
  run.start();
  return run;
}

/** Reports the first open action of this step, or that of the task. */
function act(run: MemoryRun, step: string, ok = true, task?: string): void {
  const action = Object.values(run.state.actions).find(
    (open) => open.step === step && (task === undefined || run.state.strands[open.strand]?.task === task),
  );
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

const inner = (run: MemoryRun): number => run.open().filter((step) => step === "inner").length;

function finish(run: MemoryRun): void {
  for (let left = 50; left > 0 && run.state.status === "running"; left -= 1) act(run, run.open()[0] ?? "");
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
}

const body = [seq("t", ["later", "x"]), later(), agentStep("inner"), agentStep("x")];

test.each<[string, Block[]]>([
  ["a task", [taskWork({ body: "t", onItemFailure: { retries: 1, then: "fail" } }), ...body]],
  ["an item of a loop", [taskWork({ body: "t", mode: "each", onItemFailure: { retries: 1, then: "fail" } }), ...body]],
  ["a block", [seq("root", ["t"], { rescue: again }), ...body]],
])("%s that is tried again ends what it left to work by itself, so that nothing is at work twice", (_title, blocks) => {
  const run = runOf(...blocks);
  const before = inner(run);
  act(run, "inner");
  act(run, "x", false);
  expect(inner(run)).toBe(before);
  expect([...run.items.values()].filter(({ list }) => list.startsWith("later")).map(({ status }) => status)).toEqual(
    expect.arrayContaining(["completed", "skipped"]),
  );
  finish(run);
  expect(run.state.lists["later"]?.by).toMatchObject({ pending: 0, in_progress: 0, skipped: 1, failed: 0 });
});

test("what another item, another task and another round left to work by itself stays when one is tried again", () => {
  const rounds: Block = { kind: "repeat", id: "r", while: condition("c"), max: 2, onLimit: "warn", body: "t" };
  const run = runOf(rounds, seq("t", ["later", "x"], { rescue: again }), later(), agentStep("inner"), agentStep("x"));
  act(run, "x");
  expect(inner(run)).toBe(4);
  act(run, "x", false);
  expect(inner(run)).toBe(4);
  const closed = run.events.filter((event) => event.type === "action_closed" && event.how === "cancelled");
  expect(closed).toHaveLength(2);
});

test("a task that was stopped and continues does not begin its works again, and ends them when it is tried again", () => {
  const run = runOf(
    taskWork({ body: "t", rescue: again, onItemFailure: { retries: 1, then: "fail" } }),
    seq("t", ["later", "x"]),
    later(),
    agentStep("inner"),
    agentStep("x"),
  );
  act(run, "x", false, "B");
  act(run, "x", false, "B");
  expect([run.open().filter((step) => step === "x").length, inner(run)]).toEqual([2, 4]);
  act(run, "x", false, "A");
  expect(inner(run)).toBe(4);
  finish(run);
});

test("a work that has a command under way which must not be repeated keeps its task from being tried again by itself", () => {
  const run = runOf(
    taskWork({ body: "t", onItemFailure: { retries: 1, then: "fail" } }),
    seq("t", ["later", "x"]),
    later({ fill: value([]) }),
    { kind: "do", id: "inner", who: "engine", what: "shell", args: {}, writes: [], whenLost: "fail" },
    agentStep("x"),
  );
  act(run, "x", false, "A");
  expect(run.state).toMatchObject({ status: "failed", error: { lost: true } });
  expect(run.events.filter(({ type }) => type === "effect_opened")).toHaveLength(4);
});
