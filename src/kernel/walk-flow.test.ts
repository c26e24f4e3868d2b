import { expect, test } from "vitest";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, RepeatBlock } from "../program/index.ts";
import type { Need } from "./input.ts";

/** Conditions are texts that the test switches on and off. */
function runOf(on: Set<string>, ...blocks: Block[]): { readonly run: MemoryRun; readonly asked: [string, Json][] } {
  const asked: [string, Json][] = [];
  const evaluate = ({ exprs, locals }: Extract<Need, { type: "evaluate" }>): Record<string, Json> =>
    Object.fromEntries(
      Object.entries(exprs).map(([key, { of }]): [string, Json] => {
        asked.push([typeof of === "string" ? of : key, locals["iteration"] ?? null]);
        return [key, typeof of === "string" && on.has(of)];
      }),
    );
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), evaluate);
  run.start();
  return { run, asked };
}

const report = (run: MemoryRun): unknown => run.report(Object.keys(run.state.actions)[0] ?? "");
const loop = (more: Partial<RepeatBlock>): Block => ({ kind: "repeat", id: "loop", max: 3, onLimit: "warn", body: "a", ...more });

test("`while` is asked before every round, with the number of the round that would begin", () => {
  const on = new Set(["more"]);
  const { run, asked } = runOf(on, loop({ while: condition("more") }), agentStep("a"));
  report(run);
  on.clear();
  report(run);
  expect(run.state.status).toBe("completed");
  expect(asked).toEqual([
    ["more", 1],
    ["more", 2],
    ["more", 3],
  ]);
});

test("`until` is asked after a round, with the number of that round, and ends the loop when it holds", () => {
  const on = new Set<string>();
  const { run, asked } = runOf(on, loop({ until: condition("enough") }), agentStep("a"));
  expect(asked).toEqual([]);
  report(run);
  on.add("enough");
  report(run);
  expect(run.state.status).toBe("completed");
  expect(asked).toEqual([
    ["enough", 1],
    ["enough", 2],
  ]);
});

test("a loop whose `while` does not hold is passed over", () => {
  expect(runOf(new Set(), loop({ while: condition("more") }), agentStep("a")).run.state.status).toBe("completed");
});

test("a loop that reaches its limit warns and goes on", () => {
  const { run } = runOf(
    new Set(),
    { kind: "seq", id: "root", blocks: ["loop", "after"] },
    loop({ max: 1 }),
    agentStep("a"),
    agentStep("after"),
  );
  report(run);
  expect(run.open()).toEqual(["after"]);
  expect(run.events.filter(({ type }) => type === "warned")).toMatchObject([{ code: "LOOP_LIMIT", strand: "main", block: "loop" }]);
});

test("a loop that reaches its limit fails when it says so", () => {
  const { run } = runOf(new Set(), loop({ max: 1, onLimit: "fail" }), agentStep("a"));
  report(run);
  expect(run.state.error).toEqual({ code: "LOOP_LIMIT", message: "`loop` did 1 round and its condition still holds.", block: "loop" });
});

test("a loop keeps the names that it was entered with, and those of its steps, in every round", () => {
  const seen: Json[] = [];
  const blocks = [agentStep("main"), loop({ max: 2 }), agentStep("a", { as: "answer", args: { x: value("x") } })];
  const run = new MemoryRun(
    program(blocks, "main", { entries: { side: { root: "loop", by: "anyone", main: "goes_on" } } }),
    ({ locals }) => {
      seen.push(locals);
      return {};
    },
  );
  run.start();
  run.input({ type: "entry", name: "side", args: { topic: "t" } });
  const { id = "", strand = "" } = Object.values(run.state.actions).find(({ step }) => step === "a") ?? {};
  run.input({ type: "claim", strand, holder });
  run.report(id, "first");
  expect(seen).toEqual([
    { topic: "t", iteration: 1 },
    { topic: "t", iteration: 2, answer: "first" },
  ]);
});

const choice: Block = {
  kind: "choose",
  id: "choose",
  branches: [
    { when: condition("first"), then: "a" },
    { when: condition("second"), then: "b" },
  ],
  otherwise: "c",
};

test.each([
  [["first", "second"], "a"],
  [["second"], "b"],
  [[], "c"],
])("of the branches %j the first that holds is taken", (on, open) => {
  const { run } = runOf(new Set(on), choice, agentStep("a"), agentStep("b"), agentStep("c"));
  expect(run.open()).toEqual([open]);
  report(run);
  expect(run.state.status).toBe("completed");
});

test("a choice without branches takes what is left", () => {
  const { run, asked } = runOf(new Set(), { kind: "choose", id: "choose", branches: [], otherwise: "c" }, agentStep("c"));
  expect(run.open()).toEqual(["c"]);
  expect(asked).toEqual([]);
});

const machine: Block = {
  kind: "machine",
  id: "m",
  initial: "one",
  states: {
    one: { body: "a", outcomes: [{ when: condition("again"), to: "one" }, { to: "two" }] },
    two: { body: "b", outcomes: [{ when: condition("end"), to: null }] },
  },
};

test("a state is entered again while its outcome says so, and the first outcome that holds decides", () => {
  const on = new Set(["again"]);
  const { run } = runOf(on, machine, agentStep("a"), agentStep("b"));
  report(run);
  expect(run.open()).toEqual(["a"]);
  on.clear();
  report(run);
  expect(run.open()).toEqual(["b"]);
  on.add("end");
  report(run);
  expect(run.state.status).toBe("completed");
});

test("a state none of whose outcomes holds fails", () => {
  const { run } = runOf(new Set(), machine, agentStep("a"), agentStep("b"));
  report(run);
  report(run);
  expect(run.state.error).toMatchObject({ code: "MACHINE_NO_OUTCOME", block: "m" });
});

test("a run that is finished early holds at unmet rules and ends when they are met", () => {
  const on = new Set<string>();
  const rules = [{ id: "tested", when: condition("tested"), message: "The tests have not run." }];
  const run = new MemoryRun(
    program([{ kind: "seq", id: "root", blocks: ["stop", "a"] }, { kind: "leave", id: "stop", how: "finish" }, agentStep("a")], "root", {
      rules,
    }),
    () => ({ tested: on.has("tested") }),
  );
  run.start();
  expect(run.state.strands["main"]?.blocked).toEqual({ code: "RULES_UNMET", reason: "The tests have not run." });
  on.add("tested");
  run.input({ type: "retry", resetCounts: false });
  expect(run.state.status).toBe("completed");
  expect(run.open()).toEqual([]);
});
