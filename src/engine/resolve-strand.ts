import { nearest } from "../base/index.ts";
import { handOutId, isCounted, mainStrand, readHandOutId, readListName, taskName, type RunState, type Strand } from "../kernel/index.ts";
import { refused } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import type { Item } from "../program/index.ts";
import type { Store } from "../ports/index.ts";
import type { RunHandle } from "./run-cache.ts";

export type Target =
  | { readonly kind: "strand"; readonly strand: string }
  | { readonly kind: "ended_task"; readonly task: string; readonly status: string; readonly list: string };

/** The strand a caller means: main, or the one open task with this id. A task that has ended is told apart from an unknown one. */
export async function resolveStrand(context: EngineContext, handle: RunHandle, task: string | undefined): Promise<Target> {
  if (task === undefined || task === "" || task === mainStrand) return { kind: "strand", strand: mainStrand };
  const { state } = handle;
  const isMeant = (strand: Strand): boolean =>
    strand.id === task ||
    (strand.task !== undefined &&
      (handOutId(strand.task, strand.id) === task || (strand.task === task && taskName(state, strand) === task)));
  const open = Object.values(state.strands).find(isMeant);
  if (open !== undefined) return { kind: "strand", strand: open.id };
  const item = await rowOf(context, handle, task);
  if (item?.status === "pending")
    throw refused(
      "ENGINE_NO_TASK",
      `Task \`${task}\` has not been handed out yet: earlier tasks must end first.`,
      "Continue with the open tasks; this one follows by itself.",
      {},
    );
  if (item !== undefined) return { kind: "ended_task", task, status: item.status, list: item.list };
  const tasks = Object.values(state.strands).flatMap((strand) => (strand.task === undefined ? [] : [taskName(state, strand)]));
  const near = nearest(task, tasks);
  const hint = tasks.length === 0 ? " It has no open tasks." : ` Open tasks: ${tasks.slice(0, 10).join(", ")}.`;
  throw refused(
    "ENGINE_NO_TASK",
    `Run \`${handle.id}\` has no task \`${task}\`.${near.length > 0 ? ` Did you mean \`${near[0] ?? ""}\`?` : ""}${hint}`,
    "Use a task id from the open parallel_tasks step.",
    { open_tasks: tasks.slice(0, 50) },
  );
}

/**
 * The row of a task that is not open. A task that shares its name was handed out with the number of its strand, which is greater than
 * that of its list and less than that of the list after it.
 */
async function rowOf({ store }: EngineContext, { id: run, state }: RunHandle, task: string): Promise<Item | undefined> {
  const lists = (await store.itemLists(run)).toReversed();
  const parts = readHandOutId(task);
  const last = parts === undefined ? Infinity : Number(parts.id.replace(/^s/, ""));
  const [newest, ...older] = await rowsOf(store, run, task, lists);
  if (newest === undefined)
    return (
      parts &&
      (
        await rowsOf(
          store,
          run,
          parts.step,
          lists.filter((list) => (readListName(list)?.number ?? 0) < last),
        )
      )[0]
    );
  const block = readListName(newest.list)?.block;
  const same = [newest, ...older.filter(({ list }) => block !== undefined && readListName(list)?.block === block)];
  if (block !== undefined && isCounted(task, block)) return same.at(-1);
  return same.findLast(({ list }) => state.lists[list] !== undefined) ?? newest;
}

async function rowsOf(store: Store, run: string, id: string, lists: readonly string[]): Promise<readonly Item[]> {
  const rows: Item[] = [];
  for (const list of lists) {
    const row = await store.readItem(run, list, id);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

export function isOpenStrand(state: RunState, strand: string): boolean {
  const held = state.strands[strand];
  return held !== undefined && held.status !== "done" && held.status !== "failed" && held.status !== "cancelled";
}
