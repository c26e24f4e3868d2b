import { expect, test } from "vitest";
import { agentStep, program, taskWork, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { textOf, type Json } from "../base/index.ts";
import type { Block, DoBlock, Rescue, WorkBlock } from "../program/index.ts";
import type { RunState } from "./run-state.ts";

// Items that are open again, whose bodies have left a work to itself: each begins `later`, which does `before` and then a command that
// must not be repeated, and then does `x`, which fails.

const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });
const again = (delayMs = 0): Rescue => ({ retry: { times: 1, delayMs, factor: 1, capMs: delayMs }, then: "fail" });
const command: DoBlock = { kind: "do", id: "command", who: "engine", what: "shell", args: {}, writes: [], whenLost: "fail" };
const items = (of: string): Partial<WorkBlock> => ({ fill: value(of) });
const body = (...inLater: string[]): Block[] => [
  seq("t", "later", "x"),
  taskWork({ id: "later", join: "later", body: "own", ...items("L") }),
  seq("own", ...inLater),
  agentStep("before"),
  command,
  agentStep("x"),
];

function runOf(...blocks: Block[]): MemoryRun {
  const used = new Set(blocks.flatMap((block) => (block.kind === "seq" ? block.blocks : [])));
  const all = blocks.filter(({ id }) => id !== "before" || used.has(id));
  const run = new MemoryRun(program(all, blocks[0]?.id ?? ""), ({ exprs }) =>
    Object.fromEntries(
      Object.entries(exprs).map(([key, { of }]): [string, Json] => [
        key,
        textOf(of)
          .split("")
          .map((id) => ({ id })),
      ]),
    ),
  );
  run.start();
  return run;
}

function act(run: MemoryRun, step: string, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.step === step);
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

const commands = (run: MemoryRun): number => Object.keys(run.state.effects).length;
const begun = (run: MemoryRun): number => run.events.filter(({ type }) => type === "effect_opened").length;

/** How many commands the retry itself, with what follows from it at once, breaks off. */
function brokenOffByRetry(run: MemoryRun): number {
  const from = run.events.length;
  run.input({ type: "retry", resetCounts: false });
  return run.events.slice(from).filter((event) => event.type === "effect_closed" && event.how === "cancelled").length;
}

const atEnd = { onItemFailure: { retries: 0, then: "fail_at_end" as const }, rescue: { then: "block" as const } };

/** As an earlier version left the run: it kept the places of tasks that failed in tasks of their own, and no others. */
function forgetPlaces(run: MemoryRun): void {
  const forgotten = (_key: string, value: unknown): unknown => {
    const { kept } = (value ?? {}) as { readonly kept?: Record<string, { readonly frames: readonly { readonly kind: string }[] }> };
    if (kept === undefined) return value;
    const left = Object.entries(kept).filter(([, { frames }]) => frames.at(-1)?.kind === "work");
    return { ...(value as object), kept: Object.fromEntries(left) };
  };
  run.state = JSON.parse(JSON.stringify(run.state, forgotten)) as RunState;
}

test.each(["", "Y"])(
  "a retry ends nothing that failed items left to work by itself: they continue behind it (tasks inside: %s)",
  (inside) => {
    const inner = taskWork({ id: "in", body: "t", ...items(inside), onItemFailure: { retries: 0, then: "fail" } });
    const work = taskWork({ mode: "each", body: inside === "" ? "t" : "in", ...items("AB"), ...atEnd });
    const run = runOf(work, ...(inside === "" ? [] : [inner]), ...body("command"));
    act(run, "x", false);
    act(run, "x", false);
    expect([run.state.strands["main"]?.status, commands(run)]).toEqual(["blocked", 2]);
    expect(brokenOffByRetry(run)).toBe(0);
    act(run, "x");
    act(run, "x");
    expect([commands(run), begun(run)]).toEqual([2, 2]);
    expect(replay(run.events)).toEqual(run.state);
  },
);

test("a retry ends what all items of a loop that begin again left to work by itself, not only the one whose turn it is", () => {
  const run = runOf(taskWork({ mode: "each", body: "t", ...items("AB"), ...atEnd }), ...body("command"));
  act(run, "x", false);
  act(run, "x", false);
  expect([run.state.strands["main"]?.status, commands(run)]).toEqual(["blocked", 2]);
  forgetPlaces(run);
  expect(brokenOffByRetry(run)).toBe(2);
  expect([commands(run), begun(run)]).toEqual([1, 3]);
  act(run, "x");
  expect([commands(run), begun(run)]).toEqual([2, 4]);
});

test("so it does for tasks inside the failed items, which begin again when the turn of the item comes", () => {
  const inner = taskWork({ id: "in", body: "t", ...items("Y"), onItemFailure: { retries: 0, then: "fail" } });
  const run = runOf(taskWork({ mode: "each", body: "in", ...items("AB"), ...atEnd }), inner, ...body("command"));
  act(run, "x", false);
  act(run, "x", false);
  expect([run.state.strands["main"]?.status, commands(run)]).toEqual(["blocked", 2]);
  forgetPlaces(run);
  expect(brokenOffByRetry(run)).toBe(2);
  act(run, "x");
  expect([commands(run), begun(run)]).toEqual([2, 4]);
});

test("a command that began after its item had failed keeps the work from being tried again by itself", () => {
  const then = { onItemFailure: { retries: 0, then: "fail_at_end" as const }, rescue: again() };
  const run = runOf(taskWork({ body: "t", ...items("AB"), ...then }), ...body("before", "command"));
  act(run, "x", false);
  act(run, "before");
  act(run, "before");
  expect(commands(run)).toBe(2);
  act(run, "x");
  expect(run.state).toMatchObject({ status: "failed", error: { code: "TASKS_FAILED", lost: true } });
  expect(begun(run)).toBe(2);
});

test("what failed items left to work by itself does not begin anything during the delay before they are tried again", () => {
  const then = { onItemFailure: { retries: 0, then: "fail_at_end" as const }, rescue: again(1_000) };
  const run = runOf(taskWork({ body: "t", ...items("A"), ...then }), ...body("before", "command"));
  act(run, "x", false);
  expect(run.state.status).toBe("running");
  expect(run.open()).toEqual([]);
  const [timer] = Object.values(run.state.timers);
  run.clock = timer?.due ?? 0;
  run.input({ type: "woke", timer: timer?.id ?? "" });
  expect(run.open().toSorted()).toEqual(["before", "x"]);
});
