import type { BlockId } from "./block.ts";
import { childBlocks } from "./check-program.ts";
import type { Program } from "./program.ts";

/** A part that is called in strands of a block. */
export interface ParallelCall {
  readonly block: BlockId;
  readonly part: string;
  /** Several of the strands may run at the same time. */
  readonly atOnce: boolean;
  /** The strands are tasks that the agent of the run hands on. */
  readonly tasks: boolean;
}

/** Parts that are called, however deep, from the strands that a block opens. */
export function parallelCalls({ blocks, parts }: Program): readonly ParallelCall[] {
  return Object.values(blocks).flatMap((block) => {
    if (block.kind !== "work" || block.mode !== "strands") return [];
    const seen = new Set<BlockId>();
    const called = new Set<string>();
    const open = [block.body];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const inner = blocks[id];
      if (inner === undefined || seen.has(id)) continue;
      seen.add(id);
      open.push(...childBlocks(inner));
      if (inner.kind !== "call") continue;
      called.add(inner.part);
      open.push(parts[inner.part]?.root ?? "");
    }
    // What nobody waits for runs beside everything that follows.
    const how = { atOnce: block.parallel !== 1 || block.join === "later", tasks: block.task !== undefined };
    return [...called].map((part) => ({ block: block.id, part, ...how }));
  });
}
