import { expect, test } from "vitest";
import { agentStep, program, taskWork, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { isList, type Json } from "../base/index.ts";
import type { Block, DoBlock, WorkBlock } from "../program/index.ts";
import type { WorkFrame } from "./frame.ts";
import { apply } from "./apply.ts";

// The places of tasks that failed in tasks of their own: `w` has many items, each of which has the task x inside.

const many = Array.from({ length: 40 }, (_, index) => ({ id: `m${index}` }));

function runOf(more: Partial<WorkBlock>, { items = many, leaf = {}, inside = ["x"] }: Case = {}): MemoryRun {
  const blocks: Block[] = [
    taskWork({ fill: value(items), body: "in", ...more }),
    taskWork({ id: "in", fill: value(inside.map((id) => ({ id }))), body: "a" }),
    agentStep("a", leaf),
  ];
  const run = new MemoryRun(program(blocks, "w"), ({ exprs }) =>
    Object.fromEntries(Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, isList(of) ? of : key])),
  );
  run.start();
  return run;
}
interface Case {
  readonly items?: readonly { readonly id: string }[];
  readonly leaf?: Partial<DoBlock>;
  readonly inside?: readonly string[];
}

/** Reports the step of the first task that is open, or of this one; gives the length of what the journal grows by. */
function act(run: MemoryRun, ok: boolean, task?: string): number {
  const action = Object.values(run.state.actions).find(({ strand }) => task === undefined || run.state.strands[strand]?.task === task);
  if (action === undefined) throw new Error(`nothing is open for ${task ?? "anybody"}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const from = run.events.length;
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
  return JSON.stringify(run.events.slice(from)).length;
}

const frame = (run: MemoryRun): WorkFrame => run.state.strands["main"]?.frames[0] as WorkFrame;

const cases = (["each", "strands"] as const).flatMap((mode) => (["continue", "fail_at_end"] as const).map((then) => ({ mode, then })));

test.each(cases)("an item that fails writes as much as the first one did (%o)", ({ mode, then }) => {
  const run = runOf({ mode, onItemFailure: { retries: 0, then } });
  const sizes = many.slice(0, -3).map(() => act(run, false));
  expect(sizes.at(-1) ?? 0).toBeLessThan(1.2 * (sizes[3] ?? 0));
  expect(replay(run.events)).toEqual(run.state);
});

test("an item that is taken up after a retry writes as much as any other", () => {
  const run = runOf({ mode: "each", onItemFailure: { retries: 0, then: "fail_at_end" } });
  for (const _item of many) act(run, false);
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  const sizes = many.slice(0, -3).map(() => act(run, true));
  expect(sizes[0] ?? 0).toBeLessThan(1.2 * (sizes.at(-1) ?? 0));
  for (const _item of many.slice(-3)) act(run, true);
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
});

test("an item that failed for good in a work that continues keeps no place: what is open inside is skipped with the reason", () => {
  const run = runOf({ onItemFailure: { retries: 0, then: "continue" }, parallel: 1 }, { inside: ["x", "y", "z"] });
  act(run, false, "y");
  expect(frame(run)).not.toHaveProperty("kept");
  const [, x, y, z] = [...run.items.values()].filter(({ id }) => ["m0", "x", "y", "z"].includes(id));
  expect([x, y, z].map((item) => item?.status)).toEqual(["skipped", "failed", "skipped"]);
  const reasons = run.events.flatMap((event) => (event.type === "items_swept" ? [event.reason] : []));
  expect(reasons).toEqual([expect.stringContaining("no")]);
  expect(run.state.lists["in"]?.by).toMatchObject({ pending: 0, in_progress: 0, skipped: 2, failed: 1 });
});

test("a step that must not be repeated and was broken off with such an item still keeps the work from being tried again by itself", () => {
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const then = { onItemFailure: { retries: 0, then: "continue" as const }, timeoutMs: 500, rescue };
  const run = runOf({ ...then, parallel: 1 }, { inside: ["x", "y"], leaf: { whenLost: "fail" } });
  const x = Object.values(run.state.strands).find(({ task }) => task === "x");
  run.input({ type: "claim", strand: x?.id ?? "", holder });
  act(run, false, "y");
  expect(frame(run)).toMatchObject({ lost: true });
  const timer = Object.values(run.state.timers).find(({ why }) => why === "timeout");
  run.clock = timer?.due ?? 0;
  run.input({ type: "woke", timer: timer?.id ?? "" });
  expect(run.state).toMatchObject({ status: "failed", error: { lost: true } });
});

test("items may be called as the fields that every object has", () => {
  const items = [{ id: "constructor" }, { id: "__proto__" }, { id: "toString" }];
  const run = runOf({ onItemFailure: { retries: 1, then: "fail" } }, { items });
  act(run, false);
  for (const _item of items) act(run, true);
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
});

test("a map that an earlier version wrote whole is read, and changes key by key from then on", () => {
  const run = runOf({});
  const place = { scope: "run", frames: [] };
  const whole = apply(run.state, { type: "moved", strand: "main", patch: { kept: { A: place, B: place } } });
  const less = apply(whole, { type: "moved", strand: "main", patch: {}, put: { kept: { A: null, C: place } } });
  expect(less.strands["main"]?.frames[0]).toHaveProperty("kept", { B: place, C: place });
  const none = apply(less, { type: "moved", strand: "main", patch: {}, put: { kept: { B: null, C: null } } });
  expect(none.strands["main"]?.frames[0]).not.toHaveProperty("kept");
});
