import { defined, shellWord } from "../base/index.ts";
import type { Session } from "./session.ts";
import type { OpenRunner } from "./world.ts";
import { removeWorktreeLine } from "./worktree-lines.ts";

/** What a driven run has changed in its worktree, and what a person can do with that. `folder`: where the run works in it. */
export async function showWorktree(
  { out }: Session,
  runner: OpenRunner,
  { folder, isOver }: { readonly folder: string; readonly isOver: boolean },
): Promise<void> {
  const { path, branch, changes, ignored, uncommitted, problem } = await runner.changesIn(folder);
  // Also where nothing of it was taken.
  const remove = removeWorktreeLine({ path, branch });
  out.entry({ type: "worktree", path, branch, changes, ignored, remove, ...defined({ problem }) });
  out.line(
    `\nWorktree ${path}, branch ${branch}: ${problem !== undefined ? `${problem}.` : changes.length === 0 ? "nothing was changed." : ""}`,
  );
  for (const line of changes) out.line(line);
  if (ignored.length > 0) out.line(`git ignores ${ignored.join(", ")}: copy what you need of it.`);
  if (!isOver) return out.line("It is kept for the run.");
  if (changes.length > 0 && problem === undefined) {
    out.line("\nNothing is merged by itself. To take it:");
    const inside = `git -C ${shellWord(path)}`;
    if (uncommitted) out.line(`  ${inside} add -A && ${inside} commit -m "${branch}"`);
    out.line(`  git merge ${branch}`);
  }
  out.line(`To remove it, with all that you did not take:\n  ${remove}`);
}
