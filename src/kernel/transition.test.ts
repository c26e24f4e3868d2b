import { describe, expect, test } from "vitest";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block } from "../program/index.ts";
import { apply } from "./apply.ts";
import type { Event } from "./event.ts";

const nothing = () => ({});
const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });

describe("a sequence of steps", () => {
  const two = program([seq("root", "a", "b"), agentStep("a"), agentStep("b")], "root");

  test("hands out one step at a time and completes", () => {
    const run = new MemoryRun(two, nothing);
    run.start();
    expect(run.open()).toEqual(["a"]);
    run.report(Object.keys(run.state.actions)[0] ?? "");
    expect(run.open()).toEqual(["b"]);
    run.report(Object.keys(run.state.actions)[0] ?? "");
    expect(run.state.status).toBe("completed");
    expect(replay(run.events)).toEqual(run.state);
  });

  test("a report for a closed action changes nothing and says what is open", () => {
    const run = new MemoryRun(two, nothing);
    run.start();
    const [first = ""] = Object.keys(run.state.actions);
    run.report(first);
    const before = run.state;
    expect(run.report(first)).toMatchObject({ code: "ACTION_NOT_OPEN", details: { open_steps: ["b"] } });
    expect(run.state).toBe(before);
  });

  test("a report from a holder that lost the strand changes nothing", () => {
    const run = new MemoryRun(two, nothing);
    run.start();
    const [first = ""] = Object.keys(run.state.actions);
    run.input({ type: "release", strand: "main", fence: 1, why: "lost" });
    run.input({ type: "claim", strand: "main", holder: { ...holder, session: "s2" } });
    const before = run.state;
    expect(run.report(first)).toMatchObject({ code: "ACTION_NOT_OPEN" });
    const [again = ""] = Object.keys(run.state.actions);
    expect(again).not.toBe(first);
    expect(run.report(again)).toMatchObject({ code: "HOLDER_LOST" });
    expect(run.state).toBe(before);
    expect(run.report(again, null, { ...holder, session: "s2" })).toBeUndefined();
  });

  test("claiming again by the same holder is no change", () => {
    const run = new MemoryRun(two, nothing);
    run.start();
    const before = run.events.length;
    run.input({ type: "claim", strand: "main", holder });
    expect(run.events.length).toBe(before);
    expect(run.input({ type: "claim", strand: "main", holder: { ...holder, name: "other" } })).toMatchObject({ code: "STRAND_HELD" });
  });

  test("a run cannot be completed while steps are open, but can be cancelled", () => {
    const run = new MemoryRun(two, nothing);
    run.start();
    expect(run.input({ type: "end", status: "completed" })).toMatchObject({ code: "RUN_NOT_DONE" });
    expect(run.input({ type: "end", status: "cancelled" })).toBeUndefined();
    expect(run.state).toMatchObject({ status: "cancelled", actions: {} });
  });
});

