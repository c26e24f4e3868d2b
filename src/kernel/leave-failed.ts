import type { Frame, KeptTask } from "./run-state.ts";
import { letGo, stopTasks } from "./stop-strands.ts";
import type { Turn } from "./turn.ts";
import { closeHandout, closeOpenLeaf, liftFrames } from "./unwind.ts";

/** Takes the frames of a body that failed off its strand, from this depth on. They are its place, for a later try. */
export function leaveFailed(turn: Turn, strandId: string, from: number, reason: string): KeptTask | undefined {
  if (turn.strand(strandId).frames.length <= from) return undefined;
  stopTasks(turn, strandId, `stopped: ${reason}`);
  closeHandout(turn, strandId);
  closeOpenLeaf(turn, strandId);
  letGo(turn, strandId, { reason, how: "failed", from });
  const { scope, frames } = turn.strand(strandId);
  liftFrames(turn, strandId, from);
  return { scope, frames: frames.slice(from).map(withAllTries), failed: true };
}

/** Whatever is tried again has all the tries of its own again. */
function withAllTries(frame: Frame): Frame {
  const { tries: _spent, ...rest } = frame;
  return rest;
}
