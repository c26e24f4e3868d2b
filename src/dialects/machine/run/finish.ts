import type { JsonObject } from "../../../base/index.ts";
import { formatCheck, sessionFiles, type Criterion, type SessionTask } from "../definition/index.ts";
import { artifactProblems, criteriaIn, driftOf, tasksIn } from "./artifacts.ts";
import type { CheckResult, MachineMemory, MachineRun } from "./machine-run.ts";
import { askedFirst } from "./prepare.ts";
import { runCommand, waivedCommands, wantedCommands } from "./run-checks.ts";
import { sessionFilesOf, writeSessionFile, type SessionFile } from "./session-folder.ts";
import { evaluate, performed, plannedTasks, type MachineJob, type PerformMachine } from "./sync-session.ts";
import { changesSince, type WorkspaceChange } from "./workspace-changes.ts";

/** The definition of done, judged by what is there. A person is asked about what is missing; nothing passes before it holds. */
export const finish: PerformMachine = async (job) => {
  const { context, run } = job;
  const files = await sessionFilesOf(context, run);
  const first = await askedFirst(job, files);
  if (first !== undefined) return first;
  const manual = run.definition.done.criteria ? unjudged(job, criteriaIn(files)) : [];
  if (manual.length > 0) return performed(job, { kind: "ask", about: aboutManual(job, manual, criteriaIn(files)) }, {});
  const results = await runAgain(job, wantedCommands("all", undefined, files));
  if (results === undefined) return undefined;
  const now: MachineJob = { ...job, run: { ...run, memory: { ...run.memory, results } } };
  const { problems, open, changed } = await unmet(now, files);
  if (problems.length > 0) {
    const waivable = [...open, ...nameable(now, files)];
    const about: JsonObject = { kind: "unmet", problems, waivable: [...new Set(waivable)], open, changed };
    return performed(job, { kind: "ask", about }, { memory: { results } });
  }
  return performed(job, { kind: "done" }, { names: { finished: true, state: "DONE" }, memory: { results } });
};

/** Commands that did not pass when they ran last are run once more: they may have been fixed since. */
async function runAgain(job: MachineJob, wanted: readonly string[]): Promise<MachineMemory["results"] | undefined> {
  const { results, allowed } = job.run.memory;
  const failing = wanted.filter((command) => results[command]?.ok === false && allowed.includes(command));
  if (failing.length === 0) return results;
  const again: Record<string, CheckResult> = {};
  for (const command of failing) {
    again[command] = await runCommand(job, command);
    if (job.signal.aborted) return undefined;
  }
  return { ...results, ...again };
}

/** Criteria that only a person can judge and that are not judged yet, and those that are to be looked at again. */
function unjudged({ run: { memory } }: MachineJob, criteria: readonly Criterion[]): readonly Criterion[] {
  return criteria.filter(({ id, verify }) => {
    if (memory.waived.includes(id)) return false;
    const denied = memory.not_met[id];
    return denied === undefined ? verify.some(({ kind }) => kind === "manual") && !memory.confirmed.includes(id) : !denied;
  });
}

function aboutManual({ run: { memory } }: MachineJob, manual: readonly Criterion[], all: readonly Criterion[]): JsonObject {
  const criteria = manual.map(({ id, description, verify }) => {
    const checks = verify.filter(({ kind }) => kind === "manual").map(formatCheck);
    return `${id}: ${description}${checks.length === 0 ? "" : ` (${checks.join("; ")})`}`;
  });
  const ids = manual.map(({ id }) => id);
  const again = ids.every((id) => memory.not_met[id] === false);
  return { kind: "manual", ids, criteria, again, waivable: all.map(({ id }) => id), open: ids };
}

/** Names of everything that a waiver may be about. */
function nameable({ run }: MachineJob, files: readonly SessionFile[]): readonly string[] {
  const failing = Object.entries(run.memory.results).flatMap(([command, { ok }]) => (ok ? [] : [command]));
  return [...[...criteriaIn(files), ...tasksIn(files)].map(({ id }) => id), ...Object.keys(run.definition.roles), ...failing];
}

