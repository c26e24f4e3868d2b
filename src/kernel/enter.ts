import type { JsonObject } from "../base/index.ts";
import { opOf, type Block, type BlockId, type Limit, type Rescue, type WorkBlock } from "../program/index.ts";
import type { Frame, Limits, WorkFrame } from "./frame.ts";
import type { Turn } from "./turn.ts";

/** Puts a block on top of the strand's stack. */
export function enter(turn: Turn, strand: string, block: BlockId, locals?: JsonObject): undefined {
  const definition = turn.block(block);
  const only = locals === undefined && turn.strand(strand).frames.length > 0 ? onlyBlock(definition) : undefined;
  if (only !== undefined) return enter(turn, strand, only);
  const first = firstFrame(turn, definition);
  turn.emit({ type: "entered", strand, frame: locals === undefined ? first : { ...first, locals } });
  guardTime(turn, strand, definition);
}

/** The one block of a sequence that is nothing more than it: three events less in every round. */
function onlyBlock(block: Block): BlockId | undefined {
  const plain = block.kind === "seq" && block.blocks.length === 1;
  return plain && block.label === undefined && block.rescue === undefined && block.timeoutMs === undefined ? block.blocks[0] : undefined;
}

/** Each frame is written out whole: a step makes several, and an object made by spreading is many times slower. */
export function firstFrame(turn: Turn, block: Block): Frame {
  const { id } = block;
  switch (block.kind) {
    case "seq":
      return { block: id, kind: "seq", at: 0 };
    case "choose":
      return { block: id, kind: "choose", branch: null };
    case "repeat":
      return { block: id, kind: "repeat", round: 0, inside: false };
    case "machine":
      return { block: id, kind: "machine", state: block.initial, inside: false };
    case "call":
      return { block: id, kind: "call", phase: "inputs" };
    case "do":
      return { block: id, kind: "do", phase: opOf(block) === "write" ? "writes" : "args", enteredAt: turn.at };
    case "leave":
      return { block: id, kind: "leave" };
    case "work": {
      const mode = block.mode === "strands" && turn.state.options.serial ? "each" : block.mode;
      const phase = block.fill !== undefined ? "fill" : block.where === undefined ? "run" : "where";
      return { block: id, kind: "work", phase, list: block.list ?? "", mode, open: [], total: 0, failed: [] };
    }
  }
}

/** Effects carry their own limit; everything else that has one is watched by a timer. */
export function guardTime(turn: Turn, strand: string, block: Block, depth?: number): void {
  const toAgent = block.kind === "do" && block.orAgent === true && turn.state.options.unable.includes(block.what);
  if (block.kind === "do" && block.who === "engine" && opOf(block) !== "wait" && !toAgent) return;
  watchTime(turn, strand, block, depth);
}

/** Sets the time limit of a block the strand is in, if it has one; the innermost unless its depth is given. */
export function watchTime(turn: Turn, strand: string, block: Block, depth: number = turn.strand(strand).frames.length - 1): void {
  const limit = timeoutOf(block, turn.strand(strand).frames[depth]);
  if (limit !== undefined) turn.setTimer({ strand, due: turn.at + limit, why: "timeout", depth });
}

/** Limits that ran out, or ended with the run, begin again; not those of blocks whose error steps are at work. */
export function limitTime(turn: Turn, strand: string): void {
  const { frames } = turn.strand(strand);
  for (const [depth, frame] of frames.entries()) {
    if (frames.some((each, at) => each.kind === "rescue" && at > depth && each.of <= depth)) continue;
    const running = Object.values(turn.state.timers).some(
      (timer) => timer.strand === strand && timer.why === "timeout" && timer.depth === depth,
    );
    if (frame.kind !== "rescue" && !running) guardTime(turn, strand, turn.block(frame.block), depth);
  }
}

/** Milliseconds that the block of this frame may take, as far as that is known yet. */
export function timeoutOf({ timeoutMs }: Pick<Block, "timeoutMs">, frame: Frame | undefined): number | undefined {
  return valueOf(timeoutMs, frame, "timeoutMs");
}

/** How often the block of this frame is tried again. An expression that could not be evaluated allows nothing. */
export function timesOf({ retry }: Rescue, frame: Frame | undefined): number {
  return valueOf(retry?.times, frame, "times") ?? 0;
}

/** How many items of the work may be worked on at once. */
export function parallelOf({ parallel }: WorkBlock, frame: Frame): number | undefined {
  return valueOf(parallel, frame, "parallel");
}

/** How many more items of the work may be handed out. */
export function roomFor(block: WorkBlock, frame: WorkFrame): number {
  if (frame.mode === "each") return 1;
  return (block.pull === true ? (frame.wanted ?? 1) : (parallelOf(block, frame) ?? 10)) - frame.open.length;
}

function valueOf(limit: Limit | undefined, frame: Frame | undefined, name: keyof Limits): number | undefined {
  return typeof limit === "object" ? frame?.limits?.[name] : limit;
}
