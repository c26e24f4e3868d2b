import { opOf } from "../program/index.ts";
import { limitTime } from "./enter.ts";
import { allowAgain } from "./interrupted-leaf.ts";
import { judgeAgain } from "./judge-again.ts";
import { reopenFailed } from "./reopen-failed.ts";
import { retriedDepth } from "./retried-depth.ts";
import type { Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { closeOpenLeaf, leaveFrame } from "./unwind.ts";

/** Lets one strand continue at the step that stopped it, with its time limits running again. `from`: where the body that failed begins in it. */
export function retryStrand(turn: Turn, strand: Strand, resetCounts: boolean, from = 0): void {
  for (const timer of Object.values(turn.state.timers))
    if (timer.strand === strand.id && timer.why === "blocked") turn.emit({ type: "timer_gone", timer: timer.id });
  const dealt = leaveRescues(turn, strand.id, from);
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
  if (frame?.kind === "work") reopenFailed(turn, strand.id, "person", tries);
  allowAgain(turn, strand.id);
  turn.emit({ type: "ready", strand: strand.id });
}

/** True when nothing is wrong where this strand is. */
function leaveRescues(turn: Turn, strand: string, from: number): boolean {
  const { depth, elsewhere } = retriedDepth(turn.strand(strand).frames, from);
  while (turn.strand(strand).frames.length > depth) leaveFrame(turn, strand, "skipped", "retried");
  return elsewhere;
}
