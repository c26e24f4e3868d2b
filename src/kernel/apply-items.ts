import { itemStatuses, type ItemStatus } from "../program/index.ts";
import type { Fresh } from "./copy-state.ts";
import type { Event, ItemMove } from "./event.ts";
import { treeKey, wholeList, type ListCounts, type Notice, type RunState } from "./run-state.ts";

export type ItemEvent = Extract<
  Event,
  {
    readonly type: "items_added" | "item_moved" | "items_swept" | "list_closed" | "dependency_settled" | "dependency_reopened";
  }
>;
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
      const { list, from, to, facets, newFacets } = event.move;
      const before = next.lists[list] ?? noCounts;
      const counts = newFacets === undefined ? shift(before, { from, to, facets, by: 1 }) : refacet(before, event.move, newFacets);
      if (counts.hasDependencies) next.settled = noticed(next.settled, event.move);
      next.lists = { ...next.lists, [list]: counts };
      next.held = holdTree(next.held, event.move);
      if (newFacets !== undefined) next.strands = regrip(next.strands, event.move, newFacets);
      return;
    }
    case "items_swept": {
      let counts = shift(next.lists[event.list] ?? noCounts, { from: event.from, to: event.to, facets: {}, by: event.count });
      for (const [facet, by] of Object.entries(event.facets))
        counts = { ...counts, facets: shiftFacet(counts.facets, facet, { from: event.from, to: event.to, by }) };
      if (counts.hasDependencies) next.settled = swept(next.settled, event);
      next.lists = { ...next.lists, [event.list]: counts };
      return;
    }
    case "list_closed": {
      const { [event.list]: closed, ...rest } = next.lists;
      if (closed === undefined) return;
      const sum = rest[event.into] ?? noCounts;
      const by = Object.fromEntries(itemStatuses.map((status) => [status, sum.by[status] + closed.by[status]])) as ByStatus;
      next.lists = { ...rest, [event.into]: { ...sum, total: sum.total + closed.total, by } };
      next.settled = next.settled.filter((notice) => notice.list !== event.list);
      return;
    }
    case "dependency_settled":
    case "dependency_reopened":
      next.settled = next.settled.filter((entry) => entry.list !== event.list || entry.id !== event.of);
      return;
  }
}

/** Of the notices about one item only the last says how it is; an older one that it settled is left in place. */
function noticed(notices: RunState["settled"], { list, id, from, to, reopens }: ItemMove): RunState["settled"] {
  const about = (notice: Notice): boolean => notice.list === list && notice.id === id;
  if (reopens === true) return [...notices.filter((notice) => !about(notice)), { list, id, reopened: true }];
  if (from === to || !isSettled(to)) return notices;
  return [...notices.filter((notice) => !about(notice) || notice.reopened !== true), { list, id }];
}

/** Nobody knows which rows were swept, so one notice about the whole list takes the place of those about its items. */
function swept(notices: RunState["settled"], { list, from, to }: Extract<Event, { readonly type: "items_swept" }>): RunState["settled"] {
  if (isSettled(from) === isSettled(to)) return notices;
  const reopened = isSettled(from) ? { reopened: true as const } : {};
  return [...notices.filter((notice) => notice.list !== list), { list, id: wholeList, ...reopened }];
}

/** Whether nobody works on an item of this status any more. */
export function isSettled(status: ItemStatus): boolean {
  return status !== "pending" && status !== "in_progress";
}

/** Whoever has the item in hand knows it by its facets, which counts are kept by. */
function regrip(strands: RunState["strands"], { list, id }: ItemMove, facets: ItemMove["facets"]): RunState["strands"] {
  const same = (held: { readonly list: string; readonly id: string } | undefined): boolean => held?.list === list && held.id === id;
  const changed = Object.values(strands).flatMap((strand) => {
    const inFrame = strand.frames.some((frame) => frame.kind === "work" && same(frame.item));
    if (!inFrame && !same(strand.item)) return [];
    const frames = strand.frames.map((frame) =>
      frame.kind === "work" && frame.item !== undefined && same(frame.item) ? { ...frame, item: { ...frame.item, facets } } : frame,
    );
    return [
      [
        strand.id,
        { ...strand, frames, ...(strand.item !== undefined && same(strand.item) ? { item: { ...strand.item, facets } } : {}) },
      ] as const,
    ];
  });
  return changed.length === 0 ? strands : { ...strands, ...Object.fromEntries(changed) };
}

interface Shift {
  readonly from?: ItemStatus;
  readonly to?: ItemStatus;
  readonly facets: Readonly<Record<string, string>>;
  readonly by: number;
}

function shift(counts: ListCounts, change: Shift): ListCounts {
  let facets = counts.facets;
  for (const [facet, value] of Object.entries(change.facets)) facets = shiftFacet(facets, `${facet}=${value}`, change);
  return { total: counts.total, by: shiftStatus(counts.by, change), facets, hasDependencies: counts.hasDependencies };
}

/** Leaves the counts of its old facets and joins those of the new ones. */
function refacet(counts: ListCounts, { from, to, facets }: ItemMove, newFacets: ItemMove["facets"]): ListCounts {
  let by = counts.facets;
  for (const [facet, value] of Object.entries(facets)) by = shiftFacet(by, `${facet}=${value}`, { from, by: 1 });
  for (const [facet, value] of Object.entries(newFacets)) by = shiftFacet(by, `${facet}=${value}`, { to, by: 1 });
  return { ...counts, by: shiftStatus(counts.by, { from, to, by: 1 }), facets: by };
}

function shiftFacet(facets: ListCounts["facets"], key: string, change: Pick<Shift, "from" | "to" | "by">): ListCounts["facets"] {
  return { ...facets, [key]: shiftStatus(facets[key] ?? zero(), change) };
}

function shiftStatus(by: ByStatus, { from, to, by: amount }: Pick<Shift, "from" | "to" | "by">): ByStatus {
  const next = { pending: by.pending, in_progress: by.in_progress, completed: by.completed, skipped: by.skipped, failed: by.failed };
  if (from !== undefined) next[from] -= amount;
  if (to !== undefined) next[to] += amount;
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
