import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { textOf, type Json } from "../base/index.ts";
import { itemStatuses, type Block, type WorkBlock } from "../program/index.ts";
import { apply, emptyState } from "./apply.ts";

// Tasks that have tasks of their own: `w` runs X and Y, each of which does `zero` and then `in` with a, b and c.

/** A list expression names its items letter by letter; steps are called after the item they are for. */
const evaluate: MemoryRun["evaluate"] = ({ exprs, locals }) => {
  const item = (locals["item"] as { readonly id?: string } | undefined)?.id ?? "";
  const listed = (of: Json): Json =>
    textOf(of)
      .split("")
      .map((id) => ({ id: `${item}${id}` }));
  return Object.fromEntries(
    Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, key === "items" ? listed(of) : `${textOf(of)}${item}`]),
  );
};

const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });
const step = (id: string): Block => agentStep(id, { name: value(`${id}:`) });
const work = (id: string, items: string, body: string, more: Partial<WorkBlock> = {}): WorkBlock => ({
  kind: "work",
  id,
  fill: value(items),
  mode: "strands",
  parallel: 5,
  join: "all",
  body,
  ...more,
});

interface Nested {
  readonly outer?: Partial<WorkBlock>;
  readonly inner?: Partial<WorkBlock>;
  readonly more?: readonly Block[];
  readonly serial?: boolean;
}

function runOf({ outer = {}, inner = {}, more = [], serial = false }: Nested = {}): MemoryRun {
  const blocks = [
    seq("root", "w", "after"),
    work("w", "XY", "outer", outer),
    seq("outer", "zero", "in"),
    step("zero"),
    work("in", "abc", "task", inner),
    seq("task", "one", "two"),
    step("one"),
    step("two"),
    step("after"),
    step("clean"),
  ];
  const all = [...blocks.filter(({ id }) => !more.some((other) => other.id === id)), ...more];
  const run = new MemoryRun(program(all, "root"), evaluate);
  run.start({ serial });
  return run;
}

