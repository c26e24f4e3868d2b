import { commitWork, git, gitDirOf, mustGit, worktreesBeside } from "../../../../engine/index.ts";
import { isOf, type OfNode, type OuterPlace } from "./outer-place.ts";

/** The branch that work is kept on which is not brought in, by the name of its worktree. */
function branchOf(worktree: string): string {
  return `waymark/${worktree.slice(worktree.lastIndexOf("/") + 1)}`;
}

/** Keeps a commit that is not brought in; answers its branch. */
export async function keepBranch(place: OuterPlace, worktree: string, commit: string): Promise<string> {
  const branch = branchOf(worktree);
  await mustGit(place, "branch", "-f", branch, commit);
  return branch;
}

/** Keeps what is only in the worktrees of a node, or of one of its items, on branches; answers their names. */
export async function keepWork(place: OuterPlace, of: OfNode, message: string, index?: number): Promise<readonly string[]> {
  const branches: string[] = [];
  for (const worktree of await worktreesBeside(place, isOf(of, index))) {
    const own = { ...place, folder: worktree, gitDir: await gitDirOf(place, worktree) };
    await commitWork(own, { message: [message], left: place.left });
    const commit = await mustGit(own, "rev-parse", "HEAD");
    if (!(await git(place, "merge-base", "--is-ancestor", commit, "HEAD")).ok) branches.push(await keepBranch(place, worktree, commit));
  }
  return branches;
}

/** How an error names a branch. */
export function keptText(branch: string): string {
  return `What was done is on the branch \`${branch}\`.`;
}

/** The sentences of an error that name branches. */
export function branchSentences(error: string): readonly string[] {
  return error.match(/What was done is on the branch `[^`]+`\./g) ?? [];
}
