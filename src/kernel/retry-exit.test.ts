import { describe, expect, test } from "vitest";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block } from "../program/index.ts";

const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });
const stop: Block = { kind: "leave", id: "stop", how: "fail" };
const when = (id: string, of: string, then: string): Block => ({ kind: "choose", id, branches: [{ when: condition(of), then }] });

/** A run whose conditions are the names in `held`. */
function runOf(blocks: readonly Block[], held: Set<string>, more: Parameters<typeof program>[2] = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, "root", more), ({ exprs }) =>
    Object.fromEntries(Object.entries(exprs).map(([name, expr]) => [name, typeof expr.of === "string" && held.has(expr.of)])),
  );
  run.start();
  return run;
}

const retry = (run: MemoryRun): unknown => run.input({ type: "retry", resetCounts: false });
const report = (run: MemoryRun): unknown => run.report(Object.keys(run.state.actions)[0] ?? "");

describe("a retry after an exit as failed", () => {
  test.each([
    ["with a step behind it", [seq("root", "stop", "behind"), stop, agentStep("behind")]],
    ["as the last step", [seq("root", "stop"), stop]],
  ])("comes to the exit again, %s", (_name, blocks) => {
    const run = runOf(blocks, new Set());
    for (const _round of [1, 2]) {
      expect(run.state).toMatchObject({ status: "failed", error: { code: "STEP_EXIT", block: "stop" } });
      expect(run.open()).toEqual([]);
      expect(retry(run)).toBeUndefined();
    }
    expect(run.state.status).toBe("failed");
    expect(replay(run.events)).toEqual(run.state);
  });

  test("judges the conditions that led to it again", () => {
    const held = new Set(["outer", "inner"]);
    const blocks = [seq("root", "a", "behind"), when("a", "outer", "b"), when("b", "inner", "stop"), stop, agentStep("behind")];
    for (const changed of ["outer", "inner"]) {
      const now = new Set(held);
      const run = runOf(blocks, now);
      retry(run);
      expect(run.state.status).toBe("failed");
      now.delete(changed);
      retry(run);
      expect(run.open()).toEqual(["behind"]);
      run.input({ type: "claim", strand: "main", holder });
      expect(report(run)).toBeUndefined();
      expect(run.state.status).toBe("completed");
      expect(replay(run.events)).toEqual(run.state);
    }
  });

  test("does not do again what was done on the way to it", () => {
    const held = new Set(["bad", "worse"]);
    const blocks = [
      seq("root", "a", "behind"),
      when("a", "bad", "told"),
      seq("told", "tell", "b", "never"),
      agentStep("tell"),
      when("b", "worse", "stop"),
      stop,
      agentStep("never"),
      agentStep("behind"),
    ];
    const run = runOf(blocks, held);
    expect(run.open()).toEqual(["tell"]);
    report(run);
    expect(run.state.status).toBe("failed");
    retry(run);
    expect(run.state.status).toBe("failed");
    held.delete("worse");
    retry(run);
    expect(run.open()).toEqual(["never"]);
    expect(replay(run.events)).toEqual(run.state);
  });

  test("leaves the branch when its condition does not hold any more", () => {
    const held = new Set(["bad"]);
    const told = seq("told", "tell", "stop");
    const run = runOf([seq("root", "a", "behind"), when("a", "bad", "told"), told, agentStep("tell"), stop, agentStep("behind")], held);
    report(run);
    held.delete("bad");
    retry(run);
    expect(run.open()).toEqual(["behind"]);
  });

  test("goes on at the step that failed when the exit was in its error steps", () => {
    const rescue = { then: "body", body: "clean", after: "fail" } as const;
    const blocks = [seq("root", "work", "behind"), agentStep("work", { rescue }), seq("clean", "stop"), stop, agentStep("behind")];
    const run = runOf(blocks, new Set());
    const [action = ""] = Object.keys(run.state.actions);
    run.input({
      type: "report",
      action,
      holder,
      fence: 1,
      outcome: { ok: false, code: "STEP_FAILED", message: "no" },
      write: true,
    });
    expect(run.state.status).toBe("failed");
    retry(run);
    expect(run.open()).toEqual(["work"]);
  });

  test.each([
    ["break", { kind: "leave", id: "stop", how: "break" }, "NO_LOOP"],
    ["skip", { kind: "leave", id: "stop", how: "skip" }, "NO_LOOP"],
    ["to", { kind: "leave", id: "stop", how: "to", state: "none" }, "NO_STATE"],
  ] as const)("does not walk past a %s that leads nowhere either", (_how, block, code) => {
    const run = runOf([seq("root", "stop", "behind"), block, agentStep("behind")], new Set());
    retry(run);
    expect(run.state).toMatchObject({ status: "failed", error: { code } });
    expect(run.open()).toEqual([]);
  });

  test("a rescue around the exit deals with it as before", () => {
    const around: Block = { kind: "seq", id: "around", blocks: ["stop", "never"], rescue: { then: "continue" } };
    const run = runOf([seq("root", "around", "behind"), around, stop, agentStep("never"), agentStep("behind")], new Set());
    expect(run.open()).toEqual(["behind"]);
  });
});

