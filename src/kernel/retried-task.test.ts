import { expect, test } from "vitest";
import { agentStep, program, taskWork, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { textOf, type Json } from "../base/index.ts";
import type { Block, DoBlock, Item, WorkBlock } from "../program/index.ts";
import type { WorkFrame } from "./frame.ts";
import type { RunState } from "./run-state.ts";

// Tasks X and Y do `one`, `two` and `three`. A retry of the run takes up a failed one where it failed, and only that does.

const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });
const step = (id: string, more: Partial<DoBlock> = {}): DoBlock => agentStep(id, { name: value(id), ...more });
const again = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
const atEnd = { onItemFailure: { retries: 0, then: "fail_at_end" as const } };

/** A list expression names its items letter by letter; steps are called after the items that they are for. */
const evaluate: MemoryRun["evaluate"] = ({ exprs, locals }) => {
  const { id = "" } = (locals["item"] ?? {}) as { readonly id?: string };
  const listed = (of: Json): Json =>
    textOf(of)
      .split("")
      .map((one) => ({ id: `${id}${one}` }));
  return Object.fromEntries(
    Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, key === "items" ? listed(of) : `${textOf(of)}:${id}`]),
  );
};

function runOf(group: Partial<WorkBlock> = {}, more: readonly Block[] = []): MemoryRun {
  const own = [
    taskWork({ fill: value("XY"), parallel: 2, body: "t", ...group }),
    seq("t", "one", "two", "three"),
    step("one"),
    step("two"),
    step("three"),
  ];
  const run = new MemoryRun(program([...own.filter(({ id }) => !more.some((other) => other.id === id)), ...more], "w"), evaluate);
  run.start();
  return run;
}

function act(run: MemoryRun, name: string, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.step === name);
  if (action === undefined) throw new Error(`${name} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  const outcome = ok ? { ok: true as const, value: name } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
  expect(replay(run.events)).toEqual(run.state);
}

const retry = (run: MemoryRun, resetCounts = false): unknown => run.input({ type: "retry", resetCounts });
const frame = (run: MemoryRun): WorkFrame => run.state.strands["main"]?.frames[0] as WorkFrame;

test("in a run of an earlier version, which kept no place of it, the task begins at its first step", () => {
  const run = runOf(atEnd);
  for (const name of ["one:X", "one:Y", "two:Y", "three:Y"]) act(run, name);
  act(run, "two:X", false);
  const { kept: _none, ...earlier } = frame(run);
  const main = run.state.strands["main"];
  run.state = { ...run.state, strands: { main: { ...main, frames: [earlier] } } } as unknown as RunState;
  retry(run);
  expect(run.open()).toEqual(["one:X"]);
});

test("a task that waits for its turn after a retry keeps its place when the work is tried again by itself", () => {
  const run = runOf({ ...atEnd, parallel: 1, timeoutMs: 500, rescue: again });
  for (let tries = 0; tries < 2; tries += 1)
    for (const task of ["X", "Y"]) {
      act(run, `one:${task}`);
      act(run, `two:${task}`, false);
    }
  expect(run.state.status).toBe("failed");
  retry(run, true);
  expect(run.open()).toEqual(["two:X"]);
  const timer = Object.values(run.state.timers).find(({ why }) => why === "timeout");
  run.clock = timer?.due ?? 0;
  run.input({ type: "woke", timer: timer?.id ?? "" });
  for (const name of ["two:X", "three:X", "two:Y", "three:Y"]) act(run, name);
  expect(run.state.status).toBe("completed");
});

test("a step that must not be repeated is not by a policy, and a retry begins nothing but that step", () => {
  const run = runOf({ ...atEnd, rescue: again }, [step("two", { whenLost: "fail" })]);
  for (const name of ["one:X", "one:Y", "two:Y", "three:Y"]) act(run, name);
  const strand = Object.values(run.state.strands).find(({ task }) => task === "X");
  run.input({ type: "release", strand: strand?.id ?? "", fence: strand?.fence ?? 0, why: "lost" });
  run.input({ type: "claim", strand: strand?.id ?? "", holder: { ...holder, session: "s2" } });
  expect(run.state).toMatchObject({ status: "failed", error: { lost: true } });
  retry(run);
  expect(run.open()).toEqual(["two:X"]);
  act(run, "two:X");
  act(run, "three:X");
  expect(run.state.status).toBe("completed");
});

const loop = [seq("t", "one", "each"), taskWork({ id: "each", mode: "each", fill: value("ab"), body: "three" })];

test("a loop inside the task keeps the item in hand for a retry", () => {
  const run = runOf(atEnd, loop);
  for (const name of ["one:X", "one:Y", "three:Xa", "three:Ya", "three:Yb"]) act(run, name);
  act(run, "three:Xb", false);
  retry(run);
  expect(run.open()).toEqual(["three:Xb"]);
  act(run, "three:Xb");
  expect(run.state.lists["each"]).toMatchObject({ total: 4, by: { completed: 4 } });
});

test.each<[string, Partial<WorkBlock>, number]>([
  ["the work is tried again by itself", { ...atEnd, rescue: again }, 1],
  ["the work is passed over", { ...atEnd, rescue: { then: "continue" } }, 0],
  ["the work continues without it", { onItemFailure: { retries: 0, then: "continue" } }, 0],
])("nobody takes up a place, so the lists inside are closed: %s", (_title, group, left) => {
  const run = runOf(group, loop);
  for (const name of ["one:X", "one:Y", "three:Xa"]) act(run, name);
  act(run, "three:Xb", false);
  for (const name of ["three:Ya", "three:Yb"]) act(run, name);
  expect(run.open()).toEqual(left === 0 ? [] : ["one:X"]);
  expect(Object.keys(run.state.lists).filter((list) => list.startsWith("each"))).toEqual(["each"]);
  expect(run.state.lists["each"]).toMatchObject({ total: 4, by: { completed: 3, skipped: 1, in_progress: 0, pending: 0 } });
});

test("a row of a declared list is let go with the task that failed on it, and the retried task takes it again", () => {
  const rows = taskWork({ id: "rows", mode: "each", list: "lines", body: "three" });
  const { fill: _none, ...declared } = rows;
  const run = runOf({ ...atEnd, fill: value("X") }, [seq("t", "one", "rows"), declared]);
  const row: Item = {
    list: "lines",
    id: "r",
    order: "a0",
    status: "pending",
    data: { id: "r" },
    facets: {},
    root: "r",
    attempts: 0,
    waitsFor: 0,
  };
  run.input({ type: "items", change: { add: [{ list: "lines", items: [row] }] }, reason: "r" });
  act(run, "one:X");
  act(run, "three:r", false);
  expect(run.state).toMatchObject({ status: "failed", held: {}, lists: { lines: { by: { pending: 1, in_progress: 0 } } } });
  retry(run);
  expect(run.open()).toEqual(["three:r"]);
  act(run, "three:r");
  expect(run.state.status).toBe("completed");
});

test("time limits inside the task begin again with it, and do not run while it has failed", () => {
  const run = runOf(atEnd, [step("two", { timeoutMs: 700 })]);
  for (const name of ["one:X", "one:Y", "two:Y", "three:Y"]) act(run, name);
  act(run, "two:X", false);
  expect(run.state.timers).toEqual({});
  run.clock += 10_000;
  retry(run);
  expect(Object.values(run.state.timers).map(({ due }) => due)).toEqual([run.clock + 700]);
});
