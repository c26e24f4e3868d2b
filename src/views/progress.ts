import type { JsonObject } from "../base/index.ts";
import type { ListCounts, RunState } from "../kernel/index.ts";

/** Counts over all worklists; absent when the run has none. */
export function progressOf(state: RunState): { readonly progress?: JsonObject } {
  const lists = Object.entries(state.lists).flatMap(([id, list]) => countsOf(id, list));
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  if (total === 0) return {};
  const sum = (status: "pending" | "in_progress" | "completed" | "skipped" | "failed"): number =>
    lists.reduce((all, list) => all + list.by[status], 0);
  const failed = sum("failed");
  const skipped = sum("skipped");
  return { progress: { done: sum("completed"), total, ...(failed > 0 ? { failed } : {}), ...(skipped > 0 ? { skipped } : {}) } };
}

/** Of a bot, its actions count: neither the behaviours above them nor the log of what was done. */
function countsOf(id: string, list: ListCounts): readonly Pick<ListCounts, "total" | "by">[] {
  const actions = list.facets["kind=action"];
  if (actions !== undefined) return [{ by: actions, total: Object.values(actions).reduce((sum, count) => sum + count, 0) }];
  return id === "activity" && Object.keys(list.facets).every((facet) => facet.startsWith("state=")) ? [] : [list];
}
