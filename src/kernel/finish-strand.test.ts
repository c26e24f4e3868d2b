import { expect, test } from "vitest";
import { agentStep, condition, program } from "../../test/support/make-program.ts";
import { MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Need } from "./input.ts";

const rules = [
  { id: "tested", when: condition("tested"), message: "The tests have not run." },
  { id: "told", when: condition("told"), message: "Nobody was told." },
];

/** A run of one step whose completion rules give these values. */
function runOf(judged: Record<string, Json> | Error): { readonly run: MemoryRun; readonly asked: Extract<Need, { type: "evaluate" }>[] } {
  const asked: Extract<Need, { type: "evaluate" }>[] = [];
  const run = new MemoryRun(program([agentStep("a")], "a", { rules }), (need) => {
    if (!("tested" in need.exprs)) return {};
    asked.push(need);
    return judged;
  });
  run.start();
  run.report(Object.keys(run.state.actions)[0] ?? "");
  return { run, asked };
}

test("a run whose completion rules all hold completes, and they are asked once in its own scope", () => {
  const { run, asked } = runOf({ tested: true, told: true });
  expect(run.state.status).toBe("completed");
  expect(asked).toEqual([
    { type: "evaluate", strand: "main", exprs: { tested: condition("tested"), told: condition("told") }, scope: "run", locals: {} },
  ]);
});

test.each([
  ["one of them does not hold", { tested: true, told: false }, "Nobody was told."],
  ["none of them holds", { tested: false, told: null }, "The tests have not run. Nobody was told."],
  ["they give something else than true", { tested: "yes", told: 1 }, "The tests have not run. Nobody was told."],
  ["they cannot be evaluated", new Error("no such field"), "The tests have not run. Nobody was told."],
])("a run does not complete when %s", (_title, judged, reason) => {
  const { run } = runOf(judged);
  expect(run.state.status).toBe("running");
  expect(run.state.strands["main"]).toMatchObject({ status: "blocked", blocked: { code: "RULES_UNMET", reason } });
});

test("a run without rules completes without asking anything", () => {
  const asked: Need[] = [];
  const run = new MemoryRun(program([agentStep("a")], "a"), (need) => {
    asked.push(need);
    return {};
  });
  run.start();
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state.status).toBe("completed");
  expect(asked).toEqual([]);
});

test("the rules are asked again when a run that they hold is retried", () => {
  const judged: Record<string, Json> = { tested: true, told: false };
  const { run, asked } = runOf(judged);
  judged["told"] = true;
  run.input({ type: "retry", resetCounts: false });
  expect(run.state.status).toBe("completed");
  expect(asked).toHaveLength(2);
});

test("the end of what a command started is not the end of the run, and no rule is asked for it", () => {
  const asked: string[] = [];
  const entries = { side: { root: "b", by: "anyone" as const, main: "goes_on" as const } };
  const run = new MemoryRun(program([agentStep("a"), agentStep("b")], "a", { rules, entries }), (need) => {
    asked.push(...Object.keys(need.exprs));
    return { tested: true, told: true };
  });
  run.start();
  run.input({ type: "entry", name: "side", args: {} });
  const side = Object.values(run.state.actions).find(({ step }) => step === "b");
  run.input({ type: "claim", strand: side?.strand ?? "", holder: { kind: "agent", name: "tester", session: "s1" } });
  run.report(side?.id ?? "");
  expect(run.state.status).toBe("running");
  expect(Object.keys(run.state.strands)).toEqual(["main"]);
  expect(asked).toEqual([]);
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state.status).toBe("completed");
  expect(asked).toEqual(["tested", "told"]);
  expect(replay(run.events)).toEqual(run.state);
});
