import { settleItem } from "./items.ts";
import { isOpen } from "./ending.ts";
import type { Input, Rejected } from "./input.ts";
import type { Turn } from "./turn.ts";
import { closeOpenLeaf, leaveFrame } from "./unwind.ts";

/** A place was chosen by hand: whatever the strand stands in is left, its items are open again, and it looks for the first one anew. */
export function acceptRewind(turn: Turn, input: Extract<Input, { readonly type: "rewind" }>): Rejected | undefined {
  const strand = turn.state.strands[input.strand];
  const at = strand?.frames.findIndex((frame) => frame.kind === "work" && turn.block(frame.block).kind === "work") ?? -1;
  if (strand === undefined || at < 0 || !isOpen(strand.status))
    return {
      code: "NOTHING_TO_REWIND",
      message: `Strand \`${input.strand}\` of run \`${turn.state.id}\` is not going through a list of items.`,
    };
  closeOpenLeaf(turn, strand.id);
  while (turn.strand(strand.id).frames.length > at + 1) leaveFrame(turn, strand.id, "skipped", input.reason);
  settleItem(turn, strand.id, "pending", input.reason);
  if (turn.strand(strand.id).status !== "ready") turn.emit({ type: "ready", strand: strand.id });
  return undefined;
}
