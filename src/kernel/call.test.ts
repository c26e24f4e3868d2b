import { expect, test } from "vitest";
import { agentStep, part, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, LostPolicy, CallBlock, Part, Program } from "../program/index.ts";
import type { Need } from "./input.ts";

const seen: { readonly exprs: string[]; readonly scope: string; readonly locals: Json; readonly front?: string | undefined }[] = [];

function evaluate(need: Extract<Need, { type: "evaluate" }>): Record<string, Json> | Error {
  const { exprs, scope, locals, front } = need;
  seen.push({ exprs: Object.keys(exprs), scope, locals, front });
  if ("bad" in exprs) return new Error("no such input");
  return Object.fromEntries(
    Object.keys(exprs).map((key): [string, Json] => [key, key.startsWith("path:") ? ["raw", "out"] : `value of ${key}`]),
  );
}

interface Shape {
  readonly call?: Partial<CallBlock>;
  readonly inside?: Block[];
  readonly callee?: Partial<Part>;
  readonly caller?: Partial<Part>;
}

/** A caller that calls one part and then has a step of its own. */
function runOf({ call = {}, inside = [agentStep("in")], callee = {}, caller = {} }: Shape = {}): MemoryRun {
  const blocks: Block[] = [
    { kind: "seq", id: "root", blocks: ["call", "after"] },
    { kind: "call", id: "call", part: "callee", inputs: { name: value("x") }, as: "kept", ...call },
    agentStep("after"),
    ...inside,
  ];
  const whole: Program = {
    ...program(blocks, "root"),
    parts: { test: part("root", caller), callee: part(inside[0]?.id ?? "", callee) },
  };
  seen.length = 0;
  const run = new MemoryRun(whole, evaluate);
  run.start();
  return run;
}

const writing = (id: string): Block => agentStep(id, { writes: [{ path: { as: "path", of: "raw.out" }, op: "set" }] });
const report = (run: MemoryRun, result: Json = null): unknown => run.report(Object.keys(run.state.actions)[0] ?? "", result);
const failStep = (run: MemoryRun): unknown =>
  run.input({
    type: "report",
    action: Object.keys(run.state.actions)[0] ?? "",
    holder,
    fence: 1,
    outcome: { ok: false, code: "STEP_FAILED", message: "no" },
    write: true,
  });

test("a call gets its evaluated inputs over the defaults of the part", () => {
  const inputs = { name: { type: "string" as const, required: true }, depth: { type: "number" as const, required: false, default: 3 } };
  const run = runOf({ callee: { inputs } });
  const inner = run.state.strands["main"]?.scope ?? "";
  expect(inner).not.toBe("run");
  expect(run.state.scopes[inner]).toMatchObject({ part: "callee", inputs: { name: "value of name", depth: 3 }, parent: "run" });
});

test("what is written inside a call stays in its scope, and the caller reads it under its name afterwards", () => {
  const run = runOf({ inside: [writing("in")] });
  const inner = run.state.strands["main"]?.scope ?? "";
  report(run, 7);
  expect(run.open()).toEqual(["after"]);
  expect(run.state.strands["main"]?.scope).toBe("run");
  expect(run.state.scopes[inner]?.raw).toEqual({ out: 7 });
  expect(run.state.scopes["run"]).toMatchObject({ raw: {}, calls: { kept: inner } });
  report(run);
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
});

test("a call that is made again replaces what the last one left", () => {
  const run = new MemoryRun(
    {
      ...program(
        [
          { kind: "repeat", id: "twice", max: 2, onLimit: "warn", body: "call" },
          { kind: "call", id: "call", part: "callee", inputs: {}, as: "kept" },
          agentStep("in"),
        ],
        "twice",
      ),
      parts: { test: part("twice"), callee: part("in") },
    },
    evaluate,
  );
  run.start();
  report(run);
  const first = run.state.scopes["run"]?.calls["kept"] ?? "";
  expect(run.state.scopes[first]).toBeDefined();
  report(run);
  expect(run.state.scopes[first]).toBeUndefined();
  expect(run.state.scopes["run"]?.calls["kept"]).not.toBe(first);
});

