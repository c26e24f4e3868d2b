import type { Block } from "../program/index.ts";
import { emitMove, isHeld } from "./items.ts";
import type { Frame, KeptTask } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { closeKept } from "./unwind.ts";

type WorkOnStack = Extract<Frame, { readonly kind: "work" }>;

/** Whether the frame is that of parallel work with a list of its own, also when its tasks are done one after the other. */
export function hasTasks(frame: Frame, block: Block): frame is WorkOnStack {
  if (frame.kind !== "work" || block.kind !== "work" || block.mode !== "strands") return false;
  return frame.phase === "run" || frame.phase === "inputs";
}

/**
 * The innermost parallel work among the frames of a body, -1 if there is none. Error steps that were under way begin with the next
 * failure; rows of declared lists are open again by themselves.
 */
export function ownTasksAt(turn: Turn, frames: readonly Frame[]): number {
  const end = frames.findIndex(
    (frame) => frame.kind === "rescue" || (frame.kind === "work" && frame.item !== undefined && isHeld(turn, frame.item)),
  );
  return (end < 0 ? frames : frames.slice(0, end)).findLastIndex((frame) => {
    const block = turn.block(frame.block);
    return hasTasks(frame, block) && block.kind === "work" && block.fill !== undefined;
  });
}

/**
 * What a try that the workflow makes by itself takes up of a body that failed. Did it fail in tasks of its own, then what those have done
 * is not lost, and only those that failed begin again. Otherwise nothing is left of its place: it begins at its first step.
 */
export function backToTasks(turn: Turn, strandId: string, place: KeptTask, reason: string): KeptTask | undefined {
  const at = ownTasksAt(turn, place.frames);
  closeKept(turn, strandId, { ...place, frames: place.frames.slice(at + 1) }, reason);
  const work = place.frames[at];
  if (work?.kind !== "work") return undefined;
  return { scope: scopeBelow(place, at + 1), frames: [...place.frames.slice(0, at), failedInHand(turn, work, reason)], failed: true };
}

/** Tasks that are done one after the other: the one in hand is what failed. */
function failedInHand(turn: Turn, work: WorkOnStack, reason: string): Frame {
  const { item, names: _seen, ...rest } = work;
  if (item === undefined) return work;
  const { list, id, facets, root } = item;
  emitMove(turn, { list, id, facets, root, from: "in_progress", to: "failed", reason });
  return { ...rest, failed: [...rest.failed, id] };
}

/** The scope that was in force before the frames from this depth on were entered. */
function scopeBelow({ scope, frames }: KeptTask, depth: number): string {
  for (const frame of frames.slice(depth)) {
    if (frame.kind === "call" && frame.phase === "inside" && frame.outer !== undefined) return frame.outer;
    if (frame.kind === "rescue" && frame.inner !== undefined) return frame.inner;
  }
  return scope;
}
