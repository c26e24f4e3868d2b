import { pushRescue } from "./push-rescue.ts";
import type { RunError } from "./run-state.ts";
import { giveUpOpen } from "./stop-strands.ts";
import type { Turn } from "./turn.ts";
import { closeOpenLeaf } from "./unwind.ts";

/**
 * The run's own error steps, in the main strand, whichever strand failed. A work that nobody waits for keeps its place meanwhile, and main
 * gives up what it has open. False when these steps themselves failed.
 */
export function beginOnFailure(turn: Turn, strandId: string, error: RunError): boolean {
  const main = Object.values(turn.state.strands).find(({ parent, entry }) => parent === undefined && entry === undefined);
  if (main === undefined) return false;
  const atWork = main.frames.some((frame) => frame.kind === "rescue" && frame.of < 0);
  if (main.id === strandId) {
    if (!atWork) pushRescue(turn, main.id, -1, error);
    return !atWork;
  }
  closeOpenLeaf(turn, strandId);
  turn.emit({ type: "blocked", strand: strandId, code: error.code, reason: error.message });
  if (atWork) return true;
  giveUpOpen(turn, main.id, `stopped: ${error.message}`);
  pushRescue(turn, main.id, -1, error);
  turn.emit({ type: "moved", strand: main.id, patch: { elsewhere: true } });
  return true;
}
