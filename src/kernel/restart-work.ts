import type { JsonObject } from "../base/index.ts";
import type { WorkBlock } from "../program/index.ts";
import { endWorksOf } from "./detached-works.ts";
import { wake } from "./fail-item.ts";
import { settleItem } from "./items.ts";
import { reopenFailed } from "./reopen-failed.ts";
import { track } from "./tracking.ts";
import type { Turn } from "./turn.ts";

/** Parallel work, innermost in its strand, is tried again in place: what is done stays, what stopped continues, what failed is open again. */
export function restartWork(turn: Turn, strandId: string, block: WorkBlock, patch: JsonObject): void {
  const depth = turn.strand(strandId).frames.length - 1;
  for (const timer of Object.values(turn.state.timers))
    if (timer.strand === strandId && timer.depth === depth) turn.emit({ type: "timer_gone", timer: timer.id });
  const frame = turn.strand(strandId).frames[depth];
  settleItem(turn, strandId, "pending", "tried again");
  track(turn, turn.strand(strandId), "retries", block.id);
  reopenFailed(turn, strandId, "policy", { ...patch, phase: "run", next: null });
  if (frame?.kind === "work" && frame.item !== undefined) endWorksOf(turn, strandId, [frame.item.id], "policy");
  wake(turn, strandId);
}
