import { expect, test } from "vitest";
import { agentStep, program, taskWork } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, DoBlock, LostPolicy, Rescue } from "../program/index.ts";
import { apply } from "./apply.ts";

// What becomes of a step that was under way when something else broke it off, and of the question about one.

const again: Rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" };
const seq = (id: string, blocks: string[], more: Partial<Block> = {}): Block => ({ kind: "seq", id, blocks, ...more }) as Block;
const command = (more: Partial<DoBlock> = {}): DoBlock => ({
  kind: "do",
  id: "cmd",
  who: "engine",
  what: "shell",
  args: {},
  writes: [],
  whenLost: "fail",
  ...more,
});

function runOf(...blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), ({ exprs }) =>
    "items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {},
  );
  run.start();
  return run;
}

/** The open action of the step, in hand of its agent. */
function take(run: MemoryRun, step: string, task?: string): string {
  const action = Object.values(run.state.actions).find(
    (open) => open.step === step && (task === undefined || run.state.strands[open.strand]?.task === task),
  );
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  return action.id;
}

function act(run: MemoryRun, step: string, ok: boolean, task?: string): void {
  const action = take(run, step, task);
  const { fence = 0 } = run.state.strands[run.state.actions[action]?.strand ?? ""] ?? {};
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action, holder, fence, outcome, write: true });
}

function lose(run: MemoryRun): void {
  run.input({ type: "release", strand: "main", fence: run.state.strands["main"]?.fence ?? 0, why: "lost" });
  run.input({ type: "claim", strand: "main", holder: { ...holder, session: "s2" } });
}

function ring(run: MemoryRun): void {
  run.clock += 1_000;
  for (const timer of Object.keys(run.state.timers)) run.input({ type: "woke", timer });
}

const retry = (run: MemoryRun): unknown => run.input({ type: "retry", resetCounts: false });
const effects = (run: MemoryRun): string[] => Object.values(run.state.effects).map(({ step }) => step);
const questions = (run: MemoryRun): string[] =>
  Object.values(run.state.decisions).flatMap(({ kind, step }) => (kind === "lost" ? [step] : []));
const begun = (run: MemoryRun, step: string): number =>
  run.events.filter(
    (event) =>
      (event.type === "effect_opened" && event.effect.step === step) || (event.type === "action_opened" && event.action.step === step),
  ).length;

/** A is at its command, which its sibling's failure breaks off; the work around both is tried again by itself. */
function brokenOff(leaf: Partial<DoBlock>): MemoryRun {
  const run = runOf(
    taskWork({ body: "t", rescue: again }),
    seq("t", ["pick", "cmd", "after"]),
    agentStep("pick"),
    command(leaf),
    agentStep("after"),
  );
  act(run, "pick", true, "A");
  if (leaf.who === "agent") take(run, "cmd", "A");
  act(run, "pick", false, "B");
  return run;
}

test.each<[string, Partial<DoBlock>]>([
  ["command", {}],
  ["action that somebody has in hand", { who: "agent", what: "user_message" }],
])("a sibling's failure breaks off a %s that must not be repeated: the run fails, and a retry alone begins it again", (_title, leaf) => {
  const run = brokenOff(leaf);
  expect(run.state).toMatchObject({ status: "failed", error: { lost: true }, actions: {}, effects: {} });
  expect(run.state.error?.message).toContain("`cmd` was interrupted");
  expect(begun(run, "cmd")).toBe(1);
  retry(run);
  expect(run.state.status).toBe("running");
  expect(replay(run.events)).toEqual(run.state);
});

test.each<[LostPolicy, readonly string[], readonly string[], readonly string[]]>([
  ["retry", ["cmd"], [], ["pick"]],
  ["ask", [], ["cmd"], ["pick"]],
  ["continue", [], [], ["pick", "after"]],
])("a command that a sibling's failure breaks off is taken up by its policy %s", (whenLost, open, asked, steps) => {
  const run = brokenOff({ whenLost });
  expect([effects(run), questions(run), run.open().toSorted()]).toEqual([open, asked, steps.toSorted()]);
  expect(replay(run.events)).toEqual(run.state);
});

test("an action that nobody has taken is handed out again, whatever its policy says", () => {
  const run = runOf(taskWork({ rescue: again }), agentStep("a", { whenLost: "fail" }));
  act(run, "a", false, "B");
  expect(run.state.status).toBe("running");
  expect(run.open()).toEqual(["a", "a"]);
});

test("a run that fails while a command must not be repeated says that something was lost, and a retry runs it again", () => {
  const run = runOf(taskWork({ body: "t" }), seq("t", ["pick", "cmd"]), agentStep("pick"), command());
  act(run, "pick", true, "A");
  act(run, "pick", false, "B");
  expect(run.state).toMatchObject({ status: "failed", error: { code: "STEP_FAILED", lost: true } });
  retry(run);
  expect([effects(run), run.open()]).toEqual([["cmd"], ["pick"]]);
});

