import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { defined } from "../base/index.ts";
import type { LeftWorktree } from "../ports/index.ts";
import { reasonOf, worktreeFailed } from "./codes.ts";
import { git } from "./git.ts";
import { userFolders, type Environment } from "./user-folders.ts";
import { pathForOutput } from "./workspace-path.ts";

/** A checkout of its own for one run, beside the workspace. Nothing of it is merged by itself. */
export interface Worktree {
  /** Absolute path, with `/`. */
  readonly path: string;
  /** What the workspace is in it: the path itself, or a folder in it where the workspace is one of its repository. */
  readonly folder: string;
  readonly branch: string;
  /** The workspace has changes that are not committed: they are not in it. */
  readonly without: boolean;
}

/** What a worktree has that its commit had not. */
export interface WorktreeChanges {
  /** Of the worktree, also where a folder in it was asked about. */
  readonly path: string;
  readonly branch: string;
  /** Committed, in files that git knows, and new; one line per file. */
  readonly changes: readonly string[];
  /** Files and folders with files in them that git ignores, at most a few. */
  readonly ignored: readonly string[];
  /** Something of it is in no commit. */
  readonly uncommitted: boolean;
  /** Why git must not be used inside of it as it is; undefined where it can be. */
  readonly problem?: string;
}

const mostIgnored = 5;

/** Where the worktrees of this user's runs are. */
export function worktreesFolder(env: Environment): string {
  return join(userFolders(env).data, "worktrees");
}

/** Makes a worktree of the workspace's repository at its current commit. Throws `HOST_WORKTREE`. */
export async function makeWorktree(workspace: string, folder: string, name: string): Promise<Worktree> {
  const { path, branch } = placeOf(folder, name);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await git(workspace, "worktree", "add", "-q", "-b", branch, path, "HEAD");
    const without = (await git(workspace, "status", "--porcelain", "--untracked-files=no")).trim() !== "";
    const inner = join(path, await placeIn(workspace));
    await mkdir(inner, { recursive: true });
    return { path: pathForOutput(path), folder: pathForOutput(inner), branch, without };
  } catch (cause) {
    throw worktreeFailed(workspace, lastLine(cause), cause);
  }
}

/** How many files of the workspace have changes in no commit, new ones too; 0 where git does not know of any. */
export async function uncommittedIn(workspace: string): Promise<number> {
  const status = await git(workspace, "status", "--porcelain", "--untracked-files=all", "--", ".").catch(() => "");
  return status.split("\n").filter((line) => line !== "").length;
}

/** The folder of the workspace in its repository; empty at the top. */
async function placeIn(workspace: string): Promise<string> {
  return (await git(workspace, "rev-parse", "--show-prefix")).trim().replace(/\/$/, "");
}

function placeOf(folder: string, name: string): { readonly path: string; readonly branch: string } {
  return { path: join(folder, name), branch: `waymark/${name}` };
}

/**
 * Removes a worktree and its branch when everything in them is in the workspace's commit too; git is asked without force, so what appears
 * meanwhile stops it. undefined when there is none.
 */
export async function removeWorktree(workspace: string, folder: string, name: string): Promise<LeftWorktree | undefined> {
  const { path, branch } = placeOf(folder, name);
  if (!existsSync(path)) return undefined;
  const left = { path: pathForOutput(path), branch, removed: false, changes: [], ignored: [] };
  try {
    const { changes, ignored, problem } = await changesIn(path, workspace);
    if (changes.length + ignored.length > 0 || problem !== undefined) return { ...left, changes, ignored, ...defined({ problem }) };
    const apart = await leftApart(path, workspace);
    if (apart !== undefined) return { ...left, problem: apart };
    // An agent may have left the branch, and commits on it.
    await git(workspace, "merge-base", "--is-ancestor", branch, "HEAD");
    await git(workspace, "worktree", "remove", path);
    await git(workspace, "branch", "-D", branch);
    return { ...left, removed: true };
  } catch (cause) {
    return { ...left, problem: lastLine(cause) };
  }
}

