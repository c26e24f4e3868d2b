import { expect, test } from "vitest";
import { agentStep, program, taskWork, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, DoBlock } from "../program/index.ts";
import { isPositionStale, questionNamed } from "./read-state.ts";

const question = (more: Partial<DoBlock> = {}): DoBlock => ({
  kind: "do",
  id: "q",
  who: "person",
  what: "user_input",
  args: {},
  writes: [],
  ask: { answerBy: "relay" },
  ...more,
});

function runOf(...blocks: Block[]): { readonly run: MemoryRun; readonly id: string } {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), (need) =>
    Object.fromEntries(Object.keys(need.exprs).map((key) => [key, key])),
  );
  run.start();
  return { run, id: Object.keys(run.state.decisions)[0] ?? "" };
}

test("an answer that is not one of the options is refused and the question stays", () => {
  const options = [{ value: "yes" }, { value: "no" }];
  const { run, id } = runOf(question({ ask: { answerBy: "relay", options } }));
  expect(run.answer(id, "maybe")).toBeUndefined();
  expect(run.events.at(-1)).toEqual({ type: "answer_refused", decision: id, reason: "The answer must be one of `yes`, `no`." });
  expect(run.state.decisions[id]?.status).toBe("pending");
  run.answer(id, "no");
  expect(run.state.status).toBe("completed");
});

test("an answer that does not match is refused with the author's message, and the last allowed one fails the step", () => {
  const ask = { answerBy: "relay" as const, pattern: "^\\d+$", patternMessage: "Give a number.", attempts: 2 };
  const { run, id } = runOf(
    { kind: "seq", id: "root", blocks: ["q", "after"] },
    question({ ask, rescue: { then: "continue" } }),
    agentStep("after"),
  );
  run.answer(id, "x", { valid: false });
  expect(run.state.decisions[id]).toMatchObject({ status: "pending", attemptsLeft: 1 });
  expect(isPositionStale(run.state, "main")).toBe(false);
  run.answer(id, "y", { valid: false });
  expect(run.open()).toEqual(["after"]);
  expect(run.events.find(({ type }) => type === "failed")).toMatchObject({
    error: { code: "ANSWER_REFUSED", message: "No valid answer to `q`: Give a number.", block: "q" },
  });
  expect(isPositionStale(run.state, "main")).toBe(true);
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(isPositionStale(run.state, "main")).toBe(false);
});

test("an answer to what came after a refused question shows that its driver knows where the strand stands", () => {
  const ask = { answerBy: "relay" as const, pattern: "x", attempts: 1 };
  const rescue = { then: "continue" as const };
  const { run, id } = runOf(
    { kind: "seq", id: "root", blocks: ["q", "r", "after"] },
    question({ ask, rescue }),
    question({ id: "r" }),
    agentStep("after"),
  );
  run.answer(id, "y", { valid: false });
  expect(isPositionStale(run.state, "main")).toBe(true);
  run.answer(Object.keys(run.state.decisions)[0] ?? "", "yes");
  expect(isPositionStale(run.state, "main")).toBe(false);
});

test("a question without attempts may be answered wrongly for ever", () => {
  const { run, id } = runOf(question({ ask: { answerBy: "relay", pattern: "x" } }));
  for (const _try of [1, 2, 3, 4]) run.answer(id, "y", { valid: false });
  expect(run.events.at(-1)).toMatchObject({ reason: "The answer does not match `x`." });
  expect(run.state.decisions[id]?.status).toBe("pending");
});

test("an answer to another revision, or to a question that is closed, changes nothing", () => {
  const { run, id } = runOf(question());
  expect(run.answer(id, "yes", { revision: 2 })).toMatchObject({ code: "DECISION_REVISED" });
  run.answer(id, "yes");
  expect(run.input({ type: "answer", decision: id, revision: 1, answer: "no", valid: true, relayed: false })).toMatchObject({
    code: "RUN_ENDED",
  });
  const other = runOf({ kind: "seq", id: "root", blocks: ["q", "after"] }, question(), agentStep("after"));
  other.run.answer(other.id, "yes");
  expect(other.run.answer(other.id, "no")).toMatchObject({ code: "DECISION_CLOSED" });
});

test("a gate keeps its answer and is asked again under a new revision", () => {
  const gate = question({ ask: { answerBy: "person", decision: "release" } });
  const { run } = runOf({ kind: "repeat", id: "loop", max: 2, onLimit: "warn", body: "q" }, gate);
  run.answer("release", "yes");
  expect(run.state.decisions["release"]).toMatchObject({ revision: 2, status: "pending", kind: "gate" });
  expect(run.state.decisions["release"]).not.toHaveProperty("answer");
  run.answer("release", "no");
  expect(run.state.decisions["release"]).toMatchObject({ status: "answered", answer: "no", answeredBy: { name: "ada", relayed: false } });
});

