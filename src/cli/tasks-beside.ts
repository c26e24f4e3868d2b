import type { JsonObject } from "../base/index.ts";
import { status, type EngineContext, type Position } from "../engine/index.ts";
import { tasksBeside } from "../views/index.ts";
import { nextLine } from "./printed-lines.ts";
import { counted } from "./render-table.ts";

/** A task that is open beside the current step. */
export interface TaskBeside {
  readonly task: string;
  /** An agent works on it. */
  readonly running: boolean;
  /** The line that shows it. */
  readonly command: string;
}

const tasksShown = 10;

/**
 * The tasks that the caller's own work does not wait for. They are shown with every step until they are over: a person at a command line
 * has no connection that could remember what it was shown.
 */
export async function tasksBesideOf(context: EngineContext, { run, state, strand, standing }: Position): Promise<readonly TaskBeside[]> {
  const shown = standing.kind === "action" ? standing.action.id : undefined;
  const tasks = tasksBeside(state, strand).flatMap((group) => (group.action.id === shown ? [] : (group.tasks ?? [])));
  if (tasks.length === 0) return [];
  const { strands } = await status(context, run);
  const alive = new Set(strands.filter((each) => each.alive && each.holder !== undefined).map((each) => each.strand));
  return tasks.map(({ task, strand: of }) => ({ task, running: alive.has(of), command: nextLine(run, task) }));
}

/** For scripts: every one of them. */
export function besideData(tasks: readonly TaskBeside[]): JsonObject {
  if (tasks.length === 0) return {};
  return { tasks_beside: tasks.map(({ task, running, command }) => ({ task_id: task, ...(running ? { running } : {}), command })) };
}

/** For people: those that nobody has begun come first. */
export function besideLines(tasks: readonly TaskBeside[]): readonly string[] {
  if (tasks.length === 0) return [];
  const sorted = tasks.toSorted((one, other) => Number(one.running) - Number(other.running));
  return [
    "",
    `Beside this step ${counted(tasks.length, "task is", "tasks are")} open:`,
    ...sorted.slice(0, tasksShown).map(({ command, running }) => `  ${command}${running ? "   (running)" : ""}`),
    ...(tasks.length > tasksShown ? [`  and ${tasks.length - tasksShown} more`] : []),
    "",
  ];
}
