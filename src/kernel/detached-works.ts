import { own } from "../base/index.ts";
import { blocksInside, bodyOf, type BlockId } from "../program/index.ts";
import { cancelStrand } from "./enter-leave.ts";
import type { Frame, KeptTask, TriedBy } from "./frame.ts";
import { holdsLost, unrepeatableStep } from "./interrupted-leaf.ts";
import { ownTasksAt, retriedDepth } from "./kept-places.ts";
import { isBelow, treeKey } from "./read-state.ts";
import type { OpenCall, Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";

// Works that nobody waits for outlive the block that began them. When that block is begun again, it begins them again too.

/** A block of a strand: the one at this depth, or one that is entered there. */
interface Begun {
  readonly strand: string;
  readonly depth: number;
  readonly block: BlockId;
  /** Where it is begun inside that, when the strand is not there. */
  readonly inner?: EnclosingPath;
}

/** Where something is begun, outermost first. It stays the same when a task continues in another strand. */
interface EnclosingPath {
  /** Items and rounds. */
  readonly of: readonly string[];
  readonly calls: readonly OpenCall[];
}

const nowhere: EnclosingPath = { of: [], calls: [] };

/** The place in the strand below this depth. */
export function placeOf(turn: Turn, strandId: string, depth?: number): EnclosingPath {
  const strand = turn.state.strands[strandId];
  if (strand === undefined) return nowhere;
  const { item, parent, frames, of = [], calls = [] } = strand;
  // What is around a work that nobody waits for was noted when it was begun: its parent may be elsewhere by now.
  const around = item === undefined || parent === undefined ? { of, calls } : placeOf(turn, parent);
  return join(around, item === undefined ? nowhere : placeOfItem(item.list, item.id), placeIn(frames.slice(0, depth)));
}

function placeOfItem(list: string, id: string): EnclosingPath {
  return { of: [treeKey(list, id)], calls: [] };
}

function placeIn(frames: readonly Frame[]): EnclosingPath {
  return {
    of: frames.flatMap((frame) => {
      if (frame.kind === "repeat") return [`${frame.block} ${frame.round}`];
      return frame.kind === "work" && frame.item !== undefined ? [treeKey(frame.item.list, frame.item.id)] : [];
    }),
    calls: frames.flatMap((frame) =>
      frame.kind === "call" && frame.phase === "inside" ? [{ block: frame.block, scope: frame.scope ?? "" }] : [],
    ),
  };
}

function join(...places: readonly EnclosingPath[]): EnclosingPath {
  return { of: places.flatMap(({ of }) => of), calls: places.flatMap(({ calls }) => calls) };
}

/** The works that were begun in the block. `doubtful`: also those of which an older version did not note the call that began them. */
function detachedIn(turn: Turn, begun: Begun, doubtful = false): Strand[] {
  const detached = Object.values(turn.state.strands).filter(
    ({ id, parent, item, frames }) => id !== begun.strand && parent !== undefined && item === undefined && frames.length > 0,
  );
  if (detached.length === 0) return [];
  const place = join(placeOf(turn, begun.strand, begun.depth), begun.inner ?? nowhere);
  const inside = blocksInside(turn.program, rootOf(turn, begun));
  const called = doubtful ? blocksInside(turn.program, begun.block, true) : new Set<BlockId>();
  return detached.filter((work) => {
    const { of = [], calls = [], frames } = work;
    if (!place.of.every((key, at) => of[at] === key)) return false;
    const own = frames[0]?.block ?? "";
    if (calls.length < callsAround(turn, work)) return called.has(own);
    // Calls of one workflow share its blocks, so what counts is the call, where there is one between the block and the work.
    return place.calls.every(({ scope }, at) => calls[at]?.scope === scope) && inside.has(calls[place.calls.length]?.block ?? own);
  });
}

/** The block, or what a call that is under way began. */
function rootOf(turn: Turn, { strand, depth, block }: Begun): BlockId {
  const around = turn.state.strands[strand]?.frames[depth - 1];
  const call = turn.block(block);
  if (call.kind !== "call" || around?.kind !== "call" || around.block !== block || around.phase !== "inside") return block;
  return turn.program.parts[call.part]?.root ?? block;
}

function callsAround(turn: Turn, { scope }: Strand): number {
  let count = 0;
  for (let at = turn.state.scopes[scope]?.parent; at !== undefined; at = turn.state.scopes[at]?.parent) count += 1;
  return count;
}

/** Whether ending the works that were begun in the block breaks off something that must not be repeated by itself. */
export function wouldBreakOff(turn: Turn, begun: Begun): boolean {
  const works = detachedIn(turn, begun, true);
  return Object.values(turn.state.strands).some(
    ({ id, frames }) =>
      works.some((work) => work.id === id || isBelow(turn.state, id, work.id)) &&
      (frames.some(holdsLost) || unrepeatableStep(turn, id) !== undefined),
  );
}

/** The block is begun again: what it left to work by itself ends, what that did stays recorded, and its open items are skipped. */
export function endDetached(turn: Turn, begun: Begun): void {
  const reason = `\`${begun.block}\` was started again`;
  for (const { id } of detachedIn(turn, begun)) if (turn.state.strands[id] !== undefined) cancelStrand(turn, id, "skipped", reason);
}

/** Items of the strand's innermost work are open again: what their bodies left to work by itself ends now, not when their turn comes. */
export function endWorksOf(turn: Turn, strandId: string, items: readonly string[], by: TriedBy): void {
  const depth = turn.strand(strandId).frames.length - 1;
  for (const begun of bodiesOf(turn, { strand: strandId, depth }, items, by)) endDetached(turn, begun);
}

/** Whether that breaks off something that must not be repeated by itself, for the failed items of the work at this depth. */
export function failedWouldBreakOff(turn: Turn, strand: string, depth: number): boolean {
  const frame = turn.strand(strand).frames[depth];
  return frame?.kind === "work" && bodiesOf(turn, { strand, depth }, frame.failed, "policy").some((begun) => wouldBreakOff(turn, begun));
}

/** The bodies that begin again when these items are taken up: their own or, in a place that is kept, those of what failed there. */
function bodiesOf(turn: Turn, at: Pick<Begun, "strand" | "depth">, items: readonly string[], by: TriedBy): Begun[] {
  const inside = (frame: Frame | undefined, around: EnclosingPath, ids: readonly string[]): Begun[] => {
    if (frame?.kind !== "work") return [];
    return ids.flatMap((id) => {
      const inner = join(around, placeOfItem(frame.list, id));
      const kept = own(frame.kept ?? {}, id);
      const depth = kept === undefined ? -1 : continuesAt(turn, kept, by);
      if (depth === undefined) return [];
      const top = kept?.frames[depth];
      if (kept === undefined || top === undefined) return [{ ...at, block: bodyOf(turn.blockOf(frame), id), inner }];
      return inside(top, join(inner, placeIn(kept.frames.slice(0, depth))), failedIn(turn, top, by));
    });
  };
  return inside(turn.strand(at.strand).frames[at.depth], nowhere, items);
}

/** The frame of the place that is tried again, -1 when the task begins at its first step; undefined when it was only stopped. */
function continuesAt(turn: Turn, { frames, failed }: KeptTask, by: TriedBy): number | undefined {
  if (failed !== true) return undefined;
  return by === "person" ? retriedDepth(frames).depth - 1 : ownTasksAt(turn, frames);
}

function failedIn(turn: Turn, frame: Frame, by: TriedBy): readonly string[] {
  if (frame.kind !== "work" || turn.blockOf(frame).fill === undefined) return [];
  return by === "policy" && frame.item !== undefined ? [...frame.failed, frame.item.id] : frame.failed;
}
