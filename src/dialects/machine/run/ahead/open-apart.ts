import type { JsonObject } from "../../../../base/index.ts";
import { apartFolder, done, makeApart, refused, type EngineContext } from "../../../../engine/index.ts";
import { buildDispatch } from "../build-dispatch.ts";
import { asObject, objectIn, taskOf, textsOf } from "../machine-run.ts";
import { hashesIn, sessionFilesOf, type SessionFile } from "../session-folder.ts";
import { plannedTasks, type MachineJob, type PerformMachine } from "../sync-session.ts";
import { watchedFiles } from "../watched-files.ts";
import { contentsOf, inspectWorkspace } from "../workspace-changes.ts";
import { roleOf } from "./choose-wave.ts";
import { gitFailed } from "./git-failed.ts";

/**
 * Makes the worktree of a strand at the newest result and gathers what its role needs. The effect's id is in its path: a try that was given up
 * never writes into that of a later one.
 */
export const openApart: PerformMachine = async (job) => {
  const { context, run, handle, effect } = job;
  const runFolder = handle.state.options.folder;
  const task = taskOf(effect.args["task"]);
  if (runFolder === undefined || task === undefined) throw refused("MACHINE_NOT_AHEAD", "There is nothing to work apart on.");
  const folder = apartFolder(runFolder, `${task.id}-${effect.id}`);
  const conflict = objectIn(asObject(effect.args["task"]), "conflict");
  const clash = conflict["commit"];
  const place = { context, folder: runFolder, ...gitFailed };
  const base = await makeApart(place, folder, typeof clash === "string" ? clash : undefined);
  const files = await sessionFilesOf(context, run);
  await copySession(job, folder, files);
  const inner: EngineContext = { ...context, host: { ...context.host, workspace: folder } };
  const look = await inspectWorkspace(inner, run.memory.base, run.definition.folder);
  const rows = await plannedTasks(job);
  const request = {
    role: roleOf(job),
    task,
    goal: goalOf(conflict),
    leaves: [],
    handles: [],
    repair: undefined,
    correction: undefined,
  };
  const around = { changes: look.changes, branch: look.branch, taskIds: rows.map((row) => row.task.id) };
  const built = await buildDispatch({ context: inner, run, files }, request, around);
  if ("problems" in built) throw refused("MACHINE_NOT_AHEAD", built.problems.join(" "));
  const before = { ...(await watchedFiles(inner, run, look)), ...contentsOf(look.changes), ...hashesIn(run, files) };
  return done({ folder, base, dispatch: { ...built.dispatch, folder }, before, conflict });
};

function goalOf(conflict: JsonObject): string | undefined {
  const files = textsOf(conflict["files"]);
  if (files.length === 0) return undefined;
  return `Another task was brought in first and changed the same lines. Resolve the conflicts in ${files.join(", ")}, where both sides are between markers, so that both tasks hold.`;
}

/** What roles read beside the repository; the engine's own copy stays in the folder of the run. */
async function copySession({ context, run }: MachineJob, folder: string, files: readonly SessionFile[]): Promise<void> {
  for (const { path, text } of files) {
    const target = `${run.folder}/${path}`;
    const held = await context.workspace.read(folder, target);
    await context.workspace.writeFile(folder, target, new TextEncoder().encode(text), held?.hash ?? null);
  }
}
