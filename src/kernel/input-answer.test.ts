import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, DoBlock, Part } from "../program/index.ts";

const writes = [{ path: { as: "path" as const, of: "raw.out" }, op: "set" as const }];

function runOf(blocks: Block[], more: Partial<Part> = {}): MemoryRun {
  return new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), ({ exprs }) =>
    Object.fromEntries(
      Object.keys(exprs).map((key): [string, Json] => [key, key === "items" ? [{ id: "A" }, { id: "B" }] : ["raw", "out"]]),
    ),
  );
}

function asking(more: Partial<DoBlock> = {}): { readonly run: MemoryRun; readonly id: string } {
  const question: DoBlock = { kind: "do", id: "q", who: "person", what: "user_input", args: {}, writes, ask: { answerBy: "relay" } };
  const run = runOf([{ kind: "seq", id: "root", blocks: ["q", "b"] }, { ...question, ...more }, agentStep("b")]);
  run.start();
  return { run, id: Object.keys(run.state.decisions)[0] ?? "" };
}

/** A step that writes its result and was lost with its holder, so that somebody has to say what becomes of it. */
function lost(): { readonly run: MemoryRun; readonly id: string } {
  const run = runOf([{ kind: "seq", id: "root", blocks: ["a", "b"] }, agentStep("a", { whenLost: "ask", writes }), agentStep("b")]);
  run.start();
  run.input({ type: "release", strand: "main", fence: 1, why: "lost" });
  run.input({ type: "claim", strand: "main", holder });
  const [id = ""] = Object.keys(run.state.decisions);
  expect(run.state.decisions[id]).toMatchObject({ kind: "lost", step: "a" });
  return { run, id };
}

test("a lost step that is passed over writes no result", () => {
  const { run, id } = lost();
  run.answer(id, "continue");
  expect(run.open()).toEqual(["b"]);
  expect(run.state.scopes["run"]?.raw).toEqual({});
  expect(run.state.decisions).toEqual({});
});

test("a lost step that is to be done again is handed out again, and writes what it then gives", () => {
  const { run, id } = lost();
  expect(run.open()).toEqual([]);
  run.answer(id, "retry");
  expect(run.open()).toEqual(["a"]);
  run.report(Object.keys(run.state.actions)[0] ?? "", 5);
  expect(run.open()).toEqual(["b"]);
  expect(run.state.scopes["run"]?.raw).toEqual({ out: 5 });
  expect(replay(run.events)).toEqual(run.state);
});

test("an answer is written, unless its holder has stored it", () => {
  const written = asking();
  written.run.answer(written.id, "blue");
  expect(written.run.state.scopes["run"]?.raw).toEqual({ out: "blue" });
  const stored = asking();
  const answer = { type: "answer" as const, decision: stored.id, revision: 1, answer: "blue", valid: true, relayed: true };
  const updates = [{ tier: "raw" as const, keys: ["out"], op: "set" as const, value: "as stored" }];
  stored.run.input({ type: "set", scope: "run", handOut: stored.id, holder, updates });
  stored.run.input({ ...answer, stored: true });
  expect(stored.run.open()).toEqual(["b"]);
  expect(stored.run.state.scopes["run"]?.raw).toEqual({ out: "as stored" });
});

test("an answer that was stored and taken back meanwhile is written", () => {
  const { run, id } = asking();
  run.input({ type: "answer", decision: id, revision: 1, answer: "blue", valid: true, relayed: true, stored: true });
  expect(run.state.scopes["run"]?.raw).toEqual({ out: "blue" });
});

test("a question that fails its step is closed once, with what was wrong", () => {
  const refused = asking({ ask: { answerBy: "relay", pattern: "x", attempts: 1 } });
  refused.run.answer(refused.id, "y", { valid: false });
  const declined = asking();
  const answer = { type: "answer" as const, decision: declined.id, revision: 1, answer: null, valid: true, relayed: true };
  declined.run.input({ ...answer, declined: "nobody is there" });
  for (const [{ run, id }, reason] of [
    [refused, "The answer does not match `x`."],
    [declined, "nobody is there"],
  ] as const) {
    const closed = run.events.filter(({ type }) => type === "decision_closed");
    expect(closed).toEqual([{ type: "decision_closed", decision: id, status: "cancelled", reason }]);
    expect(run.state).toMatchObject({ status: "failed", decisions: {} });
  }
});

