import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json, JsonObject } from "../base/index.ts";
import type { Block, DoBlock, WriteOperation } from "../program/index.ts";
import { emptyState } from "./apply.ts";
import { transition } from "./transition.ts";
import type { Action, Effect } from "./run-state.ts";
import type { Frame } from "./frame.ts";
import type { Input } from "./input.ts";
import type { Update } from "./event.ts";

const person = { kind: "person" as const, name: "ada", session: "t", surface: "cli-terminal" };
const seq = (...blocks: string[]): Block => ({ kind: "seq", id: "root", blocks });
const writes = [{ path: value("p"), op: "set" as const }];
const command = (more: Partial<DoBlock> = {}): DoBlock => ({ ...agentStep("c"), who: "engine", what: "shell", ...more });
const question = (more: Partial<DoBlock> = {}): DoBlock => ({ ...agentStep("q"), who: "person", what: "user_input", ...more });

/** Every path is `raw.out`, every other expression gives its own name. */
function runOf(blocks: Block[], options: Parameters<MemoryRun["start"]>[0] = {}, given: JsonObject = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), ({ exprs }) => ({
    ...Object.fromEntries(Object.keys(exprs).map((key): [string, Json] => [key, key.startsWith("path:") ? ["raw", "out"] : key])),
    ...given,
  }));
  run.start(options);
  return run;
}

const first = <T>(record: Readonly<Record<string, T>>): T | undefined => Object.values(record)[0];
const top = (run: MemoryRun): Frame | undefined => run.state.strands["main"]?.frames.at(-1);
const report = (run: MemoryRun, result: Json = null): unknown => run.report(first(run.state.actions)?.id ?? "", result);

test("a step of the engine that an agent does instead has its paths, one that the engine does reads them when it writes", () => {
  const step = command({ orAgent: true, writes });
  expect(first(runOf([step], { unable: ["shell"] }).state.actions)?.paths).toEqual(["raw.out"]);
  const run = runOf([step]);
  expect(top(run)).toMatchObject({ phase: "open", paths: ["raw.out"] });
  run.input({ type: "outcome", effect: first(run.state.effects)?.id ?? "", outcome: { ok: "cannot" } });
  expect(first(run.state.actions)?.paths).toEqual(["raw.out"]);
  const alone = runOf([command({ writes })]);
  expect(top(alone)).not.toHaveProperty("paths");
  alone.input({ type: "outcome", effect: first(alone.state.effects)?.id ?? "", outcome: { ok: true, value: 7 } });
  expect(alone.state.scopes["run"]?.raw).toEqual({ out: 7 });
});

test.each<[string, DoBlock]>([
  ["an action", agentStep("a")],
  ["an effect", command({ orAgent: true })],
  ["a question", question()],
])("%s without writes keeps no paths in its place", (_title, step) => {
  const run = runOf([step]);
  expect(top(run)).toMatchObject({ kind: "do", phase: "open" });
  expect(top(run)).not.toHaveProperty("paths");
});

/** What the first leaf opens when these texts were replaced in its arguments. */
function openedWith(step: DoBlock, unable: string[], replaced?: JsonObject): { readonly action?: Action; readonly effect?: Effect } {
  const with_ = { ...step, args: { x: value("x") } };
  const given = { type: "values" as const, values: { "arg:x": "y" }, ...(replaced === undefined ? {} : { replaced }) };
  const defaults = { raw: {}, state: {}, fixed: {} };
  const inputs = [
    { type: "start", id: "wf-test", program: "hash", inputs: {}, defaults, options: { serial: false, unable } },
    { type: "advance", strand: "main", given },
  ];
  let state = emptyState;
  for (const plain of inputs) {
    const decided = transition(program([with_], with_.id), state, { ...plain, at: 1, by: agent } as Input);
    if ("rejected" in decided) throw new Error(decided.rejected.message);
    ({ state } = decided);
  }
  const [action, effect] = [first(state.actions), first(state.effects)];
  return { ...(action === undefined ? {} : { action }), ...(effect === undefined ? {} : { effect }) };
}

