import { own, type JsonObject } from "../base/index.ts";
import { opOf } from "../program/index.ts";
import { endWorksOf } from "./detached-works.ts";
import { closeOpenLeaf, guardTime, leaveTo, limitTime } from "./enter-leave.ts";
import type { Frame, KeptTask, TriedBy } from "./frame.ts";
import { allowAgain } from "./interrupted-leaf.ts";
import { emitMove } from "./items.ts";
import { backToTasks, keeping, retriedDepth } from "./kept-places.ts";
import type { Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** Lets one strand continue at the step that stopped it, with its time limits running again. `from`: where the body that failed begins in it. */
export function retryStrand(turn: Turn, strand: Strand, resetCounts: boolean, from = 0): void {
  const { id } = strand;
  turn.endTimers(id, ({ why }) => why === "blocked");
  const { depth, elsewhere: dealt } = retriedDepth(turn.strand(id).frames, from);
  leaveTo(turn, id, depth, { how: "skipped", reason: "retried" });
  chooseAgain(turn, id);
  limitTime(turn, id);
  const frame = turn.top(id);
  const tries = resetCounts ? { tries: 0 } : {};
  if (frame?.kind === "do") {
    closeOpenLeaf(turn, id);
    const elsewhere = dealt || (strand.error === undefined && strand.status === "failed");
    // The run failed elsewhere: what this leaf gave is known and only has to be written.
    const known = elsewhere && (frame.phase === "writes" || frame.phase === "skip");
    const phase = known ? frame.phase : opOf(turn.blockOf(frame)) === "write" ? "writes" : "args";
    // A step that failed is handed out whole again: what was stored for it before counts for nothing.
    const forgotten = !elsewhere && frame.stored !== undefined ? { stored: null } : {};
    turn.move(id, { phase, ref: null, rescued: null, ...tries, ...forgotten });
  }
  if (frame?.kind === "work") reopenFailed(turn, id, "person", tries);
  const more = frame === undefined ? {} : moreRounds(turn, frame);
  if (Object.keys(more).length > 0) turn.move(id, more);
  allowAgain(turn, id);
  turn.ready(id);
}

/** A loop that has done all its rounds may do as many again, if a person says so: an agent could let itself continue forever. */
function moreRounds(turn: Turn, frame: Frame): { readonly most?: number } {
  if (frame.kind !== "repeat" || turn.by.kind !== "person") return {};
  const { max } = turn.blockOf(frame);
  return frame.round >= (frame.most ?? max) ? { most: frame.round + max } : {};
}

/**
 * A strand that an exit ended is at that exit again, but the conditions around the exit decide whether it still comes to it: the state
 * may have been fixed meanwhile. What was done in their branches before the exit is not done again.
 */
function chooseAgain(turn: Turn, strand: string): void {
  const { frames } = turn.strand(strand);
  const top = frames.at(-1);
  if (top?.kind !== "leave" || turn.blockOf(top).how === "finish") return;
  const around = frames.findLastIndex(({ kind }) => kind !== "leave" && kind !== "seq" && kind !== "choose");
  const first = frames.findIndex(({ kind }, at) => at > around && kind === "choose");
  if (first < 0) return;
  leaveTo(turn, strand, first, { how: "skipped", reason: "retried" });
  restoreFrames(turn, strand, frames.slice(first));
}

/** Puts frames back as they were, up to the first choice: that one is made again, and keeps what was above it. */
export function restoreFrames(turn: Turn, strand: string, frames: readonly Frame[]): void {
  for (const [at, frame] of frames.entries()) {
    const again =
      frame.kind === "choose" && frame.branch !== null
        ? { ...frame, branch: null, before: { branch: frame.branch, frames: frames.slice(at + 1) } }
        : undefined;
    turn.emit({ type: "entered", strand, frame: again ?? frame });
    guardTime(turn, strand, turn.block(frame.block));
    if (again !== undefined) return;
  }
}

/** The failed items of the innermost work are open again, with all their tries. */
export function reopenFailed(turn: Turn, strandId: string, by: TriedBy, patch: JsonObject = {}): void {
  const work = turn.top(strandId);
  if (work?.kind !== "work") return;
  const { list, kept = {}, failed } = work;
  const { again = [], fill } = turn.blockOf(work);
  // Rows of a declared list have facets and trees; who reopens them has read them.
  const open = fill === undefined ? [] : failed;
  for (const id of open) emitMove(turn, { list, id, from: "failed", to: "pending", facets: {}, root: id, reason: null, attempts: 0 });
  endWorksOf(turn, strandId, open, by);
  const places = open.flatMap((id): [string, KeptTask | null][] => {
    const place = own(kept, id);
    if (place?.failed !== true) return [];
    // A retry of the run continues at the steps that failed. A try that the workflow makes by itself begins them again.
    const { failed: _over, ...stopped } = place;
    const frames = stopped.frames.map((frame, at) => (at === stopped.frames.length - 1 ? { ...frame, ...moreRounds(turn, frame) } : frame));
    return [[id, by === "person" ? { ...stopped, frames, retried: true } : (backToTasks(turn, strandId, place, "tried again") ?? null)]];
  });
  const lost = turn.top(strandId)?.lost === true ? { lost: null } : {};
  const push =
    by === "person" && again.length > 0 ? { push: { reopening: { ids: again, reason: "done again at every retry", alone: true } } } : {};
  turn.move(strandId, { failed: [], why: null, ...lost, ...patch }, { ...push, ...keeping(Object.fromEntries(places)) });
}
