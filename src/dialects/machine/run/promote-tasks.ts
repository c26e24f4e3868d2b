import { syncing, type PerformMachine } from "./machine-job.ts";
import { taskOf, textIn } from "./machine-run.ts";
import { labelMoves } from "./prepare.ts";
import { taskRows } from "./session-folder.ts";
import { performed, type Changes } from "./sync-session.ts";

/** Tasks get further: one, or all of them at once. */
export const promoteTasks: PerformMachine = async (job) => {
  const { context, handle, effect } = job;
  const to = textIn(effect.args, "to");
  const one = taskOf(effect.args["task"]);
  if (textIn(effect.args, "of") === "task" && one !== undefined) {
    const labels: Changes["labels"] = { [one.id]: to };
    return performed(syncing(job), { promoted: 1 }, { labels }, labelMoves(job.run.tasks, one.id, to));
  }
  const rows = (await taskRows(context, handle.id, job.run.tasks)).filter(({ status }) => status !== "skipped");
  const labels = Object.fromEntries(rows.map(({ task }) => [task.id, to]));
  return performed(syncing(job), { promoted: rows.length }, { labels }, async (held) => {
    const all = await held.select({ list: job.run.tasks, query: {}, limit: 100_000 });
    const moves = all
      .filter(({ status }) => status !== "skipped")
      .map(({ list, id, status, facets, root }) => ({
        list,
        id,
        from: status,
        to: status,
        facets,
        newFacets: { ...facets, label: to },
        root,
        label: to,
      }));
    return { moves };
  });
};
