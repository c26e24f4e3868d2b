import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, WorkBlock } from "../program/index.ts";
import type { Input, Need } from "./input.ts";

const evaluated: string[][] = [];

/** Each expression of a limit names a field of the item, or is the value itself. */
function evaluate(need: Extract<Need, { type: "evaluate" }>): Record<string, Json> | Error {
  const item = need.locals["item"] as Record<string, Json> | undefined;
  evaluated.push(Object.keys(need.exprs));
  if (Object.values(need.exprs).some(({ of }) => of === "broken")) return new Error("it is broken");
  return Object.fromEntries(
    Object.entries(need.exprs).map(([key, { of }]): [string, Json] => [key, typeof of === "string" ? (item?.[of] ?? of) : of]),
  );
}

function runOf(...blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), evaluate);
  run.start();
  return run;
}

const command = (more: Partial<Extract<Block, { kind: "do" }>>): Block => ({
  kind: "do",
  id: "c",
  who: "engine",
  what: "shell",
  args: {},
  writes: [],
  ...more,
});
const work = (more: Partial<WorkBlock>): WorkBlock => ({
  kind: "work",
  id: "w",
  fill: value([
    { id: "A", ms: 100, tries: 0 },
    { id: "B", ms: 200, tries: 1 },
    { id: "C", ms: 300, tries: 2 },
  ]),
  mode: "strands",
  join: "all",
  body: "c",
  ...more,
});
const report = (run: MemoryRun, outcome: Extract<Input, { type: "report" }>["outcome"]): unknown =>
  run.input({ type: "report", action: Object.keys(run.state.actions)[0] ?? "", holder, fence: 1, outcome, write: true });
const fail = (run: MemoryRun, effect: string): unknown =>
  run.input({ type: "outcome", effect, outcome: { ok: false, code: "COMMAND_FAILED", message: "no" } });

test("the time limit of an action may be an expression, and counts from when the block is entered", () => {
  const run = runOf(agentStep("a", { timeoutMs: value(500) }));
  expect(Object.values(run.state.timers)).toMatchObject([{ due: 1_501, why: "timeout", depth: 0 }]);
  expect(replay(run.events)).toEqual(run.state);
});

test("each item may have a time limit of its own, which its effect carries", () => {
  const run = runOf(work({ parallel: 3 }), command({ timeoutMs: { as: "text", of: "ms" } }));
  expect(Object.values(run.state.effects).map(({ timeoutMs }) => timeoutMs)).toEqual([100, 200, 300]);
});

