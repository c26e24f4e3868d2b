import { defined, own, type JsonObject } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import {
  checkRoleInput,
  formatCheck,
  reportForm,
  sessionRoles,
  sessionsFolder,
  showsReportForm,
  type RoleDefinition,
  type SessionRole,
  type SessionTask,
} from "../definition/index.ts";
import { filesOf, sentences, type SessionLook } from "./artifacts.ts";
import { keyOf, objectIn, textIn, type MachineMemory, type MachineRun } from "./machine-run.ts";
import { hashAt } from "./session-folder.ts";
import { timeOf } from "./sync-session.ts";
import type { WorkspaceChange } from "./workspace-changes.ts";

export interface DispatchRequest {
  readonly role: string;
  readonly task: SessionTask | undefined;
  readonly goal: string | undefined;
  readonly leaves: readonly string[];
  readonly handles: readonly string[];
  /** Name of the repair loop, when this is a repair. */
  readonly repair: string | undefined;
  readonly correction: string | undefined;
}

interface Surroundings {
  readonly changes: readonly WorkspaceChange[];
  readonly branch: string;
  readonly taskIds: readonly string[];
}

type Built = { readonly dispatch: JsonObject } | { readonly problems: readonly string[] };

/** The complete input of a role, checked. Nothing is handed out while anything of it is missing. */
export async function buildDispatch(look: SessionLook, request: DispatchRequest, around: Surroundings): Promise<Built> {
  const { run, files } = look;
  const role = own(run.definition.roles, request.role);
  if (role === undefined) return { problems: [`The machine has no role \`${request.role}\`.`] };
  const context_files = await contextFiles(look, role);
  if ("missing" in context_files)
    return { problems: context_files.missing.map((path) => `${request.role} needs \`${run.folder}/${path}\`, which does not exist.`) };
  const input: JsonObject = {
    task: taskInput(run, request, context_files.files, role.seesChanges ? around.changes : undefined),
    project_type: textIn(run.inputs, "project_type") || "mixed",
    repo_state: { branch: around.branch, ci_status: run.memory.ci, last_failed_step: run.memory.last_failed_step },
    tools_available: [
      "read",
      ...(role.files.length + role.artifacts.length === 0 ? [] : ["edit"]),
      ...(role.files.length === 0 ? [] : ["shell"]),
    ],
    artifact_list: files.map(({ path }) => `${run.folder}/${path}`),
  };
  const problems = checked(look, request.role, input, around.taskIds);
  if (problems.length > 0) return { problems };
  const instructions = await projectInstructions(look);
  const paths = request.leaves.map((name) => `${run.folder}/${run.definition.artifacts[name]?.path ?? name}`);
  return {
    dispatch: {
      step: `${request.role}:${keyOf(request.task)}`,
      role: request.role,
      instructions: role.instructions,
      session: run.folder,
      input,
      ...(paths.length === 0 ? {} : { deliver: paths }),
      may_change: [...role.files, ...role.artifacts.map((name) => `${run.folder}/${run.definition.artifacts[name]?.path ?? name}`)],
      ...(instructions.length === 0 ? {} : { project_instructions: instructions, precedence: run.definition.precedence.join(" > ") }),
      answers: [...role.answers],
      ...(showsReportForm(role.text) ? {} : { report: reportForm(isSessionRole(role.output) ? role.output : "SpecAgent") }),
      ...(request.repair === undefined ? {} : { repair: request.repair, findings: objectIn(run.raw, "repair")["findings"] ?? [] }),
      leaves: [...request.leaves],
      handles: [...request.handles],
      ...(request.correction === undefined ? {} : { correction: request.correction }),
    },
  };
}

async function contextFiles(look: SessionLook, role: RoleDefinition) {
  const { run } = look;
  const given: string[] = [];
  const missing: string[] = [];
  for (const { artifact: name, optional } of role.reads) {
    const artifact = run.definition.artifacts[name];
    if (artifact === undefined) continue;
    const found = await filesOf(look, artifact);
    given.push(...found.map(({ path }) => `${run.folder}/${path}`));
    if (found.length === 0 && !optional && !artifact.notIn.includes(run.mode)) missing.push(artifact.path);
  }
  return missing.length > 0 ? { missing } : { files: given };
}

function taskInput(
  run: MachineRun,
  { role: name, task, goal }: DispatchRequest,
  given: readonly string[],
  changes: readonly WorkspaceChange[] | undefined,
): JsonObject {
  const request = textIn(run.inputs, "request");
  const whole = task === undefined && goal !== undefined && request !== "" && !goal.includes(request) ? [`The request: ${request}`] : [];
  return {
    id: keyOf(task),
    title: task?.title ?? (run.definition.states[run.state]?.title || run.state || name),
    goal: goal ?? task?.goal ?? request,
    non_goals: [...(task?.non_goals ?? [])],
    context_files: [...given, ...ownFiles(run, task, given)],
    ...defined({ session_changed_files: changes?.map(({ hash: _hash, ...change }) => ({ ...change })) }),
    constraints: [...whole, ...run.memory.guidance],
    acceptance_checks: task?.acceptance_checks.map(formatCheck) ?? [],
    risk_flags: [...(task?.risk_flags ?? [])],
    ...extrasOf(run, name),
  };
}

/** Files of the project that the plan names for a task. */
function ownFiles({ definition }: MachineRun, task: SessionTask | undefined, given: readonly string[]): readonly string[] {
  return (task?.context_files ?? []).filter((path) => !given.includes(path) && !path.startsWith(`${definition.folder}/`));
}

function extrasOf({ inputs, mode }: MachineRun, role: string): JsonObject {
  if (role === "Researcher") return { research_question: textIn(inputs, "research") };
  return role === "SpecAgent" && mode === "lean" ? { lean: true } : {};
}

/** Roles with a documented input are held to it, in machines that work from a specification: elsewhere such a name says nothing about input. */
function checked({ run, files }: SessionLook, role: string, input: JsonObject, taskIds: readonly string[]): readonly string[] {
  const specified = Object.values(run.definition.artifacts).some(({ form }) => form === "spec");
  if (!specified || run.definition.folder !== sessionsFolder || !isSessionRole(role)) return [];
  const existing = files.map(({ path }) => path);
  return sentences(checkRoleInput(role, input, { session: run.session, existing, taskIds }));
}

export function isSessionRole(role: string): role is SessionRole {
  return (sessionRoles as readonly string[]).includes(role);
}

/** The one file that status files have a flag for. */
const flagged = ".github/copilot-instructions.md";

export async function projectFlags(context: EngineContext): Promise<NonNullable<MachineMemory["flags"]>> {
  return { copilot_instructions_exists: (await hashAt(context, flagged)) !== "", copilot_checked_at: await timeOf(context) };
}

/**
 * Files with the project's own instructions that roles must read. The flag is read from memory as it was stored; where it is not
 * known, the file is looked for again.
 */
async function projectInstructions({ context, run: { definition, memory } }: SessionLook): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of definition.projectInstructions) {
    const known = path === flagged ? memory.flags?.copilot_instructions_exists : undefined;
    if (known ?? (await hashAt(context, path)) !== "") found.push(path);
  }
  return found;
}
