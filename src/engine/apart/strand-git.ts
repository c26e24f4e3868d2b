import { guardedGit, shellWord } from "../../base/index.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";

/** git in one folder. `gitDir`: the settings that count, where the folder's own `.git` may be an agent's work. */
export interface GitPlace {
  readonly context: EngineContext;
  readonly folder: string;
  readonly gitDir?: string;
  /** Code of a failure that is not an answer. */
  readonly failure: string;
}

export interface GitAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly error: string;
}

const timeoutMs = 120_000;
const mostOutput = 64 << 20;

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

/** A hook of git has these set for the repository that it belongs to, which may be another one than that of the folder. */
const ownRepository = "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX; ";

export async function git({ context, folder, gitDir }: GitPlace, ...args: readonly string[]): Promise<GitAnswer> {
  const place = gitDir === undefined ? [] : [`--git-dir=${gitDir}`, `--work-tree=${folder}`];
  const { shell } = context.host.commands;
  const command = `${shell === "/bin/sh" ? ownRepository : ""}${["git", ...guardedGit, ...quiet, ...place, ...args].map(argument).join(" ")}`;
  const outcome = await context.host.commands.run({ command, cwd: folder, timeoutMs, keepBytes: mostOutput, env: {}, own: true });
  if (outcome.ended !== "exit") return { ok: false, text: "", error: outcome.problem ?? outcome.ended };
  // A file holds what is beyond the limit: a part of the answer is none.
  if (outcome.stdout.file !== undefined) return { ok: false, text: "", error: `its answer is longer than ${mostOutput >> 20} MB` };
  return { ok: outcome.exitCode === 0, text: outcome.stdout.text, error: outcome.stderr };
}

/** Plain for any shell where it can be. */
function argument(word: string): string {
  return /^[\w./:@%+,=-][\w./:@%+,=~-]*$/.test(word) ? word : shellWord(word);
}

/** The same, where a failure is not an answer. */
export async function mustGit(place: GitPlace, ...args: readonly string[]): Promise<string> {
  const { ok, text, error } = await git(place, ...args);
  if (ok) return text.trim();
  const why = error.trim().split("\n").at(-1) ?? "";
  throw refused(
    place.failure,
    `\`git ${args[0]}\` failed in \`${place.folder}\`: ${why}`,
    "Look at the folder with git, then retry the run.",
  );
}

const waymark = { "user.name": "Waymark", "user.email": "waymark@localhost" };

/** Who commits: the user, or Waymark in what git does not know of them. */
export async function identity(place: GitPlace): Promise<readonly string[]> {
  const known = (await git(place, "config", "--get-regexp", "^user\\.(name|email)$")).text.split("\n");
  // The last value counts, and one can be empty.
  const isKnown = (setting: string): boolean =>
    /\S/.test(known.findLast((line) => line.startsWith(`${setting} `))?.slice(setting.length) ?? "");
  return Object.entries(waymark).flatMap(([setting, usual]) => (isKnown(setting) ? [] : ["-c", `${setting}=${usual}`]));
}

/** What the repository keeps of a worktree, as git itself made it. */
export async function gitDirOf(place: GitPlace, worktree: string): Promise<string> {
  const common = await mustGit(place, "rev-parse", "--path-format=absolute", "--git-common-dir");
  return `${common}/worktrees/${nameOf(worktree)}`;
}

export function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}
