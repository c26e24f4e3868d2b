import { describe, expect, test } from "vitest";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, DoBlock, Part } from "../program/index.ts";
import { standingOf } from "../views/index.ts";

const person = { kind: "person" as const, name: "ada", session: "t", surface: "cli-terminal" };
const seq = (...blocks: string[]): Block => ({ kind: "seq", id: "root", blocks });

function runOf(blocks: Block[], more: Partial<Part> = {}, options: Parameters<MemoryRun["start"]>[0] = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), (need) =>
    Object.fromEntries(Object.keys(need.exprs).map((key): [string, Json] => [key, key.startsWith("path:") ? ["raw", "out"] : key])),
  );
  run.start(options);
  return run;
}

const first = (record: Readonly<Record<string, unknown>>): string => Object.keys(record)[0] ?? "";
const failed = { ok: false as const, code: "STEP_FAILED", message: "no" };
const report = (run: MemoryRun, more: object = {}): ReturnType<MemoryRun["input"]> =>
  run.input({
    type: "report",
    action: first(run.state.actions),
    holder,
    fence: 1,
    outcome: { ok: true, value: null },
    write: true,
    ...more,
  });
const command = (more: Partial<DoBlock> = {}): DoBlock => ({
  kind: "do",
  id: "c",
  who: "engine",
  what: "shell",
  args: {},
  writes: [],
  ...more,
});

describe("a report", () => {
  test("of another holder, or with an older number, changes nothing and says who holds the step", () => {
    const run = runOf([agentStep("a")]);
    const before = run.state;
    expect(report(run, { holder: { ...holder, session: "s2" } })).toMatchObject({
      code: "HOLDER_LOST",
      message: "`a` is held by agent `tester`, not by you. Nothing was changed.",
      details: { open_steps: ["a"], open_decisions: [] },
    });
    expect(report(run, { fence: 0 })).toMatchObject({ code: "HOLDER_LOST" });
    run.input({ type: "release", strand: "main", fence: 1, why: "lost" });
    expect(report(run)).toMatchObject({ message: expect.stringContaining("held by nobody") as string });
    expect(run.state.actions).toEqual(before.actions);
  });

  test("of a step that nobody has taken says how to take it", () => {
    const run = runOf([{ kind: "work", id: "w", fill: value([]), mode: "strands", join: "all", body: "a" }, agentStep("a")]);
    expect(run.state.status).toBe("failed");
    const work: Block = { kind: "work", id: "w", list: "l", mode: "strands", join: "all", body: "a" };
    const other = new MemoryRun(program([seq("begin", "w"), agentStep("begin"), work, agentStep("a")], "root"), () => ({}));
    other.start();
    const items = [
      { list: "l", id: "A", order: "a", status: "pending" as const, data: 1, facets: {}, root: "A", attempts: 0, waitsFor: 0 },
    ];
    other.input({ type: "items", change: { add: [{ list: "l", items }] }, reason: "r" });
    report(other);
    expect(report(other, { fence: 0 })).toMatchObject({ code: "STRAND_NOT_HELD", fix: expect.stringContaining("task_id `A`") as string });
  });

  test("of a step that is not open is refused with what is open", () => {
    expect(report(runOf([agentStep("a")]), { action: "a99" })).toMatchObject({ code: "ACTION_NOT_OPEN", details: { open_steps: ["a"] } });
  });

  test("that a step failed closes its action before the failure is dealt with", () => {
    const run = runOf([seq("a", "b"), agentStep("a", { rescue: { then: "continue" } }), agentStep("b")]);
    const action = first(run.state.actions);
    report(run, { outcome: failed });
    expect(run.events).toContainEqual({ type: "action_closed", action, how: "failed" });
    expect(run.state.strands["main"]?.last).toEqual({ action, step: "a" });
    expect(run.open()).toEqual(["b"]);
  });

  test("keeps a result that is written nowhere in its event, and one that is written in the state alone", () => {
    const run = runOf([seq("a", "b"), agentStep("a"), agentStep("b", { writes: [{ path: value("p"), op: "set" }] })]);
    report(run, { outcome: { ok: true, value: 1 } });
    report(run, { outcome: { ok: true, value: 2 } });
    const closed = run.events.filter((event) => event.type === "action_closed");
    expect(closed).toMatchObject([{ how: "reported", result: 1 }, { how: "reported" }]);
    expect(closed[1]).not.toHaveProperty("result");
    expect(run.state.scopes["run"]?.raw).toEqual({ out: 2 });
  });

  test("adds what it used to the budget", () => {
    const run = runOf([agentStep("a")]);
    report(run, { usage: { tokens: 5, money: 0.5 } });
    expect(run.state.budget.used).toEqual({ steps: 1, tokens: 5, money: 0.5 });
  });

  test("of a failed step gives the notes back that came with it", () => {
    const run = runOf([seq("a", "b"), agentStep("a", { rescue: { then: "block" } }), agentStep("b")]);
    run.input({ type: "note", text: "for b", target: "b" }, person);
    expect(Object.values(run.state.actions)[0]).not.toHaveProperty("notes");
    report(run);
    expect(Object.values(run.state.actions)[0]?.notes).toEqual(["for b"]);
    expect(run.state.notes).toEqual([]);
    report(run, { outcome: failed });
    expect(run.state.notes).toMatchObject([{ text: "for b", target: "b" }]);
  });

  test("of a handed-out update writes it only when its holder has not", () => {
    const update = agentStep("u", { what: "state_update", writes: [{ path: value("p"), op: "set" }] });
    const run = runOf([update]);
    const updates = [{ tier: "raw" as const, keys: ["out"], op: "set" as const, value: "by hand" }];
    expect(run.input({ type: "set", scope: "run", updates, holder })).toBeUndefined();
    report(run, { outcome: { ok: true, value: "reported" } });
    expect(run.state.scopes["run"]?.raw).toEqual({ out: "by hand" });
    const plain = runOf([update]);
    report(plain, { outcome: { ok: true, value: "reported" }, write: false });
    expect(plain.state.scopes["run"]?.raw).toEqual({ out: "reported" });
  });
});

