import type { EngineContext } from "../context.ts";
import { git, mustGit, nameOf, type GitPlace } from "./strand-git.ts";

/**
 * Makes the worktree of a strand at the newest commit of a folder, and answers that commit. `conflict`: a commit that does not fit on top of it; it is put into the
 * worktree with both sides between markers. Nobody works in it before this is done, so what a crash left of it is made again.
 */
export async function makeApart(place: GitPlace, worktree: string, conflict?: string): Promise<string> {
  await inTurn(place.context, async () => {
    await git(place, "worktree", "remove", "--force", "--force", worktree);
    await git(place, "worktree", "prune");
    await mustGit(place, "worktree", "add", "-q", "--detach", worktree, "HEAD");
  });
  const own = { ...place, folder: worktree };
  // Its own, since others may bring something in meanwhile.
  const base = await mustGit(own, "rev-parse", "HEAD");
  if (conflict !== undefined) await git(own, "cherry-pick", "--no-commit", conflict);
  return base;
}

const turns = new WeakMap<EngineContext["store"], Promise<unknown>>();

/** One after the other: git reads what it keeps of every worktree when it makes one, and fails on one that is half made. */
export async function inTurn<T>({ store }: EngineContext, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(store) ?? Promise.resolve()).then(work);
  turns.set(
    store,
    turn.catch(() => undefined),
  );
  return turn;
}

/** Removes worktrees beside a folder with all that is in them. `isOne`: by what their names have behind the folder's. */
export async function removeApart(place: GitPlace, isOne: (name: string) => boolean): Promise<void> {
  for (const path of await worktreesBeside(place, isOne)) await git(place, "worktree", "remove", "--force", "--force", path);
  await git(place, "worktree", "prune");
}

/** git lists them by the path that a link leads to, and the name of a run's own is that of no other. */
export async function worktreesBeside(place: GitPlace, isOne: (name: string) => boolean): Promise<readonly string[]> {
  const own = `${nameOf(place.folder)}+`;
  const lines = (await mustGit(place, "worktree", "list", "--porcelain")).split("\n");
  const paths = lines.flatMap((line) => (line.startsWith("worktree ") ? [line.slice("worktree ".length)] : []));
  return paths.filter((path) => nameOf(path).startsWith(own) && isOne(nameOf(path).slice(own.length)));
}
