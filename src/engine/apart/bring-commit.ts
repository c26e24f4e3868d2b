import { git, identity, mustGit, type GitPlace } from "./strand-git.ts";

export interface Bringing {
  readonly commit: string;
  /** A line of the commit's message that no other one has: by it a commit is known that is in already. */
  readonly mark: string;
  /** Where to look for it: it is newer than this commit. */
  readonly since: string | null;
}

/**
 * Picks a commit into a folder, once. Answers the files that conflict, none where it cannot be brought in for another reason; undefined when
 * it is in.
 */
export async function bringCommit(place: GitPlace, { commit, mark, since }: Bringing): Promise<readonly string[] | undefined> {
  const range = since === null ? [] : [`${since}..HEAD`];
  if ((await mustGit(place, "log", "--format=%B", ...range)).split("\n").includes(mark)) return undefined;
  if ((await git(place, ...(await identity(place)), "cherry-pick", "--allow-empty", "--keep-redundant-commits", commit)).ok)
    return undefined;
  const files = (await git(place, "diff", "--name-only", "--diff-filter=U", "-z")).text.split("\0").filter((path) => path !== "");
  await git(place, "cherry-pick", "--abort");
  return files;
}
