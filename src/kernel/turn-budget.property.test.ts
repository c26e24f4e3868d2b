import fc from "fast-check";
import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { agent, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block } from "../program/index.ts";

const workers = ["w0", "w1", "w2"];
const most = 50;
const limit = 200;

const blocks: Block[] = [
  { kind: "work", id: "w", fill: value("x"), mode: "strands", join: "all", body: "steps", parallel: workers.length },
  { kind: "seq", id: "steps", blocks: ["a", "b", "c"] },
  ...["a", "b", "c"].map((id) => agentStep(id, { rescue: { retry: { times: 1, delayMs: 10, factor: 1, capMs: 10 }, then: "fail" } })),
];

interface Flight {
  readonly action: string;
  readonly strand: string;
}

/** Workers that begin turns, end them, are killed, lose their steps and meet limits in any order, on one run with a budget. */
class Fleet {
  readonly run: MemoryRun;
  readonly flights = new Map<string, Flight>();
  /** Turns that still run although their driver has lost its step, by driver. */
  readonly late = new Map<string, Flight>();
  /** Turns whose driver was killed, with what their transcript says they used. */
  readonly dead: (Flight & { readonly by: string; readonly used: number | undefined })[] = [];
  readonly wrong: string[] = [];
  known = 0;
  done = 0;

  constructor() {
    const items = Array.from({ length: 9 }, (_, index) => ({ id: `i${index}` }));
    this.run = new MemoryRun(program(blocks, "w", { budget: { tokens: limit } }), ({ exprs }) => ("items" in exprs ? { items } : {}));
    this.run.start();
  }

  holder(name: string) {
    return { kind: "worker" as const, name, session: name };
  }

  /** The driver stands still until its step is free, and another one begins it. */
  lose(worker: string, thief: string): void {
    const flight = this.flights.get(worker);
    if (flight === undefined || !this.isFree(thief)) return;
    this.flights.delete(worker);
    this.late.set(worker, flight);
    this.begin(thief, flight.strand);
  }

  /** It notices, and its turn is cancelled. */
  notice(worker: string, used: number | undefined): void {
    const flight = this.late.get(worker);
    if (flight === undefined) return;
    this.late.delete(worker);
    this.dead.push({ ...flight, by: worker, used });
    this.find(this.dead.length - 1);
  }

  isFree(worker: string): boolean {
    return !this.flights.has(worker) && !this.late.has(worker);
  }

  begin(worker: string, wanted?: string): void {
    if (!this.isFree(worker)) return;
    // As every driver does: what killed turns used counts before another one begins.
    while (this.dead.length > 0) this.find();
    const busy = new Set([...this.flights.values()].map(({ strand }) => strand).filter((strand) => strand !== wanted));
    const action = Object.values(this.run.state.actions).find(
      ({ strand, what }) => what !== "parallel_tasks" && !busy.has(strand) && strand === (wanted ?? strand),
    );
    if (action === undefined) return;
    const { strand, id } = action;
    const before = this.run.state.budget;
    const held = this.run.state.strands[strand]?.holder;
    if (held !== undefined && held.session !== worker)
      this.run.input({ type: "release", strand, fence: this.run.state.strands[strand]?.fence ?? 0, why: "lost" });
    if (held?.session !== worker)
      this.run.input({ type: "claim", strand, holder: this.holder(worker) }, { ...agent, ...this.holder(worker) });
    const now = this.run.state.strands[strand];
    const open = now?.waits?.on === "action" ? now.waits.id : id;
    const rejected = this.run.input(
      { type: "begin", action: open, holder: this.holder(worker), fence: now?.fence ?? 0 },
      { ...agent, ...this.holder(worker) },
    );
    const reserved = this.run.state.budget.reserved?.[open];
    if (rejected !== undefined || reserved === undefined) return;
    // A turn begins only while something is left, and not all of it is promised to others.
    const promised = Object.values(before.reserved ?? {}).reduce((sum, { tokens }) => sum + tokens, before.used.tokens);
    if (promised >= limitOf(this.run)) this.wrong.push(`began with ${promised} promised`);
    if (before.unknown !== undefined) this.wrong.push("began although a use is unknown");
    this.flights.set(worker, { action: open, strand });
  }

