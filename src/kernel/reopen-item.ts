import { own } from "../base/index.ts";
import type { Item } from "../program/index.ts";
import { isSettled } from "./apply-items.ts";
import { cancelStrand, closeKept } from "./enter-leave.ts";
import type { Reopening, WorkFrame } from "./frame.ts";
import { emitMove, emitReopened } from "./items.ts";
import { keeping } from "./kept-places.ts";
import type { Turn } from "./turn.ts";

/**
 * An item of the strand's innermost work, whose list is its own, is to be done again: whatever it has come to counts no more, and it begins at
 * its first step. What depends on it follows when its dependants are counted.
 */
export function reopenItem(
  turn: Turn,
  strand: string,
  { list, id, status: from }: Pick<Item, "list" | "id" | "status">,
  { reason, alone }: Omit<Reopening, "ids">,
): void {
  const frame = turn.top(strand);
  if (frame?.kind !== "work") return;
  const again = { strand, frame, id, reason };
  forgetPlace(turn, again);
  if (from === "in_progress") return stopOpen(turn, again);
  // One that was opened alone, and waits, may have items behind it that are settled.
  if (!isSettled(from) && alone !== true && turn.blockOf(frame).again?.includes(id) === true) emitReopened(turn, { list, id, reason });
  if (!isSettled(from)) return;
  if (frame.failed.includes(id)) turn.move(strand, { failed: frame.failed.filter((other) => other !== id) });
  emitMove(turn, { list, id, from, to: "pending", facets: {}, root: id, reason, attempts: 0, ...(alone === true ? { alone } : {}) });
}

interface Again {
  readonly strand: string;
  readonly frame: WorkFrame;
  readonly id: string;
  readonly reason: string;
}

function forgetPlace(turn: Turn, { strand, frame: { kept = {} }, id, reason }: Again): void {
  const place = own(kept, id);
  if (place === undefined) return;
  closeKept(turn, strand, place, reason);
  turn.move(strand, {}, keeping({ [id]: null }));
}

function stopOpen(turn: Turn, { strand, frame: { list, open }, id, reason }: Again): void {
  const task = open.find((each) => turn.state.strands[each]?.item?.id === id);
  if (task === undefined) return;
  cancelStrand(turn, task, "pending", reason);
  emitReopened(turn, { list, id, reason });
  turn.move(strand, { open: open.filter((each) => each !== task) });
}
