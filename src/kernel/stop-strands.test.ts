import { expect, test } from "vitest";
import { agentStep, part, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, Program, WorkBlock } from "../program/index.ts";
import { textOf, type Json } from "../base/index.ts";
import { apply } from "./apply.ts";
import type { Need } from "./input.ts";

/** Every list an expression can name; steps are called after the item they are for. */
function evaluate(need: Extract<Need, { type: "evaluate" }>): Record<string, Json> {
  const item = (need.locals["item"] as { readonly id?: string } | undefined)?.id ?? "";
  return Object.fromEntries(
    Object.entries(need.exprs).map(([key, { of }]): [string, Json] => {
      if (key === "items")
        return [
          key,
          textOf(of)
            .split("")
            .map((id) => ({ id: `${item}${id}` })),
        ];
      return [key, key === "name" ? `${textOf(of)}${item}` : true];
    }),
  );
}

const step = (id: string, more: Partial<Extract<Block, { kind: "do" }>> = {}): Block => agentStep(id, { name: value(`${id}:`), ...more });
const work = (more: Partial<WorkBlock> = {}): WorkBlock => ({
  kind: "work",
  id: "w",
  fill: value("ABC"),
  mode: "strands",
  parallel: 5,
  join: "all",
  body: "task",
  ...more,
});

function runOf(blocks: Block[], more: Parameters<typeof program>[2] = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), evaluate);
  run.start();
  return run;
}

const twoSteps: Block[] = [{ kind: "seq", id: "task", blocks: ["one", "two"] }, step("one"), step("two")];