  end(worker: string, used: number | undefined, outcome: "done" | "limit"): void {
    const flight = this.flights.get(worker);
    if (flight === undefined) return;
    this.flights.delete(worker);
    const { fence = 0 } = this.run.state.strands[flight.strand] ?? {};
    const by = { ...agent, ...this.holder(worker) };
    const rejected = this.run.input(
      {
        type: "report",
        action: flight.action,
        holder: this.holder(worker),
        fence,
        outcome: outcome === "done" ? { ok: true, value: null } : { ok: "blocked", until: this.run.clock + 100, reason: "full", pool: "p" },
        write: true,
        ...(used === undefined ? {} : { usage: { tokens: used } }),
        settling: { settles: worker, ...(used === undefined ? { unknown: ["tokens" as const] } : {}) },
      },
      by,
    );
    if (rejected !== undefined) this.wrong.push(rejected.message);
    this.known += used ?? 0;
    if (outcome === "done") this.done += 1;
  }

  kill(worker: string, used: number | undefined): void {
    const flight = this.flights.get(worker);
    if (flight === undefined) return;
    this.flights.delete(worker);
    this.dead.push({ ...flight, by: worker, used });
  }

  /** What a killed turn used is found, by two drivers at once. */
  find(at = 0): void {
    const [dead] = this.dead.splice(at, 1);
    if (dead === undefined) return;
    const settling = { settles: dead.by, ...(dead.used === undefined ? { unknown: ["tokens" as const] } : {}) };
    const usage = dead.used === undefined ? {} : { usage: { tokens: dead.used } };
    for (const _driver of [1, 2]) this.run.input({ type: "used", action: dead.action, ...usage, settling });
    this.known += dead.used ?? 0;
  }

  wake(): void {
    this.run.clock += 200;
    for (const { id, due } of Object.values(this.run.state.timers)) if (due <= this.run.clock) this.run.input({ type: "woke", timer: id });
  }

  /** A person answers. */
  decide(raise: boolean): void {
    for (const { id, status, binds } of Object.values(this.run.state.decisions))
      if (status === "pending" && raise) this.run.answer(id, binds?.["unknown"] === "yes" ? "continue" : "double");
  }
}

function limitOf(run: MemoryRun): number {
  return run.state.budget.limits.tokens ?? 0;
}

const worker = fc.constantFrom(...workers);
const used = fc.option(fc.integer({ min: 0, max: most }), { nil: undefined, freq: 8 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("begin" as const), worker }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("end" as const), worker, used, outcome: fc.constantFrom("done" as const, "limit" as const) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("kill" as const), worker, used }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("find" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("lose" as const), worker, thief: worker }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("notice" as const), worker, used }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wake" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("decide" as const) }) },
);

test("in any order of turns, kills, lost steps and limits a budget is exceeded by one turn for each worker at most, and counts every known use once", () => {
  let [stopped, found, lost] = [0, 0, 0];
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
      const fleet = new Fleet();
      for (const each of steps) {
        if (each.do === "begin") fleet.begin(each.worker);
        if (each.do === "end") fleet.end(each.worker, each.used, each.outcome);
        if (each.do === "kill") fleet.kill(each.worker, each.used);
        if (each.do === "find") fleet.find();
        if (each.do === "lose") fleet.lose(each.worker, each.thief);
        if (each.do === "notice") fleet.notice(each.worker, each.used);
        if (each.do === "wake") fleet.wake();
        if (each.do === "decide") fleet.decide(true);
        const { budget, decisions, strands } = fleet.run.state;
        expect(fleet.wrong).toEqual([]);
        expect(budget.used.tokens).toBe(fleet.known);
        expect(budget.used.tokens).toBeLessThan(limitOf(fleet.run) + most * workers.length);
        const open = [...fleet.flights.values(), ...fleet.late.values(), ...fleet.dead].map(({ action }) => action);
        expect(Object.keys(budget.reserved ?? {}).toSorted()).toEqual(open.toSorted());
        expect(Object.values(decisions).filter(({ status }) => status === "pending").length).toBeLessThanOrEqual(1);
        // No limit costs a try: of a step, or of its item.
        for (const { frames, item } of Object.values(strands)) {
          expect(item?.attempts ?? 1).toBe(1);
          for (const frame of frames) expect(frame.tries ?? 0).toBe(0);
        }
        if (Object.keys(decisions).length > 0) stopped += 1;
        if (fleet.late.size > 0 && fleet.flights.size > 0) lost += 1;
      }
      found += fleet.known;
      expect(replay(fleet.run.events)).toEqual(fleet.run.state);
    }),
    { numRuns: 250 },
  );
  expect([stopped > 100, found > 10_000, lost > 100]).toEqual([true, true, true]);
});
