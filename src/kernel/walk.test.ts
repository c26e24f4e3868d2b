import { expect, test } from "vitest";
import { agentStep, part, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { JsonObject } from "../base/index.ts";
import type { Block, Part } from "../program/index.ts";
import { emptyState } from "./apply.ts";
import { openRefs } from "./input-outcome.ts";
import { transition } from "./transition.ts";
import type { Event } from "./event.ts";
import type { Given, Input } from "./input.ts";

const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });
const start = { type: "start", id: "wf", program: "hash", inputs: {}, defaults: { raw: {}, state: {}, fixed: {} } };

/** The events of the first walk when this is given. */
function firstWalk(step: Block, given: Given): readonly Event[] {
  const of = program([step], step.id);
  const begun = transition(of, emptyState, { ...start, options: { serial: false, unable: [] }, at: 1, by: agent } as Input);
  if ("rejected" in begun) throw new Error(begun.rejected.message);
  const walked = transition(of, begun.state, { type: "advance", strand: "main", given, at: 2, by: agent });
  return "rejected" in walked ? [] : walked.events;
}

test("a warning that comes with values is kept with the block that it is about", () => {
  const warnings = [{ code: "SLOW", message: "It took long." }];
  const events = firstWalk(agentStep("a", { args: { x: value("x") } }), { type: "values", values: {}, warnings });
  expect(events[0]).toEqual({ type: "warned", code: "SLOW", message: "It took long.", strand: "main", block: "a" });
});

test("a long way without a stop is walked in pieces of 200 events", () => {
  const loop: Block = { kind: "repeat", id: "loop", max: 100, onLimit: "warn", body: "x" };
  const run = new MemoryRun(program([loop, agentStep("x", { who: "engine", what: "set" })], "loop"), () => ({}));
  run.start();
  expect(run.state.status).toBe("completed");
  const walks = run.journal.filter(({ input }) => input.type === "advance").map(({ events }) => events.length);
  expect(walks[0]).toBe(200);
  expect(walks).toHaveLength(2);
});

test("an id is the position of the event that carries it", () => {
  const run = new MemoryRun(program([seq("root", "a", "b"), agentStep("a"), agentStep("b")], "root"), () => ({}));
  run.start();
  run.report(Object.keys(run.state.actions)[0] ?? "");
  const opened = run.events.flatMap((event, at) => (event.type === "action_opened" ? [[event.action.id, `a${at + 1}`]] : []));
  expect(opened).toHaveLength(2);
  for (const [id, expected] of opened) expect(id).toBe(expected);
});

test("a step sees the names of all loops around it, and in a call none of those around the call", () => {
  const seen: JsonObject[] = [];
  const args = { x: value("x") };
  const blocks: Block[] = [
    { kind: "work", id: "w", fill: value([]), mode: "each", join: "all", itemName: "file", body: "loop" },
    { kind: "repeat", id: "loop", max: 1, onLimit: "warn", body: "inner" },
    { kind: "work", id: "inner", fill: value([]), mode: "each", join: "all", itemName: "line", body: "both" },
    seq("both", "a", "call"),
    agentStep("a", { args }),
    { kind: "call", id: "call", part: "other", inputs: {}, as: "call" },
    agentStep("b", { args }),
  ];
  const one = program(blocks, "w");
  const run = new MemoryRun({ ...one, parts: { ...one.parts, other: part("b") } }, ({ exprs, locals }): JsonObject => {
    if ("items" in exprs) return { items: [{ id: "A" }] };
    if ("arg:x" in exprs) seen.push(locals);
    return {};
  });
  run.start();
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(seen).toMatchObject([{ file: { id: "A" }, line: { id: "A" }, iteration: 1 }, {}]);
  expect(seen[1]).toEqual({});
});

function runOf(blocks: Block[], more: Partial<Part> = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), () => ({ items: [{ id: "A" }, { id: "B" }], "arg:ms": 0 }));
  run.start();
  return run;
}

test("while an entry is open for which the others wait, its own tasks go on and theirs do not", () => {
  const work = (id: string, body: string): Block => ({ kind: "work", id, fill: value([]), mode: "strands", join: "all", body });
  const entries = { side: { root: "side", by: "anyone" as const, main: "waits" as const } };
  const blocks = [
    work("w", "t"),
    seq("t", "a", "b"),
    work("side", "u"),
    seq("u", "c", "d"),
    ...["a", "b", "c", "d"].map((id) => agentStep(id)),
  ];
  const run = runOf(blocks, { entries });
  run.input({ type: "entry", name: "side", args: {} });
  const report = (step: string): void => {
    const { id = "", strand = "" } = Object.values(run.state.actions).find((action) => action.step === step) ?? {};
    run.input({ type: "claim", strand, holder });
    run.report(id);
  };
  report("a");
  report("c");
  expect(run.open()).toEqual(["a", "c", "d"]);
});