test.each([
  ["person", "person"],
  ["agent", "agent"],
  ["engine", "worker"],
] as const)("an answer of a %s is kept with who gave it", (kind, as) => {
  const { run } = asking({ ask: { answerBy: "relay", decision: "release" } });
  const by = { kind, name: "ada", session: "t", surface: "http" };
  run.input({ type: "answer", decision: "release", revision: 1, answer: "yes", valid: true, relayed: false }, by);
  expect(run.state.decisions["release"]).toMatchObject({
    status: "answered",
    answer: "yes",
    answeredBy: { kind: as, name: "ada", session: "t", surface: "http", relayed: false },
  });
});

/** Two tasks with two steps each. The budget is used up when the first of them wants its second step. */
function spent(): { readonly run: MemoryRun; readonly id: string } {
  const work: Block = { kind: "work", id: "w", fill: value("x"), mode: "strands", join: "all", body: "task" };
  const blocks: Block[] = [work, { kind: "seq", id: "task", blocks: ["a", "b"] }, agentStep("a"), agentStep("b")];
  const run = runOf(blocks, { budget: { tokens: 900, minutes: 50 } });
  run.start({ budget: { steps: 2 } });
  const [first] = Object.values(run.state.actions);
  run.input({ type: "claim", strand: first?.strand ?? "", holder });
  run.report(first?.id ?? "");
  const [id = ""] = Object.keys(run.state.decisions);
  expect(run.open()).toEqual(["a"]);
  return { run, id };
}

test("a raised limit leaves the others as they are, closes its question, and wakes only what waited for it", () => {
  const { run, id } = spent();
  const other = Object.values(run.state.actions)[0]?.strand;
  const before = run.events.length;
  run.answer(id, 20);
  expect(run.state.budget).toMatchObject({ limits: { steps: 20, tokens: 900, minutes: 50 }, used: { steps: 3 } });
  expect(run.state.budget).not.toHaveProperty("decision");
  expect(run.state.decisions).toEqual({});
  expect(run.open()).toEqual(["a", "b"]);
  const woken = run.events.slice(before).flatMap((event) => (event.type === "ready" ? [event.strand] : []));
  expect(woken).toHaveLength(1);
  expect(woken).not.toContain(other);
  expect(woken).not.toContain("main");
  expect(replay(run.events)).toEqual(run.state);
});

test("a run that is stopped at its budget keeps that this was the answer", () => {
  const { run, id } = spent();
  run.answer(id, "stop");
  expect(run.events.filter(({ type }) => type === "decision_closed")).toMatchObject([{ decision: id, status: "answered", answer: "stop" }]);
  expect(run.state).toMatchObject({ status: "cancelled", error: { code: "BUDGET_SPENT" } });
  expect([...run.items.values()].map(({ reason }) => reason)).toEqual(Array(2).fill("the budget was used up and not raised"));
});

test("a question about the budget cannot be declined, and is never given up for wrong answers", () => {
  const { run, id } = spent();
  const answer = { type: "answer" as const, decision: id, revision: 1, answer: null, valid: true, relayed: false };
  const person = { ...agent, kind: "person" as const, surface: "cli-terminal" };
  for (const _try of [1, 2, 3]) expect(run.input({ ...answer, declined: "nobody is there" }, person)).toBeUndefined();
  expect(run.events.at(-1)).toEqual({ type: "answer_refused", decision: id, reason: "Answer with a new limit, `double` or `stop`." });
  expect(run.state.decisions[id]?.status).toBe("pending");
});

test.each(["cli-terminal", "cli-test", "elicitation", "http", "console", "chat"])("a person answers for themselves at %s", (surface) => {
  const { run, id } = asking({ ask: { answerBy: "person" } });
  const by = { kind: "person" as const, name: "ada", session: "t", surface };
  expect(run.input({ type: "answer", decision: id, revision: 1, answer: "yes", valid: true, relayed: false }, by)).toBeUndefined();
  expect(run.open()).toEqual(["b"]);
});