test("blocks after the call run in the caller's scope with the callee's names in front", () => {
  const run = runOf({ call: { onComplete: "done" }, inside: [agentStep("in"), writing("done")] });
  const inner = run.state.strands["main"]?.scope ?? "";
  report(run);
  expect(run.open()).toEqual(["done"]);
  expect(seen.at(-1)).toMatchObject({ exprs: ["path:0"], scope: "run", front: inner });
  report(run, 5);
  expect(run.state.scopes["run"]?.raw).toEqual({ out: 5 });
  expect(run.open()).toEqual(["after"]);
});

test("names of a loop around the call are not seen inside it", () => {
  const whole: Program = {
    ...program(
      [
        { kind: "repeat", id: "loop", max: 1, onLimit: "warn", body: "call" },
        { kind: "call", id: "call", part: "callee", inputs: { n: value("n") }, as: "kept" },
        agentStep("in", { args: { x: value("x") } }),
      ],
      "loop",
    ),
    parts: { test: part("loop"), callee: part("in") },
  };
  seen.length = 0;
  new MemoryRun(whole, evaluate).start();
  expect(seen.map(({ exprs, locals }) => [exprs, locals])).toEqual([
    [["n"], { iteration: 1 }],
    [["arg:x"], {}],
  ]);
});

test("an input that cannot be evaluated fails the call", () => {
  const run = runOf({ call: { inputs: { bad: value("x") } } });
  expect(run.state).toMatchObject({ status: "failed", error: { code: "EXPRESSION_FAILED", block: "call" } });
});

test("a failure inside a call is tracked by callee and caller, and a rescue of the call goes on in the caller's scope", () => {
  const tracking = { failed: "raw.failed", lastError: "raw.last" };
  const run = runOf({ call: { rescue: { then: "continue" } }, callee: { tracking }, caller: { tracking } });
  const inner = run.state.strands["main"]?.scope ?? "";
  failStep(run);
  expect(run.open()).toEqual(["after"]);
  expect(run.state.strands["main"]?.scope).toBe("run");
  expect(run.state.scopes[inner]?.raw).toMatchObject({ failed: ["in"], last: { type: "STEP_FAILED", message: "no", step_id: "in" } });
  expect(run.state.scopes["run"]?.raw).toMatchObject({ failed: ["call"] });
});

test("the rescue of a call sees the names of the loop around it, not those of a loop inside", () => {
  const path = { as: "path", of: "raw.out" } as const;
  const whole: Program = {
    ...program(
      [
        { kind: "repeat", id: "loop", max: 1, onLimit: "warn", body: "call" },
        { kind: "call", id: "call", part: "callee", inputs: {}, as: "kept", rescue: { writes: [{ path, op: "set" }], then: "continue" } },
        { kind: "repeat", id: "inner", max: 2, onLimit: "warn", body: "in" },
        agentStep("in"),
      ],
      "loop",
    ),
    parts: { test: part("loop"), callee: part("inner") },
  };
  const run = new MemoryRun(whole, evaluate);
  run.start();
  report(run);
  seen.length = 0;
  failStep(run);
  const error = { message: "no", code: "STEP_FAILED", type: "STEP_FAILED", step_id: "in" };
  expect(seen.map(({ scope, locals }) => [scope, locals])).toContainEqual(["run", { iteration: 1, error }]);
});

test("after the error steps of a call, a retry of the run continues in the scope of the call", () => {
  const run = runOf({
    call: { rescue: { then: "body", body: "clean", after: "fail" } },
    inside: [writing("in"), writing("clean")],
  });
  const inner = run.state.strands["main"]?.scope ?? "";
  failStep(run);
  expect(run.open()).toEqual(["clean"]);
  expect(run.state.strands["main"]?.scope).toBe("run");
  report(run, "cleaned");
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["in"]);
  report(run, 7);
  expect(run.state.scopes[inner]?.raw).toEqual({ out: 7 });
  expect(run.state.scopes["run"]?.raw).toEqual({ out: "cleaned" });
});

