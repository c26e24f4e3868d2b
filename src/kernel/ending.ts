import type { RunError, RunState } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { cancelStrand, closeOpenLeaf, leaveFrame } from "./unwind.ts";

export function isOpen(status: RunState["strands"][string]["status"]): boolean {
  return status === "ready" || status === "waiting" || status === "blocked";
}

interface Ending {
  readonly status: "completed" | "failed" | "cancelled";
  readonly error?: RunError;
  readonly reason?: string;
}

/** Ends the run: everything open is closed, items in hand are settled with the reason. A failed run keeps its place for a retry. */
export function endRun(turn: Turn, { status, error, reason }: Ending): void {
  const why = reason ?? error?.message ?? `run ${status}`;
  for (const strand of Object.values(turn.state.strands)) {
    if (strand.parent === undefined && strand.entry === undefined) continue;
    if (turn.state.strands[strand.id] !== undefined && isOpen(strand.status)) cancelStrand(turn, strand.id, "skipped", why);
  }
  for (const strand of Object.values(turn.state.strands)) {
    if (strand.parent !== undefined || strand.entry !== undefined || !isOpen(strand.status)) continue;
    if (status === "failed") closeOpenLeaf(turn, strand.id);
    else while (turn.strand(strand.id).frames.length > 0) leaveFrame(turn, strand.id, "skipped", why);
    turn.emit({ type: "strand_ended", strand: strand.id, status: status === "completed" ? "done" : status });
  }
  for (const decision of Object.values(turn.state.decisions)) {
    if (decision.status === "pending") turn.emit({ type: "decision_closed", decision: decision.id, status: "cancelled", reason: why });
  }
  for (const timer of Object.keys(turn.state.timers)) turn.emit({ type: "timer_gone", timer });
  turn.emit({ type: "ended", status, at: turn.at, ...(error === undefined ? {} : { error }) });
}
