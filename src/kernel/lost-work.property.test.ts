import fc from "fast-check";
import { expect, test } from "vitest";
import { agentStep, program, taskWork } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, DoBlock, LostPolicy, Rescue, WorkBlock } from "../program/index.ts";
import { apply, emptyState } from "./apply.ts";
import type { Event } from "./event.ts";
import type { RunState } from "./run-state.ts";

// A step under way that is broken off, whatever does it, is not begun again unless somebody says so.

interface Leaf {
  readonly kind: "leaf";
  readonly engine: boolean;
  readonly lost: LostPolicy;
  readonly rescue: number;
  readonly limited: boolean;
}
interface Node {
  readonly kind: "seq" | "each" | "tasks" | "later";
  readonly rescue: number;
  readonly items: number;
  readonly limited: boolean;
  readonly inner: readonly (Node | Leaf)[];
}

const leaf: fc.Arbitrary<Leaf> = fc.record({
  kind: fc.constant("leaf" as const),
  engine: fc.boolean(),
  lost: fc.constantFrom<LostPolicy>("fail", "ask", "fail", "ask", "retry", "continue"),
  rescue: fc.nat(9),
  limited: fc.boolean(),
});

const node = (depth: number): fc.Arbitrary<Node> =>
  fc.record({
    kind: fc.constantFrom("seq" as const, "each" as const, "tasks" as const, "tasks" as const, "later" as const),
    rescue: fc.nat(9),
    items: fc.nat(5),
    limited: fc.boolean(),
    inner: fc.array(depth <= 0 ? leaf : fc.oneof(leaf, node(depth - 1)), { minLength: 1, maxLength: 2 }),
  });

