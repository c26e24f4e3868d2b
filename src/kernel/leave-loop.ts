import { cancelStrand } from "./unwind.ts";
import { failStrand } from "./failure.ts";
import { leaveFrame } from "./unwind.ts";
import type { Turn } from "./turn.ts";
import { settleItem } from "./items.ts";
import { taskEnded } from "./task-ended.ts";

// The ways out that a `leave` block names. Each leaves the block's own frame too, or fails in it: then a retry comes to it again.

/** Unwinds to the nearest loop of the strand. `break` leaves it, `continue` begins its next round. */
export function leaveLoop(turn: Turn, strandId: string, how: "break" | "continue", by: string): void {
  const frames = turn.strand(strandId).frames;
  const at = frames.findLastIndex((frame) => frame.kind === "repeat" || (frame.kind === "work" && frame.mode === "each"));
  if (at < 0) return failStrand(turn, strandId, { code: "NO_LOOP", message: `\`${by}\` is a ${how} outside of a loop.`, block: by });
  const reason = `left by ${how} at \`${by}\``;
  leaveFrame(turn, strandId, "done");
  while (turn.strand(strandId).frames.length > at + 1) leaveFrame(turn, strandId, "skipped", reason);
  const loop = turn.strand(strandId).frames[at];
  if (how === "break") {
    if (loop?.kind === "work" && loop.item !== undefined) settleItem(turn, strandId, "completed");
    leaveFrame(turn, strandId, "done", reason);
  }
}

/** Moves the nearest machine that has the state; strands between here and there are cancelled. */
export function leaveToState(turn: Turn, strandId: string, state: string, by: string): void {
  let id: string | undefined = strandId;
  while (id !== undefined) {
    const strand = turn.strand(id);
    const at = strand.frames.findLastIndex((frame) => {
      const block = turn.block(frame.block);
      return block.kind === "machine" && block.states[state] !== undefined;
    });
    if (at >= 0) {
      const reason = `moved to state \`${state}\` by \`${by}\``;
      leaveFrame(turn, strandId, "done");
      while (turn.strand(id).frames.length > at + 1) leaveFrame(turn, id, "skipped", reason);
      turn.emit({ type: "moved", strand: id, patch: { state, inside: false } });
      if (turn.strand(id).status !== "ready") turn.emit({ type: "ready", strand: id });
      if (id !== strandId && turn.state.strands[strandId] !== undefined) cancelStrand(turn, strandId, "pending", reason);
      return;
    }
    id = strand.parent;
  }
  failStrand(turn, strandId, {
    code: "NO_STATE",
    message: `\`${by}\` leads to the state \`${state}\`, which no enclosing machine has.`,
    block: by,
  });
}

/** Settles the item that this strand works on as skipped: the innermost one in hand, else the one the strand was opened for. */
export function skipItem(turn: Turn, strandId: string, reason: string): void {
  const frames = turn.strand(strandId).frames;
  const at = frames.findLastIndex((frame) => frame.kind === "work" && frame.mode === "each" && frame.item !== undefined);
  if (at >= 0) {
    leaveFrame(turn, strandId, "done");
    while (turn.strand(strandId).frames.length > at + 1) leaveFrame(turn, strandId, "skipped", reason);
    settleItem(turn, strandId, "skipped", reason);
    return;
  }
  const { item } = turn.strand(strandId);
  if (item === undefined) return failStrand(turn, strandId, { code: "NO_LOOP", message: "There is no item to skip here." });
  leaveFrame(turn, strandId, "done");
  while (turn.strand(strandId).frames.length > 0) leaveFrame(turn, strandId, "skipped", reason);
  taskEnded(turn, strandId, reason);
}
