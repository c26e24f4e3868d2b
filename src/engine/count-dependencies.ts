import type { Event, RunState } from "../kernel/index.ts";
import type { Store } from "../ports/index.ts";

/**
 * What brings rows that wait for the wrong number of dependencies in line with the statuses of those. A list in which a settled or
 * reopened item has not reached its dependants yet is left alone: its rows are right to lag behind.
 */
export async function countedAgain(
  store: Store,
  run: string,
  { lists, settled }: Pick<RunState, "lists" | "settled">,
): Promise<Extract<Event, { readonly type: "dependency_reopened" }>[]> {
  const found: Extract<Event, { readonly type: "dependency_reopened" }>[] = [];
  for (const [list, counts] of Object.entries(lists)) {
    if (!counts.hasDependencies || settled.some((notice) => notice.list === list)) continue;
    const rows = await store.selectItems(run, { list, query: {}, limit: Math.max(1, counts.total) });
    const done = new Set(rows.filter(({ status }) => status !== "pending" && status !== "in_progress").map(({ id }) => id));
    const open = rows.map(({ dependsOn = [] }) => new Set(dependsOn.filter((id) => !done.has(id))).size);
    const wrong = rows
      .map((row, at) => ({ ...row, open: open[at] ?? 0 }))
      .filter((row) => row.dependsOn !== undefined && row.waitsFor !== row.open);
    if (wrong.length === 0) continue;
    found.push({ type: "dependency_reopened", list, of: "", ids: wrong.map(({ id }) => id), waits: wrong.map((row) => row.open) });
  }
  return found;
}
