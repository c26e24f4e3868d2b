import { treeKey } from "../../kernel/index.ts";
import type { RunHandle } from "../run-cache.ts";
import { begunRuns } from "./checklist-run.ts";

/** Somebody works on the file, in the run's own workflow or in one that it calls. */
export function isInHand(handle: RunHandle, path: string): boolean {
  return begunRuns(handle).some(({ lists }) => handle.state.held[treeKey(lists.files, path)] !== undefined);
}
