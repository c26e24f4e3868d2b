import { own, type JsonObject } from "../base/index.ts";
import { closeKept } from "./enter-leave.ts";
import type { FramePut } from "./event.ts";
import type { Frame, KeptTask, RescueFrame, WorkFrame } from "./frame.ts";
import { isHeld, moveTaken } from "./items.ts";
import type { Turn } from "./turn.ts";

// Places of tasks that are continued later. They are kept in the frame of their work, by item.

/** What changes in the frame when places are kept; a null removes the place. */
export function keeping(places: Readonly<Record<string, KeptTask | null>>): { readonly put?: FramePut } {
  return Object.keys(places).length === 0 ? {} : { put: { kept: places as unknown as JsonObject } };
}

/** The place of the item's task, if it is kept, and what takes it out of the frame. */
export function takeKept(
  { kept = {} }: WorkFrame,
  item: string,
): { readonly place?: KeptTask; readonly taken: { readonly put?: FramePut } } {
  const place = own(kept, item);
  return place === undefined ? { taken: {} } : { place, taken: keeping({ [item]: null }) };
}

/** Whether the frame is that of parallel work with tasks, also when they are done one after the other. */
export function hasTasks(turn: Turn, frame: Frame): frame is WorkFrame {
  return frame.kind === "work" && turn.blockOf(frame).mode === "strands" && (frame.phase === "run" || frame.phase === "inputs");
}

/**
 * The innermost parallel work among the frames of a body, -1 if there is none. Error steps that were under way begin with the next
 * failure; rows of declared lists are open again by themselves.
 */
export function ownTasksAt(turn: Turn, frames: readonly Frame[]): number {
  const end = frames.findIndex(
    (frame) => frame.kind === "rescue" || (frame.kind === "work" && frame.item !== undefined && isHeld(turn, frame.item)),
  );
  const inner = end < 0 ? frames : frames.slice(0, end);
  return inner.findLastIndex((frame) => hasTasks(turn, frame) && turn.blockOf(frame).fill !== undefined);
}

/**
 * What a try that the workflow makes by itself continues of a body that failed. Did it fail in tasks of its own, then what those have done
 * is not lost, and only those that failed begin again. Otherwise nothing is left of its place: it begins at its first step.
 */
export function backToTasks(turn: Turn, strandId: string, place: KeptTask, reason: string): KeptTask | undefined {
  const at = ownTasksAt(turn, place.frames);
  closeKept(turn, strandId, { ...place, frames: place.frames.slice(at + 1) }, reason);
  const work = place.frames[at];
  if (work?.kind !== "work") return undefined;
  const { item, names: _seen, ...rest } = work;
  // Tasks that are done one after the other: the current one is what failed.
  if (item !== undefined) moveTaken(turn, strandId, item, { to: "failed", reason });
  const failed = item === undefined ? work : { ...rest, failed: [...rest.failed, item.id] };
  return { scope: scopeBelow(place, at + 1), frames: [...place.frames.slice(0, at), failed], failed: true };
}

/** The scope that was in force before the frames from this depth on were entered. */
export function scopeBelow({ scope, frames }: Pick<KeptTask, "scope" | "frames">, depth: number): string {
  for (const frame of frames.slice(depth)) {
    if (frame.kind === "call" && frame.phase === "inside" && frame.outer !== undefined) return frame.outer;
    if (frame.kind === "rescue" && frame.inner !== undefined) return frame.inner;
  }
  return scope;
}

interface RetriedDepth {
  /** How many frames stay: the innermost of them is what is retried. */
  readonly depth: number;
  /** The error steps that are left dealt with a failure elsewhere: nothing is wrong where these frames are. */
  readonly elsewhere: boolean;
}

/**
 * Where a retry continues among the frames of a body, from this depth on. An exit in error steps ended the dealing with a failure; what is
 * retried is the step that failed. The run's own error steps are left too when they dealt with a failure elsewhere, which is retried itself.
 */
export function retriedDepth(frames: readonly Frame[], from = 0): RetriedDepth {
  const rescued = (which: (frame: RescueFrame) => boolean): number =>
    frames.findIndex((frame, at) => at >= from && frame.kind === "rescue" && which(frame));
  const elsewhere = rescued((frame) => frame.elsewhere === true);
  const first = frames.at(-1)?.kind === "leave" ? rescued(() => true) : elsewhere;
  const bare = frames.findLastIndex(({ kind }) => kind !== "rescue") + 1;
  const depth = first < 0 ? bare : Math.min(first, bare);
  return { depth, elsewhere: elsewhere >= 0 && elsewhere === depth };
}
