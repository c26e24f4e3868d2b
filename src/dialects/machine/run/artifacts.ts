import { isObject } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import {
  contentGate,
  documentSections,
  readAcceptance,
  readTasks,
  sessionFiles,
  type ArtifactDefinition,
  type Criterion,
  type SessionTask,
} from "../definition/index.ts";
import { textIn, textsOf, type MachineMemory, type MachineRun } from "./machine-run.ts";
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

export interface Drift {
  /** A sentence each, with the name of the file. */
  readonly problems: readonly string[];
  /** Hashes of the files that are not as they were taken over, by path; empty for one that is gone. */
  readonly changed: Readonly<Record<string, string>>;
}

/**
 * Artifacts that are not as they were taken over from their roles. Those that an approval is bound to are compared with the approval,
 * those that Waymark writes with what it wrote, and a report is judged by its form.
 */
export async function driftOf(context: EngineContext, run: MachineRun, files: readonly SessionFile[]): Promise<Drift> {
  const elsewhere = new Set([
    sessionFiles.tasks,
    sessionFiles.status,
    ...(run.definition.done.report ? [sessionFiles.report] : []),
    ...Object.values(run.memory.passed).flatMap(({ binds }) => Object.keys(binds)),
  ]);
  const problems: string[] = [];
  const changed: Record<string, string> = {};
  const reported = changedByRole(run);
  for (const [path, hash] of Object.entries(run.memory.adopted)) {
    const now = files.find((file) => file.path === path)?.hash ?? "";
    if (now === hash || elsewhere.has(path)) continue;
    const [name = ""] = Object.entries(run.definition.artifacts).find(([, artifact]) => artifact.path === path) ?? [];
    const unfit = await artifactProblems(context, run, name, files);
    if (reported.has(path) && unfit.length === 0) continue;
    changed[path] = now;
    problems.push(`\`${path}\` ${now === "" ? "was taken over and is gone" : "has changed since it was taken over"}.`, ...unfit);
  }
  return { problems, changed };
}

/** What a role changed of its own artifacts counts as taken over with its report. */
export function withReported(run: MachineRun, files: readonly SessionFile[]): MachineMemory["adopted"] {
  const reported = changedByRole(run);
  const known = files.filter(({ path }) => reported.has(path) && run.memory.adopted[path] !== undefined);
  if (known.length === 0) return run.memory.adopted;
  return { ...run.memory.adopted, ...Object.fromEntries(known.map(({ path, hash }) => [path, hash])) };
}

function changedByRole({ raw, folder, definition }: MachineRun): ReadonlySet<string> {
  const output = isObject(raw["output"]) ? raw["output"] : {};
  const own = definition.roles[textIn(output, "role")]?.artifacts ?? [];
  const paths = own.flatMap((name) => definition.artifacts[name]?.path ?? []);
  const changed = textsOf(output["changed"]);
  return new Set(paths.filter((path) => changed.includes(`${folder}/${path}`)));
}
