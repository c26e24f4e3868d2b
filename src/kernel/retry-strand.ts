import { guardTime } from "./enter.ts";
import { attemptKey, emitMove } from "./items.ts";
import { judgeAgain } from "./judge-again.ts";
import type { Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { closeOpenLeaf, leaveFrame } from "./unwind.ts";

/** Lets one strand go on at the step that stopped it, with its time limits running again. */
export function retryStrand(turn: Turn, strand: Strand, resetCounts: boolean): void {
  leaveRescues(turn, strand.id);
  judgeAgain(turn, strand.id);
  limitTime(turn, strand.id);
  const frame = turn.strand(strand.id).frames.at(-1);
  const tries = resetCounts ? { tries: 0 } : {};
  if (frame?.kind === "do") {
    closeOpenLeaf(turn, strand.id);
    const block = turn.block(frame.block);
    const phase = block.kind === "do" && block.who === "engine" && block.what === "set" ? "writes" : "args";
    turn.emit({ type: "moved", strand: strand.id, patch: { phase, ref: null, rescued: null, ...tries } });
  }
  if (frame?.kind === "work") {
    const block = turn.block(frame.block);
    // Rows of a declared list have facets and trees; whoever reopens them has read them.
    const owned = block.kind === "work" && block.fill !== undefined;
    for (const id of owned ? frame.failed : []) {
      emitMove(turn, { list: frame.list, id, from: "failed", to: "pending", facets: {}, root: id, reason: null });
      const used = turn.state.counters[attemptKey(frame.list, id)] ?? 0;
      if (used !== 0) turn.emit({ type: "counted", key: attemptKey(frame.list, id), by: -used });
    }
    turn.emit({ type: "moved", strand: strand.id, patch: { failed: [], ...tries } });
  }
  turn.emit({ type: "ready", strand: strand.id });
}

/** An exit in error steps ended the dealing with a failure; what is retried is the step that failed. */
function leaveRescues(turn: Turn, strand: string): void {
  const frames = turn.strand(strand).frames;
  const ended = frames.at(-1)?.kind === "leave" && frames.some(({ kind }) => kind === "rescue");
  const first = ended ? frames.findIndex(({ kind }) => kind === "rescue") : frames.findLastIndex(({ kind }) => kind !== "rescue") + 1;
  while (turn.strand(strand).frames.length > first) leaveFrame(turn, strand, "skipped", "retried");
}

/** Limits that ran out, or ended with the run, begin anew. */
function limitTime(turn: Turn, strand: string): void {
  for (const [depth, frame] of turn.strand(strand).frames.entries()) {
    const running = Object.values(turn.state.timers).some(
      (timer) => timer.strand === strand && timer.why === "timeout" && timer.depth === depth,
    );
    if (frame.kind !== "rescue" && !running) guardTime(turn, strand, turn.block(frame.block), depth);
  }
}
