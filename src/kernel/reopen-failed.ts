import type { JsonObject } from "../base/index.ts";
import { endWorksOf } from "./detached-works.ts";
import { emitMove } from "./items.ts";
import type { Turn } from "./turn.ts";

/** The failed items of the innermost work are open again, with all their tries. */
export function reopenFailed(turn: Turn, strandId: string, patch: JsonObject = {}): void {
  const work = turn.strand(strandId).frames.at(-1);
  if (work?.kind !== "work") return;
  const block = turn.block(work.block);
  // Rows of a declared list have facets and trees; who reopens them has read them.
  const owned = block.kind === "work" && block.fill !== undefined;
  const open = owned ? work.failed : [];
  for (const id of open)
    emitMove(turn, { list: work.list, id, from: "failed", to: "pending", facets: {}, root: id, reason: null, attempts: 0 });
  endWorksOf(turn, strandId, open);
  const frame = turn.strand(strandId).frames.at(-1);
  turn.emit({ type: "moved", strand: strandId, patch: { failed: [], ...(frame?.lost === true ? { lost: null } : {}), ...patch } });
}
