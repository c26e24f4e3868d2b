import { shellWord } from "../base/index.ts";
import type { LeftWorktree } from "../ports/index.ts";

/** The worktree of a run, as it and its branch are called. */
export function worktreeName(run: string): string {
  return `${run}-1`;
}

/** The worktree that a run's folder is, or is in where the workspace is not the top of its repository, and the branch that it was made with. */
export function worktreeAt(folder: string): { readonly path: string; readonly branch: string } {
  const [path = folder, name = folder.slice(folder.lastIndexOf("/") + 1)] = /^.*?\/worktrees\/([^/]+)/.exec(folder) ?? [];
  return { path, branch: `waymark/${name}` };
}

/** Removes a worktree also where nothing of it was taken. */
export function removeWorktreeLine({ path, branch }: Pick<LeftWorktree, "path" | "branch">): string {
  return `git worktree remove --force ${shellWord(path)} && git branch -D ${branch}`;
}

/** What became of the worktree of a run that was removed, for people. */
export function leftLines(left: LeftWorktree): readonly string[] {
  const { path, branch, removed, changes, ignored, problem } = left;
  if (removed) return [`Removed worktree ${path} and branch ${branch}, which had nothing of their own.`];
  const why = problem === undefined ? "This is only there:" : `git did not remove it: ${problem}`;
  return [
    `Kept worktree ${path}, branch ${branch}. ${why}`,
    ...changes,
    ...ignored.map((file) => ` ${file} (git ignores it)`),
    "To remove it with all of that:",
    `  ${removeWorktreeLine(left)}`,
  ];
}
