import { expect, test } from "vitest";
import { agentStep, part, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json, JsonObject } from "../base/index.ts";
import type { Block, DoBlock, Part, WorkBlock, Write } from "../program/index.ts";
import type { Actor, Input } from "./input.ts";
import type { Update } from "./event.ts";

const person: Actor = { kind: "person", name: "ada", session: "t", surface: "cli-terminal" };
const engine: Actor = { kind: "engine", name: "waymark", session: "e1", surface: "engine" };
const failed = { ok: false as const, code: "STEP_FAILED", message: "no" };
const parks = { then: "block" as const };
const seq = (...blocks: string[]): Block => ({ kind: "seq", id: "root", blocks });
const count: Write = { path: value("p"), op: "increment" };
const byOne: Update[] = [{ tier: "raw", keys: ["out"], op: "increment", value: 1 }];
const command = (more: Partial<DoBlock> = {}): DoBlock => ({ ...agentStep("c"), who: "engine", what: "shell", ...more });

const evaluate: MemoryRun["evaluate"] = ({ exprs }) =>
  Object.fromEntries(
    Object.keys(exprs).map((key): [string, Json] => [key, key.startsWith("path:") ? ["raw", "out"] : [{ id: "A" }, { id: "B" }]]),
  );

function runOf(blocks: Block[], more: Partial<Part> = {}, options: Parameters<MemoryRun["start"]>[0] = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), evaluate);
  run.start(options);
  return run;
}

const first = <T>(record: Readonly<Record<string, T>>): T | undefined => Object.values(record)[0];
const fail = (run: MemoryRun, step: string): unknown => {
  const { id = "", strand = "" } = Object.values(run.state.actions).find((action) => action.step === step) ?? {};
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  const { fence = 0 } = run.state.strands[strand] ?? {};
  return run.input({ type: "report", action: id, holder, fence, outcome: failed, write: true });
};

function startedWith(more: Partial<Extract<Input, { type: "start" }>>, of: Partial<Part> = {}): MemoryRun {
  const run = new MemoryRun(program([agentStep("a")], "a", of), evaluate);
  const defaults = { raw: {}, state: {}, fixed: {} };
  const options = { serial: false, unable: [] };
  run.input({ type: "start", id: "wf-test", program: "hash", inputs: {}, defaults, options, ...more });
  return run;
}

test("a run has the limits of its workflow, and those that it is started with before them", () => {
  const run = startedWith({ budget: { steps: 5 } }, { budget: { steps: 1, tokens: 9 } });
  expect(run.state.budget.limits).toEqual({ steps: 5, tokens: 9 });
});

test("a run that repeats another one says which, and no other run does", () => {
  expect(startedWith({ retryOf: "wf-before" }).state.retryOf).toBe("wf-before");
  expect(startedWith({}).events[0]).not.toHaveProperty("retryOf");
});

test.each<[Actor, JsonObject]>([
  [person, { kind: "person", name: "ada", session: "t" }],
  [agent, { kind: "agent", name: "tester", session: "s1" }],
  [engine, { kind: "worker", name: "waymark", session: "e1" }],
])("a note is from who sent it: %j", (by, from) => {
  const run = runOf([agentStep("a")]);
  run.input({ type: "note", text: "careful" }, by);
  expect(run.state.notes).toMatchObject([{ text: "careful", from }]);
  expect(run.state.notes[0]).not.toHaveProperty("target");
});

test("new limits leave the others and the open question as they are", () => {
  const run = runOf([seq("a", "b"), agentStep("a"), agentStep("b")], {}, { budget: { steps: 1 } });
  run.report(first(run.state.actions)?.id ?? "");
  const decision = first(run.state.decisions)?.id;
  expect(run.state.budget).toMatchObject({ decision });
  run.input({ type: "limits", budget: { tokens: 9 } }, person);
  expect(run.state.budget).toMatchObject({ limits: { steps: 1, tokens: 9 }, decision });
  const other = runOf([agentStep("a")]);
  other.input({ type: "limits", budget: { tokens: 9 } }, person);
  expect(other.events.at(-1)).toEqual({ type: "budget_set", limits: { tokens: 9 } });
});

test.each<[string, Block, string]>([
  ["steps", agentStep("a"), "still has work to do: open steps a."],
  [
    "questions",
    { ...agentStep("a"), who: "person", ask: { answerBy: "relay", decision: "ok" } },
    "still has work to do: open questions ok.",
  ],
  ["neither", command(), "still has work to do: its steps are not all done."],
])("a run cannot be called completed while it is not, and says what is open: %s", (_title, step, said) => {
  expect(runOf([step]).input({ type: "end", status: "completed" })?.message).toContain(said);
});

