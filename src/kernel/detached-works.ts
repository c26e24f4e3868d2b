import { childBlocks, type BlockId, type Program } from "../program/index.ts";
import { holdsLost, unrepeatableStep } from "./interrupted-leaf.ts";
import { isBelow } from "./pause.ts";
import { treeKey, type Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { cancelStrand } from "./unwind.ts";

// Works that nobody waits for outlive the block that began them. When that block is begun again, it begins them again too.

/** A block of a strand: the one at this depth, or one that is entered there. */
interface Begun {
  readonly strand: string;
  readonly depth: number;
  readonly block: BlockId;
}

/** The items and rounds that the strand is in below this depth, outermost first. They stay the same when a task continues in another strand. */
export function placeOf(turn: Turn, strandId: string, depth?: number): readonly string[] {
  const strand = turn.state.strands[strandId];
  if (strand === undefined) return [];
  const { item, parent, of, frames } = strand;
  const around = of ?? (parent === undefined ? [] : placeOf(turn, parent));
  const inner = frames.slice(0, depth).flatMap((frame) => {
    if (frame.kind === "repeat") return [`${frame.block} ${frame.round}`];
    return frame.kind === "work" && frame.item !== undefined ? [treeKey(frame.item.list, frame.item.id)] : [];
  });
  return [...around, ...(item === undefined ? [] : [treeKey(item.list, item.id)]), ...inner];
}

function detachedIn(turn: Turn, { strand, depth, block }: Begun): Strand[] {
  const detached = Object.values(turn.state.strands).filter(
    ({ parent, item, frames }) => parent !== undefined && item === undefined && frames.length > 0,
  );
  if (detached.length === 0) return [];
  const place = placeOf(turn, strand, depth);
  const inside = blocksInside(turn.program, block);
  return detached.filter(
    ({ of = [], frames, id }) => id !== strand && place.every((key, at) => of[at] === key) && inside.has(frames[0]?.block ?? ""),
  );
}

/** Whether ending the works that were begun in the block breaks off something that must not be repeated by itself. */
export function wouldBreakOff(turn: Turn, begun: Begun): boolean {
  const works = detachedIn(turn, begun);
  return Object.values(turn.state.strands).some(
    ({ id, frames }) =>
      works.some((work) => work.id === id || isBelow(turn.state, id, work.id)) &&
      (frames.some(holdsLost) || unrepeatableStep(turn, id) !== undefined),
  );
}

/** The block is begun again: what it left to work by itself ends, what that did stays recorded, and its open items are skipped. */
export function endDetached(turn: Turn, begun: Begun): void {
  const reason = `\`${begun.block}\` was begun again`;
  for (const { id } of detachedIn(turn, begun)) if (turn.state.strands[id] !== undefined) cancelStrand(turn, id, "skipped", reason);
}

function blocksInside({ blocks, parts }: Program, root: BlockId): ReadonlySet<BlockId> {
  const found = new Set<BlockId>();
  const open = [root];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const block = blocks[id];
    if (block === undefined || found.has(id)) continue;
    found.add(id);
    open.push(...childBlocks(block));
    const called = block.kind === "call" ? parts[block.part]?.root : undefined;
    if (called !== undefined) open.push(called);
  }
  return found;
}