describe("items", () => {
  const loop = (more: Partial<Extract<Block, { kind: "work" }>> = {}) =>
    program(
      [
        {
          kind: "work",
          id: "w",
          fill: value([]),
          body: "body",
          mode: "strands",
          join: "all",
          parallel: 2,
          task: { name: "t", prompt: "p" },
          ...more,
        },
        agentStep("body"),
      ],
      "w",
    );
  const three = () => ({ items: [{ id: "x" }, { id: "y" }, { id: "z" }] });

  test("at most `parallel` strands are open, and the next item follows when one ends", () => {
    const run = new MemoryRun(loop(), three);
    run.start();
    expect(Object.values(run.state.strands).map((strand) => strand.task)).toEqual([undefined, "x", "y"]);
    const x = Object.values(run.state.strands).find((strand) => strand.task === "x");
    run.input({ type: "claim", strand: x?.id ?? "", holder });
    run.report(x?.waits?.on === "action" ? x.waits.id : "");
    expect(Object.values(run.state.strands).map((strand) => strand.task)).toEqual([undefined, "y", "z"]);
    expect(run.state.lists["w#5"] ?? Object.values(run.state.lists)[0]).toMatchObject({
      total: 3,
      by: { completed: 1, in_progress: 2, pending: 0 },
    });
  });

  test("the parent's action cannot be reported before its tasks end", () => {
    const run = new MemoryRun(loop(), three);
    run.start();
    const action = Object.values(run.state.actions).find((entry) => entry.what === "parallel_tasks");
    expect(run.report(action?.id ?? "")).toMatchObject({ code: "TASKS_OPEN", details: { open_tasks: ["x", "y"] } });
  });

  test("serial runs the tasks in the main strand", () => {
    const run = new MemoryRun(loop(), three);
    run.start({ serial: true });
    expect(Object.keys(run.state.strands)).toEqual(["main"]);
    for (let i = 0; i < 3; i += 1) run.report(Object.keys(run.state.actions)[0] ?? "");
    expect(run.state.status).toBe("completed");
  });

  test("a failing task is tried again, then the policy decides", () => {
    for (const [then, status] of [
      ["continue", "completed"],
      ["fail_at_end", "failed"],
      ["fail", "failed"],
    ] as const) {
      const run = new MemoryRun(loop({ onItemFailure: { retries: 1, then, collect: "raw.errors" }, parallel: 1 }), three);
      run.start();
      let guard = 0;
      while (run.state.status === "running" && guard++ < 20) {
        const child = Object.values(run.state.strands).find((strand) => strand.task !== undefined);
        if (child?.waits?.on !== "action") break;
        run.input({ type: "claim", strand: child.id, holder });
        const outcome =
          child.task === "y" ? { ok: false as const, code: "STEP_FAILED", message: "no" } : { ok: true as const, value: null };
        run.input({ type: "report", action: child.waits.id, holder, fence: 1, outcome, write: true });
      }
      expect(run.state.status, then).toBe(status);
      expect(run.state.scopes["run"]?.raw["errors"], then).toEqual([{ task_id: "y", message: "no", type: "STEP_FAILED", attempts: 2 }]);
      expect(replay(run.events)).toEqual(run.state);
    }
  });

  test("a run that failed in its tasks goes on with them after a retry", () => {
    const run = new MemoryRun(loop({ onItemFailure: { retries: 0, then: "fail" }, parallel: 1 }), three);
    run.start();
    const fail = () => {
      const child = Object.values(run.state.strands).find((strand) => strand.task !== undefined);
      run.input({ type: "claim", strand: child?.id ?? "", holder });
      run.input({
        type: "report",
        action: child?.waits?.on === "action" ? child.waits.id : "",
        holder,
        fence: 1,
        outcome: { ok: false, code: "STEP_FAILED", message: "no" },
        write: true,
      });
    };
    fail();
    expect(run.state.status).toBe("failed");
    expect(run.input({ type: "retry", resetCounts: false })).toBeUndefined();
    expect(run.state.status).toBe("running");
    let guard = 0;
    while (run.state.status === "running" && guard++ < 10) {
      const child = Object.values(run.state.strands).find((strand) => strand.task !== undefined);
      run.input({ type: "claim", strand: child?.id ?? "", holder });
      run.report(child?.waits?.on === "action" ? child.waits.id : "");
    }
    expect(run.state.status).toBe("completed");
    expect([...run.items.values()].map((item) => item.status)).toEqual(["completed", "completed", "completed"]);
  });

  test("break skips the rest with its reason", () => {
    const run = new MemoryRun(
      program(
        [
          { kind: "work", id: "w", fill: value([]), body: "body", mode: "each", join: "all" },
          seq("body", "a", "stop"),
          agentStep("a"),
          { kind: "leave", id: "stop", how: "break" },
        ],
        "w",
      ),
      three,
    );
    run.start();
    run.report(Object.keys(run.state.actions)[0] ?? "");
    expect(run.state.status).toBe("completed");
    expect([...run.items.values()].map((item) => item.status)).toEqual(["completed", "skipped", "skipped"]);
    expect(run.events.find((event) => event.type === "items_swept")).toMatchObject({ reason: "left by break at `stop`", count: 2 });
  });

  test("a work nobody waits for is joined before the run completes", () => {
    const run = new MemoryRun(
      program(
        [
          seq("root", "w", "after"),
          { kind: "work", id: "w", fill: value([]), body: "body", mode: "strands", join: "later", parallel: 2 },
          agentStep("body"),
          agentStep("after"),
        ],
        "root",
      ),
      three,
    );
    run.start();
    expect(run.open()).toContain("after");
    const after = Object.values(run.state.actions).find((action) => action.step === "after");
    run.report(after?.id ?? "");
    expect(run.state.status).toBe("running");
    let guard = 0;
    while (run.state.status === "running" && guard++ < 10) {
      const child = Object.values(run.state.strands).find((strand) => strand.task !== undefined);
      run.input({ type: "claim", strand: child?.id ?? "", holder });
      run.report(child?.waits?.on === "action" ? child.waits.id : "");
    }
    expect(run.state.status).toBe("completed");
  });

  test("a work nobody waits for is joined also when it has only just begun as the run comes to its end", () => {
    const run = new MemoryRun(
      program(
        [
          seq("root", "a", "w"),
          agentStep("a"),
          { kind: "work", id: "w", fill: value([]), body: "body", mode: "strands", join: "later", parallel: 3 },
          agentStep("body"),
        ],
        "root",
      ),
      three,
    );
    run.start();
    run.report(Object.keys(run.state.actions)[0] ?? "");
    expect(run.open()).toEqual(["body", "body", "body"]);
    expect(run.state.strands["main"]).toMatchObject({ status: "waiting", waits: { on: "strands" } });
    for (const { id, strand } of Object.values(run.state.actions)) {
      expect(run.state.status).toBe("running");
      run.input({ type: "claim", strand, holder });
      run.report(id);
    }
    expect(run.state).toMatchObject({ status: "completed", strands: { main: { status: "done" } } });
  });
});

