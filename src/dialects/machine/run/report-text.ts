import { formatCheck, type SessionTask } from "../definition/index.ts";
import { criteriaIn } from "./artifacts.ts";
import type { MachineRun } from "./machine-run.ts";
import type { SessionFile } from "./session-folder.ts";
import type { WorkspaceChange } from "./workspace-changes.ts";

export interface ReportFacts {
  readonly run: MachineRun;
  readonly tasks: readonly SessionTask[];
  readonly changes: readonly WorkspaceChange[];
  readonly files: readonly SessionFile[];
}

/** What was done, how to run it, how to test it, and what is known to be open. */
export function reportText({ run, tasks, changes, files }: ReportFacts): string {
  const ran = Object.entries(run.memory.results);
  const checks = ran.map(([command, { ok }]) => `- \`${command}\`: ${ok ? "passed" : "failed"}`);
  const manual = criteriaIn(files).flatMap(({ id, verify }) =>
    verify.filter(({ kind }) => kind === "manual").map((check) => `- ${id}: ${formatCheck(check)}`),
  );
  const done = tasks.map(({ id, title, goal }) => `- ${id}: ${title === "" ? goal : title}`);
  const touched = changes.map(({ path, change_type }) => `- ${path} (${change_type})`);
  return [
    `# Report of ${run.session}`,
    "",
    "## What was done",
    "",
    ...(done.length === 0 ? ["Nothing was planned."] : done),
    "",
    "Files:",
    "",
    ...(touched.length === 0 ? ["- none"] : touched),
    "",
    "## How to run",
    "",
    "The change is part of the project; it runs as the project does.",
    "",
    "## How to test",
    "",
    ...(checks.length + manual.length === 0 ? ["No checks were named."] : [...checks, ...manual]),
    "",
    "## Known issues",
    "",
    ...(run.memory.known_issues.length === 0 ? ["None are known."] : run.memory.known_issues.map((issue) => `- ${issue}`)),
    "",
  ].join("\n");
}
