import type { ChangedFile } from "../../dialects/index.ts";
import type { EngineContext } from "../context.ts";
import type { MachineMemory } from "./machine-memory.ts";

type Base = MachineMemory["base"];
type ChangeType = ChangedFile["change_type"];

/** Files below these are never work of a role. */
const ownFolders = [".waymark/store", ".git"];
const gitTimeoutMs = 60_000;
const mostOutput = 64 * 1024 * 1024;
/** Without git, so many files are watched by their content. */
const mostFiles = 20_000;

/** A file that differs from what it was when the session began, with its content's hash now; empty when it is gone. */
export interface WorkspaceChange extends ChangedFile {
  readonly hash: string;
}

/** What the workspace is like now; later changes are told against it. */
export async function baseOf(context: EngineContext, sessions: string): Promise<Base> {
  const commit = (await git(context, "rev-parse --verify -q HEAD"))?.trim() ?? null;
  if (commit === null) return { commit, dirty: await hashesOf(context, await allFiles(context, sessions)) };
  const dirty = (await differing(context, commit, sessions)).map(({ path }) => path);
  return { commit, dirty: await hashesOf(context, dirty) };
}

/** All that the session changed so far, whoever did it, in order of their paths. */
export async function changesSince(context: EngineContext, base: Base, sessions: string): Promise<readonly WorkspaceChange[]> {
  const found = base.commit === null ? await withoutGit(context, base, sessions) : await differing(context, base.commit, sessions);
  const changes: WorkspaceChange[] = [];
  for (const change of found) {
    const hash = (await context.workspace.read(context.host.workspace, change.path))?.hash ?? "";
    const before = Object.hasOwn(base.dirty, change.path) ? base.dirty[change.path] : undefined;
    if (before === undefined || before !== hash) changes.push({ ...change, hash });
  }
  // What was changed before the session began and is as it was committed now was changed as well.
  for (const [path, before] of Object.entries(base.dirty)) {
    if (base.commit === null || found.some((change) => change.path === path)) continue;
    const hash = (await context.workspace.read(context.host.workspace, path))?.hash ?? "";
    if (hash !== before) changes.push({ path, change_type: hash === "" ? "deleted" : "modified", hash });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The same for the same changes, whoever made them. */
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

function own(held: Readonly<Record<string, string>>, path: string): string | undefined {
  return Object.hasOwn(held, path) ? held[path] : undefined;
}

export async function branchOf(context: EngineContext): Promise<string> {
  const name = (await git(context, "rev-parse --abbrev-ref HEAD"))?.trim();
  return name === undefined || name === "" ? "none" : name;
}

export async function git({ host }: EngineContext, args: string): Promise<string | undefined> {
  const outcome = await host.commands.run({
    command: `git -c core.quotepath=off -c core.fsmonitor=false ${args}`,
    cwd: host.workspace,
    timeoutMs: gitTimeoutMs,
    keepBytes: mostOutput,
    env: { GIT_OPTIONAL_LOCKS: "0" },
  });
  return outcome.ended === "exit" && outcome.exitCode === 0 ? outcome.stdout.text : undefined;
}

async function differing(context: EngineContext, commit: string, sessions: string): Promise<ChangedFile[]> {
  const tracked = await git(context, `diff --no-ext-diff --name-status -z -M --relative ${commit} --`);
  const untracked = await git(context, "ls-files --others --exclude-standard -z");
  const changes = [
    ...readNameStatus(tracked ?? ""),
    ...(untracked ?? "")
      .split("\0")
      .filter((path) => path !== "")
      .map((path): ChangedFile => ({ path, change_type: "added" })),
  ];
  const folders = [...ownFolders, sessions];
  return changes.filter(({ path }) => !folders.some((folder) => path.startsWith(`${folder}/`)));
}

/** Of a file that is deleted and there again under its old name, git tells twice: the later one counts. */
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

async function allFiles({ workspace, host }: EngineContext, sessions: string): Promise<string[]> {
  const found = await workspace.inventory({
    root: host.workspace,
    patterns: ["**/*"],
    exclusions: [`${sessions}/**`, ...ownFolders.map((folder) => `${folder}/**`)],
    scope: { kind: "workspace" },
    priority: [],
    gitignore: true,
    maxFiles: mostFiles,
  });
  return found.files.map(({ path }) => path);
}

async function withoutGit(context: EngineContext, { dirty }: Base, sessions: string): Promise<ChangedFile[]> {
  const now = new Set(await allFiles(context, sessions));
  const added = [...now].filter((path) => !Object.hasOwn(dirty, path)).map((path): ChangedFile => ({ path, change_type: "added" }));
  const known = Object.keys(dirty).map((path): ChangedFile => ({ path, change_type: now.has(path) ? "modified" : "deleted" }));
  return [...added, ...known];
}

async function hashesOf({ workspace, host }: EngineContext, paths: readonly string[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const path of paths) hashes[path] = (await workspace.read(host.workspace, path))?.hash ?? "";
  return hashes;
}