/** What keeps the session from ending; `open`: what of it can be waived, by name. */
async function unmet(job: MachineJob, files: readonly SessionFile[]) {
  const { context, run } = job;
  const { done, modes } = run.definition;
  const { memory } = run;
  const found: Found[] = [];
  if (done.tasks) {
    const rows = (await plannedTasks(job)).filter(({ label }) => label !== "completed");
    found.push(...rows.map(({ task, label }) => ({ name: task.id, problem: `Task ${task.id} is ${label}.` })));
  }
  if (done.criteria) found.push(...criteriaIn(files).flatMap((criterion) => criterionProblems(job, criterion)));
  if (done.report) found.push(...(await artifactProblems({ context, run, files }, "report")).map((problem) => ({ problem })));
  if (done.checks) found.push(...failingChecks(job, files));
  const missing = (modes[run.mode]?.roles ?? []).filter((role) => (memory.roles[role] ?? 0) === 0);
  found.push(...missing.map((role) => ({ name: role, problem: `${role} has not worked in this session.` })));
  const pending = memory.decisions.filter(({ status }) => status === "pending");
  found.push(...pending.map(({ decision_id }) => ({ problem: `The decision ${decision_id} is pending.` })));
  for (const rule of done.rules)
    if ((await evaluate(job, rule.when, { ...run.raw, inputs: run.inputs })) !== true) found.push({ problem: rule.message });
  const drift = await driftOf({ context, run, files });
  const held = found.filter(({ name }) => name === undefined || !memory.waived.includes(name));
  return {
    problems: [...held.map(({ problem }) => problem), ...drift.problems],
    open: [...new Set([...held.flatMap(({ name }) => name ?? []), ...Object.keys(drift.changed)])],
    changed: drift.changed,
  };
}

interface Found {
  readonly problem: string;
  /** By which it can be waived. */
  readonly name?: string;
}

/** Commands of the plan and the criteria as they are now: what a plan that was given up wanted does not count. */
function failingChecks({ run: { memory } }: MachineJob, files: readonly SessionFile[]): readonly Found[] {
  const passed = waivedCommands(memory, files);
  return wantedCommands("all", undefined, files)
    .filter((command) => memory.results[command]?.ok === false && !passed.has(command))
    .map((command) => ({ name: command, problem: `The check \`${command}\` does not pass.` }));
}

function criterionProblems({ run: { memory } }: MachineJob, { id, verify }: Criterion): readonly Found[] {
  const failing = verify.filter(({ kind, text }) => kind === "cmd" && memory.results[text]?.ok !== true);
  const said = failing.map(({ text }) => `\`${text}\` ${memory.results[text] === undefined ? "has not been run" : "does not pass"}`);
  return [
    ...(memory.not_met[id] === true ? [`${id} is not met, as a person said.`] : []),
    ...said.map((what) => `${id} is not met: ${what}.`),
  ].map((problem) => ({ name: id, problem }));
}

/** The report of a session whose process has no role for it. */
export const writeReport: PerformMachine = async (job) => {
  const { context, run } = job;
  const tasks = (await plannedTasks(job)).map(({ task }) => task);
  const changes = await changesSince(context, run.memory.base, run.definition.folder);
  const files = await sessionFilesOf(context, run);
  const text = reportText({ run, tasks, changes, files });
  const hash = await writeSessionFile(context, run, sessionFiles.report, text);
  const written = { ...run.memory.written, [sessionFiles.report]: hash };
  return performed(job, { report: `${run.folder}/${sessionFiles.report}` }, { memory: { written } });
};

interface ReportFacts {
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
  const issues = run.memory.known_issues.map((issue) => `- ${issue}`);
  const touched = changes.map(({ path, change_type }) => `- ${path} (${change_type})`);
  return [
    [`# Report of ${run.session}`],
    ["## What was done"],
    done.length === 0 ? ["Nothing was planned."] : done,
    ["Files:"],
    touched.length === 0 ? ["- none"] : touched,
    ["## How to run"],
    ["The change is part of the project; it runs as the project does."],
    ["## How to test"],
    checks.length + manual.length === 0 ? ["No checks were named."] : [...checks, ...manual],
    ["## Known issues"],
    issues.length === 0 ? ["None are known."] : issues,
  ]
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}
