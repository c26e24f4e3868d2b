import { expect, test } from "vitest";
import { agentStep, itemRow, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, Item, WorkBlock } from "../program/index.ts";
import type { Event } from "./event.ts";

function runOf(work: Partial<WorkBlock>, ...more: Block[]): MemoryRun {
  const blocks: Block[] = [
    { kind: "work", id: "w", fill: value("x"), mode: "strands", join: "all", body: "a", ...work },
    agentStep("a"),
    agentStep("clean"),
  ];
  const all = [...more, ...blocks.filter(({ id }) => !more.some((other) => other.id === id))];
  const run = new MemoryRun(program(all, "w"), ({ exprs }) => ("items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {}));
  run.start();
  return run;
}

/** Ends the open step of the task. */
function act(run: MemoryRun, task: string, ok = true): string {
  const strand = Object.values(run.state.strands).find((open) => open.task === task);
  const action = strand?.waits?.on === "action" ? strand.waits.id : "";
  if (strand?.holder === undefined) run.input({ type: "claim", strand: strand?.id ?? "", holder });
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action, holder, fence: run.state.strands[strand?.id ?? ""]?.fence ?? 0, outcome, write: true });
  return strand?.id ?? "";
}

const ended = (run: MemoryRun): Event[] => run.events.filter(({ type }) => type === "strand_ended");
const rows = (run: MemoryRun): unknown => [...run.items.values()].map(({ id, status, reason }) => [id, status, reason]);

test("the strand of a task ends as done, or as failed with its error", () => {
  const run = runOf({ onItemFailure: { retries: 0, then: "continue" } });
  const b = act(run, "B");
  const a = act(run, "A", false);
  expect(run.state.status).toBe("completed");
  expect(ended(run)).toEqual([
    { type: "strand_ended", strand: b, status: "done" },
    { type: "strand_ended", strand: a, status: "failed", error: { code: "STEP_FAILED", message: "no", block: "a" } },
    { type: "strand_ended", strand: "main", status: "done" },
  ]);
});

test("a task that fails stops the others and says so at their items", () => {
  const run = runOf({});
  act(run, "A", false);
  expect(rows(run)).toEqual([
    ["A", "failed", "no"],
    ["B", "pending", "stopped: task `A` failed"],
  ]);
  expect(run.state.error).toEqual({ code: "STEP_FAILED", message: "Task `A` of `w` failed: no", block: "w" });
});

test("tasks are not handed out any more while the error steps of their work are open", () => {
  const run = runOf({ task: { name: "t", prompt: "p" }, rescue: { then: "body", body: "clean", after: "continue" } });
  expect(run.open()).toEqual(["w", "a", "a"]);
  act(run, "A", false);
  expect(run.open()).toEqual(["clean"]);
  expect(run.state.strands["main"]?.frames[0]).not.toHaveProperty("action");
});

const rescue = { retry: { times: 3, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };

test("a work is tried again when one of its tasks failed, but not when what the task did may have been done in part", () => {
  const failed = runOf({ rescue });
  act(failed, "A", false);
  expect(failed.open()).toEqual(["a", "a"]);
  const lost = runOf({ rescue }, agentStep("a", { whenLost: "fail" }));
  const strand = Object.values(lost.state.strands).find(({ task }) => task === "A")?.id ?? "";
  lost.input({ type: "claim", strand, holder });
  lost.input({ type: "release", strand, fence: 1, why: "lost" });
  lost.input({ type: "claim", strand, holder: { ...holder, session: "s2" } });
  expect(lost.state).toMatchObject({ status: "failed", error: { code: "HOLDER_LOST", block: "w", lost: true } });
  const failures = lost.events.flatMap((event) => (event.type === "failed" ? [[event.strand, event.error.lost]] : []));
  expect(failures).toEqual([
    [strand, true],
    ["main", true],
  ]);
  expect(replay(lost.events)).toEqual(lost.state);
});

const row = (id: string): Item => itemRow(id, { list: "jobs", facets: { kind: "x" } });

test.each(["each", "strands"] as const)("a failed item of a declared list is let go of: %s", (mode) => {
  const work: Block = {
    kind: "work",
    id: "w",
    list: "jobs",
    mode,
    parallel: 1,
    join: "all",
    body: "a",
    onItemFailure: { retries: 0, then: "continue" },
  };
  const blocks: Block[] = [{ kind: "seq", id: "root", blocks: ["first", "w", "after"] }, agentStep("first"), work];
  const run = new MemoryRun(program([...blocks, agentStep("a"), agentStep("after")], "root"), () => ({}));
  run.start();
  run.input({ type: "items", change: { add: [{ list: "jobs", items: [row("A"), row("B")] }] }, reason: "seed" });
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(Object.keys(run.state.held)).toEqual(["jobs/A"]);
  const fail = (): void => {
    const [action] = Object.values(run.state.actions);
    const strand = action?.strand ?? "";
    if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
    const outcome = { ok: false as const, code: "STEP_FAILED", message: "no" };
    run.input({ type: "report", action: action?.id ?? "", holder, fence: run.state.strands[strand]?.fence ?? 0, outcome, write: true });
  };
  fail();
  expect(Object.keys(run.state.held)).toEqual(["jobs/B"]);
  expect(run.state.lists["jobs"]).toMatchObject({ by: { failed: 1, in_progress: 1 }, facets: { "kind=x": { failed: 1, in_progress: 1 } } });
  fail();
  expect(run.state.held).toEqual({});
  expect(run.open()).toEqual(["after"]);
  expect(replay(run.events)).toEqual(run.state);
});
