import { own, type JsonObject } from "../base/index.ts";
import { endWorksOf } from "./detached-works.ts";
import { emitMove } from "./items.ts";
import { keeping } from "./kept-places.ts";
import { backToTasks } from "./own-tasks.ts";
import type { KeptTask, TriedBy, WorkFrame } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** The failed items of the innermost work are open again, with all their tries. */
export function reopenFailed(turn: Turn, strandId: string, by: TriedBy, patch: JsonObject = {}): void {
  const work = turn.strand(strandId).frames.at(-1);
  if (work?.kind !== "work") return;
  const block = turn.block(work.block);
  // Rows of a declared list have facets and trees; who reopens them has read them.
  const owned = block.kind === "work" && block.fill !== undefined;
  const open = owned ? work.failed : [];
  for (const id of open)
    emitMove(turn, { list: work.list, id, from: "failed", to: "pending", facets: {}, root: id, reason: null, attempts: 0 });
  endWorksOf(turn, strandId, open, by);
  const places = placesOf(turn, strandId, work, { open, by });
  const frame = turn.strand(strandId).frames.at(-1);
  const next = { failed: [], ...(frame?.lost === true ? { lost: null } : {}), ...patch };
  turn.emit({ type: "moved", strand: strandId, patch: next, ...keeping(places) });
}

/** Who retries the run lets them continue at the steps that failed. A try that the workflow makes by itself begins them again. */
function placesOf(
  turn: Turn,
  strandId: string,
  { kept = {} }: Pick<WorkFrame, "kept">,
  { open, by }: { readonly open: readonly string[]; readonly by: TriedBy },
): Record<string, KeptTask | null> {
  const places = open.flatMap((id): [string, KeptTask | null][] => {
    const place = own(kept, id);
    if (place?.failed !== true) return [];
    const { failed: _over, ...stood } = place;
    return [[id, by === "person" ? { ...stood, retried: true } : (backToTasks(turn, strandId, place, "tried again") ?? null)]];
  });
  return Object.fromEntries(places);
}
