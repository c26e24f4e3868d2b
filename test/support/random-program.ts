import type { Json } from "../../src/base/index.ts";
import type { Block, Part, Program } from "../../src/program/index.ts";
import { agentStep, part, program, value } from "./make-program.ts";
import { agent, holder, MemoryRun } from "./memory-run.ts";

/** Picks one of a few; fast-check shrinks towards the first. */
export type Pick = <T>(...of: readonly T[]) => T;

const lost = ["retry", "continue", "ask", "fail"] as const;

/** Programs of nested works, calls, loops, questions, effects and exits, with rescues, delays and time limits around them. */
export class RandomProgram {
  readonly #pick: Pick;
  readonly #blocks: Block[] = [];
  readonly #parts: Record<string, Part> = {};
  readonly #tries: boolean;

  /** `tries`: whether its policies try again by themselves what failed, or continue without it. */
  constructor(pick: Pick, { tries = true } = {}) {
    this.#pick = pick;
    this.#tries = tries;
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
    const times = this.#tries ? pick(0, 1) : 0;
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
    const tries = {
      onItemFailure: {
        retries: this.#tries ? pick(0, 1) : 0,
        then: this.#tries ? pick("continue" as const, "fail_at_end" as const, "fail" as const) : pick("fail_at_end", "fail"),
      },
    };
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

/** One thing from outside, of those that can happen now. `over`: a retry may begin at the first step. */
export function poke(run: MemoryRun, pick: Pick, over = true): void {
  const { actions, effects, timers, decisions, strands, status } = run.state;
  const one = <T>(list: readonly T[]): T | undefined => (list.length === 0 ? undefined : pick(...list));
  const doing = status === "failed" ? "retry" : pick(...doings);
  const action = one(Object.values(actions).filter(({ what }) => what !== "parallel_tasks"));
  if ((doing === "report" || doing === "fail") && action !== undefined) return report(run, action, doing === "report");
  if (doing === "retry") return retry(run, pick, over);
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

function retry(run: MemoryRun, pick: Pick, over: boolean): void {
  run.input({ type: "retry", resetCounts: pick(true, false), fromStart: over && pick(false, false, true) });
}

function report(run: MemoryRun, { id, strand }: { readonly id: string; readonly strand: string }, ok: boolean): void {
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  const outcome = ok ? { ok, value: null } : { ok, code: "X", message: "no" };
  const { fence = 0 } = run.state.strands[strand] ?? {};
  run.input({ type: "report", action: id, holder, fence, outcome, write: true });
}

/** Every list has these items; any other value is its own expression. */
export function runOf(whole: Program, items: readonly string[]): MemoryRun {
  return new MemoryRun(whole, ({ exprs }): Record<string, Json> => {
    const list = items.map((id) => ({ id }));
    return Object.fromEntries(Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, key === "items" ? list : of]));
  });
}