describe("an effect", () => {
  test("that is not open any more is refused", () => {
    const run = runOf([command()]);
    const effect = first(run.state.effects);
    run.input({ type: "outcome", effect, outcome: { ok: true, value: 1 } });
    expect(run.input({ type: "outcome", effect, outcome: { ok: true, value: 1 } })).toMatchObject({ code: "EFFECT_NOT_OPEN" });
  });

  test("that cannot be done here goes to the agent with its time limit, or fails", () => {
    const run = runOf([command({ orAgent: true, timeoutMs: 500 })]);
    expect(run.state.timers).toEqual({});
    run.input({ type: "outcome", effect: first(run.state.effects), outcome: { ok: "cannot" } });
    expect(run.open()).toEqual(["c"]);
    expect(run.state.effects).toEqual({});
    expect(Object.values(run.state.timers)).toMatchObject([{ due: run.clock + 500, why: "timeout" }]);
    const alone = runOf([command()]);
    alone.input({ type: "outcome", effect: first(alone.state.effects), outcome: { ok: "cannot" } });
    expect(alone.state.error).toMatchObject({ code: "STEP_FAILED", message: "`c` cannot be done here." });
  });

  test("that the run cannot do goes to the agent at once", () => {
    const run = runOf([command({ orAgent: true })], {}, { unable: ["shell"] });
    expect(run.open()).toEqual(["c"]);
    expect(run.state.effects).toEqual({});
  });
});

describe("a time limit", () => {
  test("that runs out closes the open action and fails the run", () => {
    const run = runOf([seq("a"), agentStep("a", { timeoutMs: 100 })]);
    const [timer] = Object.keys(run.state.timers);
    expect(run.input({ type: "woke", timer: timer ?? "" })).toMatchObject({ code: "TIMER_EARLY" });
    run.clock += 200;
    run.input({ type: "woke", timer: timer ?? "" });
    expect(run.state).toMatchObject({ status: "failed", error: { code: "TIMEOUT", block: "a" }, actions: {} });
    expect(run.events.filter(({ type }) => type === "action_closed")).toMatchObject([{ how: "cancelled" }]);
    expect(run.input({ type: "woke", timer: timer ?? "" })).toMatchObject({ code: "TIMER_GONE" });
  });

  test("of a block that is left is gone", () => {
    const run = runOf([seq("a", "b"), agentStep("a", { timeoutMs: 100 }), agentStep("b")]);
    report(run);
    expect(run.state.timers).toEqual({});
  });
});

describe("a wait", () => {
  const wait = (ms: Json): MemoryRun => {
    const run = new MemoryRun(program([command({ id: "w", what: "wait", args: { ms: value(ms) } })], "w"), () => ({ "arg:ms": ms }));
    run.start();
    return run;
  };
  test("ends when its time has come", () => {
    const run = wait(50);
    expect(standingOf(run.state, "main", run.program)).toEqual({ kind: "working", on: "w", until: 1_051 });
    run.clock = 2_000;
    run.input({ type: "woke", timer: first(run.state.timers) });
    expect(run.state.status).toBe("completed");
  });
  test.each([[null], ["x"], [-1]])("for %j fails", (ms) => {
    expect(wait(ms).state.error).toMatchObject({ code: "WAIT_TIME", block: "w" });
  });
});

