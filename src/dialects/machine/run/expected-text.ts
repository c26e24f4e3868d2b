import { readStatus, sessionFiles, writeStatus, writeTasks } from "../definition/index.ts";
import { unifiedDiff } from "../../../views/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import type { MachineRun } from "./machine-run.ts";
import { readSessionFile, taskRows } from "./session-folder.ts";
import { planOf, statusOf } from "./status-view.ts";

/** A file that only Waymark writes, as it should be now. */
export async function expectedText(context: EngineContext, handle: RunHandle, run: MachineRun, file: string): Promise<string> {
  if (file === sessionFiles.tasks) return writeTasks(planOf(run.memory, await taskRows(context, handle.id, run.tasks)));
  const kept = run.memory.texts[file];
  if (kept !== undefined) return kept;
  const found = await readSessionFile(context, run, file);
  const at = (found === undefined ? undefined : readStatus(found.text).status?.last_update) ?? new Date(0).toISOString();
  return writeStatus(statusOf({ run, memory: run.memory, state: run.state, at }));
}

/** From the first to the last place where two texts differ. */
export function differenceOf(path: string, before: string, after: string): string {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  if (start === before.length && start === after.length) return "";
  return unifiedDiff(path, before, [{ start, end: before.length - tail, text: after.slice(start, after.length - tail) }]);
}
