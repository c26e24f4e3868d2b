import { expect } from "vitest";
import { canonicalJson } from "../../src/base/index.ts";
import { doctor, type EngineContext } from "../../src/engine/index.ts";
import type { Item } from "../../src/program/index.ts";

type Counts = Record<string, number>;
const zero = (): Counts => ({ pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 });

/**
 * What holds of a checklist run at every moment: counts by status and facet are those of the rows, nothing is open below a file that
 * counts as settled, what was skipped or failed says why, and the journal gives the state.
 */
export async function expectSound(context: EngineContext, run: string): Promise<void> {
  const handle = await context.runs.open(run);
  await context.runs.refresh(handle);
  const { state } = handle;
  const kept = new Set(await context.store.itemLists(run));
  for (const [list, counts] of Object.entries(state.lists)) {
    // Lists that a loop made for itself are closed with it; only their sums stay.
    if (!kept.has(list)) continue;
    const rows = await context.store.selectItems(run, { list, query: {}, limit: 1_000_000 });
    const found = countRows(rows);
    expect({ total: counts.total, by: counts.by }, `${list} has the rows that were counted`).toEqual({ total: rows.length, by: found.by });
    const known = Object.entries(counts.facets).filter(([, each]) => Object.values(each).some((count) => count !== 0));
    expect(Object.fromEntries(known), `${list} has the facets that were counted`).toEqual(found.facets);
    if (state.status === "running") expectNothingLost(rows);
  }
  const rebuilt = await context.runs.rebuild(run);
  if (rebuilt.position === handle.head) expect(canonicalJson(rebuilt.state)).toBe(canonicalJson(handle.state));
  expect((await doctor(context, run)).problems).toEqual([]);
}

function countRows(rows: readonly Item[]): { readonly by: Counts; readonly facets: Record<string, Counts> } {
  const by = zero();
  const facets: Record<string, Counts> = {};
  for (const row of rows) {
    by[row.status] = (by[row.status] ?? 0) + 1;
    for (const [facet, value] of Object.entries(row.facets)) {
      const of = (facets[`${facet}=${value}`] ??= zero());
      of[row.status] = (of[row.status] ?? 0) + 1;
    }
    if (row.status === "skipped" || row.status === "failed") expect(row.reason, `${row.id} is ${row.status} for a reason`).toBeTruthy();
  }
  return { by, facets };
}

function expectNothingLost(rows: readonly Item[]): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  expect(byId.size).toBe(rows.length);
  for (const { id, parent, status } of rows) {
    const file = parent === undefined || (status !== "pending" && status !== "in_progress") ? undefined : byId.get(parent);
    if (file !== undefined) expect(["pending", "in_progress"], `${id} is open below ${file.id}`).toContain(file.status);
  }
}