describe("a command", () => {
  test("that writes state is refused for who holds nothing, for an old version and for a path that does not fit", () => {
    const run = runOf([agentStep("a")]);
    const set = (more: object): unknown =>
      run.input({ type: "set", scope: "run", updates: [{ tier: "raw", keys: ["x"], op: "set", value: 1 }], ...more });
    expect(set({ holder: { ...holder, session: "s9" } })).toMatchObject({ code: "HOLDER_LOST" });
    expect(set({ scope: "nowhere" })).toMatchObject({ code: "SCOPE_UNKNOWN" });
    expect(set({ expectedVersion: 7 })).toMatchObject({ code: "VERSION_CONFLICT", details: { current_version: 0 } });
    expect(set({ expectedVersion: 0 })).toBeUndefined();
    expect(set({ updates: [{ tier: "raw", keys: ["x"], op: "append", value: 1 }] })).toMatchObject({
      code: "STATE_WRITE",
      details: { paths: ["raw.x"] },
    });
  });

  test("that starts an entry is refused when there is none, or when only a person may", () => {
    const entries = { mine: { root: "b", by: "person" as const, main: "waits" as const } };
    const run = runOf([agentStep("a"), agentStep("b")], { entries });
    expect(run.input({ type: "entry", name: "other", args: {} })).toMatchObject({ code: "ENTRY_UNKNOWN", details: { entries: ["mine"] } });
    expect(run.input({ type: "entry", name: "mine", args: {} })).toMatchObject({ code: "ENTRY_BY_PERSON" });
    run.input({ type: "entry", name: "mine", args: {} }, person);
    expect(run.open()).toEqual(["a", "b"]);
    report(run);
    expect(run.state.strands["main"]?.status).toBe("ready");
  });

  test("that raises a limit is a person's; without a terminal one is given or lowered, and an agent changes none", () => {
    const run = runOf([agentStep("a")]);
    const script = { ...person, surface: "cli" };
    expect(run.input({ type: "limits", budget: { steps: 9 } }, agent)).toMatchObject({ code: "LIMITS_BY_PERSON" });
    expect(run.input({ type: "limits", budget: { steps: 9, tokens: 50 } }, script)).toBeUndefined();
    expect(run.input({ type: "limits", budget: { steps: 5 } }, script)).toBeUndefined();
    expect(run.input({ type: "limits", budget: { tokens: 40, steps: 6 } }, script)).toMatchObject({ code: "LIMITS_BY_PERSON" });
    expect(run.input({ type: "limits", budget: { tokens: 60 } }, script)).toMatchObject({
      fix: `Ask the person to raise it in a terminal of their own: waymark drive ${run.state.id} --budget-tokens 60`,
    });
    expect(run.state.budget.limits).toEqual({ steps: 5, tokens: 50 });
    run.input({ type: "limits", budget: { steps: 9 } }, person);
    expect(run.state.budget.limits).toEqual({ steps: 9, tokens: 50 });
  });

  test("that ends a run closes what is open, and is the same when repeated", () => {
    const run = runOf([agentStep("a", { timeoutMs: 5 })]);
    run.input({ type: "end", status: "cancelled", reason: "enough" });
    expect(run.state).toMatchObject({ status: "cancelled", actions: {}, timers: {}, error: { code: "RUN_CANCELLED", message: "enough" } });
    expect(run.input({ type: "end", status: "cancelled" })).toBeUndefined();
    expect(run.input({ type: "end", status: "failed" })).toMatchObject({ code: "RUN_ENDED" });
    expect(
      run.input({
        type: "start",
        id: "x",
        program: "p",
        inputs: {},
        defaults: { raw: {}, state: {}, fixed: {} },
        options: { serial: false, unable: [] },
      }),
    ).toMatchObject({ code: "RUN_EXISTS" });
  });

  test("that retries finds nothing while all is well", () => {
    expect(runOf([agentStep("a")]).input({ type: "retry", resetCounts: false })).toMatchObject({ code: "NOTHING_TO_RETRY" });
  });

  test("that retries gives back all tries when it says so", () => {
    const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
    for (const resetCounts of [true, false]) {
      const run = runOf([agentStep("a", { rescue })]);
      report(run, { outcome: failed });
      report(run, { outcome: failed });
      expect(run.state.status).toBe("failed");
      run.input({ type: "retry", resetCounts });
      report(run, { outcome: failed });
      expect(run.state.status).toBe(resetCounts ? "running" : "failed");
    }
  });

  test("that marks a place keeps it", () => {
    const run = runOf([agentStep("a")]);
    run.input({ type: "mark", step: "a", reason: "r", statePath: "p" });
    expect(run.state.mark).toMatchObject({ step: "a", reason: "r", statePath: "p", at: run.clock });
    expect(replay(run.events)).toEqual(run.state);
  });

  test("of a caller that claims what another holds, or what has ended, is refused", () => {
    const run = runOf([agentStep("a")]);
    expect(run.input({ type: "claim", strand: "main", holder })).toBeUndefined();
    expect(run.input({ type: "claim", strand: "main", holder: { ...holder, name: "x" } })).toMatchObject({ code: "STRAND_HELD" });
    expect(run.input({ type: "claim", strand: "s9", holder })).toMatchObject({ code: "STRAND_ENDED" });
    expect(run.input({ type: "release", strand: "main", fence: 9, why: "lost" })).toMatchObject({ code: "STRAND_NOT_HELD" });
  });
});

