import { guardedGit, own } from "../../../base/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import type { ChangedFile } from "../definition/index.ts";
import type { MachineMemory } from "./machine-run.ts";
import { hashAt, listFiles } from "./session-folder.ts";

type Base = MachineMemory["base"];
type ChangeType = ChangedFile["change_type"];

/** Files below these are never work of a role. */
const ownFolders = [".waymark/store", ".git"];
/** Without git, so many files are watched by their content. */
const mostFiles = 20_000;

/** A file that differs from what it was when the session began, with its content's hash now; empty when it is gone. */
export interface WorkspaceChange extends ChangedFile {
  readonly hash: string;
}

/** The workspace at one moment, valid until an agent, a command or Waymark itself can have written files. */
export interface WorkspaceLook {
  /** All that was changed since the session began, in order of their paths. */
  readonly changes: readonly WorkspaceChange[];
  /** Files and folders that git ignores; a folder ends with `/` and means all that is in it. */
  readonly ignored: readonly string[];
  /** `none` outside of a repository, and in one that had no commit when the session began. */
  readonly branch: string;
}

const untrackedFiles = "ls-files --others --exclude-standard -z";
const ignoredEntries = "ls-files --others --ignored --exclude-standard --directory -z";
const branchName = "rev-parse --abbrev-ref HEAD";

/** What the workspace is like now; later changes are compared with it. */
export async function baseOf(context: EngineContext, sessions: string): Promise<Base> {
  const [head] = await gitOutputs(context, ["rev-parse --verify -q HEAD"]);
  const commit = head?.trim() ?? null;
  if (commit === null) return { commit, dirty: await hashesOf(context, await allFiles(context, sessions)) };
  const dirty = differing(await gitOutputs(context, [trackedSince(commit), untrackedFiles]), sessions).map(({ path }) => path);
  return { commit, dirty: await hashesOf(context, dirty) };
}

/** The changes of a look, without the rest of it. */
export async function changesSince(context: EngineContext, base: Base, sessions: string): Promise<readonly WorkspaceChange[]> {
  const found =
    base.commit === null
      ? await withoutGit(context, base, sessions)
      : differing(await gitOutputs(context, [trackedSince(base.commit), untrackedFiles]), sessions);
  return sinceBase(context, base, found);
}

/** One look at everything, with one command. */
export async function inspectWorkspace(context: EngineContext, base: Base, sessions: string): Promise<WorkspaceLook> {
  if (base.commit === null) {
    const changes = await sinceBase(context, base, await withoutGit(context, base, sessions));
    const [ignored] = await gitOutputs(context, [ignoredEntries]);
    return { changes, ignored: pathsIn(ignored), branch: "none" };
  }
  const questions = [trackedSince(base.commit), untrackedFiles, ignoredEntries, branchName];
  const [tracked, untracked, ignored, branch = ""] = await gitOutputs(context, questions);
  const changes = await sinceBase(context, base, differing([tracked, untracked], sessions));
  return { changes, ignored: pathsIn(ignored), branch: branch.trim() || "none" };
}

async function sinceBase(context: EngineContext, base: Base, found: readonly ChangedFile[]): Promise<readonly WorkspaceChange[]> {
  const changes: WorkspaceChange[] = [];
  for (const change of found) {
    const hash = await hashAt(context, change.path);
    if (own(base.dirty, change.path) !== hash) changes.push({ ...change, hash });
  }
  // What was changed before the session began and is as it was committed now was changed as well.
  for (const [path, before] of Object.entries(base.dirty)) {
    if (base.commit === null || found.some((change) => change.path === path)) continue;
    const hash = await hashAt(context, path);
    if (hash !== before) changes.push({ path, change_type: hash === "" ? "deleted" : "modified", hash });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The same hash for the same changes. */
export function hashOfChanges({ host }: EngineContext, changes: readonly WorkspaceChange[]): string {
  return host.sha256(JSON.stringify(changes.map(({ path, hash, old_path }) => [path, hash, old_path ?? ""])));
}

/** Contents by path, for telling what changed between two moments. */
export function contentsOf(changes: readonly WorkspaceChange[]): Record<string, string> {
  return Object.fromEntries(
    changes.flatMap(({ path, hash, old_path }) => [[path, hash], ...(old_path === undefined ? [] : [[old_path, ""]])]),
  );
}

/** Paths that differ between two such moments. */
export function changedBetween(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): readonly string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => own(before, path) !== own(after, path)).sort();
}