test("what is refused elsewhere is kept, and changes nothing", () => {
  const run = runOf([agentStep("a")]);
  const before = run.state;
  run.input({ type: "refusal", what: "approve", code: "BY_PERSON", message: "Only a person may." });
  expect(run.events.at(-1)).toEqual({ type: "refused", what: "approve", code: "BY_PERSON", message: "Only a person may." });
  expect({ ...run.state, seq: before.seq }).toEqual(before);
});

test.each([
  ["failed", "has failed", "Retry it, or start a new run."],
  ["cancelled", "is cancelled", "Start a new run."],
] as const)("who wants more of a run that is %s is told what can be done", (status, became, fix) => {
  const run = runOf([agentStep("a")]);
  run.input({ type: "end", status, reason: "enough" });
  const message = `Run \`wf-test\` ${became}; nothing more can be done in it. Reason: enough`;
  expect(run.input({ type: "claim", strand: "main", holder })).toEqual({ code: "RUN_ENDED", message, fix });
});

test("a question that was answered is not among what is open", () => {
  const gate = agentStep("q", { who: "person", ask: { answerBy: "relay", decision: "ok" } });
  const run = runOf([seq("root", "q", "a"), gate, agentStep("a")]);
  expect(openRefs(run.state)).toEqual({ open_steps: [], open_decisions: ["ok"] });
  run.answer("ok", "yes");
  expect(openRefs(run.state)).toEqual({ open_steps: ["a"], open_decisions: [] });
});

test("only a strand that goes through a list can be rewound, also when the list is all that it does", () => {
  const work: Block = { kind: "work", id: "w", fill: value([]), mode: "each", join: "all", body: "a" };
  const run = runOf([work, agentStep("a")]);
  expect(run.input({ type: "rewind", strand: "main", reason: "again" })).toBeUndefined();
  expect(run.events).toContainEqual(
    expect.objectContaining({ move: expect.objectContaining({ id: "A", to: "pending", reason: "again" }) as unknown }),
  );
  expect(run.open()).toEqual(["a"]);
  expect(runOf([agentStep("a")]).input({ type: "rewind", strand: "main", reason: "again" })).toMatchObject({ code: "NOTHING_TO_REWIND" });
  expect(run.input({ type: "rewind", strand: "s99", reason: "again" })).toMatchObject({ code: "NOTHING_TO_REWIND" });
});

const failed = { ok: false as const, code: "STEP_FAILED", message: "no" };
const fail = (run: MemoryRun): unknown =>
  run.input({ type: "report", action: Object.keys(run.state.actions)[0] ?? "", holder, fence: 1, outcome: failed, write: true });

test("a field for failed steps that holds something else is left alone", () => {
  const run = runOf([seq("root", "a", "b"), agentStep("a", { rescue: { then: "continue" } }), agentStep("b")], {
    tracking: { failed: "raw.failed" },
  });
  run.input({ type: "set", scope: "run", updates: [{ tier: "raw", keys: ["failed"], op: "set", value: 5 }], holder });
  fail(run);
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state).toMatchObject({ status: "completed", scopes: { run: { raw: { failed: 5 } } } });
});

test("the stack of a failure names the blocks that an author wrote, not those made for them or the dealing with an earlier failure", () => {
  const rescue = { then: "body" as const, body: "root$fix", after: "fail" as const };
  const blocks: Block[] = [
    { kind: "seq", id: "root", blocks: ["a", "b"], rescue },
    agentStep("a"),
    agentStep("b"),
    seq("root$fix", "c", "b"),
    agentStep("c"),
  ];
  const run = runOf(blocks, { tracking: { errors: { path: "raw.errors", stacks: true } } });
  fail(run);
  fail(run);
  expect(run.state.scopes["run"]?.raw).toMatchObject({ errors: [{ stack: "at a\nat root" }, { stack: "at c\nat a\nat root" }] });
});

test("a refused answer that fails the run hides nothing any more", () => {
  const ask = { answerBy: "relay" as const, pattern: "x", attempts: 1 };
  const run = runOf([agentStep("q", { who: "person", ask })]);
  run.answer(Object.keys(run.state.decisions)[0] ?? "", "y", { valid: false });
  expect(run.state.status).toBe("failed");
  expect(run.events.filter(({ type }) => type === "hidden")).toEqual([]);
});

test("a call whose inputs fail is dealt with in the scope that it was to be made from", () => {
  const rescue = { then: "body" as const, body: "own", after: "continue" as const };
  const root: Block = { kind: "seq", id: "root", blocks: ["call", "a"], rescue };
  const call: Block = { kind: "call", id: "call", part: "other", inputs: { x: value("x") }, as: "call" };
  const one = program([root, call, agentStep("a"), agentStep("own"), agentStep("b")], "root");
  const run = new MemoryRun({ ...one, parts: { ...one.parts, other: part("b") } }, () => new Error("no"));
  run.start();
  expect(run.open()).toEqual(["own"]);
  expect(run.state.strands["main"]?.scope).toBe("run");
  const dealing = run.state.strands["main"]?.frames.find(({ kind }) => kind === "rescue");
  expect(dealing?.locals).toMatchObject({ error: { message: "no", step_id: "call" } });
  expect(dealing).not.toHaveProperty("inner");
});
