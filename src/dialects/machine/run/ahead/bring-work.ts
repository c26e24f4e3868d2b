import { isList, isObject, type Json, type JsonObject } from "../../../../base/index.ts";
import { asObject, objectIn, textIn } from "../machine-run.ts";
import { performed, type MachineJob, type PerformMachine } from "../sync-session.ts";
import { aheadOf, type AheadRecord } from "./ahead-record.ts";
import { git, identity, mustGit, removeApart, type GitPlace } from "./strand-git.ts";

/**
 * Brings the commits of a wave into the folder of the run, in the order of the tasks. One that does not fit goes back to its strand with the
 * files that conflict; one whose strand failed is done in its turn. Each commit has a mark, so that none is brought in twice after a crash.
 */
export const bringWork: PerformMachine = async (job) => {
  const { context, run, handle } = job;
  const { folder } = handle.state.options;
  const { tasks } = objectIn(run.raw, "wave");
  if (folder === undefined) return performed(job, { brought: [] }, { names: { wave: { tasks: [] } } });
  const place = { context, folder };
  // Of one that a crash interrupted; without one git refuses, which is as well.
  await git(place, "cherry-pick", "--abort");
  const ahead: Record<string, Json> = { ...objectIn(run.raw, "ahead") };
  const back: JsonObject[] = [];
  for (const task of isList(tasks) ? tasks.filter(isObject) : []) {
    const id = textIn(task, "id");
    const record = aheadOf(run, id);
    if (record === undefined || record.brought === true) continue;
    const conflict = await bringIn(place, job, record);
    if (conflict === undefined) ahead[id] = { ...record, brought: true };
    else delete ahead[id];
    if (conflict !== undefined && conflict.length > 0)
      back.push({ ...task, conflict: { ...asObject(task["conflict"]), commit: record.commit, files: [...conflict] } });
  }
  await removeApart(context, folder);
  const brought = Object.keys(ahead);
  return performed(job, { brought, back: back.map((task) => textIn(task, "id")) }, { names: { wave: { tasks: back, on: true }, ahead } });
};

/** The files that conflict; none where it cannot be brought in for another reason; undefined when it is in. */
async function bringIn(place: GitPlace, { run }: MachineJob, { commit, mark }: AheadRecord): Promise<readonly string[] | undefined> {
  if (commit === null) return undefined;
  const since = run.memory.base.commit === null ? [] : [`${run.memory.base.commit}..HEAD`];
  if ((await mustGit(place, "log", "--format=%B", ...since)).split("\n").includes(mark)) return undefined;
  if ((await git(place, ...(await identity(place)), "cherry-pick", "--allow-empty", "--keep-redundant-commits", commit)).ok)
    return undefined;
  const files = (await git(place, "diff", "--name-only", "--diff-filter=U", "-z")).text.split("\0").filter((path) => path !== "");
  await git(place, "cherry-pick", "--abort");
  return files;
}
