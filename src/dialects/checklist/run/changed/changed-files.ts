import { git, refused } from "../../../../engine/index.ts";
import { gitFailed, type ChangeBase, type GitFolder } from "./change-base.ts";

/** Files of a folder that differ from a base, as paths below it. */
export interface ChangedFiles {
  /** Committed, staged and unstaged changes and untracked files, in order; not what was deleted, a renamed one under its new name. */
  readonly paths: readonly string[];
  /** Repositories in the folder with another commit than before; what was changed in them is theirs. */
  readonly submodules: readonly string[];
}

/** Nothing that a user's settings say changes the answer. */
const diff = ["diff", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--submodule=short", "--relative"];

export async function changedFiles(place: GitFolder, { base }: Pick<ChangeBase, "base">): Promise<ChangedFiles> {
  const [worked, staged, untracked] = await Promise.all([
    answer(place, ...diff, "--raw", "-z", base, "--"),
    // What was staged counts too where the file holds something else by now.
    answer(place, ...diff, "--cached", "--raw", "-z", base, "--"),
    untrackedFiles(place),
  ]);
  const changes = [...readRaw(worked), ...readRaw(staged)];
  const submodules = changes.filter(({ mode }) => mode === submodule);
  const files = changes.filter(({ mode }) => mode.startsWith(regularFile));
  return { paths: ordered([...files.map(({ path }) => path), ...untracked]), submodules: ordered(submodules.map(({ path }) => path)) };
}

/** Those at or below one of these paths. */
export function filesAt(files: readonly string[], named: readonly string[]): readonly string[] {
  const places = named.map((path) => path.replace(/^(?:\.\/)+|\/+$/g, ""));
  return files.filter((file) => places.some((path) => path === "." || path === "" || file === path || file.startsWith(`${path}/`)));
}

export async function untrackedFiles(place: GitFolder): Promise<readonly string[]> {
  const listed = await answer(place, "ls-files", "--others", "--exclude-standard", "-z");
  // A repository in the folder is listed as one name.
  return listed.split("\0").filter((path) => path !== "" && !path.endsWith("/"));
}

/** The differences of tracked files line by line, without lines around them. */
export function lineDifferences(place: GitFolder, { base }: Pick<ChangeBase, "base">): Promise<string> {
  const form = ["--unified=0", "--inter-hunk-context=0", "--text", "--src-prefix=a/", "--dst-prefix=b/"];
  return answer(place, ...diff, ...form, base, "--");
}

const regularFile = "100";
const submodule = "160000";

function ordered(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort();
}

/** `:<mode> <mode> <hash> <hash> <letter>`, then one path, or two of a renamed file. */
function readRaw(text: string): { readonly path: string; readonly mode: string }[] {
  const parts = text.split("\0");
  const changes: { readonly path: string; readonly mode: string }[] = [];
  for (let at = 0; at + 1 < parts.length;) {
    const [, mode = "", , , letters = ""] = (parts[at] ?? "").split(" ");
    const isRenamed = /^[RC]/.test(letters);
    const path = parts[at + (isRenamed ? 2 : 1)] ?? "";
    if (!letters.startsWith("D")) changes.push({ path, mode });
    at += isRenamed ? 3 : 2;
  }
  return changes;
}

async function answer({ context, folder }: GitFolder, ...args: readonly string[]): Promise<string> {
  const { ok, text, error } = await git({ context, folder, failure: gitFailed }, "--no-optional-locks", ...args);
  if (ok) return text;
  const why = error.trim().split("\n").at(-1) ?? "";
  throw refused(
    gitFailed,
    `git cannot tell what was changed in \`${folder}\`: ${why}`,
    "Make `git status` and `git diff` work there, then try again.",
  );
}