describe("failure", () => {
  const shell = (id: string, rescue?: Block["rescue"]): Block => ({
    kind: "do",
    id,
    who: "engine",
    what: "shell",
    args: {},
    writes: [{ path: { as: "path", of: "raw.out" }, op: "set" }],
    ...(rescue === undefined ? {} : { rescue }),
  });
  const paths = () => ({ "path:0": ["raw", "out"], "value:0": "written" });
  const fail = (run: MemoryRun) =>
    run.input({
      type: "outcome",
      effect: Object.keys(run.state.effects)[0] ?? "",
      outcome: { ok: false, code: "COMMAND_FAILED", message: "boom" },
    });

  test("retry waits with growing delay, then fails", () => {
    const run = new MemoryRun(
      program([shell("s", { retry: { times: 2, delayMs: 1000, factor: 2, capMs: 30000 }, then: "fail" })], "s"),
      paths,
    );
    run.start();
    fail(run);
    const [first] = Object.values(run.state.timers);
    expect(first?.due).toBe(run.clock + 1000);
    run.clock = first?.due ?? 0;
    run.input({ type: "woke", timer: first?.id ?? "" });
    fail(run);
    const [second] = Object.values(run.state.timers);
    expect(second?.due).toBe(run.clock + 2000);
    run.clock = second?.due ?? 0;
    run.input({ type: "woke", timer: second?.id ?? "" });
    fail(run);
    expect(run.state).toMatchObject({ status: "failed", error: { code: "COMMAND_FAILED" } });
    expect(replay(run.events)).toEqual(run.state);
  });

  test("a value takes the place of the result", () => {
    const run = new MemoryRun(program([shell("s", { then: "value", value: { success: false } })], "s"), (need) =>
      need.write === true ? { "path:0": ["raw", "out"] } : {},
    );
    run.start();
    fail(run);
    expect(run.state.status).toBe("completed");
    expect(run.state.scopes["run"]?.raw).toEqual({ out: { success: false } });
  });

  test("a stand-in value that cannot be written fails the step instead of being tried for ever", () => {
    const run = new MemoryRun(program([shell("s", { then: "value", value: 1 })], "s"), (need) =>
      need.write === true ? { "path:0": ["computed", "out"] } : {},
    );
    run.start();
    fail(run);
    expect(run.state).toMatchObject({ status: "failed", error: { code: "STATE_WRITE" } });
  });

  test("a body runs with the error in scope, then the failure goes on", () => {
    const run = new MemoryRun(
      program(
        [
          { kind: "seq", id: "root", blocks: ["s"], rescue: { then: "body", body: "clean", after: "fail" } },
          shell("s"),
          agentStep("clean"),
        ],
        "root",
      ),
      (need) => ("arg:x" in need.exprs ? {} : paths()),
    );
    run.start();
    fail(run);
    expect(run.open()).toEqual(["clean"]);
    expect(run.state.strands["main"]?.frames.find((frame) => frame.kind === "rescue")?.locals).toMatchObject({
      error: { message: "boom" },
    });
    run.report(Object.keys(run.state.actions)[0] ?? "");
    expect(run.state.status).toBe("failed");
  });

  test("a failed run is retried at the failing step", () => {
    const run = new MemoryRun(program([seq("root", "a", "s", "b"), agentStep("a"), shell("s"), agentStep("b")], "root"), paths);
    run.start();
    run.report(Object.keys(run.state.actions)[0] ?? "");
    fail(run);
    expect(run.state.status).toBe("failed");
    run.input({ type: "retry", resetCounts: false });
    run.input({ type: "outcome", effect: Object.keys(run.state.effects)[0] ?? "", outcome: { ok: true, value: 1 } });
    expect(run.open()).toEqual(["b"]);
  });

  test("tracked fields follow", () => {
    const tracking = {
      completed: "raw.steps_completed",
      failed: "raw.steps_failed",
      retries: "raw.retry_counts",
      lastError: "raw.last_error",
      errors: { path: "raw.workflow_errors", stacks: false },
    };
    const run = new MemoryRun(
      program(
        [seq("root", "a", "s"), agentStep("a"), shell("s", { retry: { times: 1, delayMs: 0, factor: 2, capMs: 0 }, then: "continue" })],
        "root",
        { tracking },
      ),
      paths,
    );
    run.start();
    run.report(Object.keys(run.state.actions)[0] ?? "");
    fail(run);
    fail(run);
    expect(run.state.status).toBe("completed");
    const error = { type: "COMMAND_FAILED", message: "boom", step_id: "s" };
    expect(run.state.scopes["run"]?.raw).toEqual({
      steps_completed: ["a"],
      steps_failed: ["s"],
      retry_counts: { s: 1 },
      last_error: error,
      workflow_errors: [error, error],
    });
  });

  test("on_failure steps run before the run fails", () => {
    const run = new MemoryRun(
      program([shell("s"), agentStep("tell")], "s", { onFailure: { body: "tell", then: "fail", checkpoint: true, maxRuns: 0 } }),
      paths,
    );
    run.start();
    fail(run);
    expect(run.open()).toEqual(["tell"]);
    expect(run.state.mark?.reason).toContain("boom");
    run.report(Object.keys(run.state.actions)[0] ?? "");
    expect(run.state).toMatchObject({ status: "failed", error: { message: "boom" } });
  });
});