test("tasks that ask under one well-known id have a question each, and every answer leads on the task that asked", () => {
  const gate = question({ ask: { answerBy: "person", decision: "release" } });
  const run = new MemoryRun(
    program([taskWork({ body: "each" }), { kind: "seq", id: "each", blocks: ["q", "a"] }, gate, agentStep("a")], "w"),
    () => ({
      items: [{ id: "A" }, { id: "B" }],
    }),
  );
  run.start();
  const [first, second] = Object.values(run.state.strands).flatMap(({ id, task }) => (task === undefined ? [] : [id]));
  const asked = Object.values(run.state.decisions).map(({ id, name, strand, revision }) => ({ id, name, strand, revision }));
  expect(asked).toEqual([
    { id: "release", name: undefined, strand: first, revision: 1 },
    { id: `release:${second}`, name: "release", strand: second, revision: 1 },
  ]);
  run.answer(`release:${second}`, "no");
  expect(Object.values(run.state.actions).map(({ strand }) => strand)).toEqual([second]);
  run.answer("release", "yes");
  expect(run.open()).toEqual(["a", "a"]);
  const answers = [first, second].map((strand) => questionNamed(run.state, strand ?? "", "release")?.answer);
  expect(answers).toEqual(["yes", "no"]);
  expect(replay(run.events)).toEqual(run.state);
});

test("a task that asks again keeps the id that it asked under, and one that asks after the first has ended gets the plain one", () => {
  const gate = question({ ask: { answerBy: "person", decision: "release" } });
  const run = new MemoryRun(
    program([taskWork({ body: "twice" }), { kind: "repeat", id: "twice", max: 2, onLimit: "warn", body: "q" }, gate], "w"),
    () => ({ items: [{ id: "A" }, { id: "B" }, { id: "C" }] }),
  );
  run.start();
  const [, second] = Object.values(run.state.strands).flatMap(({ id, task }) => (task === undefined ? [] : [id]));
  run.answer("release", "yes");
  run.answer(`release:${second}`, "yes");
  const pending = (): unknown[] =>
    Object.values(run.state.decisions).flatMap(({ id, status, revision }) => (status === "pending" ? [[id, revision]] : []));
  expect(pending()).toEqual([
    ["release", 2],
    [`release:${second}`, 2],
  ]);
  run.answer("release", "yes");
  expect(pending()).toEqual([
    ["release", 3],
    [`release:${second}`, 2],
  ]);
});

test("the answer of one gate leaves the others as they are", () => {
  const gate = (id: string): DoBlock => question({ id, ask: { answerBy: "person", decision: id } });
  const { run } = runOf({ kind: "seq", id: "root", blocks: ["g", "h", "after"] }, gate("g"), gate("h"), agentStep("after"));
  run.answer("g", "yes");
  run.answer("h", "no");
  expect(Object.values(run.state.decisions).map(({ id, answer }) => [id, answer])).toEqual([
    ["g", "yes"],
    ["h", "no"],
  ]);
});

test.each([
  ["relayed", { relayed: true }, { kind: "person" as const, name: "ada", session: "t", surface: "cli-terminal" }],
  ["by an agent", { relayed: false }, agent],
  ["from where nobody is present", { relayed: false }, { kind: "person" as const, name: "ada", session: "t", surface: "mcp" }],
])("a question for a person is not answered %s", (_title, { relayed }, by) => {
  const { run, id } = runOf(question({ ask: { answerBy: "person" } }));
  const answer = { type: "answer" as const, decision: id, revision: 1, answer: "yes", valid: true, relayed };
  expect(run.input(answer, by)).toMatchObject({ code: "DECISION_FOR_PERSON" });
});

test("a question that nobody will answer fails its step with the reason", () => {
  const { run, id } = runOf(question());
  run.input({ type: "answer", decision: id, revision: 1, answer: null, valid: true, relayed: true, declined: "nobody is there" });
  expect(run.state.error).toEqual({ code: "STEP_FAILED", message: "nobody is there", block: "q" });
});

test("whoever takes a question over begins with all attempts", () => {
  const { run, id } = runOf(question({ ask: { answerBy: "relay", pattern: "x", attempts: 3 } }));
  run.answer(id, "y", { valid: false });
  run.input({ type: "release", strand: "main", fence: 1, why: "lost" });
  run.input({ type: "claim", strand: "main", holder: { ...holder, session: "s2" } });
  expect(run.state.decisions[id]).toMatchObject({ attemptsLeft: 3 });
});

test("a spent budget asks once for all strands, and a raised one lets them go on", () => {
  const { run } = runOf({ kind: "seq", id: "root", blocks: ["a", "b"] }, agentStep("a"), agentStep("b"));
  const poor = new MemoryRun(run.program, () => ({}));
  poor.start({ budget: { steps: 1 } });
  poor.report(Object.keys(poor.state.actions)[0] ?? "");
  const [id = ""] = Object.keys(poor.state.decisions);
  expect(poor.state.decisions[id]).toMatchObject({ kind: "budget", answerBy: "person", binds: { what: "steps" } });
  poor.answer(id, 1);
  expect(poor.events.at(-1)).toMatchObject({ type: "answer_refused", reason: "Answer with a number above 1, `double` or `stop`." });
  poor.answer(id, 0);
  expect(poor.state.decisions[id]?.status).toBe("pending");
  poor.answer(id, "double");
  expect(poor.state.budget.limits.steps).toBe(2);
  expect(poor.open()).toEqual(["b"]);
});