/**
 * Removes the worktrees of single tasks of a run, which are beside its own, when nothing is only there; what git ignores in them is a copy of the
 * run's. Answers why one stays.
 */
async function leftApart(path: string, workspace: string): Promise<string | undefined> {
  const names = (await readdir(dirname(path))).filter((name) => name.startsWith(`${basename(path)}+`));
  for (const name of names) {
    const own = join(dirname(path), name);
    const { changes, problem } = await changesIn(own, workspace);
    if (changes.length > 0 || problem !== undefined) return `the worktree of a task, ${pathForOutput(own)}, has work that is only there`;
    await git(workspace, "worktree", "remove", "--force", own);
  }
  return undefined;
}

/**
 * What was changed in a worktree since it was made, asked by its path or by the folder that the workspace is in it. git is asked with the settings of the workspace's repository: what the worktree's own `.git`
 * says may be an agent's work. Never rejects: what git cannot tell is a problem.
 */
export async function changesIn(asked: string, workspace: string): Promise<WorktreeChanges> {
  const inner = await placeIn(workspace).catch(() => "");
  const path = inner !== "" && pathForOutput(asked).endsWith(`/${inner}`) ? asked.slice(0, -inner.length - 1) : asked;
  const branch = `waymark/${basename(path)}`;
  try {
    const folder = join(resolve(workspace, (await git(workspace, "rev-parse", "--git-common-dir")).trim()), "worktrees", basename(path));
    const ask = (...args: readonly string[]): Promise<string> => git(path, `--git-dir=${folder}`, `--work-tree=${path}`, ...args);
    const base = (await ask("merge-base", "HEAD", await headOf(workspace))).trim();
    const changed = await ask("diff", "--no-ext-diff", "--no-textconv", "--stat=100", base);
    const added = await ask("ls-files", "--others", "--exclude-standard");
    const lines = [...changed.split("\n"), ...added.split("\n").map((file) => (file === "" ? "" : ` ${file} (new)`))];
    const ignored = await ask("ls-files", "--others", "--ignored", "--exclude-standard", "--directory");
    const uncommitted = added !== "" || (await ask("diff", "--no-ext-diff", "--no-textconv", "--name-only", "HEAD")) !== "";
    return {
      path,
      uncommitted,
      branch: (await ask("rev-parse", "--abbrev-ref", "HEAD")).trim(),
      changes: lines.filter((line) => line !== ""),
      ignored: await withFiles(path, ignored.split("\n"), mostIgnored),
      ...((await leadsTo(path, folder)) ? {} : { problem: "its `.git` is not the file that git made; do not run git in it" }),
    };
  } catch (cause) {
    return { path, branch, changes: [], ignored: [], uncommitted: true, problem: `git cannot say what was changed: ${lastLine(cause)}` };
  }
}

/** The first of the names below a folder that are a file or a folder with files in it; git ends folders with `/`. */
async function withFiles(folder: string, names: readonly string[], most: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    if (found.length === most) break;
    if (name !== "" && (!name.endsWith("/") || (await holdsFile(join(folder, name))))) found.push(name);
  }
  return found;
}

/** A folder that cannot be read counts as one with files. */
async function holdsFile(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return true;
  for (const entry of entries) if (!entry.isDirectory() || (await holdsFile(join(folder, entry.name)))) return true;
  return false;
}

/** Whether the `.git` of a worktree still names its folder in the repository. */
async function leadsTo(path: string, folder: string): Promise<boolean> {
  try {
    const [, named] = /^gitdir: (.+)\n?$/.exec(await readFile(join(path, ".git"), "utf8")) ?? [];
    return named !== undefined && (await realpath(resolve(path, named))) === (await realpath(folder));
  } catch {
    return false;
  }
}

async function headOf(workspace: string): Promise<string> {
  return (await git(workspace, "rev-parse", "HEAD")).trim();
}

function lastLine(cause: unknown): string {
  const { stderr = "" } = cause as { readonly stderr?: string };
  return stderr.trim().split("\n").at(-1) || reasonOf(cause);
}
