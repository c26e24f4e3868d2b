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
}

/** Makes a worktree of the workspace's repository at its current commit. Throws `HOST_WORKTREE`. */
export async function makeWorktree(workspace: string, folder: string, name: string): Promise<Worktree> {
  const [path, branch] = [join(folder, name), `waymark/${name}`];
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await git(workspace, "worktree", "add", "-q", "-b", branch, path, "HEAD");
    return { path: pathForOutput(path), branch };
  } catch (cause) {
    throw worktreeFailed(workspace, lastLine(cause), cause);
  }
}

/** What was changed in a worktree since it was made: committed, in files that git knows, and new. One line per file. */
export async function changesIn(path: string, workspace: string): Promise<readonly string[]> {
  const base = (await git(path, "merge-base", "HEAD", await headOf(workspace))).trim();
  const changed = await git(path, "diff", "--stat=100", base);
  const added = await git(path, "ls-files", "--others", "--exclude-standard");
  return [...changed.split("\n"), ...added.split("\n").map((file) => (file === "" ? "" : ` ${file} (new)`))].filter((line) => line !== "");
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
