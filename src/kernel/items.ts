import { defined } from "../base/index.ts";
import type { ItemStatus, WorkBlock } from "../program/index.ts";
import { isSettled } from "./apply-items.ts";
import type { ItemMove } from "./event.ts";
import type { Frame, WorkFrame } from "./frame.ts";
import type { ItemsChange } from "./input.ts";
import { treeKey } from "./read-state.ts";
import type { TakenItem } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** The only way a row is moved: what depends on an item that is open again has to be counted again. */
export function emitMove(turn: Turn, move: ItemMove): void {
  const reopens = turn.state.lists[move.list]?.hasDependencies === true && isSettled(move.from) && !isSettled(move.to);
  turn.emit({ type: "item_moved", move: reopens ? { ...move, reopens } : move });
}

/** An item that is open again without having been settled may have items behind it that are: they were left as they were when it was opened alone. */
export function emitReopened(turn: Turn, { list, id, reason }: Pick<ItemMove, "list" | "id" | "reason">): void {
  if (turn.state.lists[list]?.hasDependencies !== true) return;
  turn.emit({
    type: "item_moved",
    move: { list, id, from: "pending", to: "pending", facets: {}, root: id, reopens: true, ...defined({ reason }) },
  });
}

type Taken = Omit<TakenItem, "attempts">;

/** An item that the strand works on gets another status. The strand is named where it holds the item's tree. */
export function moveTaken(
  turn: Turn,
  strand: string,
  { list, id, facets, root }: Taken,
  outcome: { readonly to: ItemStatus; readonly reason?: string; readonly attempts?: number },
): void {
  const held = isHeld(turn, { list, root }) ? { strand } : {};
  emitMove(turn, { list, id, facets, root, from: "in_progress", ...outcome, ...held });
}

/** Settles the item whose body runs in this strand. */
export function settleItem(turn: Turn, strandId: string, to: "completed" | "skipped" | "pending", reason?: string): undefined {
  const frame = turn.top(strandId);
  if (frame?.kind !== "work" || frame.item === undefined) return;
  moveTaken(turn, strandId, frame.item, reason === undefined ? { to } : { to, reason });
  turn.move(strandId, { item: null, names: null });
}

/** Whether the item's tree is held, which is so for declared lists only. */
export function isHeld(turn: Turn, { list, root }: Pick<TakenItem, "list" | "root">): boolean {
  return turn.state.held[treeKey(list, root)] !== undefined;
}

/** Whether rows that were not open are afterwards. */
export function opensItems({ add = [], moves = [], sweeps = [] }: ItemsChange): boolean {
  return (
    add.some(({ items }) => items.some((item) => !isSettled(item.status))) ||
    [...moves, ...sweeps].some(({ from, to }) => isSettled(from) && !isSettled(to))
  );
}

/** Brings rows and counters up to date with what an input says of them. */
export function changeItems(turn: Turn, { add = [], moves = [], sweeps = [], count = {} }: ItemsChange): undefined {
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
    if (frame?.kind === "work" && frame.phase === "inputs" && lists.has(frame.list)) turn.move(id, { phase: "run", next: null });
  }
}

/** A work that waits for its strands and has room looks whether there is more to hand out. */
export function wakeWorks(turn: Turn, lists: ReadonlySet<string>, whole = false): void {
  for (const { id, waits, frames } of lists.size === 0 ? [] : Object.values(turn.state.strands)) {
    const frame = frames.at(-1);
    if (frame?.kind !== "work" || waits?.on !== "strands" || !lists.has(frame.list)) continue;
    if (whole || roomFor(turn.blockOf(frame), frame) > 0) turn.ready(id);
  }
}

/** How many items of the work may be worked on at once. */
export function parallelOf({ parallel }: WorkBlock, frame: Frame): number | undefined {
  return typeof parallel === "object" ? frame.limits?.parallel : parallel;
}

/** How many more items of the work may be handed out. */
export function roomFor(block: WorkBlock, frame: WorkFrame): number {
  if (frame.mode === "each") return 1;
  return (block.pull === true ? (frame.wanted ?? 1) : (parallelOf(block, frame) ?? 10)) - frame.open.length;
}