test("an agent is told what was replaced in its step, and so is the engine when an agent may get the step", () => {
  const replaced = { x: "${x}" };
  expect(openedWith(agentStep("a"), [], replaced).action).toMatchObject({ args: { x: "y" }, replaced });
  expect(openedWith(command({ orAgent: true }), [], replaced).effect).toMatchObject({ replaced });
  expect(openedWith(command({ orAgent: true }), ["shell"], replaced).action).toMatchObject({ replaced });
  expect(openedWith(command(), [], replaced).effect).not.toHaveProperty("replaced");
});

test("nothing is said about replacements where there are none", () => {
  expect(openedWith(agentStep("a"), []).action).not.toHaveProperty("replaced");
  expect(openedWith(agentStep("a"), [], {}).action).not.toHaveProperty("replaced");
  expect(openedWith(command({ orAgent: true }), []).effect).not.toHaveProperty("replaced");
});

test("an effect says which try it is", () => {
  const run = runOf([command({ rescue: { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" } })]);
  expect(first(run.state.effects)).toMatchObject({ attempt: 0 });
  const outcome = { ok: false as const, code: "COMMAND_FAILED", message: "no" };
  run.input({ type: "outcome", effect: first(run.state.effects)?.id ?? "", outcome });
  expect(first(run.state.effects)).toMatchObject({ attempt: 1 });
});

test("an action that is opened while nobody holds a strand that was held before keeps the number of the last holder", () => {
  const fresh = runOf([seq("c", "a", "b"), command(), agentStep("a"), agentStep("b")]);
  const done = (run: MemoryRun): unknown =>
    run.input({ type: "outcome", effect: first(run.state.effects)?.id ?? "", outcome: { ok: true, value: null } });
  done(fresh);
  expect(first(fresh.state.actions)).not.toHaveProperty("fence");
  for (const whenLost of ["retry", "ask"] as const) {
    const run = runOf([seq("c", "a"), command(), agentStep("a", { whenLost })]);
    run.input({ type: "release", strand: "main", fence: 1, why: "given_back" });
    done(run);
    expect(first(run.state.actions)?.fence).toBe(1);
  }
  const unclaimed = new MemoryRun(program([agentStep("a")], "a"), () => ({}));
  const defaults = { raw: {}, state: {}, fixed: {} };
  unclaimed.input({ type: "start", id: "wf", program: "hash", inputs: {}, defaults, options: { serial: false, unable: [] } });
  expect(first(unclaimed.state.actions)).not.toHaveProperty("fence");
});

test.each([
  ["the state that its machine is in", "two"],
  ["the label of a block around it", "Review"],
  ["its own label", "Read it"],
  ["its role", "Coder"],
  ["its whole name", "Coder:T-001"],
])("a note comes with a step when it is for %s", (_title, target) => {
  const machine: Block = {
    kind: "machine",
    id: "m",
    initial: "one",
    states: { one: { body: "a", outcomes: [{ to: "two" }] }, two: { body: "review", outcomes: [{ to: null }] } },
  };
  const review: Block = { kind: "seq", id: "review", label: { kind: "phase", text: "Review" }, blocks: ["b"] };
  const labelled = agentStep("b", { label: { kind: "title", text: "Read it" }, name: value("n") });
  const run = runOf([machine, agentStep("a"), review, labelled], {}, { name: "Coder:T-001" });
  run.input({ type: "note", text: "careful", target }, person);
  run.input({ type: "note", text: "other", target: "Code" }, person);
  report(run);
  expect(run.open()).toEqual(["Coder:T-001"]);
  expect(first(run.state.actions)?.notes).toEqual(["careful"]);
  expect(run.state.notes.map(({ text }) => text)).toEqual(["other"]);
});

test("a note for a state does not come with the steps of another state", () => {
  const machine: Block = {
    kind: "machine",
    id: "m",
    initial: "one",
    states: { one: { body: "two", outcomes: [{ to: "end" }] }, end: { body: "b", outcomes: [{ to: null }] } },
  };
  const run = runOf([seq("begin", "m"), agentStep("begin"), machine, { ...seq("a", "b"), id: "two" }, agentStep("a"), agentStep("b")]);
  run.input({ type: "note", text: "careful", target: "end" }, person);
  report(run);
  expect(run.open()).toEqual(["a"]);
  expect(first(run.state.actions)).not.toHaveProperty("notes");
});

/** What is at the path of an open step after its holder wrote there by hand and then reported. */
function afterBoth(op: WriteOperation, byHand: Json, reported: Json, before: Json): Json | undefined {
  const run = runOf([seq("a", "b"), agentStep("a", { writes: [{ path: value("p"), op }] }), agentStep("b")]);
  const updateOf = (by: WriteOperation, of: Json): Update[] => [{ tier: "raw", keys: ["out"], op: by, value: of }];
  run.input({ type: "set", scope: "run", updates: updateOf("set", before) }, person);
  expect(run.input({ type: "set", scope: "run", updates: updateOf(op, byHand), holder })).toBeUndefined();
  report(run, reported);
  expect(run.open()).toEqual(["b"]);
  return run.state.scopes["run"]?.raw["out"];
}

test.each<[WriteOperation, Json, Json, Json, Json]>([
  ["increment", 2, 2, 10, 12],
  ["decrement", 2, 2, 10, 8],
  ["multiply", 2, 2, 10, 20],
  ["append", "x", "x", ["w"], ["w", "x"]],
  ["append", { id: 1 }, { id: 1 }, [], [{ id: 1 }]],
  ["append", "x", "y", ["w"], ["w", "x", "y"]],
  ["set", "x", "y", "w", "y"],
  ["merge", { a: 1 }, { b: 2 }, {}, { a: 1, b: 2 }],
])("a holder that did `%s` by hand with %j and reports %j has not done it twice", (op, byHand, reported, before, after) => {
  expect(afterBoth(op, byHand, reported, before)).toEqual(after);
});

test("a question says nothing about what it is not given", () => {
  const decision = first(runOf([question()]).state.decisions);
  expect(decision).toMatchObject({ kind: "input", revision: 1, answerBy: "relay", question: "", paths: [] });
  for (const field of ["options", "pattern", "patternMessage", "attempts", "attemptsLeft", "binds"])
    expect(decision).not.toHaveProperty(field);
});

test("what a question is given with its arguments comes before what its author wrote", () => {
  const asked = { options: [{ value: "yes" }], pattern: "^y", attempts: 3, binds: { plan: "h1" } };
  const given = { ...asked, decision: "approval", pattern_message: "Say yes.", prompt: "May I?" };
  const args = Object.fromEntries(Object.keys(given).map((name) => [name, value(name)]));
  const named = Object.fromEntries(Object.entries(given).map(([name, of]): [string, Json] => [`arg:${name}`, of]));
  const run = runOf([question({ args, ask: { answerBy: "relay", attempts: 1 } })], {}, named);
  expect(run.state.decisions).toMatchObject({
    approval: { ...asked, kind: "gate", attemptsLeft: 3, patternMessage: "Say yes.", question: "May I?", answerBy: "relay" },
  });
});

test("a number of wrong answers closes a question that may be relayed, and never one for a person", () => {
  for (const [answerBy, status] of [
    ["relay", "failed"],
    ["person", "running"],
  ] as const)
    for (const limit of [{ attempts: 2 }, { tries: 2 }]) {
      const run = runOf([question({ ask: { answerBy, options: [{ value: "yes" }], ...limit } })]);
      const { id = "" } = first(run.state.decisions) ?? {};
      for (let time = 0; time < 2; time += 1) run.answer(id, "perhaps");
      expect([answerBy, run.state.status]).toEqual([answerBy, status]);
      expect(run.state.decisions[id]?.status).toBe(answerBy === "person" ? "pending" : undefined);
      expect(run.events.filter(({ type }) => type === "answer_refused")).toHaveLength(2);
    }
});

test("a wait for no time at all is over as soon as its timer is due", () => {
  const run = runOf([command({ what: "wait", args: { ms: value(0) } })], {}, { "arg:ms": 0 });
  expect(first(run.state.timers)).toMatchObject({ why: "wait", due: run.clock - 1 });
  run.input({ type: "woke", timer: first(run.state.timers)?.id ?? "" });
  expect(run.state.status).toBe("completed");
});

test("a step that writes state counts as a step, once, and is held by a budget that is used up", () => {
  const write = (id: string): DoBlock => command({ id, what: "set", writes: [{ path: value("p"), op: "append", value: value(1) }] });
  const run = runOf([seq("x", "y"), write("x"), write("y")], { budget: { steps: 1 } });
  expect(run.state.budget.used.steps).toBe(1);
  expect(run.state.scopes["run"]?.raw).toEqual({ out: ["value:0"] });
  expect(first(run.state.decisions)).toMatchObject({ kind: "budget", step: "y" });
  run.answer(first(run.state.decisions)?.id ?? "", "double");
  expect(run.state).toMatchObject({ status: "completed", budget: { used: { steps: 2 } } });
  expect(run.state.scopes["run"]?.raw).toEqual({ out: ["value:0", "value:0"] });
});

test("a step of an agent counts once, also when its result is written", () => {
  const run = runOf([agentStep("a", { writes })]);
  report(run, 1);
  expect(run.state).toMatchObject({ status: "completed", budget: { used: { steps: 1 } } });
});

test("a result whose paths are known is written without asking for anything", () => {
  const asked: string[][] = [];
  const run = new MemoryRun(program([agentStep("a", { writes })], "a"), ({ exprs }) => {
    asked.push(Object.keys(exprs));
    return { "path:0": ["raw", "out"] };
  });
  run.start();
  report(run, 1);
  expect(run.state.scopes["run"]?.raw).toEqual({ out: 1 });
  expect(asked).toEqual([["path:0"]]);
});

test("what is written may be made of the result and of its fields", () => {
  const seen: JsonObject[] = [];
  const transformed = agentStep("a", { writes: [{ path: value("p"), op: "set", transform: value("t") }] });
  const run = new MemoryRun(program([seq("a", "b"), transformed, { ...transformed, id: "b" }], "root"), ({ exprs, locals, write }) => {
    if (write === true) seen.push(locals);
    return "path:0" in exprs ? { "path:0": ["raw", "out"] } : { "value:0": "made" };
  });
  run.start();
  report(run, { count: 2 });
  expect(run.state.scopes["run"]?.raw).toEqual({ out: "made" });
  report(run, null);
  expect(seen).toEqual([{ count: 2, result: { count: 2 } }, { result: null }]);
});

test("a result of null is written as null", () => {
  const run = runOf([agentStep("a", { writes })]);
  report(run, null);
  expect(run.state.scopes["run"]?.raw).toEqual({ out: null });
});

test("of an update that its holder wrote in part by hand the report writes the rest, and nothing over what is there", () => {
  const paths: JsonObject = { "path:0": ["raw", "one"], "path:1": ["raw", "two"] };
  const both = [...writes, { path: value("p"), op: "set" as const }];
  const run = runOf([agentStep("u", { what: "state_update", writes: both })], {}, paths);
  run.input({ type: "set", scope: "run", updates: [{ tier: "raw", keys: ["one"], op: "set", value: "by hand" }], holder });
  report(run, "reported");
  expect(run.state.scopes["run"]?.raw).toEqual({ one: "by hand", two: "reported" });
});

test("a step that writes state without saying what writes null", () => {
  const seen: JsonObject[] = [];
  const run = new MemoryRun(program([command({ what: "set", writes })], "c"), ({ locals }) => {
    seen.push(locals);
    return { "path:0": ["raw", "out"] };
  });
  run.start();
  expect(run.state.scopes["run"]?.raw).toEqual({ out: null });
  expect(seen).toEqual([{ result: null }]);
});