test("a budget that is not raised cancels the run and says why", () => {
  const poor = new MemoryRun(
    program([{ kind: "seq", id: "root", blocks: ["a", "b"] }, agentStep("a"), agentStep("b")], "root"),
    () => ({}),
  );
  poor.start({ budget: { steps: 1 } });
  poor.report(Object.keys(poor.state.actions)[0] ?? "");
  poor.answer(Object.keys(poor.state.decisions)[0] ?? "", "stop");
  expect(poor.state).toMatchObject({
    status: "cancelled",
    error: { code: "BUDGET_SPENT", message: "The budget of 1 step was used up and not raised." },
  });
});

test("a question takes what is known only when it is asked from its arguments", () => {
  const args = { prompt: value("prompt"), decision: value("d"), pattern: value("p"), pattern_message: value("m") };
  const { run } = runOf(question({ args }));
  const [decision] = Object.values(run.state.decisions);
  expect(decision).toMatchObject({
    id: "arg:decision",
    kind: "gate",
    question: "arg:prompt",
    pattern: "arg:pattern",
    patternMessage: "arg:pattern_message",
  });
});

test("a run cannot be ended as completed while something is open, and says what", () => {
  const { run, id } = runOf(question());
  expect(run.input({ type: "end", status: "completed" })).toMatchObject({
    code: "RUN_NOT_DONE",
    message: `Run \`wf-test\` still has work to do: open questions ${id}.`,
    details: { open_steps: [], open_decisions: [id] },
  });
  const steps = runOf(agentStep("a")).run;
  expect(steps.input({ type: "end", status: "completed" })).toMatchObject({ message: "Run `wf-test` still has work to do: open steps a." });
});

test.each([
  ["a default", { then: "value" as const, value: "yes" }],
  ["silence", { then: "continue" as const }],
])("%s does not answer a question for a person: the run stops there", (_what, rescue) => {
  const writes = [{ path: value(["raw", "ok"]), op: "set" as const }];
  const asks = question({ ask: { answerBy: "person" }, timeoutMs: 50, rescue, writes });
  const { run } = runOf({ kind: "seq", id: "root", blocks: ["q", "after"] }, asks, agentStep("after"));
  const timer = Object.values(run.state.timers).find(({ why }) => why === "timeout");
  run.clock = timer?.due ?? 0;
  run.input({ type: "woke", timer: timer?.id ?? "" });
  expect(run.state).toMatchObject({ status: "failed", error: { code: "TIMEOUT" } });
  expect(run.open()).toEqual([]);
  expect(run.state.scopes["run"]?.raw).toEqual({});
});

test("no default is stored for a person who declines", () => {
  const writes = [{ path: value(["raw", "ok"]), op: "set" as const }];
  const asks = question({ ask: { answerBy: "person" }, rescue: { then: "value", value: "yes" }, writes });
  const { run, id } = runOf(asks);
  const by = { kind: "person" as const, name: "ada", session: "p", surface: "cli-terminal" };
  run.input({ type: "answer", decision: id, revision: 1, answer: null, valid: true, relayed: false, declined: "not now" }, by);
  expect(run.state).toMatchObject({ status: "failed", error: { message: "not now" }, scopes: { run: { raw: {} } } });
});

test("a person who declines a question for a person lets the run continue where the author says so", () => {
  const asks = question({ ask: { answerBy: "person" }, rescue: { then: "continue" } });
  const { run, id } = runOf({ kind: "seq", id: "root", blocks: ["q", "after"] }, asks, agentStep("after"));
  const declined = { type: "answer" as const, decision: id, revision: 1, answer: null, valid: true, declined: "not now" };
  expect(run.input({ ...declined, relayed: true })).toMatchObject({ code: "DECISION_FOR_PERSON" });
  run.input({ ...declined, relayed: false }, { kind: "person", name: "ada", session: "p", surface: "cli-terminal" });
  expect(run.open()).toEqual(["after"]);
});

test("what an answer leads to was not begun by a holder that left before: the next one gets it as it is, and is not asked about it", () => {
  for (const [left, questions] of [
    [1, 0],
    // Another holder has come since.
    [0, 1],
  ] as const) {
    const act = agentStep("act", { whenLost: "ask" });
    const { run, id } = runOf({ kind: "seq", id: "root", blocks: ["q", "act"] }, question(), act);
    run.input({ type: "answer", decision: id, revision: 1, answer: "x", valid: true, relayed: false, left });
    if (left === 0) run.input({ type: "release", strand: "main", fence: 1, why: "lost" });
    const next = { ...holder, session: "s2" };
    run.input({ type: "claim", strand: "main", holder: next });
    expect(run.state.strands["main"]).toMatchObject({ holder: next, fence: 2 });
    expect(Object.values(run.state.decisions).filter(({ kind }) => kind === "lost")).toHaveLength(questions);
    expect(replay(run.events)).toEqual(run.state);
  }
});
