import { closeHandout, closeOpenLeaf, endTask, leaveTo, liftFrames, limitTime } from "./enter-leave.ts";
import type { Frame, KeptTask } from "./frame.ts";
import { allowAgain, begunStep, lostPolicy } from "./interrupted-leaf.ts";
import { isHeld, settleItem } from "./items.ts";
import { keeping } from "./kept-places.ts";
import { reopenFailed, retryStrand } from "./retry-strand.ts";
import type { Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** Nothing is wrong with a strand that is blocked for this: the run failed elsewhere. */
const stoppedCode = "STOPPED";

export function isStopped({ status, blocked }: Strand): boolean {
  return status === "blocked" && blocked?.code === stoppedCode;
}

/** The tasks of the strand's innermost work stop. Their items are open again, and continue from there when they are taken up. */
export function stopTasks(turn: Turn, strandId: string, reason: string): void {
  const frame = turn.top(strandId);
  if (frame?.kind !== "work" || frame.open.length === 0) return;
  const stopped = frame.open.flatMap((id): [string, KeptTask][] => {
    const task = turn.state.strands[id];
    return task?.item === undefined ? [] : [[task.item.id, stopTask(turn, task, reason)]];
  });
  turn.move(strandId, { open: [] }, keeping(Object.fromEntries(stopped)));
}

function stopTask(turn: Turn, task: Strand, reason: string): KeptTask {
  giveUpOpen(turn, task.id, reason);
  letGo(turn, task.id, { reason, how: "skipped", from: 0 });
  const { scope, frames } = turn.strand(task.id);
  endTask(turn, task, "pending", reason);
  return { scope, frames: frames.map(closed), ...(task.blocked === undefined ? {} : { blocked: task.blocked }) };
}

/** Takes the frames of a body that failed off its strand, from this depth on. They are its place, for a later try. */
export function leaveFailed(turn: Turn, strandId: string, from: number, reason: string): KeptTask | undefined {
  if (turn.strand(strandId).frames.length <= from) return undefined;
  stopTasks(turn, strandId, `stopped: ${reason}`);
  closeHandout(turn, strandId);
  closeOpenLeaf(turn, strandId);
  letGo(turn, strandId, { reason, how: "failed", from });
  const { scope, frames } = turn.strand(strandId);
  liftFrames(turn, strandId, from);
  // Whatever is tried again has all the tries of its own again.
  return { scope, frames: frames.slice(from).map(({ tries: _spent, ...frame }) => frame as Frame), failed: true };
}

/** What the strand has open is given up, and so is what is below it; when the strand continues, it is opened again as its policy says. */
export function giveUpOpen(turn: Turn, strandId: string, reason: string): void {
  stopTasks(turn, strandId, reason);
  const top = turn.top(strandId);
  const passed = top !== undefined && lostPolicy(turn, top) === "continue" && begunStep(turn, strandId) !== undefined;
  closeOpenLeaf(turn, strandId);
  if (passed) turn.move(strandId, { phase: "skip", ref: null, result: null });
  closeHandout(turn, strandId);
  turn.endTimers(strandId);
}

interface Stopping {
  readonly reason: string;
  /** How what it was doing there is left. */
  readonly how: "skipped" | "failed";
  /** Where the body begins in the strand. */
  readonly from: number;
}

/** Trees of declared lists are held by strands, so a body that stops releases the items it works on there. */
function letGo(turn: Turn, strandId: string, { reason, how, from }: Stopping): void {
  const { frames } = turn.strand(strandId);
  const holds = (frame: Frame): boolean => frame.kind === "work" && frame.item !== undefined && isHeld(turn, frame.item);
  const at = frames.findIndex((frame, depth) => depth >= from && holds(frame));
  if (at < 0) return;
  leaveTo(turn, strandId, at + 1, { how, reason });
  settleItem(turn, strandId, "pending", reason);
}

/** A leaf whose result is not known yet is opened again; a known result only has to be written. */
function closed(frame: Frame): Frame {
  if (frame.kind === "call" && frame.ref !== undefined) {
    const { ref: _asked, ...rest } = frame;
    return rest;
  }
  if (frame.kind !== "do" || frame.phase !== "open") return frame;
  const { ref: _ref, wrote: _wrote, ...rest } = frame;
  return { ...rest, phase: "args" };
}

/**
 * A task that was stopped continues from its place. So does one that failed in tasks of its own: only those begin again. One that a retry
 * of the run opened again continues at the step that failed.
 */
export function continueTask(turn: Turn, strand: string, { frames, scope, blocked, lost, failed, retried }: KeptTask): void {
  const from = turn.strand(strand).frames.length;
  for (const frame of frames) turn.emit({ type: "entered", strand, frame, scope });
  if (retried === true) return retryStrand(turn, turn.strand(strand), false, from);
  limitTime(turn, strand);
  if (failed === true) return reopenFailed(turn, strand, "policy", { phase: "run", next: null });
  if (lost !== undefined) turn.move(strand, { interrupted: lost });
  if (blocked === undefined) return;
  turn.emit({ type: "blocked", strand, ...blocked });
  if (blocked.until !== undefined) turn.setTimer({ strand, due: blocked.until, why: "blocked" });
}

/** A work that nobody waits for stops with the run, and keeps its place for a retry. */
export function stopStrand(turn: Turn, strand: string, reason: string): void {
  giveUpOpen(turn, strand, reason);
  const { status, holder } = turn.strand(strand);
  if (holder !== undefined) turn.emit({ type: "released", strand, why: "given_back" });
  if (status !== "blocked") turn.emit({ type: "blocked", strand, code: stoppedCode, reason });
}

export function resumeStrand(turn: Turn, strand: string): void {
  allowAgain(turn, strand);
  limitTime(turn, strand);
  const frame = turn.top(strand);
  if (frame?.kind === "do" && frame.phase === "open") turn.move(strand, { phase: "args", ref: null });
  turn.ready(strand);
}
