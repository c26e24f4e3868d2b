import { sessionFiles } from "../definition/index.ts";
import { syncing, type PerformMachine } from "./machine-job.ts";
import { reportText } from "./report-text.ts";
import { sessionFilesOf, taskRows, writeSessionFile } from "./session-folder.ts";
import { performed } from "./sync-session.ts";
import { changesSince } from "./workspace-changes.ts";

/** The report of a session whose process has no role for it. */
export const writeReport: PerformMachine = async (job) => {
  const { context, run, handle } = job;
  const rows = (await taskRows(context, handle.id, run.tasks)).filter(({ status }) => status !== "skipped");
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
