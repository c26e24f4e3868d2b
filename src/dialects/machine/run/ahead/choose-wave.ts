import { isList, type Json, type JsonObject } from "../../../../base/index.ts";
import { done, git, workOnly } from "../../../../engine/index.ts";
import type { SessionTask } from "../../definition/index.ts";
import { objectIn, taskOf, textIn } from "../machine-run.ts";
import { askedFirstAbout } from "../prepare.ts";
import { sessionFilesOf } from "../session-folder.ts";
import { performed, type Changes, type MachineJob, type PerformMachine } from "../sync-session.ts";
import { labelledMoves } from "../task-list.ts";
import { aheadOf, oneAtATime } from "./ahead-record.ts";
import { filesMeet } from "./files-meet.ts";
import { gitFailed } from "./git-failed.ts";

/** Which tasks are worked on at the same time now: the current one and those ready tasks whose files do not meet; none where that is one alone. */
export const chooseWave: PerformMachine = async (job) => {
  const { run, effect } = job;
  const current = taskOf(effect.args["task"]);
  const most = Number(effect.args["most"] ?? 1);
  if (current === undefined || !(most > 1) || aheadOf(run, current.id) !== undefined) return none(job);
  if ((await askedFirstAbout(job, await sessionFilesOf(job.context, run))) !== undefined) return none(job);
  const why = await whyNot(job);
  if (why !== undefined) return none(job, { why: `${oneAtATime} ${why}` });
  const tasks = await beside(job, current, most);
  if (tasks.length < 2) return none(job, { on: true });
  const ids = tasks.map(({ id }) => id);
  const names = { wave: { tasks: tasks as unknown as Json, on: true } };
  const labels = Object.fromEntries(ids.map((id) => [id, "in-progress"]));
  return performed(job, { tasks: ids }, { names, labels }, labelledMoves(run.tasks, ids, "in-progress"));
};

/** `on`: what tasks leave is committed, so that others can begin with it. */
async function none(job: MachineJob, { why, on }: { readonly why?: string; readonly on?: true } = {}) {
  const { assumptions } = job.run.memory;
  const told: Pick<Changes, "memory"> =
    why === undefined || assumptions.includes(why) ? {} : { memory: { assumptions: [...assumptions, why] } };
  const held = objectIn(job.run.raw, "wave");
  // Where nobody asks for more, nothing is different from one task at a time.
  if (on === undefined && told.memory === undefined && isList(held["tasks"]) && held["tasks"].length === 0) return done({ tasks: [] });
  const wave: JsonObject = { ...held, tasks: [], ...(on === undefined ? {} : { on }) };
  return performed(job, { tasks: [] }, { names: { wave }, ...told });
}

/** Why worktrees cannot be used; undefined where they can. */
async function whyNot({ context, handle, run }: MachineJob): Promise<string | undefined> {
  const { folder } = handle.state.options;
  if (folder === undefined) return "the run has no worktree of its own (`waymark run --worktree`).";
  if (folder !== context.host.workspace) return "the machine itself works in a worktree beside others.";
  const place = { context, folder, ...gitFailed };
  if ((await git(place, "rev-parse", "--show-prefix")).text.trim() !== "")
    return "the workspace is a folder inside its repository, not the top of it.";
  const { ok, text } = await git(place, "status", "--porcelain", "--untracked-files=normal", ...workOnly([run.definition.folder]));
  if (!ok) return "git cannot say what is in the folder of the run.";
  return text.trim() === "" ? undefined : "the folder of the run has changes that are not committed.";
}

async function beside({ context, handle, run }: MachineJob, current: SessionTask, most: number): Promise<readonly SessionTask[]> {
  const query = { status: "pending", ready: true } as const;
  const ready = await context.store.selectItems(handle.id, { list: run.tasks, query, limit: 1000 });
  const chosen: SessionTask[] = [];
  for (const task of [current, ...ready.map(({ data }) => data as unknown as SessionTask)]) {
    if (chosen.length >= most) break;
    if (aheadOf(run, task.id) !== undefined || task.files_expected.length === 0) continue;
    if (chosen.every((other) => !filesMeet(task.files_expected, other.files_expected))) chosen.push(task);
  }
  return chosen.some(({ id }) => id === current.id) ? chosen : [];
}

/** The role that works ahead, as an effect is given it. */
export function roleOf({ effect }: MachineJob): string {
  return textIn(effect.args, "role");
}
