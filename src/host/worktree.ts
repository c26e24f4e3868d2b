import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { reasonOf, worktreeFailed } from "./codes.ts";
import { pathForOutput } from "./workspace-path.ts";

const run = promisify(execFile);

/** A checkout of its own for one run, beside the workspace. Nothing of it is merged by itself. */
export interface Worktree {
  /** Absolute path, with `/`. */
  readonly path: string;
  readonly branch: string;
  /** The workspace has changes that are not committed: they are not in it. */
  readonly without: boolean;
}

/** What a worktree has that its commit had not. */
export interface WorktreeChanges {
  readonly branch: string;
  /** Committed, in files that git knows, and new; one line per file. */
  readonly changes: readonly string[];
  /** Files and folders that git ignores, at most a few. */
  readonly ignored: readonly string[];
}

const mostIgnored = 5;

/** Makes a worktree of the workspace's repository at its current commit. Throws `HOST_WORKTREE`. */
export async function makeWorktree(workspace: string, folder: string, name: string): Promise<Worktree> {
  const [path, branch] = [join(folder, name), `waymark/${name}`];
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await git(workspace, "worktree", "add", "-q", "-b", branch, path, "HEAD");
    const without = (await git(workspace, "status", "--porcelain", "--untracked-files=no")).trim() !== "";
    return { path: pathForOutput(path), branch, without };
  } catch (cause) {
    throw worktreeFailed(workspace, lastLine(cause), cause);
  }
}

/** What was changed in a worktree since it was made. */
export async function changesIn(path: string, workspace: string): Promise<WorktreeChanges> {
  const base = (await git(path, "merge-base", "HEAD", await headOf(workspace))).trim();
  const changed = await git(path, "diff", "--stat=100", base);
  const added = await git(path, "ls-files", "--others", "--exclude-standard");
  const lines = [...changed.split("\n"), ...added.split("\n").map((file) => (file === "" ? "" : ` ${file} (new)`))];
  const ignored = await git(path, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory");
  return {
    branch: (await git(path, "rev-parse", "--abbrev-ref", "HEAD")).trim(),
    changes: lines.filter((line) => line !== ""),
    ignored: ignored
      .split("\n")
      .filter((line) => line !== "")
      .slice(0, mostIgnored),
  };
}

async function headOf(workspace: string): Promise<string> {
  return (await git(workspace, "rev-parse", "HEAD")).trim();
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run("git", [...args], { cwd, maxBuffer: 64 << 20 })).stdout;
}

function lastLine(cause: unknown): string {
  const { stderr = "" } = cause as { readonly stderr?: string };
  return stderr.trim().split("\n").at(-1) || reasonOf(cause);
}
