import type { Diagnostic } from "../../../base/index.ts";
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
import { objectIn, textIn, textsOf, type MachineMemory, type MachineRun } from "./machine-run.ts";
import type { SessionFile } from "./session-folder.ts";

/** The files of a session as they are now. */
export interface SessionLook {
  readonly context: EngineContext;
  readonly run: MachineRun;
  readonly files: readonly SessionFile[];
}

/** Files of one artifact among those of the session; a name without a pattern is at most one. */
export async function filesOf({ context, files }: SessionLook, { path }: ArtifactDefinition): Promise<readonly SessionFile[]> {
  if (!/[*?[{]/.test(path)) return files.filter((file) => file.path === path);
  const matches = await context.workspace.matcher([path]);
  return files.filter((file) => matches(file.path));
}

/** What keeps an artifact from passing, a sentence each. */
export async function artifactProblems(look: SessionLook, name: string): Promise<readonly string[]> {
  const { run } = look;
  const artifact = run.definition.artifacts[name];
  if (artifact === undefined || artifact.notIn.includes(run.mode)) return [];
  const found = await filesOf(look, artifact);
  const mode = run.mode === "lean" ? "lean" : "full";
  if (artifact.form !== undefined) return sentences(contentGate(artifact.form, found[0]?.text, mode));
  if (found.length === 0) return [`\`${artifact.path}\` is missing. Write it to \`${run.folder}/${artifact.path}\`.`];
  return found.flatMap((file) => sentences(documentSections(file.path, file.text, artifact.sections)));
}

export async function problemsOfAll(look: SessionLook, names: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const name of names) problems.push(...(await artifactProblems(look, name)));
  return problems;
}

/** What keeps a file, an input or a report from counting, each with what to do about it. */
export function sentences(problems: readonly Diagnostic[]): readonly string[] {
  return problems.filter(({ severity }) => severity === "error").map(({ message, fix }) => `${message} ${fix ?? ""}`.trim());
}

/** Content that a decision is bound to, by path: of plans what they say, not how far they are. */
export async function bindsOf(look: SessionLook, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const binds: Record<string, string> = {};
  for (const name of names) {
    const artifact = look.run.definition.artifacts[name];
    if (artifact === undefined) continue;
    for (const file of await filesOf(look, artifact))
      binds[file.path] = artifact.form === "tasks" ? planHash(look.context, file) : file.hash;
  }
  return binds;
}

function planHash({ host }: EngineContext, { text, hash }: SessionFile): string {
  const { file } = readTasks(text);
  if (file === undefined) return hash;
  return host.sha256(JSON.stringify({ ...file, tasks: file.tasks.map(({ status: _status, ...task }) => task) }));
}

export function tasksIn(files: readonly SessionFile[]): readonly SessionTask[] {
  return readTasks(textOfFile(files, sessionFiles.tasks)).file?.tasks ?? [];
}

export function criteriaIn(files: readonly SessionFile[]): readonly Criterion[] {
  return readAcceptance(textOfFile(files, sessionFiles.acceptance)).acceptance?.acceptance_criteria ?? [];
}

function textOfFile(files: readonly SessionFile[], path: string): string {
  return files.find((file) => file.path === path)?.text ?? "";
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
export async function driftOf(look: SessionLook): Promise<Drift> {
  const { run, files } = look;
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
    const unfit = await artifactProblems(look, name);
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
  const output = objectIn(raw, "output");
  const own = definition.roles[textIn(output, "role")]?.artifacts ?? [];
  const paths = own.flatMap((name) => definition.artifacts[name]?.path ?? []);
  const changed = textsOf(output["changed"]);
  return new Set(paths.filter((path) => changed.includes(`${folder}/${path}`)));
}
