import { changesSince } from "./workspace-changes.ts";
import { performed, type PerformMachine } from "./sync-session.ts";

/** Keeps what a task brought where conditions read it, and counts the files that the session has changed by now. */
export const taskDone: PerformMachine = async (job) => {
  const { context, run, effect } = job;
  const { into, result = null } = effect.args;
  const changed_files = (await changesSince(context, run.memory.base, run.definition.folder)).length;
  return performed(job, { changed_files }, { names: { changed_files, ...(typeof into === "string" ? { [into]: result } : {}) } });
};