describe("questions", () => {
  const ask = (more: object = {}): Block => ({
    kind: "do",
    id: "q",
    who: "person",
    what: "user_input",
    args: { prompt: value("Which?") },
    writes: [],
    ask: { answerBy: "relay", attempts: 2, ...more },
  });
  const prompt = () => ({ "arg:prompt": "Which?" });

  test("wrong answers are counted and the last one fails the step", () => {
    const run = new MemoryRun(program([ask({ pattern: "^a$", patternMessage: "say a" })], "q"), prompt);
    run.start();
    const [id = ""] = Object.keys(run.state.decisions);
    run.answer(id, "b", { valid: false });
    expect(run.state.decisions[id]?.attemptsLeft).toBe(1);
    run.answer(id, "b", { valid: false });
    expect(run.state).toMatchObject({ status: "failed", error: { code: "ANSWER_REFUSED" } });
  });

  test("a gate is passed by a person only, for the current revision, once", () => {
    const run = new MemoryRun(
      program([seq("root", "q", "z"), ask({ answerBy: "person", decision: "GATE" }), agentStep("z")], "root"),
      prompt,
    );
    run.start();
    expect(run.answer("GATE", "yes", { relayed: true })).toMatchObject({ code: "DECISION_FOR_PERSON" });
    expect(run.answer("GATE", "yes", { revision: 7 })).toMatchObject({ code: "DECISION_REVISED" });
    expect(run.answer("GATE", "yes")).toBeUndefined();
    expect(run.answer("GATE", "yes", { revision: 1 })).toMatchObject({ code: "DECISION_CLOSED" });
    expect(run.open()).toEqual(["z"]);
  });

  test("a budget stops at a question, and goes on when it is raised", () => {
    const run = new MemoryRun(
      program([{ kind: "repeat", id: "r", while: condition("true"), max: 100, onLimit: "warn", body: "a" }, agentStep("a")], "r"),
      () => ({ "0": true }),
    );
    run.start({ budget: { steps: 3 } });
    for (let i = 0; i < 3; i += 1) run.report(Object.keys(run.state.actions)[0] ?? "");
    const [id = ""] = Object.keys(run.state.decisions);
    expect(run.state.decisions[id]).toMatchObject({ kind: "budget", answerBy: "person" });
    expect(run.answer(id, "double", { relayed: true })).toMatchObject({ code: "DECISION_FOR_PERSON" });
    run.answer(id, 5);
    run.report(Object.keys(run.state.actions)[0] ?? "");
    run.report(Object.keys(run.state.actions)[0] ?? "");
    expect(run.open()).toEqual([]);
    expect(run.state.budget).toMatchObject({ limits: { steps: 5 }, used: { steps: 5 } });
    const [second = ""] = Object.keys(run.state.decisions);
    run.answer(second, "stop");
    expect(run.state).toMatchObject({ status: "cancelled", error: { code: "BUDGET_SPENT" } });
  });
});

