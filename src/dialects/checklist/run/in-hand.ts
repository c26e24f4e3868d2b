import { treeKey, type Actor } from "../../../kernel/index.ts";
import type { RunHandle } from "../../../engine/index.ts";
import { begunRuns } from "./checklist-run.ts";

export const inHandReason = "It is in somebody's hands.";

/** Somebody works on the file, in the run's own workflow or in one that it calls. */
export function isInHand(handle: RunHandle, path: string): boolean {
  return strandsAt(handle, path).length > 0;
}

/** Somebody else than this one works on the file. */
export function isInOtherHands(handle: RunHandle, path: string, { kind, name, session }: Omit<Actor, "surface">): boolean {
  return strandsAt(handle, path).some((strand) => {
    const held = handle.state.strands[strand]?.holder;
    return held?.kind !== kind || held.name !== name || held.session !== session;
  });
}

function strandsAt(handle: RunHandle, path: string): readonly string[] {
  return begunRuns(handle).flatMap(({ lists }) => handle.state.held[treeKey(lists.files, path)]?.strand ?? []);
}
