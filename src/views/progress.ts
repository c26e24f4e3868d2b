import type { JsonObject } from "../base/index.ts";
import type { ListCounts, RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

type Counts = Pick<ListCounts, "total" | "by">;

interface Run {
  readonly program: Pick<Program, "parts" | "blocks">;
  readonly state: Pick<RunState, "lists">;
}

/** Counts over all items that are worked on; absent when the run has none. */
export function progressOf(run: Run): { readonly progress?: JsonObject } {
  const lists = itemCounts(run);
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  if (total === 0) return {};
  const sum = (status: "pending" | "in_progress" | "completed" | "skipped" | "failed"): number =>
    lists.reduce((all, list) => all + list.by[status], 0);
  const failed = sum("failed");
  const skipped = sum("skipped");
  return { progress: { done: sum("completed"), total, ...(failed > 0 ? { failed } : {}), ...(skipped > 0 ? { skipped } : {}) } };
}

/** Counts of every worklist with items to work on: what came of the work is kept in lists as well, and does not count. */
export function itemCounts({ program, state }: Run): readonly Counts[] {
  const records = recordLists(program);
  return Object.entries(state.lists).flatMap(([id, list]) => (records.has(id) ? [] : [countsOf(list)]));
}

const known = new WeakMap<Run["program"]["blocks"], ReadonlySet<string>>();

/** Declared lists that no block works through: they record what was found or done. */
function recordLists({ parts, blocks }: Run["program"]): ReadonlySet<string> {
  const before = known.get(blocks);
  if (before !== undefined) return before;
  const worked = new Set(Object.values(blocks).map((block) => (block.kind === "work" ? block.list : undefined)));
  const declared = Object.values(parts).flatMap(({ worklists }) => worklists.map(({ id }) => id));
  const records = new Set(declared.filter((id) => !worked.has(id)));
  known.set(blocks, records);
  return records;
}

/** Where rows are groups with actions below them, the actions count. */
function countsOf(list: ListCounts): Counts {
  const actions = list.facets["kind=action"];
  return actions === undefined ? list : { by: actions, total: Object.values(actions).reduce((sum, count) => sum + count, 0) };
}
