import { nearest } from "../base/index.ts";
import { handOutId, mainStrand, readHandOutId, type RunState } from "../kernel/index.ts";
import { refused } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";

export type Target =
  | { readonly kind: "strand"; readonly strand: string }
  | { readonly kind: "ended_task"; readonly task: string; readonly status: string; readonly list: string };

/** The strand a caller means: main, or the one open task with this id. A task that has ended is told apart from an unknown one. */
export async function resolveStrand(context: EngineContext, handle: RunHandle, task: string | undefined): Promise<Target> {
  if (task === undefined || task === "" || task === mainStrand) return { kind: "strand", strand: mainStrand };
  // Of several open tasks of one name the oldest has it to itself; the others were handed out under an id of their own.
  const open = Object.values(handle.state.strands).find(
    (strand) => strand.task === task || strand.id === task || (strand.task !== undefined && handOutId(strand.task, strand.id) === task),
  );
  if (open !== undefined) return { kind: "strand", strand: open.id };
  const name = readHandOutId(task)?.step ?? task;
  for (const list of (await context.store.itemLists(handle.id)).toReversed()) {
    const item = (await context.store.readItem(handle.id, list, task)) ?? (await context.store.readItem(handle.id, list, name));
    if (item !== undefined && item.status !== "pending") return { kind: "ended_task", task, status: item.status, list };
    if (item !== undefined)
      throw refused(
        "ENGINE_NO_TASK",
        `Task \`${task}\` has not been handed out yet: earlier tasks must end first.`,
        "Go on with the open tasks; this one follows by itself.",
        {},
      );
  }
  const tasks = Object.values(handle.state.strands).flatMap((strand) => (strand.task === undefined ? [] : [strand.task]));
  const near = nearest(task, tasks);
  const hint = tasks.length === 0 ? " It has no open tasks." : ` Open tasks: ${tasks.slice(0, 10).join(", ")}.`;
  throw refused(
    "ENGINE_NO_TASK",
    `Run \`${handle.id}\` has no task \`${task}\`.${near.length > 0 ? ` Did you mean \`${near[0] ?? ""}\`?` : ""}${hint}`,
    "Use a task id from the open parallel_tasks step.",
    { open_tasks: tasks.slice(0, 50) },
  );
}

export function isOpenStrand(state: RunState, strand: string): boolean {
  const held = state.strands[strand];
  return held !== undefined && held.status !== "done" && held.status !== "failed" && held.status !== "cancelled";
}