function act(run: MemoryRun, name: string, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.step === name);
  if (action === undefined) throw new Error(`${name} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const outcome = ok ? { ok: true as const, value: name } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  const { fence = 0, waits } = run.state.strands[action.strand] ?? {};
  run.input({ type: "report", action: waits?.on === "action" ? waits.id : "", holder, fence, outcome, write: true });
}

const by = (run: MemoryRun, id: string): unknown => Object.entries(run.state.lists).find(([list]) => list.startsWith(id))?.[1].by;
const retry = (run: MemoryRun): unknown => run.input({ type: "retry", resetCounts: false });

test("a task that fails stops its siblings where they are, and a retry opens what failed and what was stopped", () => {
  const run = runOf([work(), ...twoSteps]);
  act(run, "one:A");
  act(run, "two:A");
  act(run, "one:C");
  act(run, "one:B", false);
  expect(run.state).toMatchObject({ status: "failed", actions: {}, timers: {} });
  expect(by(run, "w")).toMatchObject({ completed: 1, pending: 1, failed: 1 });
  const [frame] = run.state.strands["main"]?.frames ?? [];
  const place = frame?.kind === "work" ? frame.kept?.["C"]?.frames.at(-1) : undefined;
  expect(place).toMatchObject({ kind: "do", block: "two", phase: "args" });
  expect(place).not.toHaveProperty("ref");
  retry(run);
  expect(run.open()).toEqual(["one:B", "two:C"]);
  for (const name of ["one:B", "two:B", "two:C"]) act(run, name);
  expect(run.state.status).toBe("completed");
  expect(by(run, "w")).toMatchObject({ completed: 3 });
  expect(replay(run.events)).toEqual(run.state);
});

test("a task that is stopped does not lose a try", () => {
  const run = runOf([work({ onItemFailure: { retries: 1, then: "fail" } }), ...twoSteps]);
  act(run, "one:B", false);
  act(run, "one:B", false);
  expect(run.state.status).toBe("failed");
  expect([...run.items.values()].map(({ attempts }) => attempts)).toEqual([0, 2, 0]);
  retry(run);
  act(run, "one:A", false);
  expect(run.state.status).toBe("running");
  expect(run.open()).toContain("one:A");
});

test("the retry of the block around tasks tries only the failed one again, after its delay", () => {
  const rescue = { retry: { times: 1, delayMs: 50, factor: 1, capMs: 50 }, then: "fail" as const };
  const run = runOf([work({ rescue, timeoutMs: 1_000 }), ...twoSteps]);
  act(run, "one:C");
  act(run, "one:B", false);
  expect(run.open()).toEqual([]);
  const timers = Object.values(run.state.timers);
  expect(timers).toMatchObject([{ why: "retry" }]);
  run.clock += 100;
  run.input({ type: "woke", timer: timers[0]?.id ?? "" });
  expect(run.open()).toEqual(["one:A", "one:B", "two:C"]);
  expect(Object.values(run.state.timers)).toMatchObject([{ why: "timeout", due: run.clock + 1_000 }]);
  act(run, "one:A", false);
  expect(run.state.status).toBe("failed");
});

test("a blocked work that is tried again because its time ran out is not blocked any more", () => {
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "block" as const };
  const run = runOf([work({ rescue, timeoutMs: 1_000 }), ...twoSteps]);
  run.state = apply(run.state, { type: "blocked", strand: "main", code: "STEP_FAILED", reason: "no" });
  run.clock += 1_000;
  run.input({ type: "woke", timer: Object.keys(run.state.timers)[0] ?? "" });
  expect(run.state.strands["main"]).toMatchObject({ status: "waiting", frames: [{ block: "w", tries: 1 }] });
  expect(run.open()).toEqual(["one:A", "one:B", "one:C"]);
});

test("tasks inside of a task stop with it and go on with it", () => {
  const run = runOf([
    work({ fill: value("AB") }),
    { kind: "seq", id: "task", blocks: ["first", "inner"] },
    step("first"),
    { ...work(), id: "inner", fill: value("xy"), body: "leaf" },
    { kind: "seq", id: "leaf", blocks: ["one", "two"] },
    step("one"),
    step("two"),
  ]);
  act(run, "first:A");
  act(run, "one:Ax");
  expect(run.open()).toEqual(["first:B", "one:Ay", "two:Ax"]);
  act(run, "first:B", false);
  expect(Object.keys(run.state.strands)).toEqual(["main"]);
  retry(run);
  expect(run.open()).toEqual(["first:B", "two:Ax", "one:Ay"]);
  for (const name of ["two:Ax", "one:Ay", "two:Ay"]) act(run, name);
  expect(run.open()).toEqual(["first:B"]);
  expect(replay(run.events)).toEqual(run.state);
});

test("a task that stands in a called workflow goes on in its scope", () => {
  const blocks: Block[] = [
    work({ fill: value("AB") }),
    { kind: "seq", id: "task", blocks: ["one", "call"] },
    step("one"),
    { kind: "call", id: "call", part: "callee", inputs: {}, as: "result" },
    { kind: "seq", id: "inside", blocks: ["in1", "in2"] },
    step("in1"),
    step("in2", { writes: [{ path: value("raw.x"), op: "set" }] }),
  ];
  const whole: Program = { ...program(blocks, "w"), parts: { test: part("w"), callee: part("inside") } };
  const run = new MemoryRun(whole, (need) => ({ ...evaluate(need), ...("path:0" in need.exprs ? { "path:0": ["raw", "x"] } : {}) }));
  run.start();
  act(run, "one:A");
  act(run, "in1:");
  const inside = Object.values(run.state.strands).find(({ task }) => task === "A")?.scope;
  act(run, "one:B", false);
  retry(run);
  expect(Object.values(run.state.strands).find(({ task }) => task === "A")?.scope).toBe(inside);
  act(run, "in2:");
  expect(run.state.scopes[inside ?? ""]?.raw).toEqual({ x: "in2:" });
});

test("time limits of a stopped task do not run while it stands still, and begin again with it", () => {
  const run = runOf([work({ fill: value("AB") }), { ...twoSteps[0]!, timeoutMs: 500 }, step("one"), step("two")]);
  act(run, "one:B", false);
  expect(run.state.timers).toEqual({});
  run.clock += 10_000;
  retry(run);
  const due = Object.values(run.state.timers).map((timer) => timer.due);
  expect(due).toEqual([run.clock + 500, run.clock + 500]);
});

test("a task that waits for a person waits on after the others were tried again", () => {
  const block: Block[] = [{ kind: "seq", id: "task", blocks: ["one", "two"] }, step("one", { rescue: { then: "block" } }), step("two")];
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf([work({ fill: value("AB"), rescue }), ...block]);
  act(run, "one:B");
  act(run, "one:A", false);
  act(run, "two:B", false);
  expect(run.open()).toEqual(["one:B"]);
  const blocked = Object.values(run.state.strands).find(({ task }) => task === "A");
  expect(blocked).toMatchObject({ status: "blocked", blocked: { code: "STEP_FAILED", reason: "no" } });
});

test("a task that is blocked until a time is woken then, also when it was stopped in between", () => {
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf([work({ fill: value("AB"), rescue }), ...twoSteps]);
  const action = Object.values(run.state.actions).find(({ step: name }) => name === "one:A");
  run.input({ type: "claim", strand: action?.strand ?? "", holder });
  const outcome = { ok: "blocked" as const, until: 50_000, reason: "limit" };
  run.input({ type: "report", action: action?.id ?? "", holder, fence: 1, outcome, write: true });
  act(run, "one:B", false);
  expect(run.open()).toEqual(["one:B"]);
  expect(Object.values(run.state.timers)).toMatchObject([{ due: 50_000, why: "blocked" }]);
  run.clock = 50_000;
  run.input({ type: "woke", timer: Object.keys(run.state.timers)[0] ?? "" });
  expect(run.open().sort()).toEqual(["one:A", "one:B"]);
});

test("a question about a lost holder is asked again when its task goes on", () => {
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf([work({ fill: value("AB"), rescue }), { kind: "seq", id: "task", blocks: ["one"] }, step("one", { whenLost: "ask" })]);
  const action = Object.values(run.state.actions).find(({ step: name }) => name === "one:A");
  const strand = action?.strand ?? "";
  run.input({ type: "claim", strand, holder });
  run.input({ type: "release", strand, fence: 1, why: "lost" });
  run.input({ type: "claim", strand, holder: { ...holder, session: "s2" } });
  expect(Object.values(run.state.decisions)).toMatchObject([{ kind: "lost", step: "one:A" }]);
  act(run, "one:B", false);
  expect(Object.values(run.state.decisions)).toMatchObject([{ kind: "lost", step: "one:A", status: "pending" }]);
  expect(run.open()).toEqual(["one:B"]);
  run.answer(Object.keys(run.state.decisions)[0] ?? "", "retry");
  expect(run.open().sort()).toEqual(["one:A", "one:B"]);
});

test("what a stopped task had of its own is closed when its work is given up", () => {
  const run = runOf([
    { kind: "seq", id: "root", blocks: ["w", "after"] },
    work({ fill: value("AB"), rescue: { then: "continue" } }),
    { kind: "seq", id: "task", blocks: ["one", "loop"] },
    step("one"),
    { kind: "work", id: "loop", fill: value("xy"), mode: "each", join: "all", body: "inside" },
    step("inside"),
    step("after"),
  ]);
  act(run, "one:A");
  expect(run.open()).toEqual(["one:B", "inside:Ax"]);
  act(run, "one:B", false);
  expect(run.open()).toEqual(["after:"]);
  expect(Object.keys(run.state.lists).sort()).toEqual(["loop", "w"]);
  expect(run.state.lists["loop"]).toMatchObject({ total: 2, by: { skipped: 2 } });
  expect(run.state.lists["w"]).toMatchObject({ total: 2, by: { skipped: 1, failed: 1 } });
});

test("a work that nobody waits for is kept when one of its tasks fails the run, and goes on with a retry", () => {
  const run = runOf([{ kind: "seq", id: "root", blocks: ["w", "after"] }, work({ join: "later" }), ...twoSteps, step("after")]);
  act(run, "one:C");
  act(run, "one:B", false);
  expect(run.state.status).toBe("failed");
  retry(run);
  expect(run.open().sort()).toEqual(["after:", "one:A", "one:B", "two:C"]);
  act(run, "after:");
  expect(run.state.status).toBe("running");
  for (const name of ["one:A", "two:A", "one:B", "two:B", "two:C"]) act(run, name);
  expect(run.state.status).toBe("completed");
  expect(by(run, "w")).toMatchObject({ completed: 3 });
});

test("a work that nobody waits for stands still when the main strand fails, and its failed items stay failed after a retry", () => {
  const onItemFailure = { retries: 0, then: "continue" as const };
  const run = runOf([
    { kind: "seq", id: "root", blocks: ["w", "after"] },
    work({ join: "later", onItemFailure }),
    ...twoSteps,
    step("after"),
  ]);
  act(run, "one:A", false);
  act(run, "one:C");
  act(run, "after:", false);
  expect(Object.values(run.state.strands).find(({ parent }) => parent === "main")).toMatchObject({
    status: "blocked",
    blocked: { code: "STOPPED" },
  });
  retry(run);
  expect(run.open().sort()).toEqual(["after:", "one:B", "two:C"]);
});

test("a run that is ended as failed has no tasks handed out any more, and a retry hands them out again", () => {
  const run = runOf([work({ task: { name: "t", prompt: "p" } }), ...twoSteps]);
  const handedOut = (): string[] => Object.values(run.state.actions).flatMap(({ id, what }) => (what === "parallel_tasks" ? [id] : []));
  const before = handedOut();
  run.input({ type: "end", status: "failed", reason: "enough" });
  expect(run.state).toMatchObject({ status: "failed", actions: {} });
  retry(run);
  expect(run.open().sort()).toEqual(["one:A", "one:B", "one:C", "w"]);
  expect(handedOut()).not.toEqual(before);
});

test("a run that begins again from its first step does not keep works of before", () => {
  const run = runOf([{ kind: "seq", id: "root", blocks: ["w", "after"] }, work({ join: "later" }), ...twoSteps, step("after")]);
  act(run, "after:", false);
  run.input({ type: "retry", resetCounts: false, fromStart: true });
  expect(run.open().sort()).toEqual(["after:", "one:A", "one:B", "one:C"]);
  expect(Object.values(run.state.strands).filter(({ parent }) => parent === "main")).toHaveLength(1);
});

test("a result that was reported before the run failed elsewhere is written and not asked for again", () => {
  const run = runOf([{ kind: "seq", id: "root", blocks: ["w", "after"] }, work({ join: "later" }), ...twoSteps, step("after")]);
  act(run, "one:B");
  const main = run.state.strands["main"]!;
  run.state = {
    ...run.state,
    strands: {
      ...run.state.strands,
      main: {
        ...main,
        status: "failed",
        frames: main.frames.map((frame) => (frame.kind === "do" ? { ...frame, phase: "writes", result: 7 } : frame)),
      },
    },
  };
  run.input({ type: "retry", strand: "main", resetCounts: false });
  expect(run.open()).not.toContain("after:");
});

test("an entry that fails gives up its tasks, and the main strand ends without it", () => {
  const entries = { side: { root: "w", by: "anyone" as const, main: "goes_on" as const } };
  const run = runOf([step("main"), work(), ...twoSteps], { entries });
  run.input({ type: "entry", name: "side", args: {} });
  act(run, "one:C");
  act(run, "main:");
  expect(run.state.strands["main"]).toMatchObject({ status: "waiting", waits: { on: "strands" } });
  act(run, "one:B", false);
  expect(run.state.status).toBe("completed");
  expect(run.state.lists["w"]).toMatchObject({ total: 3, by: { failed: 1, skipped: 2 } });
  expect(Object.keys(run.state.strands)).toEqual(["main"]);
});

test("a task in hand of a declared list lets go of its tree when it stops", () => {
  const row = (id: string, parent?: string) => ({
    list: "l",
    id,
    order: id,
    status: "pending" as const,
    data: { id },
    facets: {},
    root: parent ?? id,
    attempts: 0,
    waitsFor: 0,
    ...(parent === undefined ? {} : { parent }),
  });
  const run = new MemoryRun(
    program(
      [
        { kind: "seq", id: "root", blocks: ["begin", "files"] },
        agentStep("begin"),
        { kind: "work", id: "files", list: "l", query: { parent: null }, mode: "strands", parallel: 2, join: "all", body: "entries" },
        { kind: "work", id: "entries", list: "l", where: { parent: value("p") }, mode: "each", join: "all", body: "act" },
        step("act"),
      ],
      "root",
      { worklists: [{ id: "l", facets: [] }] },
    ),
    (need) => ({ ...evaluate(need), ...("parent" in need.exprs ? { parent: (need.locals["item"] as { id: string }).id } : {}) }),
  );
  run.start();
  const items = [row("f"), row("f1", "f"), row("f2", "f"), row("g"), row("g1", "g")];
  run.input({ type: "items", change: { add: [{ list: "l", items }] }, reason: "r" });
  act(run, "begin");
  act(run, "act:f1");
  expect(run.open().sort()).toEqual(["act:f2", "act:g1"]);
  act(run, "act:g1", false);
  expect(run.state).toMatchObject({ status: "failed", held: {} });
  expect(run.state.lists["l"]?.by).toEqual({ pending: 3, in_progress: 0, completed: 1, skipped: 0, failed: 1 });
  retry(run);
  expect(run.open()).toEqual(["act:f2"]);
  expect(replay(run.events)).toEqual(run.state);
});

test("the agent that drives a retried run is not treated as one that takes an action over", () => {
  const run = runOf([step("one", { whenLost: "fail" })]);
  act(run, "one:", false);
  const other = { ...agent, session: "s2" };
  run.input({ type: "retry", resetCounts: false }, other);
  run.input({ type: "claim", strand: "main", holder: { kind: "agent", name: "tester", session: "s2" } }, other);
  expect(run.open()).toEqual(["one:"]);
  expect(Object.values(run.state.actions)).toMatchObject([{ taken: 0 }]);
});

test("a task that is in its error steps has no time limit of the block that they rescue", () => {
  const run = runOf([
    work({ fill: value("AB") }),
    { kind: "seq", id: "task", blocks: ["one"], timeoutMs: 500, rescue: { then: "body", body: "clean", after: "continue" } },
    step("one"),
    step("clean"),
  ]);
  const limitsOfA = (): unknown[] => Object.values(run.state.timers).filter(({ strand }) => run.state.strands[strand]?.task === "A");
  expect(limitsOfA()).toHaveLength(1);
  act(run, "one:A", false);
  expect(limitsOfA()).toEqual([]);
  act(run, "one:B", false);
  act(run, "clean:B", false);
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toContain("clean:A");
  expect(limitsOfA()).toEqual([]);
});
