import { expect, test } from "vitest";
import { agentStep, program, taskWork, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, Part } from "../program/index.ts";
import { raisedLimit } from "./budget.ts";

const person = { kind: "person" as const, name: "ada", session: "t", surface: "cli-terminal" };

function runOf(blocks: Block[], more: Partial<Part>): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), ({ exprs }) =>
    "items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {},
  );
  run.start();
  return run;
}

function report(run: MemoryRun, usage: { readonly tokens?: number; readonly money?: number } = {}): void {
  const [action] = Object.values(run.state.actions);
  const strand = action?.strand ?? "";
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  const { fence = 0 } = run.state.strands[strand] ?? {};
  run.input({ type: "report", action: action?.id ?? "", holder, fence, outcome: { ok: true, value: null }, write: true, usage });
}

const two: Block[] = [{ kind: "seq", id: "root", blocks: ["a", "b"] }, agentStep("a"), agentStep("b")];
const questions = (run: MemoryRun): string[] => Object.values(run.state.decisions).map(({ question }) => question.split(". ")[0] ?? "");

test.each([
  ["tokens", { tokens: 100 }, { tokens: 100 }, 0, "The budget of 100 tokens is used up"],
  ["money", { money: 2 }, { money: 2.5 }, 0, "The budget of $2.00 is used up"],
  ["minutes", { minutes: 1 }, {}, 60_000, "The budget of 1 minute is used up"],
])("a run stops when its %s are used up, not before", (_title, budget, usage, passing, question) => {
  const run = runOf(two, { budget });
  run.clock += passing;
  report(run, usage);
  expect(run.open()).toEqual([]);
  expect(questions(run)).toEqual([question]);
  const frugal = runOf(two, { budget });
  report(frugal, { tokens: 99, money: 1.99 });
  expect(frugal.open()).toEqual(["b"]);
});

test("strands that come to the end of the budget wait for one question, and all go on with its answer", () => {
  const work: Block = { kind: "work", id: "w", fill: value("x"), mode: "strands", join: "all", body: "root" };
  const run = runOf([work, ...two], { budget: { steps: 2 } });
  report(run);
  report(run);
  expect(run.open()).toEqual([]);
  const [asked, ...others] = Object.values(run.state.decisions);
  expect(others).toEqual([]);
  expect(asked).toMatchObject({ kind: "budget", step: "b", answerBy: "person", binds: { what: "steps" } });
  expect(run.state.budget.decision).toBe(asked?.id);
  const tasks = Object.values(run.state.strands).filter(({ task }) => task !== undefined);
  expect(tasks.map(({ waits }) => waits)).toEqual(Array(2).fill({ on: "decision", id: asked?.id }));
  run.answer(asked?.id ?? "", "double");
  expect(run.open()).toEqual(["b", "b"]);
  expect(replay(run.events)).toEqual(run.state);
});

test("a question about the budget that was given up with its strand is asked again by the next one", () => {
  const entries = { side: { root: "c", by: "anyone" as const, main: "goes_on" as const } };
  const run = runOf([...two, agentStep("c")], { budget: { steps: 1 }, entries });
  run.input({ type: "entry", name: "side", args: {} });
  const [first] = Object.values(run.state.decisions);
  expect(first).toMatchObject({ kind: "budget", step: "c" });
  run.input({ type: "cancel", strand: first?.strand ?? "", reason: "not wanted" });
  expect(run.state.decisions).toEqual({});
  report(run);
  const [second] = Object.values(run.state.decisions);
  expect(second).toMatchObject({ kind: "budget", step: "b", status: "pending" });
  expect(second?.id).not.toBe(first?.id);
});

test.each<[Json, number | undefined]>([
  ["double", 20],
  [11, 11],
  ["11", 11],
  [" 12.5 ", 12.5],
  [10, undefined],
  ["9", undefined],
  ["", undefined],
  ["many", undefined],
  ["Infinity", undefined],
  [null, undefined],
  [true, undefined],
  [[11], undefined],
])("the answer %j to a limit of 10 asks for %s", (answer, limit) => {
  expect(raisedLimit(answer, 10)).toBe(limit);
});

