import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { checkProgram, type Block, type Program } from "../program/index.ts";
import { emptyState } from "./apply.ts";
import { transition } from "./transition.ts";
import type { RunState } from "./run-state.ts";

/** Random programs over all eight blocks; ids are given on the way. */
function randomProgram(seed: number): Program {
  let at = seed;
  const dice = (most: number): number => {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((at / 2_147_483_648) * most);
  };
  const blocks: Block[] = [];
  let count = 0;
  const make = (depth: number, inLoop: boolean): string => {
    const id = `b${(count += 1)}`;
    const rescue = dice(4) === 0 ? { rescue: rescues[dice(rescues.length)]!(() => make(0, false)) } : {};
    const kind = depth <= 0 ? 7 + dice(4) : dice(11);
    const lost = { whenLost: (["retry", "continue", "ask", "fail"] as const)[dice(4)]! };
    if (kind === 0) blocks.push({ kind: "seq", id, blocks: Array.from({ length: dice(3) + 1 }, () => make(depth - 1, inLoop)), ...rescue });
    else if (kind === 1)
      blocks.push({
        kind: "choose",
        id,
        branches: [{ when: condition("c"), then: make(depth - 1, inLoop) }],
        otherwise: make(depth - 1, inLoop),
        ...rescue,
      });
    else if (kind === 2)
      blocks.push({
        kind: "repeat",
        id,
        while: condition("c"),
        max: 3,
        onLimit: dice(2) === 0 ? "warn" : "fail",
        body: make(depth - 1, true),
        ...rescue,
      });
    else if (kind === 3)
      blocks.push({ kind: "work", id, fill: value([]), body: make(depth - 1, true), mode: "each", join: "all", ...rescue });
    else if (kind === 4 || kind === 5) {
      const onItemFailure = { retries: dice(2), then: (["continue", "fail", "fail_at_end"] as const)[dice(3)]! };
      blocks.push({
        kind: "work",
        id,
        fill: value([]),
        body: make(depth - 1, false),
        mode: "strands",
        join: kind === 4 ? "all" : "later",
        parallel: 2,
        onItemFailure,
        ...rescue,
      });
    } else if (kind === 6)
      blocks.push({
        kind: "machine",
        id,
        initial: "A",
        states: {
          A: { body: make(depth - 1, false), outcomes: [{ when: condition("c"), to: "B" }, { to: null }] },
          B: { body: make(depth - 1, false), outcomes: [{ to: null }] },
        },
        ...rescue,
      });
    else if (kind === 7) blocks.push(agentStep(id, { ...lost, ...rescue }));
    else if (kind === 8)
      blocks.push({
        kind: "do",
        id,
        who: "engine",
        what: "shell",
        args: {},
        writes: [{ path: { as: "path", of: "p" }, op: "append" }],
        ...rescue,
      });
    else if (kind === 9)
      blocks.push({
        kind: "do",
        id,
        who: "person",
        what: "user_input",
        args: {},
        writes: [],
        ask: { answerBy: "relay", attempts: 2 },
        ...rescue,
      });
    else if (inLoop && dice(2) === 0) blocks.push({ kind: "leave", id, how: dice(2) === 0 ? "break" : "continue", ...rescue });
    else
      blocks.push({
        kind: "do",
        id,
        who: "engine",
        what: "set",
        args: {},
        writes: [{ path: { as: "path", of: "p" }, op: "increment" }],
        ...rescue,
      });
    return id;
  };
  const root = make(3, false);
  return program(blocks, root, { tracking: { completed: "raw.done", failed: "raw.bad", retries: "raw.tries", lastError: "raw.last" } });
}

const rescues: ((body: () => string) => NonNullable<Block["rescue"]>)[] = [
  () => ({ then: "continue" }),
  () => ({ retry: { times: 1, delayMs: 10, factor: 2, capMs: 100 }, then: "fail" }),
  () => ({ then: "value", value: 7 }),
  (body) => ({ then: "body", body: body(), after: "continue" }),
  (body) => ({ then: "body", body: body(), after: "fail" }),
  () => ({ then: "block" }),
];

function answers(next: () => number) {
  return (need: { readonly exprs: Readonly<Record<string, { readonly as: string }>> }): Readonly<Record<string, Json>> | Error => {
    if (next() % 23 === 0) return new Error("evaluation failed");
    const values: Record<string, Json> = {};
    for (const [key, expr] of Object.entries(need.exprs)) {
      if (expr.as === "condition") values[key] = next() % 2 === 0;
      else if (expr.as === "path") values[key] = ["raw", next() % 5 === 0 ? "n" : `list${next() % 3}`];
      else values[key] = key === "items" ? Array.from({ length: next() % 4 }, (_, index) => index) : 1;
    }
    return values;
  };
}

