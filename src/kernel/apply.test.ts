import { expect, test } from "vitest";
import { apply, emptyState } from "./apply.ts";
import type { Event } from "./event.ts";
import type { RunState } from "./run-state.ts";

const started: Event = {
  type: "started",
  id: "wf-1",
  workflow: "test",
  program: "hash",
  at: 5,
  options: { serial: true, unable: ["mcp"] },
  limits: { steps: 9 },
};
const opened = (scope: string): Event => ({ type: "scope_opened", scope, part: "test", inputs: {}, raw: {}, state: {}, fixed: {} });
const strand: Event = { type: "strand_opened", strand: "main", scope: "run" };
const after = (...events: Event[]): RunState => events.reduce(apply, emptyState);
const error = { code: "NO", message: "no" };

test("a run knows which one it tries again, if it does", () => {
  expect(emptyState.options).toEqual({ serial: false, unable: [] });
  expect(after(started)).toMatchObject({ id: "wf-1", startedAt: 5, seq: 1, options: { serial: true }, budget: { limits: { steps: 9 } } });
  expect(after(started)).not.toHaveProperty("retryOf");
  expect(after({ ...started, retryOf: "wf-0" }).retryOf).toBe("wf-0");
});

test("an event about what does not exist is counted and changes nothing else", () => {
  const state = after(started, opened("run"), strand);
  for (const event of [
    { type: "ready", strand: "s9" },
    { type: "scope_closed", scope: "c1", into: "c9", as: "kept" },
    { type: "wrote", scope: "c9", updates: [{ tier: "raw", keys: ["x"], op: "set", value: 1 }] },
    { type: "action_closed", action: "a9", how: "reported" },
    { type: "answer_refused", decision: "d9", reason: "no" },
    { type: "list_closed", list: "x", into: "y" },
    { type: "note_delivered", note: "n9", with: "a9" },
  ] as const)
    expect(apply(state, event)).toEqual({ ...state, seq: state.seq + 1 });
});

test("a patch of a strand without frames changes nothing", () => {
  const state = after(started, opened("run"), strand);
  expect(apply(state, { type: "moved", strand: "main", patch: { at: 1 } }).strands["main"]?.frames).toEqual([]);
});

test("a call that is closed under a name again lets go of the scope before it, but not of its own", () => {
  const base = after(opened("run"), opened("c1"), opened("c2"), { type: "scope_closed", scope: "c1", into: "run", as: "kept" });
  expect(Object.keys(base.scopes)).toEqual(["run", "c1", "c2"]);
  const same = apply(base, { type: "scope_closed", scope: "c1", into: "run", as: "kept" });
  expect(Object.keys(same.scopes)).toEqual(["run", "c1", "c2"]);
  const other = apply(base, { type: "scope_closed", scope: "c2", into: "run", as: "kept" });
  expect(Object.keys(other.scopes)).toEqual(["run", "c2"]);
  expect(other.scopes["run"]?.calls).toEqual({ kept: "c2" });
});

test("a call that says which scopes end lets go of those alone", () => {
  const base = after(opened("run"), opened("c1"), opened("c2"), { type: "scope_closed", scope: "c1", into: "run", as: "kept", gone: [] });
  const again: Event = { type: "scope_closed", scope: "c2", into: "run", as: "kept", gone: [] };
  expect(Object.keys(apply(base, again).scopes)).toEqual(["run", "c1", "c2"]);
  expect(Object.keys(apply(base, { ...again, gone: ["c1"] }).scopes)).toEqual(["run", "c2"]);
  expect(Object.keys(apply(base, { ...opened("c3"), gone: ["c1", "c2"] } as Event).scopes)).toEqual(["run", "c3"]);
});

test("a main strand that ended stays with its error until it is ready again, and others are forgotten", () => {
  const failed = after(strand, { type: "strand_ended", strand: "main", status: "failed", error });
  expect(failed.strands["main"]).toMatchObject({ status: "failed", error });
  expect(apply(failed, { type: "ready", strand: "main" }).strands["main"]).not.toHaveProperty("error");
  const done = after(strand, { type: "strand_ended", strand: "main", status: "done" });
  expect(done.strands["main"]).toMatchObject({ status: "done" });
  expect(done.strands["main"]).not.toHaveProperty("error");
  for (const more of [{ parent: "main" }, { entry: "side" }]) {
    const beside = after(strand, { type: "strand_opened", strand: "s2", scope: "run", ...more });
    expect(Object.keys(apply(beside, { type: "strand_ended", strand: "s2", status: "done" }).strands)).toEqual(["main"]);
  }
});