test("what a holder writes by hand counts for its step in the scope that it is written to alone", () => {
  const blocks: Block[] = [{ kind: "call", id: "call", part: "inner", inputs: {}, as: "call" }, agentStep("a", { writes: [count] })];
  const one = program(blocks, "call");
  const run = new MemoryRun({ ...one, parts: { ...one.parts, inner: part("a") } }, evaluate);
  run.start();
  run.input({ type: "set", scope: "run", updates: byOne, holder });
  const scope = run.state.strands["main"]?.scope ?? "";
  run.report(first(run.state.actions)?.id ?? "", 1);
  expect([run.state.scopes["run"]?.raw, run.state.scopes[scope]?.raw]).toEqual([{ out: 1 }, { out: 1 }]);
});

test.each<[string, Actor, number]>([
  ["its holder", agent, 1],
  ["another connection of the same client", { ...agent, session: "s9" }, 2],
  ["another client", { ...agent, name: "other" }, 2],
])("what is written by %s by hand counts for the step only when the writer holds it", (_title, by, out) => {
  const run = runOf([agentStep("a", { writes: [count] })]);
  run.input({ type: "set", scope: "run", updates: byOne }, by);
  run.report(first(run.state.actions)?.id ?? "", 1);
  expect(run.state.scopes["run"]?.raw).toEqual({ out });
});

test("a holder may write by hand while its step is parked, which then is not its result", () => {
  const run = runOf([agentStep("a", { writes: [count], rescue: parks })]);
  fail(run, "a");
  expect(run.input({ type: "set", scope: "run", updates: byOne, holder })).toBeUndefined();
  expect(run.state.strands["main"]?.frames.at(-1)).not.toHaveProperty("written");
});

test("a write by hand to the paths of two open steps counts for neither, unless it says for which", () => {
  const entries = { side: { root: "b", by: "anyone" as const, main: "goes_on" as const } };
  const written = (strand?: string): unknown[] => {
    const run = runOf([agentStep("a", { writes: [count] }), agentStep("b", { writes: [count] })], { entries });
    run.input({ type: "entry", name: "side", args: {} });
    const other = Object.keys(run.state.strands).find((id) => id !== "main") ?? "";
    run.input({ type: "claim", strand: other, holder });
    run.input({ type: "set", scope: "run", updates: byOne, holder, ...(strand === undefined ? {} : { strand }) });
    return Object.values(run.state.strands).map(({ frames }) => frames.some((frame) => frame.kind === "do" && frame.stored !== undefined));
  };
  expect(written()).toEqual([false, false]);
  expect(written("main")).toEqual([true, false]);
});

test("who retries what another one holds takes it over, and who holds it keeps it", () => {
  const released = (by: Actor, held = true): unknown[] => {
    const run = runOf([agentStep("a", { rescue: parks })]);
    fail(run, "a");
    if (!held) run.input({ type: "release", strand: "main", fence: 1, why: "given_back" });
    const before = run.events.length;
    run.input({ type: "retry", resetCounts: false }, by);
    expect(run.open()).toEqual(["a"]);
    return run.events.slice(before).filter(({ type }) => type === "released");
  };
  expect(released(person)).toEqual([{ type: "released", strand: "main", why: "taken_over" }]);
  expect(released(agent)).toEqual([]);
  expect(released(person, false)).toEqual([]);
});
const work = (more: Partial<WorkBlock>): WorkBlock => ({
  kind: "work",
  id: "w",
  fill: value([]),
  mode: "strands",
  parallel: 5,
  join: "later",
  body: "t",
  ...more,
});

test.each<[boolean, string[]]>([
  [false, ["t", "t", "e", "e", "b"]],
  [true, ["e", "e", "a"]],
])("a retry from the start (%j) ends the works beside the main strand, and leaves what commands started", (fromStart, open) => {
  const entries = { side: { root: "side", by: "anyone" as const, main: "goes_on" as const } };
  const side = work({ id: "side", join: "all", body: "e" });
  const blocks = [seq("a", "w", "b"), agentStep("a"), work({}), agentStep("t"), agentStep("b", { rescue: parks }), side, agentStep("e")];
  const run = runOf(blocks, { entries });
  run.report(first(run.state.actions)?.id ?? "");
  run.input({ type: "entry", name: "side", args: {} });
  fail(run, "b");
  expect(run.input({ type: "retry", resetCounts: false, fromStart })).toBeUndefined();
  expect(run.open()).toEqual(open);
  expect(run.state.strands["main"]?.status).toBe("waiting");
});

test("a retry of one strand leaves the others as they are", () => {
  const run = runOf([work({ join: "all" }), agentStep("t", { rescue: parks })]);
  const strands = Object.values(run.state.actions).map(({ strand }) => strand);
  for (const strand of strands) {
    run.input({ type: "claim", strand, holder });
    const action = Object.values(run.state.actions).find((open) => open.strand === strand)?.id ?? "";
    run.input({ type: "report", action, holder, fence: 1, outcome: failed, write: true });
  }
  run.input({ type: "retry", strand: strands[1] ?? "", resetCounts: false });
  expect(strands.map((strand) => run.state.strands[strand]?.status)).toEqual(["blocked", "waiting"]);
});
