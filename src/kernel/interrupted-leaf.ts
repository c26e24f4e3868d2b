import type { Json } from "../base/index.ts";
import type { LostPolicy } from "../program/index.ts";
import type { Action, Frame, KeptTask } from "./run-state.ts";
import type { Turn } from "./turn.ts";

export function lostPolicy(turn: Turn, frame: Pick<Frame, "block">): LostPolicy {
  const block = turn.block(frame.block);
  return block.kind === "do" ? (block.whenLost ?? "retry") : "retry";
}

/** Whether somebody has, or had, the action in hand. */
export function isInHand(turn: Turn, { strand, fence = 0 }: Pick<Action, "strand" | "fence">): boolean {
  return turn.strand(strand).fence > fence;
}

/** The step that is open in the strand, when it may have been begun: nobody knows what was done of it once it is given up. */
export function begunStep(turn: Turn, strandId: string): string | undefined {
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame?.kind !== "do" || frame.ref === undefined) return undefined;
  const action = turn.state.actions[frame.ref];
  return turn.state.effects[frame.ref]?.step ?? (action !== undefined && isInHand(turn, action) ? action.step : undefined);
}

/** That step, when its policy does not let it be repeated by itself. */
export function unrepeatableStep(turn: Turn, strandId: string): string | undefined {
  const top = turn.strand(strandId).frames.at(-1);
  const policy = top === undefined ? "retry" : lostPolicy(turn, top);
  return policy === "fail" || policy === "ask" ? begunStep(turn, strandId) : undefined;
}

/** Whether the block of the frame, begun again, would repeat something that was interrupted and must not be. */
export function holdsLost(frame: Frame): boolean {
  if (frame.lost === true || (frame.kind === "do" && frame.interrupted !== undefined)) return true;
  return frame.kind === "work" && (frame.passed === true || keepsLost(frame.kept));
}

function keepsLost(kept: Readonly<Record<string, KeptTask>> = {}): boolean {
  return Object.values(kept).some((task) => task.lost !== undefined || task.frames.some(holdsLost));
}

/** Whether the frames, begun again at the first of them, would repeat such a thing. A work that continues in place takes up its tasks. */
export function wouldRepeat(frames: readonly Frame[], inPlace: boolean): boolean {
  const [first, ...inner] = frames;
  return inner.some(holdsLost) || (first !== undefined && (inPlace ? first.lost === true : holdsLost(first)));
}

/** A `retry` says that interrupted steps of the strand are done again, and of the tasks it stopped. Those that ask still ask. */
export function allowAgain(turn: Turn, strandId: string): void {
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame === undefined) return;
  const next = allowed(turn, frame);
  if (next === frame) return;
  const patch = next.kind === "work" ? { kept: next.kept as unknown as Json } : { interrupted: null };
  turn.emit({ type: "moved", strand: strandId, patch });
}

/** The frame itself where nothing changes. */
function allowed(turn: Turn, frame: Frame): Frame {
  if (frame.kind === "do" && frame.interrupted !== undefined && lostPolicy(turn, frame) !== "ask") {
    const { interrupted: _step, ...rest } = frame;
    return rest;
  }
  if (frame.kind !== "work" || !keepsLost(frame.kept)) return frame;
  const kept = Object.entries(frame.kept ?? {}).map(([id, task]): [string, KeptTask] => [
    id,
    { ...task, frames: task.frames.map((inner) => allowed(turn, inner)) },
  ]);
  return { ...frame, kept: Object.fromEntries(kept) };
}
