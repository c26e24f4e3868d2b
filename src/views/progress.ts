import type { JsonObject } from "../base/index.ts";
import type { RunState } from "../kernel/index.ts";

/** Counts over all worklists; absent when the run has none. */
export function progressOf(state: RunState): { readonly progress?: JsonObject } {
  const lists = Object.values(state.lists);
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  if (total === 0) return {};
  const sum = (status: "pending" | "in_progress" | "completed" | "skipped" | "failed"): number =>
    lists.reduce((all, list) => all + list.by[status], 0);
  const failed = sum("failed");
  const skipped = sum("skipped");
  return { progress: { done: sum("completed"), total, ...(failed > 0 ? { failed } : {}), ...(skipped > 0 ? { skipped } : {}) } };
}