test("each item may have tries of its own", () => {
  const rescue = { retry: { times: { as: "text" as const, of: "tries" }, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf(work({ parallel: 3, onItemFailure: { retries: 0, then: "continue" } }), command({ rescue }));
  const counts: Record<string, number> = {};
  for (let guard = 0; guard < 20; guard += 1) {
    const [effect] = Object.values(run.state.effects);
    if (effect === undefined) break;
    const task = run.state.strands[effect.strand]?.task ?? "";
    counts[task] = (counts[task] ?? 0) + 1;
    fail(run, effect.id);
  }
  expect(counts).toEqual({ A: 1, B: 2, C: 3 });
  expect(run.state.status).toBe("completed");
});

test("how many items are in hand at once may be an expression, rounded down", () => {
  const run = runOf(work({ parallel: value(2.9) }), command({}));
  expect(Object.keys(run.state.effects)).toHaveLength(2);
  expect(run.state.strands["main"]?.frames.at(-1)).toMatchObject({ limits: { parallel: 2 } });
});

test("a list that is handed out on request obeys an expression as its limit", () => {
  const run = runOf(work({ pull: true, parallel: value(1) }), agentStep("c"));
  expect(run.input({ type: "pull", strand: "main" })).toMatchObject({ code: "NOTHING_TO_PULL" });
  const more = runOf(work({ pull: true, parallel: value(2) }), agentStep("c"));
  expect(more.input({ type: "pull", strand: "main" })).toBeUndefined();
});

test("limits are evaluated once, also when the block is tried again", () => {
  evaluated.length = 0;
  const rescue = { retry: { times: value(2), delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf(command({ rescue, timeoutMs: value(50) }));
  for (const _try of [1, 2, 3]) fail(run, Object.keys(run.state.effects)[0] ?? "");
  expect(run.state.status).toBe("failed");
  expect(evaluated).toEqual([["timeoutMs", "times"]]);
  expect(run.events.filter(({ type }) => type === "effect_opened")).toHaveLength(3);
});

test("a time limit that is an expression runs again after a retry", () => {
  const run = runOf({ kind: "seq", id: "root", blocks: ["a"], timeoutMs: value(500) }, agentStep("a"));
  report(run, { ok: false, code: "STEP_FAILED", message: "no" });
  expect(run.state.timers).toEqual({});
  run.input({ type: "retry", resetCounts: false });
  expect(Object.values(run.state.timers)).toMatchObject([{ due: run.clock + 500, depth: 0 }]);
});

test.each([
  ["text", "soon"],
  ["nothing", null],
  ["too little", 0],
  ["no number at all", true],
])("a limit that gives %s fails its block", (_title, of) => {
  const run = runOf(command({ timeoutMs: value(of) }));
  expect(run.state.error).toMatchObject({ code: "LIMIT_VALUE", block: "c" });
  expect(run.state.error?.message).toContain("needs a number of at least 1 for `timeoutMs`");
});

test("a limit that cannot be evaluated fails its block, and no try is left for it", () => {
  const rescue = { retry: { times: value("broken"), delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  expect(runOf(command({ rescue })).state.error).toMatchObject({ code: "EXPRESSION_FAILED", message: "it is broken" });
});

test("no retries at all is a limit like any other", () => {
  const rescue = { retry: { times: value(0), delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf(command({ rescue }));
  fail(run, Object.keys(run.state.effects)[0] ?? "");
  expect(run.state.status).toBe("failed");
});

test.each<[string, number, number | undefined]>([
  ["of the step that was given up", 500, 900],
  ["of the block itself, which failed before it", 900, undefined],
])("no time limit %s runs on while error steps are at work", (_title, outer, inner) => {
  const run = runOf(
    { kind: "seq", id: "root", blocks: ["a"], timeoutMs: outer, rescue: { then: "body", body: "clean", after: "continue" } },
    agentStep("a", inner === undefined ? {} : { timeoutMs: inner }),
    agentStep("clean"),
  );
  if (inner === undefined) report(run, { ok: false, code: "NO", message: "no" });
  else {
    run.clock += 600;
    run.input({ type: "woke", timer: Object.values(run.state.timers).find(({ depth }) => depth === 0)?.id ?? "" });
  }
  expect(run.open()).toEqual(["clean"]);
  expect(run.state.timers).toEqual({});
  report(run, { ok: true, value: null });
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
});

test("a retry inside error steps sets no limit of the block that they are for", () => {
  const rescue = { then: "body" as const, body: "clean", after: "fail" as const };
  const run = runOf(
    { kind: "seq", id: "root", blocks: ["a"], timeoutMs: 500, rescue },
    agentStep("a"),
    agentStep("clean", { timeoutMs: 300 }),
  );
  report(run, { ok: false, code: "NO", message: "no" });
  report(run, { ok: false, code: "NO", message: "no" });
  expect(run.state).toMatchObject({ status: "failed", timers: {} });
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["clean"]);
  expect(Object.values(run.state.timers)).toMatchObject([{ due: run.clock + 300 }]);
});

test("the time limit of a block outside still counts while error steps are at work", () => {
  const run = runOf(
    { kind: "seq", id: "root", blocks: ["inside"], timeoutMs: 900 },
    { kind: "seq", id: "inside", blocks: ["a"], timeoutMs: 500, rescue: { then: "body", body: "clean", after: "continue" } },
    agentStep("a"),
    agentStep("clean"),
  );
  const wake = (): unknown =>
    run.input({ type: "woke", timer: Object.values(run.state.timers).toSorted((a, b) => a.due - b.due)[0]?.id ?? "" });
  run.clock += 600;
  wake();
  run.clock += 600;
  wake();
  expect(run.state).toMatchObject({ status: "failed", error: { code: "TIMEOUT", block: "root" } });
});

test("what is not a limit is shown, cut when it is long, and nothing as null", () => {
  const run = runOf(command({ timeoutMs: value("x".repeat(200)) }));
  expect(run.state.error?.message).toBe(
    `\`c\` needs a number of at least 1 for \`timeoutMs\`, but its expression gave "${"x".repeat(79)}.`,
  );
  const silent = new MemoryRun(program([command({ timeoutMs: value("n") })], "c"), () => ({}));
  silent.start();
  expect(silent.state.error?.message).toContain("its expression gave null.");
});