test("a machine follows its outcomes, and leave(to) moves an outer one", () => {
  const run = new MemoryRun(
    program(
      [
        {
          kind: "machine",
          id: "m",
          initial: "A",
          states: {
            A: { body: "a", outcomes: [{ when: condition("x"), to: "B" }, { to: null }] },
            B: { body: "b", outcomes: [{ to: null }] },
          },
        },
        agentStep("a"),
        seq("b", "bb", "go"),
        agentStep("bb"),
        { kind: "leave", id: "go", how: "to", state: "A" },
      ],
      "m",
    ),
    (() => {
      let asked = 0;
      return () => ({ "0": asked++ === 0 });
    })(),
  );
  run.start();
  for (const step of ["a", "bb", "a"]) {
    expect(run.open()).toEqual([step]);
    run.report(Object.keys(run.state.actions)[0] ?? "");
  }
  expect(run.state.status).toBe("completed");
});

test("a note rides with the next action and is kept until then", () => {
  const run = new MemoryRun(program([seq("root", "a", "b"), agentStep("a"), agentStep("b")], "root"), nothing);
  run.start();
  run.input({ type: "note", text: "mind the gap" });
  expect(run.state.notes).toHaveLength(1);
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(Object.values(run.state.actions)[0]?.notes).toEqual(["mind the gap"]);
  expect(run.state.notes).toEqual([]);
});

test("an entry runs beside main, or main waits for it", () => {
  for (const main of ["goes_on", "waits"] as const) {
    const run = new MemoryRun(
      program([seq("root", "a", "b"), agentStep("a"), agentStep("b"), agentStep("side")], "root", {
        entries: { side: { root: "side", by: "anyone", main } },
      }),
      nothing,
    );
    run.start();
    run.input({ type: "entry", name: "side", args: {} });
    const a = Object.values(run.state.actions).find((action) => action.step === "a");
    run.report(a?.id ?? "");
    expect(run.open().includes("b"), main).toBe(main === "goes_on");
    const side = Object.values(run.state.actions).find((action) => action.step === "side");
    run.input({ type: "claim", strand: side?.strand ?? "", holder });
    run.report(side?.id ?? "");
    expect(run.open(), main).toEqual(["b"]);
  }
});

test("a lost holder's action follows its policy", () => {
  for (const [whenLost, expected] of [
    ["retry", "a"],
    ["continue", "b"],
    ["fail", "failed"],
    ["ask", "question"],
  ] as const) {
    const run = new MemoryRun(program([seq("root", "a", "b"), agentStep("a", { whenLost }), agentStep("b")], "root"), nothing);
    run.start();
    run.input({ type: "release", strand: "main", fence: 1, why: "lost" });
    run.input({ type: "claim", strand: "main", holder: { ...holder, session: "new" } });
    const seen =
      run.state.status === "failed" ? "failed" : (run.open()[0] ?? (Object.keys(run.state.decisions).length > 0 ? "question" : "nothing"));
    expect(seen, whenLost).toBe(expected);
  }
});

test("by is never taken from a payload: agents cannot answer as persons", () => {
  const run = new MemoryRun(
    program([{ kind: "do", id: "q", who: "person", what: "user_input", args: {}, writes: [], ask: { answerBy: "person" } }], "q"),
    nothing,
  );
  run.start();
  const [id = ""] = Object.keys(run.state.decisions);
  expect(run.input({ type: "answer", decision: id, revision: 1, answer: "yes", valid: true, relayed: false }, agent)).toMatchObject({
    code: "DECISION_FOR_PERSON",
  });
});