describe("time limits after a retry", () => {
  const wake = (run: MemoryRun): void => {
    const [timer] = Object.values(run.state.timers).toSorted((a, b) => a.due - b.due);
    if (timer === undefined) throw new Error("No timer is set.");
    run.clock = Math.max(run.clock, timer.due);
    run.input({ type: "woke", timer: timer.id });
  };

  test("all blocks around the step have theirs again, counted from the retry", () => {
    const outer: Block = { kind: "seq", id: "root", blocks: ["inner"], timeoutMs: 500 };
    const inner: Block = { kind: "seq", id: "inner", blocks: ["a", "b"], timeoutMs: 200 };
    const run = runOf([outer, inner, agentStep("a", { timeoutMs: 900 }), agentStep("b")], new Set());
    const limits = (): unknown => Object.values(run.state.timers).map(({ due, depth, why }) => ({ after: due - run.clock, depth, why }));
    for (const _round of [1, 2]) {
      wake(run);
      expect(run.state).toMatchObject({ status: "failed", error: { code: "TIMEOUT", block: "inner" } });
      expect(run.state.timers).toEqual({});
      run.clock += 10_000;
      retry(run);
      expect(run.open()).toEqual(["a"]);
      expect(limits()).toEqual([
        { after: 500, depth: 0, why: "timeout" },
        { after: 200, depth: 1, why: "timeout" },
        { after: 900, depth: 2, why: "timeout" },
      ]);
    }
    report(run);
    report(run);
    expect(run.state).toMatchObject({ status: "completed", timers: {} });
    expect(replay(run.events)).toEqual(run.state);
  });

  test("a blocked part that is retried keeps the limit that still runs, and has the spent one again", () => {
    const outer: Block = { kind: "seq", id: "root", blocks: ["inner"], timeoutMs: 500 };
    const inner: Block = { kind: "seq", id: "inner", blocks: ["a", "b"], timeoutMs: 200, rescue: { then: "block" } };
    const run = runOf([outer, inner, agentStep("a"), agentStep("b")], new Set());
    const [first] = Object.values(run.state.timers);
    wake(run);
    expect(run.state.strands["main"]?.status).toBe("blocked");
    retry(run);
    const [kept, again, ...more] = Object.values(run.state.timers);
    expect(kept).toEqual(first);
    expect(again).toMatchObject({ depth: 1, due: run.clock + 200 });
    expect(more).toEqual([]);
    expect(run.open()).toEqual(["a"]);
  });
});

describe("a report on a task that nobody has taken", () => {
  test("is told to take it first, and changes nothing", () => {
    const blocks: Block[] = [
      { kind: "work", id: "root", mode: "strands", join: "all", fill: value([]), body: "a", task: { name: "t", prompt: "p" } },
      agentStep("a"),
    ];
    const run = new MemoryRun(program(blocks, "root"), ({ exprs }) => ("items" in exprs ? { items: ["x"] } : {}));
    run.start();
    const task = Object.values(run.state.strands).find((strand) => strand.task !== undefined);
    const action = Object.values(run.state.actions).find((open) => open.strand === task?.id);
    const before = run.state;
    const refused = run.report(action?.id ?? "");
    expect(refused).toMatchObject({ code: "STRAND_NOT_HELD" });
    expect(refused?.message).toContain(`Task \`${task?.task ?? ""}\` of run \`wf-test\` is not claimed yet`);
    expect(refused?.fix).toContain("workflow_next");
    expect(refused?.fix).toContain(`waymark next wf-test --task ${task?.task ?? ""}`);
    expect(run.state).toBe(before);
    run.input({ type: "claim", strand: task?.id ?? "", holder });
    const [taken] = Object.values(run.state.actions).filter((open) => open.strand === task?.id);
    expect(run.report(taken?.id ?? "")).toBeUndefined();
  });
});
