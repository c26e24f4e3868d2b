import type { Item, ItemStatus, WorkBlock } from "../program/index.ts";
import type { ItemsChange } from "./input.ts";
import { treeKey, type RunError, type TakenItem } from "./run-state.ts";
import { updateAt, write } from "./tracking.ts";
import type { Turn } from "./turn.ts";

/** Text that sorts like the number, with room between any two keys. */
export function orderKey(index: number): string {
  const digits = String(index);
  return `${String.fromCharCode(96 + digits.length)}${digits}`;
}

export function moveItem(
  turn: Turn,
  item: Item,
  to: ItemStatus,
  extra: { readonly strand?: string; readonly reason?: string | null; readonly attempts?: number },
): void {
  const attempts = to === "in_progress" ? { attempts: item.attempts + 1 } : {};
  turn.emit({
    type: "item_moved",
    move: { list: item.list, id: item.id, from: item.status, to, facets: item.facets, root: item.root, ...attempts, ...extra },
  });
}

/** Settles the item whose body runs in this strand. */
export function settleItem(turn: Turn, strandId: string, to: "completed" | "skipped" | "failed" | "pending", reason?: string): void {
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame?.kind !== "work" || frame.item === undefined) return;
  const block = turn.block(frame.block);
  const owned = block.kind === "work" && block.fill !== undefined;
  const why = reason === undefined ? {} : { reason };
  moveItem(turn, frame.item, to, owned ? why : { strand: strandId, ...why });
  turn.emit({ type: "moved", strand: strandId, patch: { item: null, names: null } });
}

/** Whether the item's tree is held, which is so for declared lists only. */
export function isHeld(turn: Turn, item: TakenItem): boolean {
  return turn.state.held[treeKey(item.list, item.root)] !== undefined;
}

/** Brings rows and counters up to date with what an input says of them. */
/** Whether rows that were not open are afterwards. */
export function opensItems({ add = [], moves = [], sweeps = [] }: ItemsChange): boolean {
  const open = (status: ItemStatus): boolean => status === "pending" || status === "in_progress";
  return (
    add.some(({ items }) => items.some((item) => open(item.status))) ||
    [...moves, ...sweeps].some(({ from, to }) => open(to) && !open(from))
  );
}

export function changeItems(turn: Turn, change: ItemsChange | undefined): void {
  for (const { list, items } of change?.add ?? []) if (items.length > 0) turn.emit({ type: "items_added", list, items });
  for (const move of change?.moves ?? []) turn.emit({ type: "item_moved", move });
  for (const sweep of change?.sweeps ?? []) if (sweep.count > 0) turn.emit({ type: "items_swept", ...sweep });
  for (const [key, by] of Object.entries(change?.count ?? {})) turn.emit({ type: "counted", key, by });
}

export function attemptKey(list: string, id: string): string {
  return `attempts:${list}/${id}`;
}

interface TaskFailure {
  readonly task: string;
  readonly error: RunError;
  readonly attempts: number;
}

export function collect(turn: Turn, strandId: string, block: WorkBlock, failure: TaskFailure): void {
  const path = block.onItemFailure?.collect;
  if (path === undefined) return;
  const value = { task_id: failure.task, message: failure.error.message, type: failure.error.code, attempts: failure.attempts };
  const update = updateAt(path, "append", value);
  if (update !== undefined) write(turn, turn.strand(strandId).scope, [update]);
}
