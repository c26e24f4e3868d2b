import type { Block } from "../program/index.ts";
import { isHeld, settleItem } from "./items.ts";
import type { Frame, KeptTask } from "./run-state.ts";
import { stopTasks } from "./stop-strands.ts";
import type { Turn } from "./turn.ts";
import { closeHandout, leaveFrame, liftFrames } from "./unwind.ts";

type WorkOnStack = Extract<Frame, { readonly kind: "work" }>;

/**
 * Takes the frames of a body that failed off its strand, from this depth on. Did it fail in tasks of its own, then what those have done
 * is not lost: it keeps its place there, for when it is tried again. Otherwise it begins at its first step.
 */
export function leaveFailed(turn: Turn, strandId: string, from: number, reason: string): KeptTask | undefined {
  const at = placeOf(turn, strandId, from);
  while (turn.strand(strandId).frames.length > Math.max(at + 1, from)) leaveFrame(turn, strandId, "failed", reason);
  if (at < 0) return undefined;
  stopTasks(turn, strandId, `stopped: ${reason}`);
  closeHandout(turn, strandId);
  failInHand(turn, strandId, reason);
  const { scope, frames } = turn.strand(strandId);
  liftFrames(turn, strandId, from);
  return { scope, frames: frames.slice(from).map(withAllTries), failed: true };
}

/** Whether the frame is that of parallel work with a list of its own, also when its tasks are done one after the other. */
export function hasTasks(frame: Frame, block: Block): frame is WorkOnStack {
  if (frame.kind !== "work" || block.kind !== "work" || block.mode !== "strands") return false;
  return frame.phase === "run" || frame.phase === "inputs";
}

/**
 * The innermost parallel work from this depth on. Error steps that were under way begin with the next failure; rows of declared lists are
 * open again by themselves.
 */
function placeOf(turn: Turn, strandId: string, from: number): number {
  const inside = turn.strand(strandId).frames.slice(from);
  const end = inside.findIndex(
    (frame) => frame.kind === "rescue" || (frame.kind === "work" && frame.item !== undefined && isHeld(turn, frame.item)),
  );
  const at = (end < 0 ? inside : inside.slice(0, end)).findLastIndex((frame) => {
    const block = turn.block(frame.block);
    return hasTasks(frame, block) && block.kind === "work" && block.fill !== undefined;
  });
  return at < 0 ? -1 : from + at;
}

/** Tasks that are done one after the other: the one in hand is what failed. */
function failInHand(turn: Turn, strandId: string, reason: string): void {
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame?.kind !== "work" || frame.item === undefined) return;
  settleItem(turn, strandId, "failed", reason);
  turn.emit({ type: "moved", strand: strandId, patch: {}, push: { failed: frame.item.id } });
}

/** Whatever is tried again has all the tries of its own again. */
function withAllTries(frame: Frame): Frame {
  const { tries: _spent, ...rest } = frame;
  return rest;
}
