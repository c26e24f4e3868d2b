import type { Json, JsonObject } from "../../../base/index.ts";
import { refused, type Performed } from "../../../engine/index.ts";
import type { ItemMove } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";
import { readTasks, type SessionTask, type TaskFile } from "../definition/index.ts";
import { taskOf, textIn } from "./machine-run.ts";
import { readSessionFile, taskRows } from "./session-folder.ts";
import { performed, plannedTasks, type Changes, type PerformMachine } from "./sync-session.ts";

/** The plan becomes the worklist: new tasks are added, known ones kept, and those that are gone are skipped. */
export const takeTasks: PerformMachine = async (job) => {
  const { context, run, effect } = job;
  const path = run.definition.artifacts[textIn(effect.args, "from")]?.path ?? "tasks.yaml";
  const found = await readSessionFile(context, run, path);
  const planned = found === undefined ? undefined : readTasks(found.text).file;
  // A plan does not say how far a task is; the work that is done on it does.
  const begun = (tasks: TaskFile["tasks"]): TaskFile["tasks"] => tasks.map((task) => ({ ...task, status: "not-started" }));
  const plan = planned === undefined || run.memory.brought !== null ? planned : { ...planned, tasks: begun(planned.tasks) };
  if (found === undefined || plan === undefined)
    throw refused("MACHINE_NO_PLAN", `\`${run.folder}/${path}\` cannot be read as a plan.`, "Fix the file, then retry the run.");
  const known = new Set((await taskRows(context, job.handle.id, run.tasks)).map(({ task }) => task.id));
  const claimed = plan === planned ? [] : (planned?.tasks ?? []).filter(({ id, status }) => status !== "not-started" && !known.has(id));
  const told = claimed.map(({ id, status }) => `The plan said that ${id} is ${status} before work on it began; it begins as not-started.`);
  const memory = {
    assumptions: [...run.memory.assumptions, ...told],
    plan: { project: plan.project, kept: plan.kept } as unknown as JsonObject,
    adopted: { ...run.memory.adopted, [path]: found.hash },
    written: { ...run.memory.written, [path]: found.hash },
  };
  const names = { task_count: plan.tasks.length };
  return performed(job, { tasks: plan.tasks.length }, { names, memory }, taskChange(run.tasks, plan));
};

/** Brings the worklist in line with a plan: what it drops unfinished is skipped, and what it has again after that begins again. */
export function taskChange(list: string, { tasks }: TaskFile): NonNullable<Performed["change"]> {
  return async (rows) => {
    const held = await rows.select({ list, query: {}, limit: 100_000 });
    const known = new Map(held.map((row) => [row.id, row]));
    const done = new Set([
      ...held.filter((row) => row.status === "completed" || row.status === "failed").map(({ id }) => id),
      ...tasks.filter(({ id, status }) => status === "completed" && !known.has(id)).map(({ id }) => id),
    ]);
    const moves: ItemMove[] = held.flatMap((row): ItemMove[] => {
      const task = tasks.find(({ id }) => id === row.id);
      const reason = "planned again";
      const data = task as unknown as Json;
      if (task !== undefined && row.status === "skipped") return [{ ...labelled(row, "not-started"), to: "pending", reason, data }];
      if (task !== undefined) return [{ ...moveOf(row), data }];
      const settled = row.status === "skipped" || (row.status === "completed" && row.label === "completed");
      return settled ? [] : [{ ...moveOf(row), to: "skipped", reason }];
    });
    const add = tasks.flatMap((task, index) => (known.has(task.id) ? [] : [{ ...taskItem(task, index, done), list }]));
    return { ...(add.length === 0 ? {} : { add: [{ list, items: add }] }), moves };
  };
}

/** Tasks of an earlier call of the same machine: the worklist is the run's, and none of them counts for a session that begins. */
export function skipEarlierTasks(list: string): NonNullable<Performed["change"]> {
  return async (rows) => {
    const open = await unskipped(rows, list);
    return { moves: open.map((row) => ({ ...moveOf(row), to: "skipped", reason: "earlier session" })) };
  };
}

type Rows = Parameters<NonNullable<Performed["change"]>>[0];

async function unskipped(rows: Rows, list: string): Promise<readonly Item[]> {
  const held = await rows.select({ list, query: {}, limit: 100_000 });
  return held.filter(({ status }) => status !== "skipped");
}

/** A move that changes nothing yet. */
function moveOf({ list, id, status, facets, root }: Item): ItemMove {
  return { list, id, from: status, to: status, facets, root };
}

function labelled(row: Item, label: string): ItemMove {
  return { ...moveOf(row), newFacets: { ...row.facets, label }, label };
}

function taskItem(task: SessionTask, index: number, done: ReadonlySet<string>): Omit<Item, "list"> {
  const label = task.status;
  return {
    id: task.id,
    order: String(index).padStart(6, "0"),
    status: label === "completed" ? "completed" : "pending",
    data: task as unknown as Json,
    facets: { label },
    root: task.id,
    label,
    attempts: 0,
    dependsOn: task.depends_on,
    waitsFor: task.depends_on.filter((id) => !done.has(id)).length,
  };
}

/** Tasks get further: one, or all of them at once. */
export const promoteTasks: PerformMachine = async (job) => {
  const { effect } = job;
  const to = textIn(effect.args, "to");
  const one = taskOf(effect.args["task"]);
  if (textIn(effect.args, "of") === "task" && one !== undefined) {
    const labels: Changes["labels"] = { [one.id]: to };
    return performed(job, { promoted: 1 }, { labels }, labelMoves(job.run.tasks, one.id, to));
  }
  const planned = await plannedTasks(job);
  const labels = Object.fromEntries(planned.map(({ task }) => [task.id, to]));
  return performed(job, { promoted: planned.length }, { labels }, async (rows) => ({
    moves: (await unskipped(rows, job.run.tasks)).map((row) => labelled(row, to)),
  }));
};

/** Gives tasks that were not begun a label. */
export function labelledMoves(list: string, ids: readonly string[], label: string): NonNullable<Performed["change"]> {
  return async (rows) => {
    const moves: ItemMove[] = [];
    for (const id of ids) {
      const row = await rows.read(list, id);
      if (row !== undefined && row.label === "not-started") moves.push(labelled(row, label));
    }
    return { moves };
  };
}

/** Gives a task a label; it stays in whatever state its item is. */
export function labelMoves(list: string, id: string, label: string): NonNullable<Performed["change"]> {
  return async (rows) => {
    const row = await rows.read(list, id);
    return row === undefined ? {} : { moves: [labelled(row, label)] };
  };
}
