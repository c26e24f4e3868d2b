import type { JsonObject } from "../base/index.ts";
import type { WorkBlock } from "../program/index.ts";
import { endWorksOf } from "./detached-works.ts";
import { collect, emitMove } from "./items.ts";
import { holdsLost } from "./interrupted-leaf.ts";
import { keeping } from "./kept-places.ts";
import { backToTasks } from "./own-tasks.ts";
import type { KeptTask, RunError, TakenItem } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { closeKept } from "./unwind.ts";

interface FailedItem {
  /** The strand whose work it is. */
  readonly parent: string;
  readonly block: WorkBlock;
  readonly item: Omit<TakenItem, "attempts">;
  readonly attempts: number;
  /** What the work's frame no longer has in hand. */
  readonly patch: JsonObject;
  /** Where its body failed. */
  readonly kept: KeptTask | undefined;
  /** Set when the item's tree was held by this strand. */
  readonly strand?: string;
}

/** An item whose body failed is tried again as its workflow says, or has failed for good. True when the work goes on all the same. */
export function failItem(turn: Turn, { parent, block, item, attempts, patch, kept, strand }: FailedItem, error: RunError): boolean {
  const { retries, then } = block.onItemFailure ?? { retries: 0, then: "fail" };
  const again = error.lost !== true && attempts <= retries;
  const outcome = again
    ? { to: "pending" as const, reason: `try ${attempts} failed: ${error.message}` }
    : { to: "failed" as const, reason: error.message };
  emitMove(turn, { ...item, from: "in_progress", ...outcome, ...(strand === undefined ? {} : { strand }) });
  // The place of what failed for good is for a retry of the run. Rows of a declared list are opened again by others too.
  const forRetry = !again && then !== "continue" && block.fill !== undefined;
  const place = kept === undefined || forRetry ? kept : backToTasks(turn, parent, kept, error.message);
  // The work continues without it. Should a retry open it again, it begins at its first step.
  const over = !again && then === "continue" ? place : undefined;
  const lost = error.lost === true || over?.frames.some(holdsLost) === true;
  const keeps = place === undefined || over !== undefined ? {} : keeping({ [item.id]: place });
  const push = again ? {} : { push: { failed: item.id } };
  turn.emit({ type: "moved", strand: parent, patch: lost ? { ...patch, lost } : patch, ...push, ...keeps });
  if (over !== undefined) closeKept(turn, parent, over, error.message);
  if (again) endWorksOf(turn, parent, [item.id], "policy");
  else collect(turn, parent, block, { task: item.id, error, attempts });
  wake(turn, parent);
  return again || then !== "fail";
}

export function wake(turn: Turn, strandId: string): void {
  if (turn.state.strands[strandId]?.status !== "ready") turn.emit({ type: "ready", strand: strandId });
}

export function wakeWaiting(turn: Turn, strand: string): void {
  if (turn.strand(strand).status === "waiting") turn.emit({ type: "ready", strand });
}
