import { isOpen, wakeMain } from "./ending.ts";
import type { Input } from "./input.ts";
import type { Turn } from "./turn.ts";
import { cancelStrand } from "./unwind.ts";

/** Gives up a strand that a command started. One that has ended, and one that belongs to the workflow itself, stay as they are. */
export function acceptCancel(turn: Turn, input: Extract<Input, { readonly type: "cancel" }>): undefined {
  const strand = turn.state.strands[input.strand];
  if (strand?.entry === undefined || !isOpen(strand.status)) return;
  const asked = strand.waits?.on === "decision" ? turn.state.decisions[strand.waits.id] : undefined;
  if (asked?.status === "pending") turn.emit({ type: "decision_closed", decision: asked.id, status: "cancelled", reason: input.reason });
  cancelStrand(turn, strand.id, "skipped", input.reason);
  wakeMain(turn);
}
