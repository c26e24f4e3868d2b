import type { RunState } from "./run-state.ts";
import type { Turn } from "./turn.ts";

// A refused answer closed the strand's question: what is open now has not been shown to the holder, who may mean what was open before.

export function markStale(turn: Turn, strand: string): void {
  if (turn.state.status === "running" && turn.state.strands[strand] !== undefined && !isPositionStale(turn.state, strand))
    turn.emit({ type: "hidden", strand, unshown: true });
}

/** The holder has named what is open in the strand, or has just taken the strand and is shown it. */
export function markShown(turn: Turn, strand: string): void {
  if (isPositionStale(turn.state, strand)) turn.emit({ type: "hidden", strand, unshown: false });
}

/** Whether a report on the strand must say what it is about. */
export function isPositionStale(state: RunState, strand: string): boolean {
  return state.strands[strand]?.unshown === true;
}