test("limits that a person raises let everything go on that waits for the question about them", () => {
  const run = runOf([taskWork(), agentStep("a")], { budget: { steps: 0 } });
  expect(questions(run)).toHaveLength(1);
  run.input({ type: "limits", budget: { steps: 10 } }, person);
  expect(run.open()).toEqual(["a", "a"]);
  expect(questions(run)).toEqual([]);
  expect(run.state.budget).not.toHaveProperty("decision");
  expect(replay(run.events)).toEqual(run.state);
});

test("limits that are still used up after they were changed leave the question open", () => {
  const run = runOf(two, { budget: { steps: 1 } });
  report(run);
  run.input({ type: "limits", budget: { steps: 1, tokens: 5 } }, person);
  expect(run.open()).toEqual([]);
  expect(questions(run)).toEqual(["The budget of 1 step is used up"]);
});

test("the question shows the limit that counts now, and what it offers is what happens", () => {
  const run = runOf(two, { budget: { tokens: 250 } });
  report(run, { tokens: 300 });
  const [before] = Object.values(run.state.decisions);
  run.input({ type: "limits", budget: { tokens: 10 } }, person);
  const [asked] = Object.values(run.state.decisions);
  expect(asked).toMatchObject({ id: before?.id, revision: 2, status: "pending" });
  expect(questions(run)).toEqual(["The budget of 10 tokens is used up"]);
  expect(asked?.options?.[0]).toEqual({ value: "double", label: "allow 600 tokens in all" });
  // The limit that was shown before is not answered by accident.
  expect(run.state.strands["main"]?.waits).toEqual({ on: "decision", id: asked?.id });
  run.answer(asked?.id ?? "", "double");
  expect([run.state.budget.limits, run.open()]).toEqual([{ tokens: 600 }, ["b"]]);
  expect(replay(run.events)).toEqual(run.state);
});

test("the double of a budget of money that is exceeded far is twice what is used, to the cent", () => {
  const run = runOf(two, { budget: { money: 0.05 } });
  report(run, { money: 0.115 });
  const [asked] = Object.values(run.state.decisions);
  expect(asked?.options?.[0]?.label).toBe("allow $0.23 in all");
  run.answer(asked?.id ?? "", "double");
  expect([run.state.budget.limits, run.open()]).toEqual([{ money: 0.23 }, ["b"]]);
});

test("limits that change nothing in the question do not ask it again", () => {
  const run = runOf(two, { budget: { tokens: 250 } });
  report(run, { tokens: 300 });
  run.input({ type: "limits", budget: { money: 10 } }, person);
  expect(Object.values(run.state.decisions)).toMatchObject([{ revision: 1, status: "pending" }]);
});

test("a number that what is used has reached already is refused as an answer", () => {
  const run = runOf(two, { budget: { tokens: 250 } });
  report(run, { tokens: 300 });
  const [asked] = Object.values(run.state.decisions);
  run.answer(asked?.id ?? "", 270);
  expect(Object.values(run.state.decisions)).toMatchObject([{ status: "pending" }]);
  run.answer(asked?.id ?? "", 301);
  expect([run.state.budget.limits, run.open()]).toEqual([{ tokens: 301 }, ["b"]]);
});

/** Claims, begins and ends the turn of the first open action. */
function turnOf(run: MemoryRun, used: number | undefined): void {
  const [action] = Object.values(run.state.actions);
  const strand = action?.strand ?? "";
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  const held = { action: action?.id ?? "", holder, fence: run.state.strands[strand]?.fence ?? 0 };
  run.input({ type: "begin", ...held });
  const settling = { settles: holder.session, ...(used === undefined ? { unknown: ["tokens" as const] } : {}) };
  const usage = used === undefined ? {} : { usage: { tokens: used } };
  run.input({ type: "report", ...held, outcome: { ok: true, value: null }, write: true, settling, ...usage });
}

