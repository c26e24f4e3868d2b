import { opOf } from "../program/index.ts";
import { limitTime } from "./enter.ts";
import { allowAgain } from "./interrupted-leaf.ts";
import { judgeAgain } from "./judge-again.ts";
import { reopenFailed } from "./reopen-failed.ts";
import type { Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { closeOpenLeaf, leaveFrame } from "./unwind.ts";

/** Lets one strand go on at the step that stopped it, with its time limits running again. */
export function retryStrand(turn: Turn, strand: Strand, resetCounts: boolean): void {
  for (const timer of Object.values(turn.state.timers))
    if (timer.strand === strand.id && timer.why === "blocked") turn.emit({ type: "timer_gone", timer: timer.id });
  const dealt = leaveRescues(turn, strand.id);
  judgeAgain(turn, strand.id);
  limitTime(turn, strand.id);
  const frame = turn.strand(strand.id).frames.at(-1);
  const tries = resetCounts ? { tries: 0 } : {};
  if (frame?.kind === "do") {
    closeOpenLeaf(turn, strand.id);
    const block = turn.block(frame.block);
    const writes = block.kind === "do" && opOf(block) === "write";
    const elsewhere = dealt || (strand.error === undefined && strand.status === "failed");
    // The run failed elsewhere: what this leaf gave is known and only has to be written.
    const known = elsewhere && (frame.phase === "writes" || frame.phase === "skip");
    const phase = known ? frame.phase : writes ? "writes" : "args";
    // A step that failed is handed out whole again: what was stored for it before counts for nothing.
    const forgotten = !elsewhere && frame.stored !== undefined ? { stored: null } : {};
    turn.emit({ type: "moved", strand: strand.id, patch: { phase, ref: null, rescued: null, ...tries, ...forgotten } });
  }
  if (frame?.kind === "work") reopenFailed(turn, strand.id, tries);
  allowAgain(turn, strand.id);
  turn.emit({ type: "ready", strand: strand.id });
}

/**
 * An exit in error steps ended the dealing with a failure; what is retried is the step that failed. The run's own error steps are left
 * too when they dealt with a failure elsewhere, which is retried itself: then it is true, and nothing is wrong where this strand is.
 */
function leaveRescues(turn: Turn, strand: string): boolean {
  const frames = turn.strand(strand).frames;
  const ended = frames.at(-1)?.kind === "leave";
  const elsewhere = frames.findIndex((frame) => frame.kind === "rescue" && frame.elsewhere === true);
  const first = ended ? frames.findIndex(({ kind }) => kind === "rescue") : elsewhere;
  const bare = frames.findLastIndex(({ kind }) => kind !== "rescue") + 1;
  const left = first < 0 ? bare : Math.min(first, bare);
  while (turn.strand(strand).frames.length > left) leaveFrame(turn, strand, "skipped", "retried");
  return elsewhere >= 0 && elsewhere === left;
}
