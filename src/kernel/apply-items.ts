import { itemStatuses, type ItemStatus } from "../program/index.ts";
import type { EventOf, ItemMove } from "./event.ts";
import { treeKey, wholeList } from "./read-state.ts";
import type { Fresh, ListCounts, Notice, RunState, Strand } from "./run-state.ts";
import { without } from "./write-state.ts";

// Counts by status and facet, and which trees are held. Rows themselves are behind the store's port.

type Next = Fresh<RunState>;
type ByStatus = Readonly<Record<ItemStatus, number>>;

const none: ByStatus = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };
const noCounts: ListCounts = { total: 0, by: none, facets: {}, hasDependencies: false };

export function addItems(next: Next, { list, items }: EventOf<"items_added">): void {
  let counts = next.lists[list] ?? noCounts;
  for (const { status, facets, dependsOn = [] } of items) {
    counts = shift(counts, { to: status, by: 1 }, keysOf(facets));
    if (dependsOn.length > 0) counts = { ...counts, hasDependencies: true };
  }
  next.lists = { ...next.lists, [list]: { ...counts, total: counts.total + items.length } };
}

export function followMove(next: Next, { move }: EventOf<"item_moved">): void {
  const { list, from, to, facets, newFacets } = move;
  let counts = next.lists[list] ?? noCounts;
  if (newFacets === undefined) counts = shift(counts, { from, to, by: 1 }, keysOf(facets));
  else {
    counts = shift(shift(counts, { from, by: 1 }, keysOf(facets)), { to, by: 1 }, keysOf(newFacets));
    next.strands = updateFacets(next.strands, move, newFacets);
  }
  if (counts.hasDependencies) next.settled = noticed(next.settled, move);
  next.lists = { ...next.lists, [list]: counts };
  next.held = holdTree(next.held, move);
}

export function sweepItems(next: Next, { list, from, to, count, facets }: EventOf<"items_swept">): void {
  let counts = shift(next.lists[list] ?? noCounts, { from, to, by: count });
  for (const [facet, by] of Object.entries(facets)) counts = { ...counts, facets: shiftFacet(counts.facets, facet, { from, to, by }) };
  if (counts.hasDependencies && isSettled(from) !== isSettled(to)) {
    // Nobody knows which rows were swept, so one notice about the whole list takes the place of those about its items.
    const notice = { list, id: wholeList, ...(isSettled(from) ? { reopened: true as const } : {}) };
    next.settled = [...next.settled.filter((other) => other.list !== list), notice];
  }
  next.lists = { ...next.lists, [list]: counts };
}

export function closeList(next: Next, { list, into }: EventOf<"list_closed">): void {
  const { [list]: closed, ...rest } = next.lists;
  if (closed === undefined) return;
  const sum = rest[into] ?? noCounts;
  const by = Object.fromEntries(itemStatuses.map((status) => [status, sum.by[status] + closed.by[status]])) as ByStatus;
  next.lists = { ...rest, [into]: { ...sum, total: sum.total + closed.total, by } };
  next.settled = next.settled.filter((notice) => notice.list !== list);
}

export function dropNotice(next: Next, { list, of }: EventOf<"dependency_settled" | "dependency_reopened">): void {
  next.settled = next.settled.filter((notice) => notice.list !== list || notice.id !== of);
}

/** Of the notices about one item only the last says how it is; an older one that it settled is left in place. */
function noticed(notices: RunState["settled"], { list, id, from, to, reopens, alone }: ItemMove): RunState["settled"] {
  const about = (notice: Notice): boolean => notice.list === list && notice.id === id;
  if (reopens === true)
    return [...notices.filter((notice) => !about(notice)), { list, id, reopened: true, ...(alone === true ? { alone } : {}) }];
  if (from === to || !isSettled(to)) return notices;
  return [...notices.filter((notice) => !about(notice) || notice.reopened !== true), { list, id }];
}

/** Whether nobody works on an item of this status any more. */
export function isSettled(status: ItemStatus): boolean {
  return status !== "pending" && status !== "in_progress";
}

/** Strands that work on the item know it by its facets, which counts are kept by. */
function updateFacets(strands: RunState["strands"], { list, id }: ItemMove, facets: ItemMove["facets"]): RunState["strands"] {
  const isIt = (item: Pick<ItemMove, "list" | "id"> | undefined): boolean => item?.list === list && item.id === id;
  const inFrame = (frame: Strand["frames"][number]): boolean => frame.kind === "work" && isIt(frame.item);
  let changed = strands;
  for (const strand of Object.values(strands)) {
    if (!strand.frames.some(inFrame) && !isIt(strand.item)) continue;
    const frames = strand.frames.map((frame) =>
      frame.kind === "work" && frame.item !== undefined && isIt(frame.item) ? { ...frame, item: { ...frame.item, facets } } : frame,
    );
    const item = strand.item !== undefined && isIt(strand.item) ? { item: { ...strand.item, facets } } : {};
    changed = { ...changed, [strand.id]: { ...strand, frames, ...item } };
  }
  return changed;
}

interface Shift {
  readonly from?: ItemStatus;
  readonly to?: ItemStatus;
  readonly by: number;
}

/** Counts after so many items left one status for another, or joined one, or left one; `keys` are the facets that they have. */
function shift(counts: ListCounts, change: Shift, keys: readonly string[] = []): ListCounts {
  let { facets } = counts;
  for (const key of keys) facets = shiftFacet(facets, key, change);
  return { total: counts.total, by: shiftStatus(counts.by, change), facets, hasDependencies: counts.hasDependencies };
}

function keysOf(facets: ItemMove["facets"]): string[] {
  return Object.entries(facets).map(([facet, value]) => `${facet}=${value}`);
}

function shiftFacet(facets: ListCounts["facets"], key: string, change: Shift): ListCounts["facets"] {
  return { ...facets, [key]: shiftStatus(facets[key] ?? none, change) };
}

function shiftStatus(by: ByStatus, { from, to, by: amount }: Shift): ByStatus {
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
  return without(held, key);
}