test("what a turn used that nobody knows is asked about before the next step, and never counted as nothing", () => {
  const run = runOf(two, { budget: { tokens: 100 } });
  turnOf(run, undefined);
  expect(run.open()).toEqual([]);
  const [asked] = Object.values(run.state.decisions);
  expect(asked).toMatchObject({ kind: "budget", answerBy: "person", binds: { what: "tokens", unknown: "yes" } });
  expect(asked?.question).toContain("did not say how many tokens it used");
  expect(run.answer(asked?.id ?? "", "continue", { relayed: true })).toMatchObject({ code: "DECISION_FOR_PERSON" });
  run.answer(asked?.id ?? "", "double");
  expect(run.state.decisions[asked?.id ?? ""]?.status).toBe("pending");
  run.answer(asked?.id ?? "", "continue");
  expect(run.open()).toEqual(["b"]);
  expect(run.state.budget).toEqual({ limits: { tokens: 100 }, used: { steps: 2, tokens: 0, money: 0 }, uncounted: ["tokens"] });
  expect(replay(run.events)).toEqual(run.state);
});

test("a killed turn of which neither tokens nor cost are known is asked about once, and the question says that it was killed", () => {
  const run = runOf(two, { budget: { tokens: 100, money: 2 } });
  const [action] = Object.values(run.state.actions);
  run.input({ type: "claim", strand: "main", holder });
  const held = { action: action?.id ?? "", holder, fence: run.state.strands["main"]?.fence ?? 0 };
  run.input({ type: "begin", ...held });
  run.input({ type: "used", action: held.action, settling: { settles: holder.session, unknown: ["tokens", "money"], killed: true } });
  run.input({ type: "begin", ...held });
  const [asked] = Object.values(run.state.decisions);
  expect(asked?.question).toMatch(
    /^A turn was killed before it said how many tokens it used and what it cost, so nobody .* of 100 tokens and \$2\.00\. Answer/,
  );
  run.answer(asked?.id ?? "", "continue");
  expect(run.open()).toEqual(["a"]);
  run.input({ type: "begin", ...held, fence: run.state.strands["main"]?.fence ?? 0 });
  expect(questions(run)).toEqual([]);
  expect(run.state.budget).toMatchObject({ uncounted: ["tokens", "money"] });
  expect(run.state.budget).not.toHaveProperty("killed");
  expect(replay(run.events)).toEqual(run.state);
});

test("a person who lets a run continue uncounted is not asked again, but what is known still counts", () => {
  const three: Block[] = [{ kind: "seq", id: "root", blocks: ["a", "b", "c", "d"] }, ...["a", "b", "c", "d"].map((id) => agentStep(id))];
  const run = runOf(three, { budget: { tokens: 100 } });
  turnOf(run, undefined);
  run.answer(Object.keys(run.state.decisions)[0] ?? "", "continue");
  turnOf(run, undefined);
  expect(run.open()).toEqual(["c"]);
  turnOf(run, 100);
  expect(run.open()).toEqual([]);
  expect(questions(run).at(-1)).toBe("The budget of 100 tokens is used up");
});

test("a person who stops a run whose use is unknown ends it with that reason", () => {
  const run = runOf(two, { budget: { tokens: 100 } });
  turnOf(run, undefined);
  run.answer(Object.keys(run.state.decisions)[0] ?? "", "stop");
  expect(run.state).toMatchObject({
    status: "cancelled",
    error: { code: "BUDGET_SPENT", message: expect.stringContaining("Nobody knows") },
  });
});

test("a turn for which nothing is left does not begin: its step goes back at no cost, and comes again with the answer", () => {
  const run = runOf(two, { budget: { tokens: 100 } });
  const [action] = Object.values(run.state.actions);
  run.input({ type: "used", action: action?.id ?? "", usage: { tokens: 100 } });
  run.input({ type: "claim", strand: "main", holder });
  const held = { action: action?.id ?? "", holder, fence: run.state.strands["main"]?.fence ?? 0 };
  expect(run.input({ type: "begin", ...held })).toBeUndefined();
  expect(run.open()).toEqual([]);
  expect(run.state.budget.used.steps).toBe(0);
  run.answer(Object.keys(run.state.decisions)[0] ?? "", 500);
  expect(run.open()).toEqual(["a"]);
  expect(run.input({ type: "begin", ...held })).toMatchObject({ code: "ACTION_NOT_OPEN" });
});
