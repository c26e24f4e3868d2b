import { nearest, type JsonObject } from "../../../../base/index.ts";
import { git, refused, type EngineContext } from "../../../../engine/index.ts";

/** What files are compared with: the commit where the work left `since`. It stays the same for a run, whatever becomes of that name. */
export interface ChangeBase extends JsonObject {
  /** As it was named, or the branch that was taken where nobody named one. */
  readonly since: string;
  readonly base: string;
}

export interface GitFolder {
  readonly context: EngineContext;
  /** Absolute path; a repository, a worktree, or a folder in one. */
  readonly folder: string;
}

export const gitFailed = "CHECKLIST_GIT_FAILED";

/** Throws what makes it impossible, with what to do. Without `since` it is the default branch of the remote, else the main branch, else the last commit. */
export async function changeBase(place: GitFolder, since?: string): Promise<ChangeBase> {
  const named = since === undefined || since === "" ? await usualBranch(place) : since;
  // No name of git begins so, and it would be taken for an option.
  const found = named.startsWith("-") ? undefined : await ask(place, "merge-base", "HEAD", named);
  const base = found?.trim().split("\n")[0] || (await beforeCommits(place, named));
  if (base === undefined) throw await whyNone(place, named);
  return { since: named, base };
}

/** Before the first commit every file is new: it is compared with a tree that has none. */
async function beforeCommits(place: GitFolder, named: string): Promise<string | undefined> {
  if (named !== "HEAD" || (await commitOf(place, "HEAD")) !== undefined || !(await isRepository(place))) return undefined;
  return (await ask(place, "hash-object", "-t", "tree", "--stdin"))?.trim();
}

/** git can name an empty tree anywhere. */
async function isRepository(place: GitFolder): Promise<boolean> {
  return (await ask(place, "rev-parse", "--is-inside-work-tree"))?.trim() === "true";
}

const usual = [
  "refs/remotes/origin/HEAD",
  "refs/remotes/origin/main",
  "refs/remotes/origin/master",
  "refs/heads/main",
  "refs/heads/master",
];

async function usualBranch(place: GitFolder): Promise<string> {
  const there = new Set((await ask(place, "for-each-ref", "--format=%(refname)", ...usual))?.split("\n"));
  return usual.find((name) => there.has(name))?.replace(/^refs\/(?:remotes|heads)\//, "") ?? "HEAD";
}

const inCi = "in GitHub Actions give `actions/checkout` the input `fetch-depth: 0`, in GitLab CI set `GIT_DEPTH: 0`";

async function whyNone(place: GitFolder, since: string): Promise<Error> {
  const { folder } = place;
  const inside = await git({ ...place, failure: gitFailed }, "rev-parse", "--is-inside-work-tree");
  if (inside.text.trim() !== "true")
    return refused(
      "CHECKLIST_NO_GIT",
      `\`${folder}\` is not in a git repository${reasonIn(inside.error)}, so nothing says which files were changed.`,
      "Work in a clone of the repository, or leave `since` (`--since`) out and name the files or take all.",
    );
  const shallow = (await ask(place, "rev-parse", "--is-shallow-repository"))?.trim() === "true";
  if (since.startsWith("-") || (await commitOf(place, since)) === undefined) return unknownRef(place, since, shallow);
  return refused(
    "CHECKLIST_NO_MERGE_BASE",
    `\`${since}\` and \`HEAD\` have no common commit in the repository of \`${folder}\`${shallow ? ", which is a shallow clone" : ""}.`,
    shallow
      ? `Fetch more of the history: \`git fetch --unshallow\`; ${inCi}.`
      : `Name a branch that your work comes from instead of \`${since}\`.`,
  );
}

async function unknownRef(place: GitFolder, since: string, shallow: boolean): Promise<Error> {
  const names =
    (await ask(place, "for-each-ref", "--format=%(refname:short)", "--count=2000", "refs/heads", "refs/remotes", "refs/tags")) ?? "";
  const near = nearest(
    since,
    names.split("\n").filter((name) => name !== ""),
  );
  const meant = near.length === 0 ? "" : ` Did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?`;
  return refused(
    "CHECKLIST_UNKNOWN_REF",
    `\`${since}\` is not a commit, branch or tag that the repository of \`${place.folder}\` knows.${meant}`,
    shallow
      ? `This clone is shallow and has few of them. Fetch it first: \`git fetch --unshallow origin\`; ${inCi}.`
      : "Name one that `git branch --all` lists, or fetch it first: `git fetch origin`.",
  );
}

async function commitOf(place: GitFolder, name: string): Promise<string | undefined> {
  return ask(place, "rev-parse", "--verify", "-q", `${name}^0`);
}

/** undefined where git fails. */
async function ask(place: GitFolder, ...args: readonly string[]): Promise<string | undefined> {
  const { ok, text } = await git({ ...place, failure: gitFailed }, ...args);
  return ok ? text : undefined;
}

/** A reason of git that is another one than "not a git repository", such as a folder of another owner. */
function reasonIn(error: string): string {
  const [line = ""] = error.trim().split("\n");
  return line === "" || line.includes("not a git repository") ? "" : ` that git can read (${line.slice(0, 200)})`;
}