test("a lost holder's action that counts as done writes nothing", () => {
  const run = runOf([seq("a", "b"), agentStep("a", { whenLost: "continue", writes: [{ path: value("p"), op: "set" }] }), agentStep("b")]);
  run.input({ type: "release", strand: "main", fence: 1, why: "lost" });
  run.input({ type: "claim", strand: "main", holder: { ...holder, session: "s2" } });
  expect(run.open()).toEqual(["b"]);
  expect(run.state.scopes["run"]?.raw).toEqual({});
});

test("a note for an item comes with the step that is done for it, and not with another", () => {
  const items = [{ id: "A" }, { id: "B" }];
  const work: Block = { kind: "work", id: "w", fill: value([]), mode: "each", join: "all", body: "a" };
  const run = new MemoryRun(program([seq("begin", "w"), agentStep("begin"), work, agentStep("a")], "root"), () => ({ items }));
  run.start();
  run.input({ type: "note", text: "careful", target: "B" }, person);
  report(run);
  expect(Object.values(run.state.actions)[0]).not.toHaveProperty("notes");
  report(run);
  expect(Object.values(run.state.actions)[0]?.notes).toEqual(["careful"]);
});

test("the error steps of a run are not begun by a failure inside of them, also when they belong to its outermost block", () => {
  const onFailure = { body: "clean", then: "fail" as const, checkpoint: false, maxRuns: 0 };
  const rescue = { then: "body" as const, body: "own", after: "fail" as const };
  const run = runOf([agentStep("a", { rescue }), agentStep("own"), agentStep("clean")], { onFailure });
  report(run, { outcome: failed });
  expect(run.open()).toEqual(["own"]);
  report(run);
  expect(run.open()).toEqual(["clean"]);
  report(run, { outcome: failed });
  expect(run.state.status).toBe("failed");
});

test("a failed main strand runs its own error steps before the run fails, and marks the place", () => {
  const onFailure = { body: "clean", then: "fail" as const, checkpoint: true, maxRuns: 0 };
  const run = runOf([agentStep("a"), agentStep("clean")], { onFailure });
  report(run, { outcome: failed });
  expect(run.open()).toEqual(["clean"]);
  expect(run.state.mark).toMatchObject({ step: "a", reason: "failed: no" });
  report(run);
  expect(run.state).toMatchObject({ status: "failed", error: { message: "no", block: "a" } });
});

test("tracked fields follow what ends, fails and is tried again", () => {
  const tracking = {
    completed: "raw.done",
    failed: "raw.failed",
    retries: "raw.retries",
    lastError: "raw.last",
    errors: { path: "raw.errors", stacks: true },
  };
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf([seq("a", "b"), agentStep("a", { rescue }), agentStep("b")], { tracking });
  report(run, { outcome: failed });
  expect(run.state.scopes["run"]?.raw).toMatchObject({
    failed: ["a"],
    retries: { a: 1 },
    last: { type: "STEP_FAILED", message: "no", step_id: "a", stack: "at a\nat root" },
    errors: [{ step_id: "a" }],
  });
  report(run);
  expect(run.state.scopes["run"]?.raw).toMatchObject({ done: ["a"], failed: [] });
});

test("a step with a name of its own is tracked under that name", () => {
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const tracking = { completed: "raw.done", failed: "raw.failed", retries: "raw.retries" };
  const run = runOf([agentStep("a", { name: value("n"), rescue })], { tracking });
  expect(run.open()).toEqual(["name"]);
  report(run, { outcome: failed });
  expect(run.state.scopes["run"]?.raw).toEqual({ failed: ["name"], retries: { name: 1 } });
  report(run);
  expect(run.state.scopes["run"]?.raw).toEqual({ done: ["name"], failed: [], retries: { name: 1 } });
});

test("a run without rules ends, and one with unmet rules is blocked at its end", () => {
  const rules = [{ id: "r", when: condition("r"), message: "Not yet." }];
  const run = runOf([agentStep("a")], { rules });
  report(run);
  expect(standingOf(run.state, "main")).toEqual({ kind: "blocked", code: "RULES_UNMET", reason: "Not yet." });
  expect(standingOf(run.state, "nowhere")).toEqual({ kind: "ended" });
});
