import { git, identity, mustGit, type GitPlace } from "./strand-git.ts";

/** The part of a path list that leaves out folders which Waymark itself keeps in the workspace. */
export function workOnly(left: readonly string[]): readonly string[] {
  return ["--", ".", ...left.map((folder) => `:(exclude)${folder}`)];
}

interface Work {
  /** Paragraphs. */
  readonly message: readonly string[];
  /** Folders that are never part of it. */
  readonly left: readonly string[];
  /** The commit is made on top of this one, whatever was committed since. */
  readonly base?: string;
}

/** Commits all work of a folder as one commit; undefined where there is none. Done twice it comes to the same. */
export async function commitWork(place: GitPlace, { message, left, base }: Work): Promise<string | undefined> {
  // An agent may have committed by itself, and what conflicted may be marked as such: its work is one commit all the same.
  if (base !== undefined) await mustGit(place, "reset", "-q", base);
  await mustGit(place, "add", "-A");
  await git(place, "reset", "-q", "HEAD", "--", ...left);
  if ((await git(place, "diff", "--cached", "--quiet")).ok) return undefined;
  await mustGit(place, ...(await identity(place)), "commit", "-q", "--no-verify", ...message.flatMap((text) => ["-m", text]));
  return mustGit(place, "rev-parse", "HEAD");
}
