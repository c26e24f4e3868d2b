import { expect, test } from "vitest";
import { agentStep, part, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Ask, Block, DoBlock, Expr } from "../program/index.ts";
import type { Update } from "./event.ts";

function question(id: string, path: readonly string[], answerBy: Ask["answerBy"] = "person"): DoBlock {
  return {
    kind: "do",
    id,
    who: "person",
    what: "user_input",
    args: {},
    writes: [{ path: value([...path]), op: "set" }],
    ask: { answerBy },
  };
}

function runOf(blocks: readonly Block[], entries: Readonly<Record<string, string>> = {}): MemoryRun {
  const inner = blocks.filter(({ id }) => !Object.values(entries).includes(id)).map(({ id }) => id);
  const begun = Object.entries(entries).map(([name, root]) => [name, { root, by: "anyone" as const, main: "goes_on" as const }]);
  const whole = program([{ kind: "seq", id: "root", blocks: inner }, ...blocks], "root", { entries: Object.fromEntries(begun) });
  const run = new MemoryRun(whole, ({ exprs }) =>
    Object.fromEntries(Object.entries(exprs).map(([name, { of }]: [string, Expr]): [string, Json] => [name, of])),
  );
  run.start();
  return run;
}

function set(run: MemoryRun, keys: readonly string[], given: Json, op: Update["op"] = "set") {
  return run.input({ type: "set", scope: "run", updates: [{ tier: "raw", keys, op, value: given }], holder });
}

function asked(run: MemoryRun, step: string): string {
  return Object.values(run.state.decisions).find((each) => each.step === step && each.status === "pending")?.id ?? "";
}

test("an entry of a list is the person's however its index is written", () => {
  const run = runOf([agentStep("first"), question("q", ["raw", "list", "0", "ok"]), agentStep("work")]);
  set(run, ["list"], [{}]);
  run.report(Object.keys(run.state.actions)[0] ?? "");
  run.answer(asked(run, "q"), "no");
  expect(set(run, ["list", "00", "ok"], "yes")).toMatchObject({ code: "STATE_OF_PERSON", details: { answer: "raw.list.0.ok" } });
  expect(run.state.scopes["run"]?.raw).toEqual({ list: [{ ok: "no" }] });
});

test("a wrong answer to another question does not take back what the person answered meanwhile", () => {
  const run = runOf([agentStep("first"), question("relayed", ["raw", "x"], "relay"), question("own", ["raw", "x"])], { beside: "own" });
  set(run, ["x"], "yes");
  run.report(Object.keys(run.state.actions)[0] ?? "");
  set(run, ["x"], "no");
  run.input({ type: "entry", name: "beside", args: {} });
  run.answer(asked(run, "own"), "no");
  run.answer(asked(run, "relayed"), "wrong", { relayed: true, valid: false });
  expect(run.events.at(-2)).toMatchObject({ type: "put_back" });
  expect(run.state.scopes["run"]?.raw).toEqual({ x: "no" });
});

test("a relayed answer does not replace what the person answered, and the person's own answer to the same question does", () => {
  const blocks = [question("q", ["raw", "x"]), question("again", ["raw", "x"], "relay"), agentStep("work")];
  const [relayed, own] = [runOf(blocks), runOf(blocks)];
  for (const run of [relayed, own]) run.answer(asked(run, "q"), "no");
  relayed.answer(asked(relayed, "again"), "yes", { relayed: true });
  expect(relayed.state).toMatchObject({ status: "failed", error: { code: "STATE_OF_PERSON" }, scopes: { run: { raw: { x: "no" } } } });
  own.answer(asked(own, "again"), "yes");
  expect(own.state.scopes["run"]?.raw).toEqual({ x: "yes" });
  expect(set(own, ["x"], "no")).toMatchObject({ code: "STATE_OF_PERSON" });
  expect(replay(own.events)).toEqual(own.state);
});

/** The run calls `outer`, which calls `sub`, where the person is asked; then it calls `other`, and does a step itself. */
function runWithCalls(): MemoryRun {
  const call = (name: string): Block => ({ kind: "call", id: `to_${name}`, part: name, inputs: {}, as: name });
  const blocks: readonly Block[] = [
    { kind: "seq", id: "root", blocks: ["to_outer", "to_other", "work"] },
    ...["outer", "sub", "other"].map(call),
    question("q", ["raw", "approved"]),
    agentStep("inside"),
    agentStep("work"),
  ];
  const parts = { test: part("root"), outer: part("to_sub"), sub: part("q"), other: part("inside") };
  const run = new MemoryRun({ ...program(blocks, "root"), parts }, ({ exprs }) =>
    Object.fromEntries(Object.entries(exprs).map(([name, { of }]: [string, Expr]): [string, Json] => [name, of])),
  );
  run.start();
  run.answer(asked(run, "q"), "no");
  return run;
}

test("the name of a call is the person's when the answer is in a call further inside", () => {
  const run = runWithCalls();
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state.strands["main"]?.scope).toBe("run");
  expect(set(run, ["outer"], { ok: "yes" })).toMatchObject({ code: "STATE_OF_PERSON", details: { answer: "raw.approved" } });
  expect(set(run, ["outer", "ok"], "yes")).toMatchObject({ code: "STATE_OF_PERSON" });
  expect(set(run, ["ok"], "yes")).toBeUndefined();
});

test("a call brings no name that would hide an answer of an earlier call from the steps after it", () => {
  const run = runWithCalls();
  const scope = run.state.strands["main"]?.scope ?? "";
  expect(run.state.scopes[scope]?.part).toBe("other");
  const writes = (name: string) =>
    run.input({ type: "set", scope, updates: [{ tier: "raw", keys: [name], op: "set", value: "yes" }], holder });
  expect(writes("outer")).toMatchObject({ code: "STATE_OF_PERSON" });
  expect(writes("other")).toBeUndefined();
});

test("what the engine writes by itself is the workflow's own", () => {
  const run = runOf([question("q", ["raw", "x"]), agentStep("work")]);
  run.answer(asked(run, "q"), "no");
  const engine = { kind: "engine" as const, name: "waymark", session: "p", surface: "engine" };
  const updates = [{ tier: "raw" as const, keys: ["x"], op: "set" as const, value: "later" }];
  expect(run.input({ type: "set", scope: "run", updates }, engine)).toBeUndefined();
  expect(run.state.scopes["run"]?.raw).toEqual({ x: "later" });
});