test("a call that is tried again begins with a fresh scope", () => {
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf({ call: { rescue } });
  const first = run.state.strands["main"]?.scope;
  failStep(run);
  expect(run.open()).toEqual(["in"]);
  expect(run.state.strands["main"]?.scope).not.toBe(first);
  expect(run.state.strands["main"]?.frames.map(({ kind }) => kind)).toEqual(["seq", "call", "do"]);
});

test("a retry of the run goes on at the step inside the call that failed", () => {
  const run = runOf({ inside: [{ kind: "seq", id: "both", blocks: ["one", "two"] }, agentStep("one"), agentStep("two")] });
  const inner = run.state.strands["main"]?.scope;
  report(run);
  failStep(run);
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["two"]);
  expect(run.state.strands["main"]?.scope).toBe(inner);
});

/** An effect ahead of the call, whose outcome says that the call may have been made before. */
function inDoubt(doubt?: string): MemoryRun {
  const blocks: Block[] = [
    { kind: "seq", id: "root", blocks: ["first", "call", "after"] },
    { kind: "do", id: "first", who: "engine", what: "look", args: {}, writes: [], as: "seen" },
    { kind: "call", id: "call", part: "callee", inputs: {}, as: "kept" },
    agentStep("after"),
    agentStep("in"),
  ];
  const run = new MemoryRun({ ...program(blocks, "root"), parts: { test: part("root"), callee: part("in") } }, evaluate);
  run.start();
  const [effect = ""] = Object.keys(run.state.effects);
  run.input({ type: "outcome", effect, outcome: { ok: true, value: 1 }, ...(doubt === undefined ? {} : { doubt }) });
  return run;
}

const asked = (run: MemoryRun): string => Object.keys(run.state.decisions)[0] ?? "";

test("a call in doubt is asked about before it begins: retry makes it, continue passes it over", () => {
  expect(inDoubt().open()).toEqual(["in"]);
  const again = inDoubt("named");
  expect(again.open()).toEqual([]);
  expect(again.state.decisions[asked(again)]).toMatchObject({ kind: "lost", step: "named", block: "call" });
  again.answer(asked(again), "retry");
  expect(again.open()).toEqual(["in"]);
  const passed = inDoubt("named");
  passed.answer(asked(passed), "continue");
  expect(passed.open()).toEqual(["after"]);
  expect(passed.state.scopes["run"]?.calls).toEqual({});
  for (const run of [again, passed]) expect(replay(run.events)).toEqual(run.state);
});

test("a step in doubt that asks after a loss is asked about before it is handed out, whether or not anybody holds the strand", () => {
  const begun = (whenLost: LostPolicy, held: boolean): MemoryRun => {
    const look: Block = { kind: "do", id: "first", who: "engine", what: "look", args: {}, writes: [] };
    const blocks: Block[] = [{ kind: "seq", id: "root", blocks: ["first", "act"] }, look, agentStep("act", { whenLost })];
    const run = new MemoryRun(program(blocks, "root"), evaluate);
    run.start();
    if (!held) run.input({ type: "release", strand: "main", fence: 1, why: "given_back" });
    run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome: { ok: true, value: 1 }, doubt: "act" });
    return run;
  };
  for (const held of [true, false]) {
    expect(begun("retry", held).open()).toEqual(["act"]);
    const run = begun("ask", held);
    expect(run.open()).toEqual([]);
    expect(run.state.decisions[asked(run)]).toMatchObject({ kind: "lost", step: "act", block: "act" });
    run.answer(asked(run), "retry");
    expect(run.open()).toEqual(["act"]);
    expect(run.state.decisions).toEqual({});
    expect(replay(run.events)).toEqual(run.state);
  }
});

test("the question about a call is closed when nobody will answer it or the run ends", () => {
  const declined = inDoubt("named");
  declined.input({
    type: "answer",
    decision: asked(declined),
    revision: 1,
    answer: null,
    valid: true,
    relayed: false,
    declined: "nobody knows",
  });
  expect(declined.state).toMatchObject({ status: "failed", decisions: {} });
  const ended = inDoubt("named");
  ended.input({ type: "end", status: "cancelled" });
  expect(ended.state).toMatchObject({ status: "cancelled", decisions: {} });
});
