import { handOutId } from "./hand-out-id.ts";
import type { RunState, Strand } from "./run-state.ts";

/**
 * What a task is called from outside: by its own name, or by an id that no other has. An author's id means the newest task of that name,
 * so another one is needed only beside an older open task, or an open group that had one. An id that counts items is never used twice.
 */
export function taskName(state: RunState, { id, task, item }: Pick<Strand, "id" | "task" | "item">): string {
  if (task === undefined) return id;
  if (isLater(state, task, item?.list)) return handOutId(task, id);
  const oldest = Object.values(state.strands).find((strand) => strand.task === task && !isLater(state, task, strand.item?.list));
  return oldest === undefined || oldest.id === id ? task : handOutId(task, id);
}

/** Of a list that a work filled: the block, and the number that no other list has. */
export function readListName(list: string): { readonly block: string; readonly number: number } | undefined {
  const at = list.lastIndexOf("#");
  return at < 0 ? undefined : { block: list.slice(0, at), number: Number(list.slice(at + 1)) };
}

/** Whether the name is not the author's: the block and the place of the item. */
export function isCounted(task: string, block: string): boolean {
  return task.startsWith(`${block}.`) && /^\d+$/.test(task.slice(block.length + 1));
}

/** Whether the block that filled the list had the name before. Lists that are closed are counted under the block's id. */
function isLater({ lists }: RunState, task: string, list: string | undefined): boolean {
  const own = list === undefined ? undefined : readListName(list);
  if (own === undefined) return false;
  if (lists[own.block] !== undefined && isCounted(task, own.block)) return true;
  return Object.keys(lists).some((other) => {
    const known = readListName(other);
    return known?.block === own.block && known.number < own.number;
  });
}
