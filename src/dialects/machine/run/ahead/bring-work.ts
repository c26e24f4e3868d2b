import { isList, isObject, type Json, type JsonObject } from "../../../../base/index.ts";
import { apartWord, bringCommit, git, removeApart, workOnly, type GitPlace } from "../../../../engine/index.ts";
import { asObject, objectIn, textIn } from "../machine-run.ts";
import { performed, type PerformMachine } from "../sync-session.ts";
import { aheadOf } from "./ahead-record.ts";
import { gitFailed } from "./git-failed.ts";

/**
 * Brings the commits of a wave into the folder of the run, in the order of the tasks. One that does not fit goes back to its strand with the
 * files that conflict; one whose strand failed is done in its turn. Each commit has a mark, so that none is brought in twice after a crash.
 */
export const bringWork: PerformMachine = async (job) => {
  const { context, run, handle } = job;
  const { folder } = handle.state.options;
  const { tasks } = objectIn(run.raw, "wave");
  if (folder === undefined) return performed(job, { brought: [] }, { names: { wave: { tasks: [] } } });
  const place = { context, folder, ...gitFailed };
  // Of one that a crash interrupted; without one git refuses, which is as well.
  await git(place, "cherry-pick", "--abort");
  const foreign = await changedIn(place, run.definition.folder);
  const ahead: Record<string, Json> = { ...objectIn(run.raw, "ahead") };
  const back: JsonObject[] = [];
  const wave = isList(tasks) ? tasks.filter(isObject) : [];
  for (const task of wave) {
    const id = textIn(task, "id");
    const record = aheadOf(run, id);
    if (record === undefined || record.brought === true) continue;
    const { commit, mark } = record;
    const conflict = commit === null ? undefined : await bringCommit(place, { commit, mark, since: run.memory.base.commit });
    if (conflict === undefined) ahead[id] = { ...record, brought: true };
    else delete ahead[id];
    if (conflict !== undefined && conflict.length > 0)
      back.push({ ...task, conflict: { ...asObject(task["conflict"]), commit, files: [...conflict] } });
  }
  // Others may be at work beside the run's folder.
  const ids = wave.map((task) => apartWord(`${textIn(task, "id")}-`));
  await removeApart(place, (name) => ids.some((id) => name.startsWith(id)));
  const brought = Object.keys(ahead);
  return performed(
    job,
    { brought, back: back.map((task) => textIn(task, "id")) },
    { names: { wave: { tasks: back, on: true, foreign }, ahead } },
  );
};

/** What is not committed though no role works there: someone else put it there during the wave, and it is the work of no task. */
async function changedIn(place: GitPlace, session: string): Promise<Json[]> {
  const named = await Promise.all([
    git(place, "diff", "--name-only", "--relative", "-z", "HEAD", ...workOnly([session])),
    git(place, "ls-files", "--others", "--exclude-standard", "-z", ...workOnly([session])),
  ]);
  return named.flatMap(({ text }) => text.split("\0").filter((path) => path !== ""));
}
