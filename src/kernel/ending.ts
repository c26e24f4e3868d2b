import { holdsLost } from "./interrupted-leaf.ts";
import type { RunError, RunState, Strand } from "./run-state.ts";
import { giveUpOpen, stopStrand } from "./stop-strands.ts";
import type { Turn } from "./turn.ts";
import { cancelStrand, leaveFrame } from "./unwind.ts";

export function isOpen(status: RunState["strands"][string]["status"]): boolean {
  return status === "ready" || status === "waiting" || status === "blocked";
}

interface Ending {
  readonly status: "completed" | "failed" | "cancelled";
  readonly error?: RunError;
  readonly reason?: string;
}

/**
 * Ends the run: everything open is closed, items in hand are settled with the reason. A failed run keeps its place for a retry, in
 * the main strand and in the strands of its works; entries end with it.
 */
export function endRun(turn: Turn, { status, error, reason }: Ending): void {
  const why = reason ?? error?.message ?? `run ${status}`;
  if (status === "failed") keepPlaces(turn, `stopped: ${why}`);
  const lost = status === "failed" && Object.values(turn.state.strands).some(({ frames }) => frames.some(holdsLost));
  endStrands(turn, status, why);
  for (const decision of Object.values(turn.state.decisions)) {
    if (decision.status === "pending") turn.emit({ type: "decision_closed", decision: decision.id, status: "cancelled", reason: why });
  }
  for (const timer of Object.keys(turn.state.timers)) turn.emit({ type: "timer_gone", timer });
  turn.emit({ type: "ended", status, at: turn.at, ...(error === undefined ? {} : { error: lost ? { ...error, lost: true } : error }) });
}

function endStrands(turn: Turn, status: Ending["status"], why: string): void {
  // Chosen before the first one ends: afterwards what an entry left to work by itself is not known as the entry's.
  const ending = Object.values(turn.state.strands).filter(
    (strand) => strand.entry !== undefined || (strand.parent !== undefined && (status !== "failed" || ofEntry(turn, strand))),
  );
  for (const { id, status: now } of ending) if (turn.state.strands[id] !== undefined && isOpen(now)) cancelStrand(turn, id, "skipped", why);
  for (const strand of Object.values(turn.state.strands)) {
    if (strand.parent !== undefined || strand.entry !== undefined || !isOpen(strand.status)) continue;
    if (status !== "failed") while (turn.strand(strand.id).frames.length > 0) leaveFrame(turn, strand.id, "skipped", why);
    turn.emit({ type: "strand_ended", strand: strand.id, status: status === "completed" ? "done" : status });
  }
}

/** The main strand and the works that it does not wait for give up what they have open, and their tasks stop where they are. */
function keepPlaces(turn: Turn, reason: string): void {
  for (const strand of Object.values(turn.state.strands)) {
    if (strand.item !== undefined || ofEntry(turn, strand)) continue;
    if (strand.parent !== undefined) stopStrand(turn, strand.id, reason);
    else if (isOpen(strand.status)) giveUpOpen(turn, strand.id, reason);
  }
}

/** Whether the strand was started by a command, or stands below one that was. */
export function ofEntry(turn: Turn, strand: Strand): boolean {
  const parent = strand.parent === undefined ? undefined : turn.state.strands[strand.parent];
  return strand.entry !== undefined || (parent !== undefined && ofEntry(turn, parent));
}

/** Main may be waiting for exactly the strand that just ended. */
export function wakeMain(turn: Turn): void {
  for (const strand of Object.values(turn.state.strands)) {
    if (
      strand.parent === undefined &&
      strand.entry === undefined &&
      strand.status === "waiting" &&
      strand.waits?.on === "strands" &&
      strand.frames.length === 0
    ) {
      turn.emit({ type: "ready", strand: strand.id });
    }
  }
}
