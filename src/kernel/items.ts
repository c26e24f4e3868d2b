import type { Item, ItemStatus, WorkBlock } from "../program/index.ts";
import { isSettled } from "./apply-items.ts";
import type { ItemMove } from "./event.ts";
import type { ItemsChange } from "./input.ts";
import { roomFor } from "./limit-values.ts";
import { treeKey, type RunError, type TakenItem } from "./run-state.ts";
import { updateAt, write } from "./tracking.ts";
import type { Turn } from "./turn.ts";

/** Text that sorts like the number, with room between any two keys. */
export function orderKey(index: number): string {
  const digits = String(index);
  return `${String.fromCharCode(96 + digits.length)}${digits}`;
}

/** The only way a row is moved: whoever depends on an item that is open again has to be counted again. */
export function emitMove(turn: Turn, move: ItemMove): void {
  const reopens = turn.state.lists[move.list]?.hasDependencies === true && isSettled(move.from) && !isSettled(move.to);
  turn.emit({ type: "item_moved", move: reopens ? { ...move, reopens } : move });
}

export function moveItem(
  turn: Turn,
  item: Item,
  to: ItemStatus,
  extra: { readonly strand?: string; readonly reason?: string | null; readonly attempts?: number },
): void {
  const attempts = to === "in_progress" ? { attempts: item.attempts + 1 } : {};
  emitMove(turn, { list: item.list, id: item.id, from: item.status, to, facets: item.facets, root: item.root, ...attempts, ...extra });
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
export function isHeld(turn: Turn, item: Pick<TakenItem, "list" | "root">): boolean {
  return turn.state.held[treeKey(item.list, item.root)] !== undefined;
}

/** Whether rows that were not open are afterwards. */
export function opensItems({ add = [], moves = [], sweeps = [] }: ItemsChange): boolean {
  return (
    add.some(({ items }) => items.some((item) => !isSettled(item.status))) ||
    [...moves, ...sweeps].some(({ from, to }) => isSettled(from) && !isSettled(to))
  );
}

/** Brings rows and counters up to date with what an input says of them. */
export function changeItems(turn: Turn, { add = [], moves = [], sweeps = [], count = {} }: ItemsChange = {}): void {
  for (const { list, items } of add) if (items.length > 0) turn.emit({ type: "items_added", list, items });
  for (const move of moves) emitMove(turn, move);
  for (const sweep of sweeps) if (sweep.count > 0) turn.emit({ type: "items_swept", ...sweep });
  for (const [key, by] of Object.entries(count)) turn.emit({ type: "counted", key, by });
  chooseAgain(turn, new Set([...moves, ...sweeps].map(({ list }) => list)));
  const reopened = moves.filter(({ from, to, newFacets }) => to === "pending" && (from !== to || newFacets !== undefined));
  const opened = [...add, ...reopened, ...sweeps.filter(({ from, to }) => to === "pending" && from !== to)];
  wakeWorks(turn, new Set(opened.map(({ list }) => list)));
}

/** An item that was chosen but not opened yet may not be the right one any more. */
function chooseAgain(turn: Turn, lists: ReadonlySet<string>): void {
  for (const { id, frames } of Object.values(turn.state.strands)) {
    const frame = frames.at(-1);
    if (frame?.kind === "work" && frame.phase === "inputs" && lists.has(frame.list))
      turn.emit({ type: "moved", strand: id, patch: { phase: "run", next: null } });
  }
}

/** Works that wait for their strands look again when dependencies in their lists settled or were reopened. */
export function wakeForNotices(turn: Turn): void {
  if (turn.state.settled.length > 0 && turn.state.status === "running")
    wakeWorks(turn, new Set(turn.state.settled.map(({ list }) => list)), true);
}

/** A work that waits for its strands and has room looks whether there is more to hand out. */
function wakeWorks(turn: Turn, lists: ReadonlySet<string>, whole = false): void {
  for (const { id, waits, frames } of lists.size === 0 ? [] : Object.values(turn.state.strands)) {
    const frame = frames.at(-1);
    if (frame?.kind !== "work" || waits?.on !== "strands" || !lists.has(frame.list)) continue;
    const block = turn.block(frame.block);
    if (whole || (block.kind === "work" && roomFor(block, frame) > 0)) turn.emit({ type: "ready", strand: id });
  }
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
