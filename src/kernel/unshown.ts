import type { RunState } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** The strand went on behind its driver's back: a refused answer closed its question, and what is open now has not been shown yet. */
export function hide(turn: Turn, strand: string): void {
  if (turn.state.status === "running" && turn.state.strands[strand] !== undefined && !isUnshown(turn.state, strand))
    turn.emit({ type: "hidden", strand, unshown: true });
}

/** Whoever drives the strand has named what is open in it, or has just taken it and is shown it. */
export function show(turn: Turn, strand: string): void {
  if (isUnshown(turn.state, strand)) turn.emit({ type: "hidden", strand, unshown: false });
}

/** Whether a report on the strand must say what it is about, since its driver may mean what was open before. */
export function isUnshown(state: RunState, strand: string): boolean {
  return state.strands[strand]?.unshown === true;
}
