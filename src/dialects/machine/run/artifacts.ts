import {
  contentGate,
  documentSections,
  readAcceptance,
  readTasks,
  type ArtifactDefinition,
  type Check,
  type Criterion,
  type SessionTask,
} from "../definition/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { MachineRun } from "./machine-run.ts";
import type { SessionFile } from "./session-folder.ts";

/** Files of one artifact among those of the session; a name without a pattern is at most one. */
export async function filesOf(
  context: EngineContext,
  { path }: Pick<ArtifactDefinition, "path">,
  files: readonly SessionFile[],
): Promise<readonly SessionFile[]> {
  if (!/[*?[{]/.test(path)) return files.filter((file) => file.path === path);
  const matches = await context.workspace.matcher([path]);
  return files.filter((file) => matches(file.path));
}

/** What keeps an artifact from passing, a sentence each. */
export async function artifactProblems(
  context: EngineContext,
  run: MachineRun,
  name: string,
  files: readonly SessionFile[],
): Promise<readonly string[]> {
  const artifact = run.definition.artifacts[name];
  if (artifact === undefined || artifact.notIn.includes(run.mode)) return [];
  const found = await filesOf(context, artifact, files);
  const mode = run.mode === "lean" ? "lean" : "full";
  if (artifact.form !== undefined) return contentGate(artifact.form, found[0]?.text, mode).map(({ message, fix }) => told(message, fix));
  if (found.length === 0) return [`\`${artifact.path}\` is missing. Write it to \`${run.folder}/${artifact.path}\`.`];
  return found.flatMap((file) => documentSections(file.path, file.text, artifact.sections).map(({ message, fix }) => told(message, fix)));
}

function told(message: string, fix: string | undefined): string {
  return fix === undefined ? message : `${message} ${fix}`;
}

/** Content that a decision is bound to, by path: of plans what they say, not how far they are. */
export async function bindsOf(
  context: EngineContext,
  run: MachineRun,
  names: readonly string[],
  files: readonly SessionFile[],
): Promise<Readonly<Record<string, string>>> {
  const binds: Record<string, string> = {};
  for (const name of names) {
    const artifact = run.definition.artifacts[name];
    if (artifact === undefined) continue;
    for (const file of await filesOf(context, artifact, files))
      binds[file.path] = artifact.form === "tasks" ? planHash(context, file) : file.hash;
  }
  return binds;
}

function planHash({ host }: EngineContext, { text, hash }: SessionFile): string {
  const { file } = readTasks(text);
  if (file === undefined) return hash;
  return host.sha256(JSON.stringify({ ...file, tasks: file.tasks.map(({ status: _status, ...task }) => task) }));
}

export function tasksIn(files: readonly SessionFile[]): readonly SessionTask[] {
  const plan = files.find((file) => file.path === "tasks.yaml");
  return plan === undefined ? [] : (readTasks(plan.text).file?.tasks ?? []);
}

export function criteriaIn(files: readonly SessionFile[]): readonly Criterion[] {
  const found = files.find((file) => file.path === "acceptance.json");
  return found === undefined ? [] : (readAcceptance(found.text).acceptance?.acceptance_criteria ?? []);
}

/** Commands of a list of checks, each once. */
export function commandsOf(checks: readonly Check[]): readonly string[] {
  return [...new Set(checks.filter(({ kind }) => kind === "cmd").map(({ text }) => text))];
}
