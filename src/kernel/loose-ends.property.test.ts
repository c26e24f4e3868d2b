import fc from "fast-check";
import { expect, test } from "vitest";
import { agentStep, part, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, Part, Program } from "../program/index.ts";
import type { Need, RunState, Strand } from "./index.ts";

type Asked = Extract<Need, { type: "evaluate" }>;
/** Picks one of a few; fast-check shrinks towards the first. */
type Pick = <T>(...of: readonly T[]) => T;

const lost = ["retry", "continue", "ask", "fail"] as const;

/** Programs of nested works, calls, loops, questions, effects and exits, with rescues, delays and time limits around them. */
class RandomProgram {
  readonly #pick: Pick;
  readonly #blocks: Block[] = [];
  readonly #parts: Record<string, Part> = {};

  constructor(pick: Pick) {
    this.#pick = pick;
  }

  program(): Program {
    const blocks = [1, 2, 3].map(() => this.#make(1, false));
    this.#blocks.push({ kind: "seq", id: "root", blocks });
    const whole = program(this.#blocks, "root");
    return { ...whole, parts: { ...whole.parts, ...this.#parts } };
  }

  #make(depth: number, inLoop: boolean): string {
    const pick = this.#pick;
    const id = `b${this.#blocks.length}`;
    // Its place among the blocks makes the id; the block itself follows when those inside it are known.
    const at = this.#blocks.push(agentStep(id)) - 1;
    const kind = depth > 4 ? "do" : pick("do", "seq", "work", "call", "repeat", "person", "engine", "leave", "work", "seq", "do");
    const limit = pick(0, 0, 0, 0, 500, 2_000);
    const more = { ...(limit === 0 ? {} : { timeoutMs: limit }), ...this.#rescue(depth) };
    this.#blocks[at] = { ...this.#block(id, kind, depth, inLoop), ...more } as Block;
    return id;
  }

  #rescue(depth: number): Partial<Block> {
    const pick = this.#pick;
    const then = pick("none", "none", "none", "fail", "continue", "block", "body", "value");
    if (then === "none") return {};
    const times = pick(0, 1);
    return {
      rescue: {
        ...(times === 0 ? {} : { retry: { times, delayMs: pick(0, 0, 1_000), factor: 1, capMs: 10_000 } }),
        then,
        ...(then === "body" ? { body: this.#make(depth + 2, false), after: pick("fail", "continue") } : {}),
      },
    };
  }

  #block(id: string, kind: string, depth: number, inLoop: boolean): Block {
    const pick = this.#pick;
    switch (kind) {
      case "seq":
        return { kind, id, blocks: [1, 2, 3].slice(0, pick(1, 2, 3)).map(() => this.#make(depth + 1, inLoop)) };
      case "work":
        return this.#work(id, depth);
      case "call": {
        this.#parts[`part of ${id}`] = part(this.#make(depth + 1, false));
        const after = pick(true, false) ? { onComplete: this.#make(depth + 2, false) } : {};
        return { kind, id, part: `part of ${id}`, inputs: {}, as: `kept_${id}`, ...after };
      }
      case "repeat":
        return { kind, id, max: 2, onLimit: "warn", body: this.#make(depth + 1, true) };
      case "person": {
        const ask = { answerBy: "relay" as const, ...(pick(true, false) ? { decision: "gate" } : {}) };
        return { kind: "do", id, who: "person", what: "ask", args: {}, writes: [], ask };
      }
      case "engine":
        return { kind: "do", id, who: "engine", what: "command", args: {}, writes: [], whenLost: pick(...lost) };
      case "leave":
        return { kind, id, how: inLoop ? pick("break", "continue", "fail") : "fail" };
      default:
        return agentStep(id, { whenLost: pick(...lost) });
    }
  }

  #work(id: string, depth: number): Block {
    const pick = this.#pick;
    const mode = pick("strands", "strands", "each");
    const tries = { onItemFailure: { retries: pick(0, 1), then: pick("continue" as const, "fail_at_end" as const, "fail" as const) } };
    const task = { name: "t", prompt: "p", ...(pick(true, false) ? { inputs: { i: value("v") } } : {}) };
    return {
      kind: "work",
      id,
      fill: value("items"),
      mode,
      join: mode === "strands" ? pick("all", "all", "later") : "all",
      body: this.#make(depth + 1, mode === "each"),
      ...(mode === "strands" ? { parallel: pick(1, 2, 3), ...(pick(true, false) ? { task } : {}) } : {}),
      ...(pick(true, true, false) ? tries : {}),
    };
  }
}

const doings = ["report", "fail", "timer", "answer", "effect", "lose", "retry", "report", "report"] as const;

/** One thing from outside, of those that can happen now. */
function poke(run: MemoryRun, pick: Pick): void {
  const { actions, effects, timers, decisions, strands, status } = run.state;
  const one = <T>(list: readonly T[]): T | undefined => (list.length === 0 ? undefined : pick(...list));
  const doing = status === "failed" ? "retry" : pick(...doings);
  const action = one(Object.values(actions).filter(({ what }) => what !== "parallel_tasks"));
  if ((doing === "report" || doing === "fail") && action !== undefined) return report(run, action, doing === "report");
  if (doing === "retry") return void run.input({ type: "retry", resetCounts: pick(true, false), fromStart: pick(false, false, true) });
  if (doing === "timer") {
    const [timer] = Object.values(timers).sort((a, b) => a.due - b.due);
    run.clock = Math.max(run.clock, timer?.due ?? 0);
    if (timer !== undefined) run.input({ type: "woke", timer: timer.id });
  }
  const effect = one(Object.values(effects));
  if (doing === "effect" && effect !== undefined) {
    const outcome = pick({ ok: true as const, value: null }, { ok: false as const, code: "E", message: "e" }, { ok: "lost" as const });
    run.input({ type: "outcome", effect: effect.id, outcome });
  }
  const question = one(Object.values(decisions).filter((decision) => decision.status === "pending"));
  if (doing === "answer" && question !== undefined) {
    const answer = question.kind === "lost" ? pick("retry", "continue") : "y";
    const declined = pick(false, false, false, true) ? { declined: "no" } : {};
    run.input(
      { type: "answer", decision: question.id, revision: question.revision, answer, valid: true, relayed: true, ...declined },
      agent,
    );
  }
  const held = one(Object.values(strands).filter((strand) => strand.holder !== undefined));
  if (doing === "lose" && held !== undefined) {
    run.input({ type: "release", strand: held.id, fence: held.fence, why: "lost" });
    if (pick(true, false)) run.input({ type: "claim", strand: held.id, holder });
  }
}

function report(run: MemoryRun, { id, strand }: { readonly id: string; readonly strand: string }, ok: boolean): void {
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  const outcome = ok ? { ok, value: null } : { ok, code: "X", message: "no" };
  const { fence = 0 } = run.state.strands[strand] ?? {};
  run.input({ type: "report", action: id, holder, fence, outcome, write: true });
}

/** Everything that is open belongs to a strand that is there, and every strand that waits has something to wait for. */
function looseEnds({ state: s, items }: MemoryRun): string[] {
  return [...(s.status === "running" ? looseNow(s) : looseAtEnd(s)), ...looseCounts(s, [...items.values()])];
}

function looseNow(s: RunState): string[] {
  const owned = [...Object.values(s.actions), ...Object.values(s.effects), ...Object.values(s.timers)];
  const gone = owned.filter(({ strand }) => s.strands[strand] === undefined).map(({ id }) => `${id} is open in a strand that is gone`);
  const asked = Object.values(s.decisions).filter(({ status }) => status === "pending");
  const unheard = asked.filter(({ id }) => !Object.values(s.strands).some(({ waits }) => waits?.on === "decision" && waits.id === id));
  const live = Object.values(s.strands).some(
    ({ status, waits }) => status === "blocked" || (status === "waiting" && waits?.on !== "strands"),
  );
  return [
    ...gone,
    ...unheard.map(({ id }) => `nobody waits for the answer to ${id}`),
    ...Object.values(s.actions).flatMap(({ id, strand }) => (isAwaited(s.strands[strand], id) ? [] : [`nobody waits for ${id}`])),
    ...Object.values(s.strands).flatMap((strand) => looseStrand(s, strand)),
    ...looseLimits(s),
    ...(live ? [] : ["nothing is left to do, but the run is not over"]),
  ];
}

function isAwaited(strand: Strand | undefined, action: string): boolean {
  if (strand?.waits?.on === "action" && strand.waits.id === action) return true;
  return strand?.frames.some((frame) => frame.kind === "work" && frame.action === action) === true;
}

function looseStrand(s: RunState, { id, status, waits, frames, scope }: Strand): string[] {
  const things = { action: s.actions, effect: s.effects, timer: s.timers, decision: s.decisions } as const;
  const thing = waits === undefined || waits.on === "strands" ? undefined : things[waits.on][waits.id];
  const missing = thing === undefined || ("status" in thing && thing.status !== "pending");
  const waitsInVain = status === "waiting" && waits !== undefined && waits.on !== "strands" && missing;
  const open = frames.flatMap((frame) => (frame.kind === "work" ? frame.open : []));
  const scopes = frames.flatMap((frame) => (frame.kind === "call" ? [frame.scope, frame.outer] : []));
  return [
    ...(waitsInVain ? [`${id} waits for ${waits.on} ${waits.id}, which is gone`] : []),
    ...open.filter((task) => s.strands[task] === undefined).map((task) => `${id} waits for the task ${task}, which is gone`),
    ...[scope, ...scopes].flatMap((held) => (held === undefined || s.scopes[held] !== undefined ? [] : [`${id} is in a gone scope`])),
  ];
}

/** Each block has one time limit at most, and none while its error steps are at work. */
function looseLimits(s: RunState): string[] {
  const limits = Object.values(s.timers).filter(({ why }) => why === "timeout");
  const places = limits.map(({ strand, depth = 0 }) => `${strand}/${depth}`);
  const twice = places.filter((place, index) => places.indexOf(place) !== index);
  const wrong = limits.filter(({ strand, depth = 0 }) => {
    const frames = s.strands[strand]?.frames ?? [];
    const rescued = frames.some((frame, at) => frame.kind === "rescue" && at > depth && frame.of <= depth);
    return depth >= frames.length || frames[depth]?.kind === "rescue" || rescued;
  });
  return [...twice.map((place) => `two limits at ${place}`), ...wrong.map(({ id }) => `${id} limits a block that is not at work`)];
}

function looseAtEnd({ actions, effects, timers, held, decisions }: RunState): string[] {
  const open = [...Object.keys(actions), ...Object.keys(effects), ...Object.keys(timers), ...Object.keys(held)];
  const asked = Object.values(decisions).filter(({ status }) => status === "pending");
  return [...open, ...asked.map(({ id }) => id)].map((id) => `${id} is open after the end`);
}

/** Counts agree with the rows. Rows of a list that has been closed are counted by the block they belong to. */
function looseCounts(s: RunState, rows: readonly { readonly list: string; readonly status: string }[]): string[] {
  const listOf = (list: string): string => (s.lists[list] === undefined ? (list.split("#")[0] ?? "") : list);
  return Object.entries(s.lists).flatMap(([list, { by, total }]) => {
    const own = rows.filter((row) => listOf(row.list) === list);
    const wrong = Object.entries(by).filter(([status, count]) => count !== own.filter((row) => row.status === status).length);
    const left = s.status === "completed" && by.pending + by.in_progress > 0 ? [`${list} is not done, but the run is`] : [];
    return [...wrong.map(([status]) => `${list} counts ${status} wrongly`), ...left, ...(total === own.length ? [] : [`${list} in all`])];
  });
}

test("whatever happens, nothing stays open without a strand, no strand waits in vain, and replay gives the same state", () => {
  fc.assert(
    fc.property(fc.gen(), fc.boolean(), fc.integer({ min: 1, max: 3 }), (draw, serial, count) => {
      const pick: Pick = (...of) => of[draw(fc.nat, { max: of.length - 1 })] as (typeof of)[number];
      const list = [{ id: "A" }, { id: "B" }, { id: "C" }].slice(0, count);
      const run = new MemoryRun(new RandomProgram(pick).program(), ({ exprs }: Asked): Record<string, Json> => {
        const values = Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, key === "items" ? list : of]);
        return Object.fromEntries(values);
      });
      run.start({ serial });
      for (let step = 0; step < 45 && run.state.status !== "completed" && run.state.status !== "cancelled"; step += 1) {
        poke(run, pick);
        expect(looseEnds(run)).toEqual([]);
      }
      expect(replay(run.events)).toEqual(run.state);
    }),
    { numRuns: 100 },
  );
});
