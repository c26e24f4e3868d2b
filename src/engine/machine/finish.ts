import type { JsonObject } from "../../base/index.ts";
import { formatCheck, type Criterion } from "../../dialects/index.ts";
import { artifactProblems, commandsOf, criteriaIn } from "./artifacts.ts";
import { syncing, type MachineJob, type PerformMachine } from "./machine-job.ts";
import type { CheckResult, MachineMemory } from "./machine-memory.ts";
import { unansweredGate } from "./prepare.ts";
import { runCommand } from "./run-checks.ts";
import { sessionFilesOf, taskRows, type SessionFile } from "./session-folder.ts";
import { performed } from "./sync-session.ts";

/** The definition of done, judged by what is there. What is missing is told to a person; nothing passes before it holds. */
export const finish: PerformMachine = async (job) => {
  const { context, run } = job;
  const gate = await unansweredGate(job);
  if (gate !== undefined) return performed(syncing(job), { kind: "ask", about: { kind: "gate", gate, void: true, unanswered: true } }, {});
  const files = await sessionFilesOf(context, run);
  const manual = run.definition.done.criteria ? unseen(job, criteriaIn(files)) : [];
  if (manual.length > 0) {
    const criteria = manual.map(
      ({ id, description, verify }) =>
        `${id}: ${description} (${verify
          .filter(({ kind }) => kind === "manual")
          .map(formatCheck)
          .join("; ")})`,
    );
    return performed(syncing(job), { kind: "ask", about: { kind: "manual", ids: manual.map(({ id }) => id), criteria } }, {});
  }
  const results = await runAgain(job);
  if (results === undefined) return undefined;
  const now: MachineJob = { ...job, run: { ...run, memory: { ...run.memory, results } } };
  const problems = await unmet(now, files);
  if (problems.length > 0) {
    const about: JsonObject = { kind: "unmet", problems };
    return performed(syncing(job), { kind: "ask", about }, { memory: { results } });
  }
  return performed(syncing(job), { kind: "done" }, { names: { finished: true, state: "DONE" }, memory: { results } });
};

/** Commands that did not pass when they ran last are run once more: they may have been mended since. */
async function runAgain({ context, run, signal }: MachineJob): Promise<MachineMemory["results"] | undefined> {
  const { results, allowed } = run.memory;
  const failing = Object.entries(results).flatMap(([command, { ok }]) => (!ok && allowed.includes(command) ? [command] : []));
  if (failing.length === 0) return results;
  const again: Record<string, CheckResult> = {};
  for (const command of failing) {
    again[command] = await runCommand(context, command, signal);
    if (signal.aborted) return undefined;
  }
  return { ...results, ...again };
}

/** Criteria with checks that only a person can make, and that nobody has made yet. */
function unseen({ run: { memory } }: MachineJob, criteria: readonly Criterion[]): readonly Criterion[] {
  return criteria.filter(
    ({ id, verify }) =>
      verify.some(({ kind }) => kind === "manual") &&
      !memory.confirmed.includes(id) &&
      !memory.waived.includes(id) &&
      !memory.known_issues.some((issue) => issue.startsWith("Not met:") && issue.includes(id)),
  );
}

async function unmet(job: MachineJob, files: readonly SessionFile[]): Promise<readonly string[]> {
  const { context, run, handle } = job;
  const { done, modes } = run.definition;
  const problems: string[] = [];
  if (done.tasks) {
    const open = (await taskRows(context, handle.id)).filter(({ label, status }) => status !== "skipped" && label !== "completed");
    problems.push(...open.map(({ task, label }) => `Task ${task.id} is ${label}.`));
  }
  if (done.criteria) problems.push(...criteriaIn(files).flatMap((criterion) => criterionProblems(job, criterion)));
  if (done.report) problems.push(...(await artifactProblems(context, run, "report", files)));
  if (done.checks) {
    const waived = commandsOf(criteriaIn(files).flatMap(({ id, verify }) => (run.memory.waived.includes(id) ? verify : [])));
    const failing = Object.entries(run.memory.results).filter(([command, { ok }]) => !ok && !waived.includes(command));
    problems.push(...failing.map(([command]) => `The check \`${command}\` does not pass.`));
  }
  const missing = (modes[run.mode]?.roles ?? []).filter((role) => (run.memory.roles[role] ?? 0) === 0 && !run.memory.waived.includes(role));
  problems.push(...missing.map((role) => `${role} has not worked in this session.`));
  const pending = run.memory.decisions.filter(({ status }) => status === "pending");
  problems.push(...pending.map(({ decision_id }) => `The decision ${decision_id} is pending.`));
  for (const rule of done.rules) if (!(await holds(job, rule.when))) problems.push(rule.message);
  return problems;
}

function criterionProblems({ run: { memory } }: MachineJob, { id, verify }: Criterion): string[] {
  if (memory.waived.includes(id)) return [];
  const denied = memory.known_issues.some((issue) => issue.startsWith("Not met:") && issue.includes(id));
  const failing = verify.filter(({ kind, text }) => kind === "cmd" && memory.results[text]?.ok !== true);
  return [
    ...(denied ? [`${id} is not met, as a person said.`] : []),
    ...failing.map(
      ({ text }) => `${id} is not met: \`${text}\` ${memory.results[text] === undefined ? "has not been run" : "does not pass"}.`,
    ),
  ];
}

async function holds({ context, run }: MachineJob, code: string): Promise<boolean> {
  const result = await context.sandbox.evaluate({
    space: `machine/${run.definition.name}`,
    code: `return (${code})`,
    bindings: { ...run.raw, inputs: run.inputs },
  });
  return result.ok && result.value === true;
}
