import { syncing, type PerformMachine } from "./machine-job.ts";
import { taskList, taskOf, textIn } from "./machine-run.ts";
import { labelMoves } from "./prepare.ts";
import { reportText } from "./report-text.ts";
import { sessionFilesOf, taskRows, writeSessionFile } from "./session-folder.ts";
import { performed, type Changes } from "./sync-session.ts";
import { changesSince } from "./workspace-changes.ts";
import { sessionFiles } from "../../dialects/index.ts";

/** A state is entered: status files show it from now on. */
export const enterState: PerformMachine = async (job) => {
  const { run, effect } = job;
  const name = textIn(effect.args, "state");
  const shown = textIn(effect.args, "shown");
  const outermost = textIn(effect.args, "within") === "";
  const correcting = textIn(run.raw, "settled_gate").startsWith("correct:") && run.memory.tracking?.correction_status === "queued";
  const names = { state: shown, answer: null, ...(correcting ? {} : { settled_gate: "" }) };
  const otherwise = Object.values(run.definition.modes).some((mode) => mode.otherwise === name);
  const mode = outermost && otherwise && run.mode !== run.definition.defaultMode ? { mode: run.definition.defaultMode } : {};
  const left =
    Object.keys(mode).length === 0
      ? {}
      : { assumptions: [...run.memory.assumptions, `The mode ${run.mode} was left: the work is larger than it allows.`] };
  const memory = { ...left, ...(run.memory.brought === name ? { brought: null } : {}) };
  return performed(syncing(job), { state: name }, { names: { ...names, ...mode }, memory });
};

/** Tasks get further: one, or all of them at once. */
export const promote: PerformMachine = async (job) => {
  const { context, handle, effect } = job;
  const to = textIn(effect.args, "to");
  const one = taskOf(effect.args["task"]);
  if (textIn(effect.args, "of") === "task" && one !== undefined) {
    const labels: Changes["labels"] = { [one.id]: to };
    return performed(syncing(job), { promoted: 1 }, { labels }, labelMoves(one.id, to));
  }
  const rows = (await taskRows(context, handle.id)).filter(({ status }) => status !== "skipped");
  const labels = Object.fromEntries(rows.map(({ task }) => [task.id, to]));
  return performed(syncing(job), { promoted: rows.length }, { labels }, async (held) => {
    const all = await held.select({ list: taskList, query: {}, limit: 100_000 });
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

/** The report of a session whose process has no role for it. */
export const writeReport: PerformMachine = async (job) => {
  const { context, run, handle } = job;
  const rows = await taskRows(context, handle.id);
  const changes = await changesSince(context, run.memory.base, run.definition.folder);
  const files = await sessionFilesOf(context, run);
  const text = reportText({ run, tasks: rows.map(({ task }) => task), changes, files });
  const hash = await writeSessionFile(context, run, sessionFiles.report, text);
  return performed(
    syncing(job),
    { report: `${run.folder}/${sessionFiles.report}` },
    { memory: { written: { ...run.memory.written, [sessionFiles.report]: hash } } },
  );
};
