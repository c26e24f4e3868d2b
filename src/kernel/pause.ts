import type { RunState } from "./run-state.ts";

/** Main and its tasks stand still while an entry is open for which they wait. */
export function isPaused(state: RunState, strandId: string): boolean {
  const pausing = Object.values(state.strands).filter((strand) => strand.pauses === true);
  return pausing.length > 0 && !pausing.some((strand) => strand.id === strandId || isBelow(state, strandId, strand.id));
}

export function isBelow(state: RunState, strandId: string, ancestor: string): boolean {
  for (let id = state.strands[strandId]?.parent; id !== undefined; id = state.strands[id]?.parent) if (id === ancestor) return true;
  return false;
}
