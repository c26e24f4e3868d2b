import type { BlockId } from "./block.ts";
import { childBlocks } from "./check-program.ts";
import type { Program } from "./program.ts";

/** A part that several strands may run at the same time, with the block that opens them. */
export interface ParallelCall {
  readonly block: BlockId;
  readonly part: string;
}

/** Parts that are called, however deep, from the strands of a block that opens more than one. */
export function parallelCalls({ blocks, parts }: Program): readonly ParallelCall[] {
  return Object.values(blocks).flatMap((block) => {
    if (block.kind !== "work" || block.mode !== "strands" || block.parallel === 1) return [];
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
    return [...called].map((part) => ({ block: block.id, part }));
  });
}
