import type { JsonObject } from "../base/index.ts";
import type { Block, BlockId, Budget, Expr, Part, Program } from "../program/index.ts";
import { apply } from "./apply.ts";
import type { Event, EventOf, Update } from "./event.ts";
import type { Frame } from "./frame.ts";
import type { Actor, Need } from "./input.ts";
import { usedOf } from "./read-state.ts";
import type { Answered, Holder, RunState, Strand, Timer, Wait } from "./run-state.ts";
import { applyUpdates } from "./write-state.ts";

export interface SpentBudget {
  readonly what: keyof Budget;
  readonly limit: number;
  readonly used: number;
  /** Nobody knows how much is used: a turn did not say. */
  readonly unknown?: true;
}

/** One call of `transition`: collects events and keeps the state they lead to. */
export class Turn {
  readonly program: Program;
  readonly at: number;
  readonly by: Actor;
  readonly events: Event[] = [];
  state: RunState;

  constructor(program: Program, state: RunState, input: { readonly at: number; readonly by: Actor }) {
    this.program = program;
    this.state = state;
    this.at = input.at;
    this.by = input.by;
  }

  emit(event: Event): undefined {
    this.state = apply(this.state, event);
    this.events.push(event);
  }

  /** Changes fields of the strand's innermost frame; a null removes the field. */
  move(strand: string, patch: JsonObject, more?: Pick<EventOf<"moved">, "push" | "put" | "scope">): undefined {
    this.emit(more === undefined ? { type: "moved", strand, patch } : { type: "moved", strand, patch, ...more });
  }

  wait(strand: string, on: Wait): undefined {
    this.emit({ type: "waiting", strand, on });
  }

  ready(strand: string): undefined {
    this.emit({ type: "ready", strand });
  }

  /** Makes the strand ready unless it is. */
  wake(strand: string): undefined {
    if (this.state.strands[strand]?.status !== "ready") this.ready(strand);
  }

  /** What is open in the strand now has not been shown to its holder, who may mean what was open before. */
  markStale(strand: string): void {
    const held = this.state.strands[strand];
    if (this.state.status === "running" && held !== undefined && held.unshown !== true)
      this.emit({ type: "hidden", strand, unshown: true });
  }

  /** The holder has named what is open in the strand, or has just taken the strand and is shown it. */
  markShown(strand: string): void {
    if (this.state.strands[strand]?.unshown === true) this.emit({ type: "hidden", strand, unshown: false });
  }

  /** Writes when all updates can be applied; else answers why not. */
  write(scope: string, updates: readonly Update[], answered?: Answered): string | undefined {
    const held = this.state.scopes[scope];
    if (held === undefined) return `The scope \`${scope}\` does not exist.`;
    const written = applyUpdates(held, updates);
    if (!written.ok) return written.message;
    this.emit({ type: "wrote", scope, updates, ...(answered === undefined ? {} : { answered }) });
  }

  /** The first limit of the run's budget that is used up, or of which nobody knows whether it is. */
  spentBudget(): SpentBudget | undefined {
    const { limits, unknown = [] } = this.state.budget;
    for (const what of ["steps", "minutes", "tokens", "money"] as const) {
      const limit = limits[what];
      if (limit === undefined) continue;
      const used = usedOf(this.state, what, this.at);
      if (used >= limit) return { what, limit, used };
      if ((what === "tokens" || what === "money") && unknown.includes(what)) return { what, limit, used, unknown: true };
    }
    return undefined;
  }

  /** Answers the id of the timer. */
  setTimer(timer: Omit<Timer, "id">): string {
    const id = this.mint("t");
    this.emit({ type: "timer_set", timer: { id, ...timer } });
    return id;
  }

  endTimers(strand: string, which: (timer: Timer) => boolean = () => true): void {
    for (const timer of Object.values(this.state.timers))
      if (timer.strand === strand && which(timer)) this.emit({ type: "timer_gone", timer: timer.id });
  }

  /** An id no other event of this run has: the position of the event that will carry it. */
  mint(prefix: string): string {
    return `${prefix}${this.state.seq + 1}`;
  }

  block(id: BlockId): Block {
    const block = this.program.blocks[id];
    if (block === undefined) throw new Error(`The program has no block ${id}.`);
    return block;
  }

  /** The block of a frame, which is of the frame's kind. */
  blockOf<K extends Block["kind"]>(frame: { readonly kind: K; readonly block: BlockId }): Extract<Block, { readonly kind: K }> {
    return this.block(frame.block) as Extract<Block, { readonly kind: K }>;
  }

  strand(id: string): Strand {
    const strand = this.state.strands[id];
    if (strand === undefined) throw new Error(`The run has no strand ${id}.`);
    return strand;
  }

  /** The strand's innermost frame. */
  top(strand: string): Frame | undefined {
    return this.strand(strand).frames.at(-1);
  }

  /** The main strand, which nothing else began. */
  main(): Strand | undefined {
    return Object.values(this.state.strands).find(({ parent, entry }) => parent === undefined && entry === undefined);
  }

  /** The part whose scope the strand is in. */
  partOf(strand: Strand): Part {
    return this.#part(this.state.scopes[strand.scope]?.part ?? this.program.main);
  }

  mainPart(): Part {
    return this.#part(this.program.main);
  }

  #part(name: string): Part {
    const part = this.program.parts[name];
    if (part === undefined) throw new Error(`The program has no part ${name}.`);
    return part;
  }

  /** What is needed to know what the expressions give in the strand; `names` come beside those of its frames. */
  evaluate(strand: string, exprs: Readonly<Record<string, Expr>>, names?: JsonObject): Extract<Need, { readonly type: "evaluate" }> {
    const { scope, frames } = this.strand(strand);
    const locals = localsOf(frames);
    return { type: "evaluate", strand, exprs, scope, locals: names === undefined ? locals : { ...locals, ...names }, ...frontOf(frames) };
  }
}

/** Who caused an input, as a holder; the engine counts as a worker. */
export function holderOf({ kind, name, session }: Actor): Holder {
  return { kind: kind === "engine" ? "worker" : kind, name, session };
}

/** Names of a finished call come first while its `onComplete` runs. */
export function frontOf(frames: readonly Frame[]): { readonly front?: string } {
  const call = frames.findLast((frame) => frame.kind === "call" && frame.phase !== "inputs");
  return call?.kind === "call" && call.phase === "complete" && call.scope !== undefined ? { front: call.scope } : {};
}

/** Loop names, task context and errors visible to a strand, innermost last. */
export function localsOf(frames: readonly Frame[]): JsonObject {
  let locals: JsonObject = {};
  for (const frame of frames) {
    if (frame.kind === "call" && frame.phase === "inside") locals = {};
    if (frame.locals !== undefined) locals = { ...locals, ...frame.locals };
    if (frame.kind === "work" && frame.names !== undefined) locals = { ...locals, ...frame.names };
  }
  return locals;
}