function trackedSince(commit: string): string {
  return `diff --no-ext-diff --no-textconv --name-status -z -M --relative ${commit} --`;
}

function differing([tracked, untracked]: readonly (string | undefined)[], sessions: string): ChangedFile[] {
  // "Nothing was changed" would let a role hide its changes by breaking the repository.
  if (tracked === undefined || untracked === undefined)
    throw refused(
      "MACHINE_GIT_FAILED",
      "git cannot tell what was changed in the workspace since the session began. Nothing was recorded.",
      "Make `git status` and `git diff` work in the workspace again, with the commit that the session began with; then report or retry.",
    );
  const added = pathsIn(untracked).map((path): ChangedFile => ({ path, change_type: "added" }));
  const folders = [...ownFolders, sessions];
  return [...readNameStatus(tracked), ...added].filter(({ path }) => !folders.some((folder) => path.startsWith(`${folder}/`)));
}

function pathsIn(output: string | undefined): string[] {
  return (output ?? "").split("\0").filter((path) => path !== "");
}

/** Of a file that is deleted and there again under its old name, git reports twice: the later one counts. */
function readNameStatus(text: string): ChangedFile[] {
  const parts = text.split("\0");
  const changes: ChangedFile[] = [];
  for (let at = 0; at + 1 < parts.length;) {
    const letter = (parts[at] ?? "").slice(0, 1);
    const path = parts[at + 1] ?? "";
    if (letter === "R" || letter === "C") {
      const to = parts[at + 2] ?? "";
      changes.push(letter === "R" ? { path: to, change_type: "renamed", old_path: path } : { path: to, change_type: "added" });
      at += 3;
      continue;
    }
    const types: Readonly<Record<string, ChangeType>> = { A: "added", D: "deleted" };
    changes.push({ path, change_type: types[letter] ?? "modified" });
    at += 2;
  }
  return changes;
}

function allFiles(context: EngineContext, sessions: string): Promise<string[]> {
  const exclusions = [sessions, ...ownFolders].map((folder) => `${folder}/**`);
  return listFiles(context, { exclusions, gitignore: true, maxFiles: mostFiles });
}

async function withoutGit(context: EngineContext, { dirty }: Base, sessions: string): Promise<ChangedFile[]> {
  const now = new Set(await allFiles(context, sessions));
  const added = [...now].filter((path) => !Object.hasOwn(dirty, path)).map((path): ChangedFile => ({ path, change_type: "added" }));
  const known = Object.keys(dirty).map((path): ChangedFile => ({ path, change_type: now.has(path) ? "modified" : "deleted" }));
  return [...added, ...known];
}

async function hashesOf(context: EngineContext, paths: readonly string[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const path of paths) hashes[path] = await hashAt(context, path);
  return hashes;
}

const program = ["git", ...guardedGit, "-c core.quotepath=off"].join(" ");
const timeoutMs = 60_000;
const mostOutput = 64 * 1024 * 1024;

/**
 * What git prints for each of these questions, in their order; undefined where it fails. One shell asks all of them, since starting a
 * process holds up everything else. When one of them fails, or all of it is too much for one answer, each is asked by itself.
 */
export async function gitOutputs(context: EngineContext, questions: readonly string[]): Promise<readonly (string | undefined)[]> {
  const mark = context.host.uuid();
  const commands = questions.map((question) => `${program} ${question}`);
  // Windows ends the line of an `echo` with a carriage return, and has the space before `&&` in it.
  const together = (await printed(context, commands.join(` && echo ${mark} && `)))?.split(new RegExp(`${mark} ?\\r?\\n`));
  if (together?.length === questions.length) return together;
  if (questions.length === 1) return [undefined];
  const outputs: (string | undefined)[] = [];
  for (const command of commands) outputs.push(await printed(context, command));
  return outputs;
}

async function printed({ host }: EngineContext, command: string): Promise<string | undefined> {
  const env = { GIT_OPTIONAL_LOCKS: "0" };
  const outcome = await host.commands.run({ command, cwd: host.workspace, timeoutMs, keepBytes: mostOutput, env, own: true });
  // A file holds what is beyond the limit: a part of the answer is none.
  return outcome.ended === "exit" && outcome.exitCode === 0 && outcome.stdout.file === undefined ? outcome.stdout.text : undefined;
}
