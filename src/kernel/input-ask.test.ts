import { expect, test } from "vitest";
import { agentStep, program } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block } from "../program/index.ts";
import type { Actor } from "./input.ts";

const person: Actor = { kind: "person", name: "ada", session: "t", surface: "cli-terminal" };
const other = { kind: "agent" as const, name: "other", session: "o" };
const seq = (...blocks: string[]): Block => ({ kind: "seq", id: "root", blocks });
const first = <T>(record: Readonly<Record<string, T>>): T | undefined => Object.values(record)[0];

function runOf(...blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key): [string, Json] => [key, []])),
  );
  run.start({});
  return run;
}

const fenceOf = (run: MemoryRun): number => run.state.strands["main"]?.fence ?? 0;
const ask = (run: MemoryRun, more: object = {}): unknown =>
  run.input(
    { type: "ask", action: first(run.state.actions)?.id ?? "", holder, fence: fenceOf(run), question: "Which one?", ...more },
    agent,
  );
const answer = (run: MemoryRun, given: Json, more: object = {}): unknown =>
  run.input(
    { type: "answer", decision: first(run.state.decisions)?.id ?? "", revision: 1, answer: given, valid: true, relayed: false, ...more },
    person,
  );
const report = (run: MemoryRun): unknown =>
  run.input(
    {
      type: "report",
      action: first(run.state.actions)?.id ?? "",
      holder,
      fence: fenceOf(run),
      outcome: { ok: true, value: null },
      write: true,
    },
    agent,
  );

test("the step goes back without a cost, waits for the answer, and is handed out again with it", () => {
  const run = runOf(seq("a", "b"), agentStep("a"), agentStep("b"));
  const { id: before = "" } = first(run.state.actions) ?? {};
  const { used } = run.state.budget;
  expect(ask(run)).toBeUndefined();
  expect(run.state.actions).toEqual({});
  expect(first(run.state.decisions)).toMatchObject({ kind: "asked", step: "a", answerBy: "person", sealed: true, question: "Which one?" });
  expect(answer(run, "the first")).toBeUndefined();
  const again = first(run.state.actions);
  expect(again).toMatchObject({ step: "a", notes: ["You asked: Which one? The answer: the first"] });
  expect(again?.id).not.toBe(before);
  expect(run.state.budget.used).toEqual(used);
  expect(run.state.decisions).toEqual({});
  // What was asked in one step is not said again in the next one.
  report(run);
  expect(first(run.state.actions)).toMatchObject({ step: "b" });
  expect(first(run.state.actions)).not.toHaveProperty("notes");
});

test("answers of two questions in a row both come with the step", () => {
  const run = runOf(agentStep("a"));
  ask(run);
  answer(run, "one");
  ask(run, { question: "And then?" });
  answer(run, "two");
  expect(first(run.state.actions)?.notes).toEqual(["You asked: Which one? The answer: one", "You asked: And then? The answer: two"]);
});

test("nobody but its holder asks about a step, and no agent answers", () => {
  const run = runOf(agentStep("a"));
  expect(ask(run, { holder: other })).toMatchObject({ code: "HOLDER_LOST" });
  expect(ask(run, { fence: 99 })).toMatchObject({ code: "HOLDER_LOST" });
  expect(ask(run, { action: "a99" })).toMatchObject({ code: "ACTION_NOT_OPEN" });
  expect(run.state.decisions).toEqual({});
  ask(run);
  expect(answer(run, "x", { relayed: true })).toMatchObject({ code: "DECISION_FOR_PERSON" });
});

test("only a choice is an answer where there are choices", () => {
  const run = runOf(agentStep("a"));
  ask(run, { options: [{ value: "yes" }, { value: "no" }] });
  answer(run, "perhaps");
  expect(first(run.state.decisions)).toMatchObject({ status: "pending" });
  answer(run, "no");
  expect(first(run.state.actions)?.notes).toEqual(["You asked: Which one? The answer: no"]);
});

test("a person who declines fails the step", () => {
  const run = runOf(agentStep("a"));
  ask(run);
  answer(run, null, { declined: "not mine to say" });
  expect(run.state).toMatchObject({ status: "failed", error: { message: "not mine to say" } });
});

test("time limits do not run while a person thinks, and begin again with the answer", () => {
  const run = runOf(agentStep("a", { timeoutMs: 1000 }));
  expect(Object.values(run.state.timers)).toHaveLength(1);
  ask(run);
  expect(run.state.timers).toEqual({});
  run.clock += 5000;
  answer(run, "yes");
  expect(first(run.state.timers)).toMatchObject({ why: "timeout", due: run.clock + 1000 });
});

test("what a turn used counts after its step was reported, and after the run has ended", () => {
  const run = runOf(agentStep("a"));
  const { id: action = "" } = first(run.state.actions) ?? {};
  report(run);
  expect(run.state.status).toBe("completed");
  expect(run.input({ type: "used", action, usage: { tokens: 12, money: 0.5 }, denied: ["curl"] }, agent)).toBeUndefined();
  expect(run.state.budget.used).toMatchObject({ tokens: 12, money: 0.5 });
  expect(run.events.at(-1)).toEqual({ type: "spent", tokens: 12, money: 0.5, action, denied: ["curl"] });
});
