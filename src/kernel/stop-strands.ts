import { limitTime } from "./enter.ts";
import { emitMove, isHeld, settleItem } from "./items.ts";
import { allowAgain, begunStep, lostPolicy } from "./interrupted-leaf.ts";
import { keeping } from "./kept-places.ts";
import { reopenFailed } from "./reopen-failed.ts";
import { retryStrand } from "./retry-strand.ts";
import type { Frame, KeptTask, Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { closeHandout, closeOpenLeaf, leaveFrame } from "./unwind.ts";

/** Nothing is wrong with a strand that is blocked for this: the run failed elsewhere. */
const stoppedCode = "STOPPED";

export function isStopped({ status, blocked }: Strand): boolean {
  return status === "blocked" && blocked?.code === stoppedCode;
}

/** The tasks of the strand's innermost work stop. Their items are open again, and go on where they stood when they are taken up. */
export function stopTasks(turn: Turn, strandId: string, reason: string): void {
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame?.kind !== "work" || frame.open.length === 0) return;
  const stopped = frame.open.flatMap((id): [string, KeptTask][] => {
    const item = turn.state.strands[id]?.item;
    return item === undefined ? [] : [[item.id, stopTask(turn, id, reason)]];
  });
  turn.emit({ type: "moved", strand: strandId, patch: { open: [] }, ...keeping(Object.fromEntries(stopped)) });
}

function stopTask(turn: Turn, strandId: string, reason: string): KeptTask {
  const { item, blocked } = turn.strand(strandId);
  giveUpOpen(turn, strandId, reason);
  letGo(turn, strandId, { reason, how: "skipped", from: 0 });
  const { scope, frames } = turn.strand(strandId);
  if (item !== undefined) {
    const { attempts, ...taken } = item;
    emitMove(turn, {
      ...taken,
      from: "in_progress",
      to: "pending",
      reason,
      // A try that was broken off from outside does not count.
      attempts: attempts - 1,
      ...(isHeld(turn, taken) ? { strand: strandId } : {}),
    });
  }
  turn.emit({ type: "strand_ended", strand: strandId, status: "cancelled" });
  return { scope, frames: frames.map(closed), ...(blocked === undefined ? {} : { blocked }) };
}

/** What the strand has open is given up, and so is what is below it; when the strand continues, it is opened again as its policy says. */
export function giveUpOpen(turn: Turn, strandId: string, reason: string): void {
  stopTasks(turn, strandId, reason);
  const top = turn.strand(strandId).frames.at(-1);
  const passed = top !== undefined && lostPolicy(turn, top) === "continue" && begunStep(turn, strandId) !== undefined;
  closeOpenLeaf(turn, strandId);
  if (passed) turn.emit({ type: "moved", strand: strandId, patch: { phase: "skip", ref: null, result: null } });
  closeHandout(turn, strandId);
  for (const timer of Object.values(turn.state.timers)) if (timer.strand === strandId) turn.emit({ type: "timer_gone", timer: timer.id });
}

interface Stopping {
  readonly reason: string;
  /** How what it was doing there is left. */
  readonly how: "skipped" | "failed";
  /** Where the body begins in the strand. */
  readonly from: number;
}

/** Trees of declared lists are held by strands, so a body that stops lets go of what it has in hand there. */
export function letGo(turn: Turn, strandId: string, { reason, how, from }: Stopping): void {
  const at = turn
    .strand(strandId)
    .frames.findIndex((frame, depth) => depth >= from && frame.kind === "work" && frame.item !== undefined && isHeld(turn, frame.item));
  if (at < 0) return;
  while (turn.strand(strandId).frames.length > at + 1) leaveFrame(turn, strandId, how, reason);
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
 * A task that was stopped continues where it stood. So does one that failed in tasks of its own: only those begin again. One that a retry
 * of the run opened again continues at the step that failed.
 */
export function goOn(turn: Turn, strandId: string, { frames, scope, blocked, lost, failed, retried }: KeptTask): void {
  const from = turn.strand(strandId).frames.length;
  for (const frame of frames) turn.emit({ type: "entered", strand: strandId, frame, scope });
  if (retried === true) return retryStrand(turn, turn.strand(strandId), false, from);
  limitTime(turn, strandId);
  if (failed === true) return reopenFailed(turn, strandId, "policy", { phase: "run", next: null });
  if (lost !== undefined) turn.emit({ type: "moved", strand: strandId, patch: { interrupted: lost } });
  if (blocked === undefined) return;
  turn.emit({ type: "blocked", strand: strandId, ...blocked });
  if (blocked.until !== undefined)
    turn.emit({ type: "timer_set", timer: { id: turn.mint("t"), strand: strandId, due: blocked.until, why: "blocked" } });
}

/** A work that nobody waits for stands still with the run, and keeps its place for a retry. */
export function stopStrand(turn: Turn, strandId: string, reason: string): void {
  giveUpOpen(turn, strandId, reason);
  const { status, holder } = turn.strand(strandId);
  if (holder !== undefined) turn.emit({ type: "released", strand: strandId, why: "given_back" });
  if (status !== "blocked") turn.emit({ type: "blocked", strand: strandId, code: stoppedCode, reason });
}

export function resumeStrand(turn: Turn, strandId: string): void {
  allowAgain(turn, strandId);
  limitTime(turn, strandId);
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame?.kind === "do" && frame.phase === "open") turn.emit({ type: "moved", strand: strandId, patch: { phase: "args", ref: null } });
  turn.emit({ type: "ready", strand: strandId });
}
