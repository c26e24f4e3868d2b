import { isObject, own, type JsonObject } from "../base/index.ts";
import type { ListCounts, RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

type Counts = Pick<ListCounts, "total" | "by">;

interface Run {
  readonly program: Pick<Program, "parts">;
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

/** Counts of every worklist with items to work on: what came of the work is kept in lists as well, and is none. */
export function itemCounts({ program, state }: Run): readonly Counts[] {
  const outcomes = outcomeLists(program);
  return Object.entries(state.lists).flatMap(([id, list]) => (outcomes.has(id) ? [] : countsOf(id, list)));
}

/** Lists in which checklists keep findings and proposed changes, and bots that are called what was done. */
function outcomeLists({ parts }: Run["program"]): ReadonlySet<unknown> {
  const kept: Readonly<Record<string, readonly string[]>> = { checklist: ["findings", "changes"], bots: ["activity"] };
  return new Set(
    Object.values(parts).flatMap(({ dialect, config: { lists } }) =>
      isObject(lists) ? (own(kept, dialect) ?? []).map((name) => lists[name]) : [],
    ),
  );
}

/** Of a bot, its actions count: neither the behaviours above them nor the log of what was done. */
function countsOf(id: string, list: ListCounts): readonly Counts[] {
  const actions = list.facets["kind=action"];
  if (actions !== undefined) return [{ by: actions, total: Object.values(actions).reduce((sum, count) => sum + count, 0) }];
  return id === "activity" && Object.keys(list.facets).every((facet) => facet.startsWith("state=")) ? [] : [list];
}
