import type { WorkBlock } from "../program/index.ts";
import { wakeWaiting } from "./fail-item.ts";
import { emitMove } from "./items.ts";
import type { Turn } from "./turn.ts";

/** A task's strand came to its end, or passed over the rest for a reason: its item is settled, and the parent is woken. */
export function taskEnded(turn: Turn, childId: string, skipped?: string): void {
  const { parent = "", item: taken } = turn.strand(childId);
  const frame = turn.state.strands[parent]?.frames.at(-1);
  turn.emit({ type: "strand_ended", strand: childId, status: "done" });
  if (frame?.kind !== "work" || taken === undefined) return;
  const block = turn.block(frame.block) as WorkBlock;
  const { attempts: _which, ...item } = taken;
  const settled = skipped === undefined ? { to: "completed" as const } : { to: "skipped" as const, reason: skipped };
  emitMove(turn, { ...item, from: "in_progress", ...settled, ...(block.fill === undefined ? { strand: childId } : {}) });
  turn.emit({ type: "moved", strand: parent, patch: { open: frame.open.filter((id) => id !== childId) } });
  wakeWaiting(turn, parent);
}