/** One random legal or illegal thing from outside. */
function poke(run: MemoryRun, dice: () => number): void {
  const pick = <T>(list: readonly T[]): T | undefined => list[dice() % Math.max(1, list.length)];
  const kind = dice() % 9;
  const action = pick(Object.values(run.state.actions));
  if (kind <= 2 && action !== undefined) {
    const strand = run.state.strands[action.strand];
    if (strand?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
    const now = run.state.strands[action.strand];
    const current = now?.waits?.on === "action" ? now.waits.id : action.id;
    const held = { action: current, holder, fence: now?.fence ?? 0 };
    if (dice() % 6 === 0) return void run.input({ type: "ask", ...held, question: "Which?" });
    const outcome = dice() % 4 === 0 ? { ok: false as const, code: "STEP_FAILED", message: "no" } : { ok: true as const, value: 1 };
    run.input({ type: "report", ...held, outcome, write: dice() % 2 === 0 });
  } else if (kind === 3) {
    const effect = pick(Object.values(run.state.effects));
    const outcome = dice() % 3 === 0 ? { ok: false as const, code: "COMMAND_FAILED", message: "no" } : { ok: true as const, value: 1 };
    if (effect !== undefined) run.input({ type: "outcome", effect: effect.id, outcome });
  } else if (kind === 4) {
    const timer = pick(Object.values(run.state.timers));
    if (timer !== undefined) {
      run.clock = Math.max(run.clock, timer.due);
      run.input({ type: "woke", timer: timer.id });
    }
  } else if (kind === 5) {
    const decision = pick(Object.values(run.state.decisions));
    if (decision !== undefined)
      run.answer(decision.id, decision.kind === "lost" ? "retry" : "x", { valid: dice() % 3 !== 0, relayed: dice() % 2 === 0 });
  } else if (kind === 6) {
    const strand = pick(Object.values(run.state.strands).filter((entry) => entry.holder !== undefined));
    if (strand !== undefined) run.input({ type: "release", strand: strand.id, fence: strand.fence, why: "lost" });
  } else if (kind === 7) run.input({ type: "retry", resetCounts: dice() % 2 === 0 });
  else
    run.input({
      type: "report",
      action: `a${dice() % 50}`,
      holder: { ...holder, session: "stranger" },
      fence: 0,
      outcome: { ok: true, value: 1 },
      write: true,
    });
}

function check(run: MemoryRun): void {
  expect(replay(run.events)).toEqual(run.state);
  const rows = new Map<string, Record<string, number>>();
  for (const item of run.items.values()) {
    const counts = rows.get(item.list) ?? {};
    counts[item.status] = (counts[item.status] ?? 0) + 1;
    rows.set(item.list, counts);
  }
  for (const [list, counts] of Object.entries(run.state.lists)) {
    const sum = Object.values(counts.by).reduce((all, count) => all + count, 0);
    expect(sum).toBe(counts.total);
    const stored = rows.get(list) ?? counts.by;
    for (const [status, count] of Object.entries(counts.by))
      expect((stored as Readonly<Record<string, number>>)[status] ?? 0, `${list} ${status}`).toBe(count);
  }
  const waits = Object.values(run.state.strands).flatMap((strand) =>
    strand.waits !== undefined && strand.waits.on !== "strands" ? [strand.waits.id] : [],
  );
  const handed = Object.values(run.state.actions).filter((action) => action.what !== "parallel_tasks");
  for (const action of handed) expect(waits, `action ${action.id} is waited for`).toContain(action.id);
  const { actions, effects, timers, status } = run.state;
  expect(status === "running" ? [] : [actions, effects, timers].flatMap((open) => Object.keys(open))).toEqual([]);
}

const runs = Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 400);

test("whatever happens, replay gives the same state, nothing is lost and nothing throws", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 30 }),
      fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 60 }),
      (seed, throws) => {
        const made = randomProgram(seed);
        expect(checkProgram(made)).toEqual([]);
        let at = 0;
        const dice = () => throws[at++ % throws.length]! + at;
        const run = new MemoryRun(made, answers(dice));
        run.start({ serial: seed % 3 === 0 });
        for (let step = 0; step < 40; step += 1) poke(run, dice);
        check(run);
      },
    ),
    { numRuns: runs },
  );
});

test("the same inputs give the same events, also when the state went through JSON in between", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 30 }),
      fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 30 }),
      (seed, throws) => {
        let at = 0;
        const dice = () => throws[at++ % throws.length]! + at;
        const run = new MemoryRun(randomProgram(seed), answers(dice));
        run.start();
        for (let step = 0; step < 15; step += 1) poke(run, dice);
        let state: RunState = emptyState;
        for (const { input, events } of run.journal) {
          const again = transition(run.program, JSON.parse(JSON.stringify(state)) as RunState, input);
          expect("rejected" in again ? again.rejected : again.events).toEqual(events);
          state = "rejected" in again ? state : again.state;
        }
      },
    ),
    { numRuns: Math.ceil(runs / 4) },
  );
});

test("a report for the wrong action or by a stranger never changes anything", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 30 }), fc.nat({ max: 60 }), (seed, number) => {
      const run = new MemoryRun(
        randomProgram(seed),
        answers(() => seed),
      );
      run.start();
      const before = run.state;
      const refused = run.input(
        {
          type: "report",
          action: `a${number}`,
          holder: { ...holder, session: "stranger" },
          fence: 1,
          outcome: { ok: true, value: 1 },
          write: true,
        },
        agent,
      );
      expect(run.state).toBe(before);
      expect(before.status !== "running" || refused !== undefined).toBe(true);
    }),
    { numRuns: Math.ceil(runs / 4) },
  );
});
