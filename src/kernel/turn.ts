import type { JsonObject } from "../base/index.ts";
import type { Block, BlockId, Part, Program } from "../program/index.ts";
import { apply } from "./apply.ts";
import type { Event } from "./event.ts";
import type { Actor } from "./input.ts";
import type { Frame, RunState, Strand } from "./run-state.ts";

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

  emit(event: Event): void {
    this.state = apply(this.state, event);
    this.events.push(event);
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

  strand(id: string): Strand {
    const strand = this.state.strands[id];
    if (strand === undefined) throw new Error(`The run has no strand ${id}.`);
    return strand;
  }

  /** The part whose scope the strand is in. */
  partOf(strand: Strand): Part {
    const part = this.program.parts[this.state.scopes[strand.scope]?.part ?? this.program.main];
    if (part === undefined) throw new Error(`The program has no part for scope ${strand.scope}.`);
    return part;
  }

  mainPart(): Part {
    const part = this.program.parts[this.program.main];
    if (part === undefined) throw new Error("The program has no main part.");
    return part;
  }
}

/** Names of a finished call come first while its `onComplete` runs. */
export function frontOf(frames: readonly Frame[]): { readonly front?: string } {
  const call = frames.findLast((frame) => frame.kind === "call" && frame.phase !== "inputs");
  return call?.kind === "call" && call.phase === "complete" && call.scope !== undefined ? { front: call.scope } : {};
}

/** The scope that the strand's frame at this depth works in, whatever calls were entered above it. */
export function scopeAt(strand: Strand, depth: number): string {
  for (const frame of strand.frames.slice(Math.max(depth, 0))) {
    if (frame.kind === "call" && frame.phase === "inside" && frame.outer !== undefined) return frame.outer;
  }
  return strand.scope;
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