test("the time of a block around a command runs out: the command is not repeated by the block's retries", () => {
  const run = runOf(seq("root", ["cmd"], { timeoutMs: 500, rescue: again }), command());
  ring(run);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "TIMEOUT", lost: true }, effects: {} });
  retry(run);
  expect(effects(run)).toEqual(["cmd"]);
});

test("a lost command that the workflow continued without is not repeated by the retries of the block around it", () => {
  const run = runOf(
    seq("root", ["inner", "x"], { rescue: again }),
    seq("inner", ["cmd"]),
    command({ rescue: { then: "continue" } }),
    agentStep("x"),
  );
  run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome: { ok: "lost" } });
  act(run, "x", false);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "STEP_FAILED", lost: true } });
  expect(begun(run, "cmd")).toBe(1);
});

test("a step in question is asked about again when the run fails elsewhere and is retried", () => {
  const run = runOf(seq("root", ["w", "x"]), taskWork({ join: "later" }), agentStep("a"), agentStep("x", { whenLost: "ask" }));
  lose(run);
  expect(questions(run)).toEqual(["x"]);
  act(run, "a", false, "A");
  expect(run.state.status).toBe("failed");
  retry(run);
  expect(questions(run)).toEqual(["x"]);
  expect(run.open()).not.toContain("x");
  run.answer(Object.keys(run.state.decisions)[0] ?? "", "retry");
  expect(run.open()).toContain("x");
});

test("no time runs while a step is in question, and it runs from the answer on", () => {
  const run = runOf(agentStep("x", { timeoutMs: 500, whenLost: "ask", rescue: again }));
  lose(run);
  expect(run.state.timers).toEqual({});
  run.answer(Object.keys(run.state.decisions)[0] ?? "", "retry");
  expect(Object.values(run.state.timers)).toMatchObject([{ why: "timeout", depth: 0, due: run.clock + 500 }]);
});

test("the time of a block around a step in question runs out: the step is not done again without an answer", () => {
  const run = runOf(seq("root", ["x"], { timeoutMs: 500, rescue: again }), agentStep("x", { whenLost: "ask" }));
  lose(run);
  ring(run);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "TIMEOUT", lost: true }, actions: {} });
  retry(run);
  expect([questions(run), run.open()]).toEqual([["x"], []]);
});

test("a question about an interrupted step that nobody answers fails the step, and a retry asks again", () => {
  const run = runOf(agentStep("x", { whenLost: "ask", rescue: again }));
  lose(run);
  const declined = { answer: null, valid: true, relayed: true, declined: "nobody knows" };
  run.input({ type: "answer", decision: Object.keys(run.state.decisions)[0] ?? "", revision: 1, ...declined }, agent);
  expect(run.state).toMatchObject({ status: "failed", error: { message: "nobody knows", lost: true }, actions: {} });
  retry(run);
  expect([questions(run), run.open()]).toEqual([["x"], []]);
});

test("a task whose question was kept beside its place by an older version is asked about again", () => {
  const run = runOf(taskWork(), agentStep("a", { whenLost: "ask" }));
  act(run, "a", false, "B");
  const frames = [{ kind: "do", block: "a", phase: "args" }];
  run.state = apply(run.state, { type: "moved", strand: "main", patch: { kept: { A: { scope: "run", frames, lost: "a" } } } });
  retry(run);
  expect(questions(run)).toEqual(["a"]);
});

test("a lost command that waits for a person is not repeated when the time of the block around it runs out", () => {
  const run = runOf(seq("root", ["cmd"], { timeoutMs: 500, rescue: again }), command({ rescue: { then: "block" } }));
  run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome: { ok: "lost" } });
  expect(run.state.strands["main"]).toMatchObject({ status: "blocked", blocked: { code: "EFFECT_LOST" } });
  ring(run);
  expect([run.state.status, begun(run, "cmd")]).toEqual(["failed", 1]);
  retry(run);
  expect(begun(run, "cmd")).toBe(2);
});

test("a lost command that a finished task continued without keeps what is around its work from being tried again", () => {
  const run = runOf(
    seq("root", ["w", "x"], { rescue: again }),
    taskWork({ body: "cmd" }),
    command({ rescue: { then: "continue" } }),
    agentStep("x"),
  );
  const [first = "", second = ""] = Object.keys(run.state.effects);
  run.input({ type: "outcome", effect: first, outcome: { ok: "lost" } });
  run.input({ type: "outcome", effect: second, outcome: { ok: true, value: null } });
  act(run, "x", false);
  expect(run.state).toMatchObject({ status: "failed", error: { code: "STEP_FAILED", lost: true } });
  expect(begun(run, "cmd")).toBe(2);
});
