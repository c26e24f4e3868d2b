import type { Json, JsonObject } from "../../../base/index.ts";
import { commandClaim } from "../../../engine/index.ts";
import type { Check } from "../definition/index.ts";
import { criteriaIn, tasksIn } from "./artifacts.ts";
import { taskOf, textIn, type CheckResult, type MachineMemory } from "./machine-run.ts";
import { sessionFilesOf, type SessionFile } from "./session-folder.ts";
import { performed, type MachineJob, type PerformMachine } from "./sync-session.ts";

const mostOutput = 1500;

/** Runs what a person allowed, in the workspace, and believes nothing else. */
export const runChecks: PerformMachine = async (job) => {
  const { context, run, effect, signal } = job;
  const files = await sessionFilesOf(context, run);
  const commands = wantedCommands(effect.args["of"], effect.args["task"], files);
  const results: Record<string, CheckResult> = {};
  for (const command of commands) {
    if (signal.aborted) return undefined;
    if (run.memory.denied.includes(command)) results[command] = { ok: false, output: "A person does not want this command run." };
    else if (run.memory.allowed.includes(command)) results[command] = await runCommand(job, command);
    else results[command] = { ok: false, output: "Nobody has allowed this command." };
  }
  if (signal.aborted) return undefined;
  const red = Object.values(results).some(({ ok }) => !ok);
  const passed = waivedCommands(run.memory, files);
  const failed = Object.entries(results).filter(([command, { ok }]) => !ok && !passed.has(command));
  const all = textIn(effect.args, "of") === "all";
  const checks: JsonObject = {
    ok: failed.length === 0,
    ran: commands.length,
    failed: failed.map(([command, { output }]) => ({ command, output })),
  };
  const memory = {
    results: { ...run.memory.results, ...results },
    ...(all && commands.length > 0 ? { ci: red ? ("red" as const) : ("green" as const) } : {}),
    last_failed_step: failed[0]?.[0] ?? null,
  };
  return performed(job, checks, { names: { checks }, memory });
};

export async function runCommand({ context, handle, effect, signal }: MachineJob, command: string): Promise<CheckResult> {
  const { host, settings } = context;
  const outcome = await host.commands.run({
    command,
    cwd: host.workspace,
    timeoutMs: settings.commandTimeoutMs,
    keepBytes: settings.commandOutputBytes,
    signal,
    claim: commandClaim(context, handle, effect),
  });
  if (outcome.ended === "exit" && outcome.exitCode === 0) return { ok: true, output: "" };
  const printed = `${outcome.stdout.text}\n${outcome.stderr}`.trim().slice(-mostOutput);
  const how =
    outcome.ended === "timeout"
      ? "it took too long and was stopped"
      : outcome.ended === "not_started"
        ? `it could not be started: ${outcome.problem ?? ""}`
        : `it ended with ${outcome.exitCode ?? outcome.signal ?? "a signal"}`;
  return { ok: false, output: `${how}\n${printed}`.trim() };
}

/**
 * Commands whose failure a person let pass: waived themselves or with their task or criterion, or accepted when they could not be
 * fixed. One that was only accepted still counts while a criterion needs it.
 */
export function waivedCommands({ accepted, waived }: MachineMemory, files: readonly SessionFile[]): ReadonlySet<string> {
  const criteria = criteriaIn(files);
  const named = (isNamed: boolean) => criteria.filter(({ id }) => waived.includes(id) === isNamed).flatMap(({ verify }) => verify);
  const needed = commandsOf(named(false));
  const ofTasks = tasksIn(files).flatMap(({ id, acceptance_checks }) => (waived.includes(id) ? acceptance_checks : []));
  return new Set([
    ...waived,
    ...commandsOf(named(true)),
    ...[...accepted, ...commandsOf(ofTasks)].filter((each) => !needed.includes(each)),
  ]);
}

export function wantedCommands(of: Json | undefined, task: Json | undefined, files: readonly SessionFile[]): readonly string[] {
  if (of === "task") return commandsOf(taskOf(task)?.acceptance_checks ?? []);
  return commandsOf([
    ...tasksIn(files).flatMap(({ acceptance_checks }) => acceptance_checks),
    ...criteriaIn(files).flatMap(({ verify }) => verify),
  ]);
}

/** Commands of a list of checks, each once. */
export function commandsOf(checks: readonly Check[]): readonly string[] {
  return [...new Set(checks.filter(({ kind }) => kind === "cmd").map(({ text }) => text))];
}
