import { itemStatuses, type ItemStatus } from "../program/index.ts";
import type { Fresh } from "./copy-state.ts";
import type { Event, ItemMove } from "./event.ts";
import { treeKey, type ListCounts, type RunState } from "./run-state.ts";

type ItemEvent = Extract<Event, { readonly type: "items_added" | "item_moved" | "items_swept" | "list_closed" | "dependency_settled" }>;
type ByStatus = Readonly<Record<ItemStatus, number>>;

export const noCounts: ListCounts = { total: 0, by: zero(), facets: {}, hasDependencies: false };

/** Keeps counts by status and facet, and which trees are held. Rows themselves lie behind the store's port. */
export function applyItems(next: Fresh<RunState>, event: ItemEvent): void {
  switch (event.type) {
    case "items_added": {
      let counts = next.lists[event.list] ?? noCounts;
      for (const item of event.items) {
        counts = shift(counts, { to: item.status, facets: item.facets, by: 1 });
        if (item.dependsOn !== undefined && item.dependsOn.length > 0) counts = { ...counts, hasDependencies: true };
      }
      next.lists = { ...next.lists, [event.list]: { ...counts, total: counts.total + event.items.length } };
      return;
    }
    case "item_moved": {
      const { list, id, from, to, facets } = event.move;
      const counts = shift(next.lists[list] ?? noCounts, { from, to, facets, by: 1 });
      if (counts.hasDependencies && to !== "pending" && to !== "in_progress") next.settled = [...next.settled, { list, id }];
      next.lists = { ...next.lists, [list]: counts };
      next.held = holdTree(next.held, event.move);
      return;
    }
    case "items_swept": {
      let counts = shift(next.lists[event.list] ?? noCounts, { from: event.from, to: event.to, facets: {}, by: event.count });
      for (const [facet, by] of Object.entries(event.facets))
        counts = { ...counts, facets: shiftFacet(counts.facets, facet, { from: event.from, to: event.to, by }) };
      next.lists = { ...next.lists, [event.list]: counts };
      return;
    }
    case "list_closed": {
      const { [event.list]: closed, ...rest } = next.lists;
      if (closed === undefined) return;
      const sum = rest[event.into] ?? noCounts;
      const by = Object.fromEntries(itemStatuses.map((status) => [status, sum.by[status] + closed.by[status]])) as ByStatus;
      next.lists = { ...rest, [event.into]: { ...sum, total: sum.total + closed.total, by } };
      return;
    }
    case "dependency_settled":
      next.settled = next.settled.filter((entry) => entry.list !== event.list || entry.id !== event.of);
      return;
  }
}

interface Shift {
  readonly from?: ItemStatus;
  readonly to: ItemStatus;
  readonly facets: Readonly<Record<string, string>>;
  readonly by: number;
}

function shift(counts: ListCounts, change: Shift): ListCounts {
  let facets = counts.facets;
  for (const [facet, value] of Object.entries(change.facets)) facets = shiftFacet(facets, `${facet}=${value}`, change);
  return { total: counts.total, by: shiftStatus(counts.by, change), facets, hasDependencies: counts.hasDependencies };
}

function shiftFacet(facets: ListCounts["facets"], key: string, change: Pick<Shift, "from" | "to" | "by">): ListCounts["facets"] {
  return { ...facets, [key]: shiftStatus(facets[key] ?? zero(), change) };
}

function shiftStatus(by: ByStatus, { from, to, by: amount }: Pick<Shift, "from" | "to" | "by">): ByStatus {
  const next = { pending: by.pending, in_progress: by.in_progress, completed: by.completed, skipped: by.skipped, failed: by.failed };
  if (from !== undefined) next[from] -= amount;
  next[to] += amount;
  return next;
}

function holdTree(held: RunState["held"], move: ItemMove): RunState["held"] {
  if (move.strand === undefined) return held;
  const key = treeKey(move.list, move.root);
  const items = (held[key]?.items ?? 0) + (move.to === "in_progress" ? 1 : 0) - (move.from === "in_progress" ? 1 : 0);
  if (items > 0) return { ...held, [key]: { strand: move.strand, items } };
  const { [key]: _gone, ...rest } = held;
  return rest;
}

function zero(): Record<ItemStatus, number> {
  return { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };
}
