import { guardedGit, shellWord } from "../../../../base/index.ts";
import { refused, type EngineContext } from "../../../../engine/index.ts";

/** git in one folder. `gitDir`: the settings that count, where the folder's own `.git` may be an agent's work. */
export interface GitPlace {
  readonly context: EngineContext;
  readonly folder: string;
  readonly gitDir?: string;
}

export interface GitAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly error: string;
}

const timeoutMs = 120_000;
const mostOutput = 16 * 1024 * 1024;
/** No program of the user's settings is started, nothing asks for a passphrase, and what git says and does is the same for everybody. */
const quiet = [
  "core.quotepath=off",
  "core.editor=true",
  "commit.gpgsign=false",
  "commit.cleanup=whitespace",
  "log.showSignature=false",
  "merge.conflictStyle=merge",
  "rerere.enabled=false",
].flatMap((setting) => ["-c", setting]);

export async function git({ context, folder, gitDir }: GitPlace, ...args: readonly string[]): Promise<GitAnswer> {
  const place = gitDir === undefined ? [] : [`--git-dir=${gitDir}`, `--work-tree=${folder}`];
  const command = ["git", ...guardedGit, ...quiet, ...place, ...args].map(shellWord).join(" ");
  const outcome = await context.host.commands.run({ command, cwd: folder, timeoutMs, keepBytes: mostOutput, env: {}, own: true });
  const ok = outcome.ended === "exit" && outcome.exitCode === 0;
  return {
    ok,
    text: outcome.ended === "exit" ? outcome.stdout.text : "",
    error: outcome.ended === "exit" ? outcome.stderr : outcome.ended,
  };
}

/** The same, where a failure is not an answer. */
export async function mustGit(place: GitPlace, ...args: readonly string[]): Promise<string> {
  const { ok, text, error } = await git(place, ...args);
  if (ok) return text.trim();
  const why = error.trim().split("\n").at(-1) ?? "";
  throw refused(
    "MACHINE_GIT_FAILED",
    `\`git ${args[0]}\` failed in \`${place.folder}\`: ${why}`,
    "Look at the folder with git, then retry the run.",
  );
}

/** The part of a path list that is work of roles: the session's own files are never part of it. */
export function workOnly(sessions: string): readonly string[] {
  return ["--", ".", `:(exclude)${sessions}`];
}

/** Commits all work of a folder as one commit on top of `base`; undefined where there is none. Done twice it comes to the same. */
export async function commitWork(
  place: GitPlace,
  sessions: string,
  message: readonly string[],
  base?: string,
): Promise<string | undefined> {
  // An agent may have committed by itself, and what conflicted may be marked as such: its work is one commit all the same.
  if (base !== undefined) await mustGit(place, "reset", "-q", base);
  await mustGit(place, "add", "-A");
  await git(place, "reset", "-q", "HEAD", "--", sessions);
  if ((await git(place, "diff", "--cached", "--quiet")).ok) return undefined;
  await mustGit(place, ...(await identity(place)), "commit", "-q", "--no-verify", ...message.flatMap((text) => ["-m", text]));
  return mustGit(place, "rev-parse", "HEAD");
}

const waymark = { "user.name": "Waymark", "user.email": "waymark@localhost" };

/** Who commits: the user, or Waymark in what git does not know of them. */
export async function identity(place: GitPlace): Promise<readonly string[]> {
  const words: string[] = [];
  for (const [setting, usual] of Object.entries(waymark))
    if ((await git(place, "config", setting)).text.trim() === "") words.push("-c", `${setting}=${usual}`);
  return words;
}

/** What the repository keeps of a worktree, as git itself made it. */
export async function gitDirOf(context: EngineContext, runFolder: string, folder: string): Promise<string> {
  const common = await mustGit({ context, folder: runFolder }, "rev-parse", "--path-format=absolute", "--git-common-dir");
  return `${common}/worktrees/${nameOf(folder)}`;
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

/** Removes the worktrees of strands of a run, with all that is in them. */
export async function removeApart(context: EngineContext, runFolder: string): Promise<void> {
  const place = { context, folder: runFolder };
  // git lists them by the path that a link leads to, and the name of a run's own is that of no other.
  for (const line of (await mustGit(place, "worktree", "list", "--porcelain")).split("\n")) {
    const path = line.startsWith("worktree ") ? line.slice("worktree ".length) : "";
    if (nameOf(path).startsWith(`${nameOf(runFolder)}+`)) await git(place, "worktree", "remove", "--force", "--force", path);
  }
  await git(place, "worktree", "prune");
}