test("an ended run that is opened again has neither an end nor an error", () => {
  const ended = after(started, { type: "ended", status: "failed", error, at: 9 });
  expect(ended).toMatchObject({ status: "failed", error, endedAt: 9 });
  expect(apply(ended, { type: "ended", status: "completed", at: 10 })).not.toHaveProperty("error");
  const again = apply(ended, { type: "reopened", why: "retry" });
  expect(again.status).toBe("running");
  expect(again).not.toHaveProperty("error");
  expect(again).not.toHaveProperty("endedAt");
});

test("counters are kept side by side and grow from nothing", () => {
  const counted = (key: string, by: number): Event => ({ type: "counted", key, by });
  expect(after(counted("a", 2), counted("b", 1), counted("a", -1)).counters).toEqual({ a: 1, b: 1 });
});

test("the open question about a budget outlasts what is spent, and ends with the next limits", () => {
  const asked = after(started, { type: "budget_set", limits: { steps: 9 }, decision: "d1" });
  expect(asked.budget.decision).toBe("d1");
  const grown = apply(apply(asked, { type: "spent", steps: 2, tokens: 30 }), { type: "spent", money: 0.5, steps: -1 });
  expect(grown.budget).toEqual({ limits: { steps: 9 }, used: { steps: 1, tokens: 30, money: 0.5 }, decision: "d1" });
  const raised = apply(grown, { type: "budget_set", limits: { steps: 20 } });
  expect(raised.budget).toStrictEqual({ limits: { steps: 20 }, used: { steps: 1, tokens: 30, money: 0.5 } });
  expect(apply(raised, { type: "spent", steps: 1 }).budget).not.toHaveProperty("decision");
});

test("notes wait in the order they came, each until it is delivered", () => {
  const from = { kind: "person" as const, name: "ada", session: "t" };
  const noted = (id: string): Event => ({ type: "noted", note: { id, text: id, from, at: 1 } });
  const state = after(noted("n1"), noted("n2"), noted("n3"), { type: "note_delivered", note: "n2", with: "a1" });
  expect(state.notes.map(({ id }) => id)).toEqual(["n1", "n3"]);
});

test("a strand remembers the step that was reported or failed last, not one that was given up", () => {
  const action = (id: string, of = "main"): Event => ({
    type: "action_opened",
    action: { id, strand: of, block: "b", step: `step ${id}`, what: "user_message", args: {}, paths: [], openedAt: 1, taken: 0 },
  });
  const close = (id: string, how: Extract<Event, { type: "action_closed" }>["how"]): Event => ({ type: "action_closed", action: id, how });
  const told = after(strand, action("a1"), action("a2"), close("a1", "reported"));
  expect(told.strands["main"]?.last).toEqual({ action: "a1", step: "step a1" });
  expect(Object.keys(told.actions)).toEqual(["a2"]);
  expect(apply(told, close("a2", "failed")).strands["main"]?.last).toEqual({ action: "a2", step: "step a2" });
  for (const how of ["cancelled", "joined", "taken_over"] as const) expect(apply(told, close("a2", how)).strands).toEqual(told.strands);
  const orphan = after(strand, action("a1", "s9"));
  expect(apply(orphan, close("a1", "reported"))).toMatchObject({ actions: {}, strands: orphan.strands });
});

const decision = (id: string, more: object = {}): Event => ({
  type: "decision_opened",
  decision: {
    id,
    revision: 1,
    strand: "main",
    step: id,
    kind: "input",
    question: "?",
    answerBy: "relay",
    status: "pending",
    openedAt: 1,
    paths: [],
    ...more,
  },
});

test("what happens to one question leaves the others as they are", () => {
  const both = after(decision("d1", { attempts: 3, attemptsLeft: 3 }), decision("d2"));
  const refused = apply(both, { type: "answer_refused", decision: "d1", reason: "no" });
  expect(refused.decisions).toMatchObject({ d1: { attemptsLeft: 2 }, d2: { status: "pending" } });
  const restored = apply(refused, { type: "attempts_restored", decision: "d1" });
  expect(restored.decisions).toEqual(both.decisions);
  expect(Object.keys(apply(both, { type: "decision_closed", decision: "d1", status: "answered", answer: 1 }).decisions)).toEqual(["d2"]);
});

test("a question without a number of attempts has none left and none to restore", () => {
  const refused = after(decision("d1"), { type: "answer_refused", decision: "d1", reason: "no" });
  expect(refused.decisions["d1"]?.attemptsLeft).toBe(0);
  expect(apply(refused, { type: "attempts_restored", decision: "d1" }).decisions).toEqual(refused.decisions);
});

test("a gate that is closed without an answer has none", () => {
  const state = after(decision("g", { kind: "gate" }), { type: "decision_closed", decision: "g", status: "skipped" });
  expect(state.decisions["g"]).toMatchObject({ status: "skipped" });
  expect(state.decisions["g"]).not.toHaveProperty("answer");
  expect(state.decisions["g"]).not.toHaveProperty("answeredBy");
});