function act(run: MemoryRun, name: string, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.step === name);
  if (action === undefined) throw new Error(`${name} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const outcome = ok ? { ok: true as const, value: name } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

/** Xa is done, Xc is half-way, Ya too, and Xb fails. */
function failInside(run: MemoryRun): void {
  for (const name of ["zero:X", "zero:Y", "one:Xa", "two:Xa", "one:Xc", "one:Ya"]) act(run, name);
  act(run, "one:Xb", false);
}

const retry = (run: MemoryRun): unknown => run.input({ type: "retry", resetCounts: false });

/** Ends everything that is open, round by round; gives the names in the order in which they were open. */
function finish(run: MemoryRun): string[] {
  const seen: string[] = [];
  for (let guard = 0; guard < 40 && run.state.status === "running"; guard += 1)
    for (const name of run.open().sort()) {
      seen.push(name);
      act(run, name);
    }
  expectSums(run);
  return seen;
}

/** At every moment the statuses of a list add up to its items, and `apply` over the journal gives exactly the state. */
function expectSums(run: MemoryRun): void {
  let state = emptyState;
  for (const event of run.events) {
    state = apply(state, event);
    for (const [list, { total, by }] of Object.entries(state.lists)) {
      expect(Math.min(...Object.values(by)), `${list} after ${event.type}`).toBeGreaterThanOrEqual(0);
      expect(
        itemStatuses.reduce((sum, status) => sum + by[status], 0),
        `${list} after ${event.type}`,
      ).toBe(total);
    }
  }
  expect(replay(run.events)).toEqual(run.state);
}

const restOfY = ["two:Ya", "one:Yb", "two:Yb", "one:Yc", "two:Yc"];
const onlyWhatFailed = ["one:Xb", "two:Xb", "two:Xc", ...restOfY, "after:"].sort();
const retried = (retries: number, then: "fail" | "continue" | "fail_at_end") => ({ onItemFailure: { retries, then } });
const again = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };

test("a task that fails in tasks of its own keeps what those have done: a retry begins only the failed one again", () => {
  const run = runOf();
  failInside(run);
  expect(run.state).toMatchObject({ status: "failed", actions: {}, timers: {} });
  expect(Object.keys(run.state.strands)).toEqual(["main"]);
  retry(run);
  expect(run.open().sort()).toEqual(["one:Xb", "one:Yb", "one:Yc", "two:Xc", "two:Ya"]);
  expect(finish(run).sort()).toEqual(onlyWhatFailed);
  expect(run.state.status).toBe("completed");
  expect(run.state.lists["w"]).toMatchObject({ total: 2, by: { completed: 2 } });
  expect(run.state.lists["in"]).toMatchObject({ total: 6, by: { completed: 6 } });
});

test.each<[string, Nested]>([
  ["nobody waits for the outer tasks", { outer: { join: "later" } }],
  ["both stop at the first failure", { outer: retried(0, "fail"), inner: retried(0, "fail") }],
  ["the work around has error steps that fail it", { outer: { rescue: { then: "body", body: "clean", after: "fail" } } }],
  ["the work has error steps that fail it", { inner: { rescue: { then: "body", body: "clean", after: "fail" } } }],
  [
    "there are error steps around both",
    { more: [{ ...seq("outer", "zero", "in"), rescue: { then: "body", body: "clean", after: "fail" } }] },
  ],
])("only what failed is tried again when %s", (_title, nested) => {
  const run = runOf(nested);
  failInside(run);
  for (const name of run.open().filter((open) => open.startsWith("clean:") || open === "after:")) act(run, name);
  expect(run.state.status).toBe("failed");
  retry(run);
  const seen = finish(run);
  expect(run.state.status).toBe("completed");
  expect(seen.filter((name) => name !== "after:").sort()).toEqual(onlyWhatFailed.filter((name) => name !== "after:"));
});

test.each<[string, Nested]>([
  ["the outer tasks have another try", { outer: retried(1, "fail") }],
  ["the inner tasks have another try", { inner: retried(1, "fail_at_end") }],
  ["the step of the outer tasks is tried again", { outer: { rescue: again } }],
  ["the step of the inner tasks is tried again", { inner: { rescue: again } }],
])("only what failed is tried again without a retry of the run when %s", (_title, nested) => {
  const run = runOf(nested);
  failInside(run);
  expect(run.state.status).toBe("running");
  expect(finish(run).sort()).toEqual(onlyWhatFailed);
  expect(run.state.status).toBe("completed");
});

test("the outer task fails when its own are all settled, and only the failed one is tried again", () => {
  const run = runOf({ outer: retried(0, "fail_at_end"), inner: retried(0, "fail_at_end") });
  failInside(run);
  expect(finish(run).sort()).toEqual(["two:Xc", ...restOfY].sort());
  expect(run.state.status).toBe("failed");
  retry(run);
  expect(run.open()).toEqual(["one:Xb"]);
  expect(finish(run)).toEqual(["one:Xb", "two:Xb", "after:"]);
  expect(run.state.lists["in"]).toMatchObject({ total: 6, by: { completed: 6 } });
});

test("what a failed task keeps is closed with the work that carries on without it", () => {
  const run = runOf({ outer: retried(0, "continue") });
  failInside(run);
  expect(finish(run).sort()).toEqual([...restOfY, "after:"].sort());
  expect(run.state.status).toBe("completed");
  expect(run.state.lists).toMatchObject({
    w: { total: 2, by: { completed: 1, failed: 1 } },
    in: { total: 6, by: { completed: 4, skipped: 1, failed: 1 } },
  });
});

test("tasks that are done one at a time keep what came before the failed one", () => {
  const run = runOf({ outer: { parallel: 1 }, inner: { parallel: 1 } });
  for (const name of ["zero:X", "one:Xa", "two:Xa"]) act(run, name);
  act(run, "one:Xb", false);
  expect(run.state.status).toBe("failed");
  retry(run);
  expect(run.open()).toEqual(["one:Xb"]);
  expect(finish(run).slice(0, 5)).toEqual(["one:Xb", "two:Xb", "one:Xc", "two:Xc", "zero:Y"]);
});

test.each<[string, Nested, boolean]>([
  ["at once", { outer: retried(0, "fail"), inner: retried(0, "fail") }, true],
  ["when the others are done", { outer: retried(0, "fail_at_end"), inner: retried(0, "fail") }, true],
  ["after another try", { outer: retried(1, "fail"), inner: retried(0, "fail") }, false],
  ["with a step that is tried again", { outer: { rescue: again } }, false],
])("tasks in one strand keep what came before the failed one: %s", (_title, nested, fails) => {
  const run = runOf({ ...nested, serial: true });
  for (const name of ["zero:X", "one:Xa", "two:Xa"]) act(run, name);
  act(run, "one:Xb", false);
  const before = finish(run);
  expect(run.state.status).toBe(fails ? "failed" : "completed");
  if (fails) retry(run);
  const seen = [...before, ...finish(run)];
  expect(run.state.status).toBe("completed");
  expect(seen.filter((name) => name.includes("X"))).toEqual(["one:Xb", "two:Xb", "one:Xc", "two:Xc"]);
  expect(run.state.lists["in"]).toMatchObject({ total: 6, by: { completed: 6 } });
});

test.each([false, true])("it holds at any depth, also when it fails again (in one strand: %s)", (serial) => {
  const deep = [seq("task", "one", "deep"), work("deep", "12", "leaf"), seq("leaf", "two", "three"), step("three")];
  const run = runOf({ more: deep, serial });
  const mine = (names: string[]): string[] => names.filter((name) => name.includes("X"));
  for (const name of ["zero:X", "one:Xa", "two:Xa1", "three:Xa1"]) act(run, name);
  for (let times = 0; times < 3; times += 1) {
    act(run, "two:Xa2", false);
    expect(run.state.status).toBe("failed");
    retry(run);
  }
  expect(run.open()).toContain("two:Xa2");
  const seen = mine(finish(run));
  expect(run.state.status).toBe("completed");
  expect(seen).not.toContain("zero:X");
  expect(seen.filter((name) => name.includes("Xa")).sort()).toEqual(["three:Xa2", "two:Xa2"]);
});

test("tasks that their task does not wait for keep what they have done", () => {
  const run = runOf({ inner: { join: "later" } });
  for (const name of ["zero:X", "zero:Y", "one:Xa", "two:Xa", "one:Xc", "one:Ya"]) act(run, name);
  act(run, "one:Xb", false);
  expect(run.state.status).toBe("failed");
  retry(run);
  expect(
    finish(run)
      .filter((name) => name !== "after:")
      .sort(),
  ).toEqual(onlyWhatFailed.filter((name) => name !== "after:"));
  expect(run.state.status).toBe("completed");
});

test("tasks of the inner work that failed for good stay so when their task is only stopped", () => {
  const run = runOf({ inner: retried(0, "continue") });
  for (const name of ["zero:Y", "one:Ya"]) act(run, name);
  act(run, "two:Ya", false);
  act(run, "zero:X", false);
  expect(run.state.status).toBe("failed");
  retry(run);
  expect(run.open().sort()).toEqual(["one:Yb", "one:Yc", "zero:X"]);
});

test("a task that is tried again has all tries of its own steps again", () => {
  const run = runOf({ outer: retried(1, "fail"), inner: { rescue: again } });
  failInside(run);
  for (let times = 0; times < 3; times += 1) {
    expect(run.state.status).toBe("running");
    act(run, "one:Xb", false);
  }
  expect(run.state.status).toBe("failed");
});

const allOfX = ["zero:X", "one:Xa", "two:Xa", "one:Xb", "two:Xb", "one:Xc", "two:Xc"];

test("a task that fails outside of tasks of its own continues there with a retry of the run", () => {
  const run = runOf({ more: [seq("outer", "zero", "in", "clean")] });
  for (const name of allOfX) act(run, name);
  act(run, "clean:X", false);
  retry(run);
  expect(run.open().sort()).toEqual(["clean:X", "zero:Y"]);
  expectSums(run);
});

test.each<[string, Nested]>([
  ["it has another try", { outer: retried(1, "fail") }],
  ["the step of the tasks is tried again", { outer: { rescue: again } }],
])("it begins at its first step when %s", (_title, nested) => {
  const run = runOf({ ...nested, more: [seq("outer", "zero", "in", "clean")] });
  for (const name of allOfX) act(run, name);
  act(run, "clean:X", false);
  expect(run.open().sort()).toEqual(["zero:X", "zero:Y"]);
  for (const name of allOfX) act(run, name);
  act(run, "clean:X", false);
  expect(run.state.status).toBe("failed");
  retry(run);
  expect(run.open().sort()).toEqual(["clean:X", "zero:Y"]);
  expectSums(run);
});

test("the time of the inner work begins again with its task, and does not run while that has failed", () => {
  const run = runOf({ inner: { timeoutMs: 500 } });
  failInside(run);
  expect(run.state.timers).toEqual({});
  run.clock += 10_000;
  retry(run);
  expect(Object.values(run.state.timers).map(({ due }) => due)).toEqual([run.clock + 500, run.clock + 500]);
});
