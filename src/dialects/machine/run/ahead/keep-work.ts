import { cutText, visibleText, type Json } from "../../../../base/index.ts";
import { commitWork, done, engineActor, gitDirOf, refused } from "../../../../engine/index.ts";
import type { SessionTask } from "../../definition/index.ts";
import { asObject, objectIn, taskOf, textIn, textsOf } from "../machine-run.ts";
import type { MachineJob, PerformMachine } from "../sync-session.ts";
import { aheadOf, type AheadRecord } from "./ahead-record.ts";
import { gitFailed } from "./git-failed.ts";

/** The work of a strand becomes one commit of its worktree. Each strand writes only its own record. */
export const keepWork: PerformMachine = async (job) => {
  const { context, run, handle, effect } = job;
  const task = taskOf(effect.args["task"]);
  const apart = objectIn(effect.args, "apart");
  const [folder, base, runFolder] = [textIn(apart, "folder"), textIn(apart, "base"), handle.state.options.folder];
  if (task === undefined || runFolder === undefined) throw refused("MACHINE_NOT_AHEAD", "There is nothing to keep.");
  await refuseMarkers(job, folder, textsOf(objectIn(apart, "conflict")["files"]));
  const mark = `Waymark-Task: ${handle.id} ${folder.slice(runFolder.length + 1)}`;
  const gitDir = await gitDirOf({ context, folder: runFolder, ...gitFailed }, folder);
  const place = { context, folder, gitDir, ...gitFailed };
  const commit = await commitWork(place, { message: [titleOf(task), mark], left: [run.definition.folder], base });
  const output = asObject(effect.args["output"]);
  const record: AheadRecord = { role: textIn(output, "role"), commit: commit ?? null, mark, output };
  const updates = [{ keys: ["ahead", task.id], value: record as unknown as Json, tier: "raw", op: "set" }] as const;
  const at = await context.store.now();
  return {
    ...done({ commit: record.commit }),
    before: [{ type: "set", scope: run.scope, updates, at, by: engineActor(context.host.processId) }],
  };
};

/**
 * What checks and reviews of a task had changed in the folder of the run is committed with it, so that the next wave begins with it. What
 * someone else put there during a wave is left as it is.
 */
export const keepRest: PerformMachine = async ({ context, run, handle, effect }) => {
  const task = taskOf(effect.args["task"]);
  const { folder } = handle.state.options;
  const wave = objectIn(run.raw, "wave");
  if (task === undefined || folder === undefined || wave["on"] !== true) return done({ commit: null });
  const again = aheadOf(run, task.id)?.brought === true ? " (after its checks)" : "";
  const message = [`${titleOf(task)}${again}`, `Waymark-Task: ${handle.id} ${task.id}`];
  const commit = await commitWork(
    { context, folder, ...gitFailed },
    { message, left: [run.definition.folder, ...textsOf(wave["foreign"]).map((path) => `:(literal)${path}`)] },
  );
  return done({ commit: commit ?? null });
};

function titleOf({ id, title }: SessionTask): string {
  return cutText(visibleText(`${id}: ${title}`).replace(/\s+/g, " "), 100);
}

async function refuseMarkers({ context }: MachineJob, folder: string, files: readonly string[]): Promise<void> {
  for (const path of files) {
    const found = await context.workspace.readText(folder, path);
    if (found !== undefined && /^(?:<{7} |>{7} )/m.test(found.text))
      throw refused("MACHINE_NOT_AHEAD", `\`${path}\` still has the markers of a conflict.`);
  }
}
