import type { Item, Program } from "../program/index.ts";
import { handOutId } from "./read-state.ts";
import type { RunState, Strand } from "./run-state.ts";

/**
 * A list that a work filled: the block, a number that no other list has, and whether the names of its items may be those of other
 * tasks. Then its tasks are named with that number.
 */
interface FilledList {
  readonly block: string;
  readonly number: number;
  readonly apart: boolean;
}

export function listName({ block, number, apart }: FilledList): string {
  return `${block}#${number}${apart ? "@" : ""}`;
}

/** undefined for a declared list. */
export function readListName(list: string): FilledList | undefined {
  const parts = /^(?<block>.*)#(?<number>\d+)(?<apart>@?)$/s.exec(list)?.groups;
  return parts && { block: parts["block"] ?? "", number: Number(parts["number"]), apart: parts["apart"] !== "" };
}

/** What a task is called from outside, from its beginning to its end and in every try. A strand that is not a task has its own id. */
export function taskName({ id, task, item }: Pick<Strand, "id" | "task" | "item">): string {
  return task === undefined ? id : nameOfItem({ list: item?.list ?? "", id: task });
}

/** The same for the row of a task, which is there when the task is over. */
export function nameOfItem({ list, id }: Pick<Item, "list" | "id">): string {
  return readListName(list)?.apart === true ? nameInList(id, list) : id;
}

/** A name that no other task of the run has, also when its own is free again: `each.0@g12`. */
export function nameInList(task: string, list: string): string {
  const filled = readListName(list);
  return filled === undefined ? task : handOutId(task, `g${filled.number}`);
}

/** The name of the main strand, and names that keep tasks apart. */
const reserved = /^(?:main|.*@[gs]\d+)$/s;

/**
 * Whether the items of a list that is about to be filled need names of their own. A name that counts items is used once in a run. One of
 * the author's is used again when nobody can mean an earlier task by it: no other tasks are open.
 */
export function needsNames({ lists }: RunState, { blocks }: Program, block: string, ids: readonly string[]): boolean {
  if (ids.some((id) => reserved.test(id))) return true;
  const open = Object.keys(lists).flatMap((list) => readListName(list)?.block ?? []);
  if (ids.every((id) => isCounted(id, block))) return lists[block] !== undefined || open.includes(block);
  return open.some((other) => {
    const known = blocks[other];
    return known?.kind === "work" && known.task !== undefined;
  });
}

/** Whether the name is not the author's: the block and the place of the item. */
function isCounted(task: string, block: string): boolean {
  return task.startsWith(`${block}.`) && /^\d+$/.test(task.slice(block.length + 1));
}
