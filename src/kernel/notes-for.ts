import type { Note } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** Notes that are delivered with a step of the strand when it is handed out. */
export function notesFor(turn: Turn, strand: string, step: string): readonly Note[] {
  return turn.state.notes.filter(({ target }) => target === undefined || isFor(turn, strand, step, target));
}

/** A note waits for a step, a task or item, a role (`Coder` of `Coder:T-001`), or a state or other labelled block around the step. */
function isFor(turn: Turn, strandId: string, step: string, target: string): boolean {
  const { task, frames } = turn.strand(strandId);
  if (target === step || target === task || step.startsWith(`${target}:`)) return true;
  if (frames.some((frame) => frame.kind === "work" && frame.item?.id === target)) return true;
  return frames.some((frame) => (frame.kind === "machine" && frame.state === target) || turn.block(frame.block).label?.text === target);
}