test("items wait for what they depend on", () => {
  const list = "tasks";
  const item = (id: string, order: string, dependsOn: string[]) => ({
    list,
    id,
    order,
    status: "pending" as const,
    data: id,
    facets: {},
    root: id,
    attempts: 0,
    dependsOn,
    waitsFor: dependsOn.length,
  });
  const run = new MemoryRun(
    program([{ kind: "work", id: "w", list, body: "body", mode: "strands", join: "all", parallel: 5 }, agentStep("body")], "w", {
      worklists: [{ id: list, facets: [] }],
    }),
    nothing,
  );
  const added: Event = { type: "items_added", list, items: [item("c", "a", ["a", "b"]), item("a", "b", []), item("b", "c", ["a"])] };
  run.state = apply(run.state, added);
  run.events.push(added);
  for (const entry of added.items) run.items.set(`${list}/${entry.id}`, entry);
  run.start();
  const order: (string | undefined)[] = [];
  for (let guard = 0; run.state.status === "running" && guard < 10; guard += 1) {
    const children = Object.values(run.state.strands).filter((strand) => strand.task !== undefined);
    expect(children).toHaveLength(1);
    order.push(children[0]?.task);
    run.input({ type: "claim", strand: children[0]?.id ?? "", holder });
    run.report(children[0]?.waits?.on === "action" ? children[0].waits.id : "");
  }
  expect(order).toEqual(["a", "b", "c"]);
  expect(run.state.lists[list]).toMatchObject({ total: 3, by: { completed: 3 } });
});

test("a step blocked until a time costs neither a try nor budget, and is handed out again then", () => {
  const run = new MemoryRun(program([seq("root", "a", "b"), agentStep("a"), agentStep("b")], "root"), nothing);
  run.start({ budget: { steps: 2 } });
  const [first = ""] = Object.keys(run.state.actions);
  run.input({
    type: "report",
    action: first,
    holder,
    fence: 1,
    outcome: { ok: "blocked", until: 50_000, reason: "usage limit" },
    write: true,
  });
  expect(run.state.strands["main"]).toMatchObject({
    status: "blocked",
    blocked: { code: "BLOCKED_UNTIL", reason: "usage limit", until: 50_000 },
  });
  expect(run.state.budget.used.steps).toBe(0);
  const [timer] = Object.values(run.state.timers);
  expect(run.input({ type: "woke", timer: timer?.id ?? "" })).toMatchObject({ code: "TIMER_EARLY" });
  run.clock = 50_000;
  run.input({ type: "woke", timer: timer?.id ?? "" });
  expect(run.open()).toEqual(["a"]);
  run.report(Object.keys(run.state.actions)[0] ?? "");
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
});

test("a blocked step that is retried before its time is not disturbed by the old timer", () => {
  const run = new MemoryRun(program([agentStep("a")], "a"), nothing);
  run.start();
  run.input({
    type: "report",
    action: Object.keys(run.state.actions)[0] ?? "",
    holder,
    fence: 1,
    outcome: { ok: "blocked", until: 50_000, reason: "usage limit" },
    write: true,
  });
  run.input({ type: "retry", resetCounts: false });
  expect(run.open()).toEqual(["a"]);
  const before = Object.keys(run.state.actions);
  run.clock = 50_000;
  for (const timer of Object.keys(run.state.timers)) run.input({ type: "woke", timer });
  expect(Object.keys(run.state.actions)).toEqual(before);
});

test("the names of a task survive a loop that is the whole task", () => {
  const seen: unknown[] = [];
  const run = new MemoryRun(
    program(
      [
        {
          kind: "work",
          id: "w",
          fill: value("tasks"),
          body: "loop",
          mode: "strands",
          join: "all",
          parallel: 2,
          task: { name: "t", prompt: "p" },
        },
        { kind: "work", id: "loop", fill: value("inner"), body: "body", mode: "each", join: "all" },
        agentStep("body", { args: { x: value("x") } }),
      ],
      "w",
    ),
    (need) => {
      if ("arg:x" in need.exprs) seen.push([need.locals["task_id"], need.locals["item"]]);
      const items = need.exprs["items"]?.of === "tasks" ? [{ id: "one" }] : [1, 2];
      return "items" in need.exprs ? { items } : { "arg:x": 1 };
    },
  );
  run.start();
  for (let guard = 0; run.state.status === "running" && guard < 5; guard += 1) {
    const child = Object.values(run.state.strands).find((strand) => strand.task !== undefined);
    run.input({ type: "claim", strand: child?.id ?? "", holder });
    run.report(child?.waits?.on === "action" ? child.waits.id : "");
  }
  expect(run.state.status).toBe("completed");
  expect(seen).toEqual([
    ["one", 1],
    ["one", 2],
  ]);
});