/** The blocks of the tree; every other one is rescued somehow. */
function blocksOf(tree: Node): Block[] {
  const blocks: Block[] = [];
  const add = (block: Block): string => {
    blocks.push(block);
    return block.id;
  };
  const name = (): string => `b${blocks.length}.${names++}`;
  let names = 0;
  const rescued = (which: number): { readonly rescue?: Rescue } => {
    const retry = { times: 2, delayMs: 0, factor: 1, capMs: 0 };
    if (which <= 3) return { rescue: { retry, then: which === 0 ? "continue" : "fail" } };
    if (which === 4) return { rescue: { then: "continue" } };
    if (which === 5) return { rescue: { then: "value", value: 1 } };
    if (which === 6) return { rescue: { then: "block" } };
    if (which > 8) return {};
    const body = add(agentStep(name(), { whenLost: which === 7 ? "fail" : "ask" }));
    return { rescue: { then: "body", body, after: which === 7 ? "fail" : "continue" } };
  };
  const make = (of: Node | Leaf): string => {
    const more = { ...rescued(of.rescue), ...(of.limited ? { timeoutMs: 500 } : {}) };
    if (of.kind === "leaf") {
      const step: DoBlock = agentStep(name(), { whenLost: of.lost, ...more });
      return add(of.engine ? { ...step, who: "engine", what: "shell" } : step);
    }
    const inner = add({ kind: "seq", id: name(), blocks: of.inner.map(make), ...(of.kind === "seq" ? more : {}) });
    if (of.kind === "seq") return inner;
    const failure = [
      undefined,
      { retries: 1, then: "fail" as const },
      { retries: 1, then: "fail_at_end" as const },
      { retries: 0, then: "continue" as const },
    ];
    const onItemFailure = failure[of.items];
    const work: WorkBlock = taskWork({
      id: name(),
      body: inner,
      mode: of.kind === "each" ? "each" : "strands",
      join: of.kind === "later" ? "later" : "all",
      ...(onItemFailure === undefined ? {} : { onItemFailure }),
      ...more,
    });
    return add(work);
  };
  const root = make(tree);
  blocks.push({ kind: "seq", id: "root", blocks: [root], rescue: { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" } });
  return blocks;
}

/** Follows the journal by itself and knows what may have been begun and was broken off. */
class Watch {
  readonly #run: MemoryRun;
  readonly #paths = new Map<string, string>();
  readonly #open = new Map<string, { readonly key: string; readonly strand: string; held: boolean }>();
  readonly #interrupted = new Set<string>();
  #state: RunState = emptyState;
  #seen = 0;
  /** What a retry ends, where a task begins at its first step, it may begin again too. */
  #retrying = false;
  /** Steps that were begun a second time although nobody said so. */
  readonly broken: string[] = [];

  constructor(run: MemoryRun) {
    this.#run = run;
  }

  follow(): void {
    for (const { input, events } of this.#run.journal.slice(this.#seen)) {
      if (input.type === "retry") this.#allow();
      if (input.type !== "advance") this.#retrying = input.type === "retry";
      for (const event of events) {
        this.#look(event);
        this.#state = apply(this.#state, event);
      }
    }
    this.#seen = this.#run.journal.length;
  }

  /** A retry lets steps that fail be done again. A step that asks still asks. */
  #allow(): void {
    for (const key of this.#interrupted) {
      const [block = ""] = key.split(" ");
      if (this.#beginsAgain(key) || this.#policy(block) === "fail") this.#interrupted.delete(key);
    }
  }

  /** Whether a retry lets the task of the step begin at its first one: the work around it has continued without it. */
  #beginsAgain(key: string): boolean {
    return key.split(" ").some((part) => {
      const block = this.#run.program.blocks[part.split("/")[0] ?? ""];
      return block?.kind === "work" && block.onItemFailure?.then === "continue";
    });
  }

  #policy(id: string): LostPolicy {
    const block = this.#run.program.blocks[id];
    return block?.kind === "do" ? (block.whenLost ?? "retry") : "retry";
  }

  #keyOf(block: string, strand: string): string {
    return [block, this.#pathOf(strand)].filter((part) => part !== "").join(" ");
  }

  #pathOf(strand: string): string {
    const { frames = [] } = this.#state.strands[strand] ?? {};
    const inner = frames.flatMap((frame) => (frame.kind === "work" && frame.item !== undefined ? [`${frame.block}/${frame.item.id}`] : []));
    return [this.#paths.get(strand) ?? "", ...inner].filter((part) => part !== "").join(" ");
  }

  #look(event: Event): void {
    if (event.type === "strand_opened" && event.parent !== undefined) {
      const around = this.#pathOf(event.parent);
      const own = event.item === undefined ? "" : `${event.item.list.split("#")[0] ?? ""}/${event.item.id}`;
      this.#paths.set(event.strand, [around, own].filter((part) => part !== "").join(" "));
    } else if (event.type === "effect_opened") this.#opened(event.effect, true);
    else if (event.type === "action_opened" && event.action.what !== "parallel_tasks")
      this.#opened(event.action, this.#isHeld(event.action.strand));
    else if (event.type === "claimed") {
      for (const open of this.#open.values()) if (open.strand === event.strand) open.held = true;
    } else if (event.type === "effect_closed") this.#closed(event.effect, event.how === "cancelled");
    else if (event.type === "action_closed") this.#closed(event.action, event.how === "cancelled" || event.how === "taken_over");
    else if (event.type === "decision_closed" && event.status === "answered") this.#answered(event.decision);
  }

  #isHeld(strand: string): boolean {
    return this.#state.strands[strand]?.holder !== undefined;
  }

  #opened({ id, block, strand }: { readonly id: string; readonly block: string; readonly strand: string }, held: boolean): void {
    const policy = this.#policy(block);
    if (policy !== "fail" && policy !== "ask") return;
    const key = this.#keyOf(block, strand);
    if (this.#interrupted.has(key)) this.broken.push(`${key} was interrupted and is begun again`);
    if ([...this.#open.values()].some((open) => open.key === key && open.held)) this.broken.push(`${key} is begun while it is under way`);
    this.#open.set(id, { key, strand, held });
  }

  #closed(id: string, givenUp: boolean): void {
    const open = this.#open.get(id);
    if (open !== undefined && givenUp && open.held && !(this.#retrying && this.#beginsAgain(open.key))) this.#interrupted.add(open.key);
    this.#open.delete(id);
  }

  #answered(id: string): void {
    const decision = this.#state.decisions[id];
    if (decision?.kind === "lost") this.#interrupted.delete(this.#keyOf(decision.block ?? "", decision.strand));
  }
}

/** One thing from outside: a report, an outcome, a loss, time, an answer or none, and now and then a retry. */
function poke(run: MemoryRun, [what, which]: readonly [number, number]): void {
  const pick = <T>(list: readonly T[]): T | undefined => list[which % Math.max(1, list.length)];
  const action = pick(Object.values(run.state.actions).filter((open) => open.what !== "parallel_tasks"));
  const effect = pick(Object.keys(run.state.effects));
  const strand = action === undefined ? undefined : run.state.strands[action.strand];
  const failed = { ok: false as const, code: "STEP_FAILED", message: "no" };
  if (what <= 1 && strand !== undefined && strand.holder === undefined) run.input({ type: "claim", strand: strand.id, holder });
  else if (what <= 4 && action !== undefined && strand?.holder !== undefined) {
    const outcome = what === 4 ? failed : { ok: true as const, value: 1 };
    const as = strand.holder as typeof holder;
    run.input({ type: "report", action: action.id, holder: as, fence: strand.fence, outcome, write: true });
  } else if (what <= 7 && effect !== undefined)
    run.input({ type: "outcome", effect, outcome: what === 5 ? { ok: true, value: 1 } : what === 6 ? failed : { ok: "lost" } });
  else if (what <= 9 && strand?.holder !== undefined) {
    run.input({ type: "release", strand: strand.id, fence: strand.fence, why: "lost" });
    run.input({ type: "claim", strand: strand.id, holder: { ...holder, session: `s${which}` } });
  } else if (what === 10) {
    const timer = pick(Object.values(run.state.timers));
    if (timer !== undefined) run.clock = Math.max(run.clock, timer.due);
    if (timer !== undefined) run.input({ type: "woke", timer: timer.id });
  } else if (what <= 13) {
    const asked = pick(Object.values(run.state.decisions));
    if (asked === undefined) return;
    const answer = what === 11 ? { answer: null, declined: "nobody knows" } : { answer: what === 12 ? "retry" : "continue" };
    run.input({ type: "answer", decision: asked.id, revision: asked.revision, valid: true, relayed: true, ...answer }, agent);
  } else if (what === 14 && (run.state.status === "failed" || which % 4 === 0)) run.input({ type: "retry", resetCounts: which % 2 === 0 });
}

const pokes = fc.array(fc.tuple(fc.nat(14), fc.nat(7)), { minLength: 10, maxLength: 40 });

test("a step that must not be repeated, or asks first, is never begun a second time by itself after it was broken off", () => {
  let broke = 0;
  fc.assert(
    fc.property(node(2), pokes, fc.boolean(), (tree, inputs, onFailure) => {
      const blocks = blocksOf(tree);
      const clean = agentStep("clean", { whenLost: "fail" });
      const more = onFailure ? { onFailure: { body: "clean", checkpoint: false, then: "fail" as const, maxRuns: 1 } } : {};
      const run = new MemoryRun(program([...blocks, clean], "root", more), ({ exprs }) =>
        "items" in exprs ? { items: [{ id: "A" }, { id: "B" }] } : {},
      );
      const watch = new Watch(run);
      run.start();
      for (const input of inputs) {
        poke(run, input);
        watch.follow();
      }
      expect(watch.broken).toEqual([]);
      expect(replay(run.events)).toEqual(run.state);
      if (run.events.some((event) => "how" in event && (event.how === "cancelled" || event.how === "taken_over"))) broke += 1;
    }),
    { numRuns: 250 },
  );
  expect(broke).toBeGreaterThan(60);
});
