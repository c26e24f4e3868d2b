import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRepository, repositoryIn, type Repository } from "../../../../../test/support/repository.ts";
import { openTestEngine, type TestEngine } from "../../../../../test/support/test-engine.ts";
import { changeBase, type ChangeBase } from "./change-base.ts";
import { changedFiles } from "./changed-files.ts";
import { changedLines } from "./changed-lines.ts";

let engine: TestEngine;
let made = 0;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine.close());

const lines = (...numbers: readonly number[]): string => numbers.map((number) => `line ${number}\n`).join("");
const ten = lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

const namesOf = (...names: readonly string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, ten]));

interface Bench extends Repository {
  readonly folder: string;
  readonly base: (since?: string) => Promise<ChangeBase>;
  /** What was changed in the folder or one below it since the base. */
  readonly changed: (since?: string, below?: string) => Promise<readonly string[]>;
  readonly lines: (since?: string) => Promise<Record<string, unknown>>;
}

function benchOn(folder: string, repository: Repository): Bench {
  const at = (below = "") => ({ context: engine.context, folder: join(folder, below) });
  return {
    ...repository,
    folder,
    base: (since) => changeBase(at(), since),
    changed: async (since, below) => (await changedFiles(at(below), await changeBase(at(below), since))).paths,
    lines: async (since) => Object.fromEntries(await changedLines(at(), await changeBase(at(), since))),
  };
}

function repository(files: Readonly<Record<string, string>>): Bench {
  made += 1;
  const folder = join(engine.folder, `repository-${made}`);
  return benchOn(folder, createRepository(folder, files));
}

/** What is refused, as its code, its message and its advice in one. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as { code: string; message: string; fix: string },
  );
  return `${error?.code}: ${error?.message} → ${error?.fix}`;
}

test("committed, staged, unstaged and untracked files count; deleted and ignored ones do not, a renamed one has its new name", async () => {
  const { git, put, commit, changed } = repository({
    ...namesOf("committed.ts", "staged.ts", "unstaged.ts", "same.ts", "deleted.ts", "old/name.ts", "restored.ts", "on-main.ts"),
    "staged-then-restored.ts": ten,
    ".gitignore": "*.log\n",
  });
  git("checkout", "-qb", "work");
  commit({ "committed.ts": lines(1), "deleted.ts": null, "old/name.ts": null, "new/name.ts": `${ten}more\n`, "restored.ts": "x\n" });
  put({ "staged.ts": "x\n", "staged-then-restored.ts": "x\n" });
  git("add", "-A");
  put({ "unstaged.ts": "x\n", "untracked.ts": "x\n", "out.log": "x\n", "restored.ts": ten, "staged-then-restored.ts": ten });
  git("checkout", "-q", "main", "--", ".gitignore");
  const expected = ["committed.ts", "new/name.ts", "staged-then-restored.ts", "staged.ts", "unstaged.ts", "untracked.ts"];
  expect(await changed("main")).toEqual(["committed.ts", "new/name.ts", "restored.ts", ...expected.slice(2)]);
  git("add", "restored.ts");
  expect(await changed("main")).toEqual(expected);
  // What main brought since then is not work of the branch.
  const [tree] = [git("rev-parse", "main^{tree}")];
  git("update-ref", "refs/heads/main", git("commit-tree", "-p", "main", "-m", "y", tree ?? ""));
  expect(await changed("main")).toEqual(expected);
  expect(await changed("HEAD")).toEqual(["restored.ts", "staged-then-restored.ts", "staged.ts", "unstaged.ts", "untracked.ts"]);
});

test("paths with any signs are read as they are, whatever git's settings say", async () => {
  const { git, put, changed, lines: linesOf } = repository({ "a b.ts": ten, "ünï.ts": ten });
  const settings = {
    "core.quotepath": "true",
    "diff.noprefix": "true",
    "color.ui": "always",
    "diff.external": "false",
    "diff.renames": "false",
  };
  for (const [name, value] of Object.entries({ ...settings, "diff.mnemonicPrefix": "true", "diff.interHunkContext": "9" }))
    git("config", name, value);
  const odd = ["two\nlines.ts", 'say "x".ts', "tab\tbed.ts", "back\\slash.ts", "日本.ts"];
  put(Object.fromEntries(odd.map((name) => [name, ten])));
  git("add", "-A");
  put({ "a b.ts": `first\n${ten}`, "ünï.ts": `first\n${ten}`, "new ü\n.ts": "x\n" });
  const all = [...odd, "a b.ts", "ünï.ts", "new ü\n.ts"].sort();
  expect(await changed("main")).toEqual(all);
  const found = await linesOf("main");
  expect(Object.keys(found).sort()).toEqual(all);
  expect(found).toMatchObject({ "a b.ts": [[1, 1]], "ünï.ts": [[1, 1]], "two\nlines.ts": [[1, 10]], "new ü\n.ts": [[1, Infinity]] });
});

test("a folder of a repository has the changes below it, by paths from there", async () => {
  const { git, put, commit, changed } = repository({ "app/a.ts": ten, "lib/b.ts": ten, "lib/moved.ts": ten });
  git("checkout", "-qb", "work");
  commit({ "lib/moved.ts": null, "app/moved.ts": ten, "lib/b.ts": "x\n" });
  put({ "app/new.ts": "x\n", "lib/new.ts": "x\n" });
  expect(await changed("main", "app")).toEqual(["moved.ts", "new.ts"]);
  expect(await changed("main", "lib")).toEqual(["b.ts", "new.ts"]);
});

test("a worktree has its own changes, links and repositories inside are no files, and a submodule is named", async () => {
  const { git, commit, folder } = repository({ "a.ts": ten, "b.ts": ten });
  const inner = repository({ "i.ts": ten });
  git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.folder, "libs/inner");
  commit();
  git("worktree", "add", "-q", `${folder}-tree`, "-b", "work");
  const tree = benchOn(`${folder}-tree`, repositoryIn(`${folder}-tree`));
  tree.commit({ "a.ts": "x\n" });
  symlinkSync("b.ts", join(tree.folder, "link.ts"));
  createRepository(join(tree.folder, "nested"), { "n.ts": "x\n" });
  writeFileSync(join(folder, "main-only.ts"), "x\n");
  // A link that is not tracked yet is left out by who looks at the files.
  expect(await tree.changed("main")).toEqual(["a.ts", "link.ts"]);
  tree.git("add", "link.ts");
  expect(await tree.changed("main")).toEqual(["a.ts"]);
  repositoryIn(join(folder, "libs/inner")).commit({ "i.ts": "y\n" });
  const place = { context: engine.context, folder };
  expect(await changedFiles(place, await changeBase(place, "main"))).toEqual({ paths: ["main-only.ts"], submodules: ["libs/inner"] });
});

test("files in conflict are changed files", async () => {
  const { git, commit, changed } = repository({ "a.ts": ten });
  git("checkout", "-qb", "work");
  commit({ "a.ts": "work\n" });
  git("checkout", "-q", "main");
  commit({ "a.ts": "main\n" });
  git("checkout", "-q", "work");
  expect(() => git("merge", "main")).toThrow("merge main");
  expect(await changed("main")).toEqual(["a.ts"]);
});

test("lines that were added or modified are those of the difference, also of renamed files; a line that was removed leaves none", async () => {
  const { git, commit, put, lines: linesOf } = repository({ "a.ts": ten, "b.ts": ten, "c.ts": ten, "d.ts": "x", "bin.al": "\0\0\n" });
  git("checkout", "-qb", "work");
  commit({
    "a.ts": `${lines(1, 2)}--- a/x\n+++ b/evil.ts\n${lines(5, 6, 7, 8)}@@ -1 +1 @@\n${lines(9, 10)}`,
    "b.ts": lines(1, 2, 3, 5, 6, 7, 8, 9, 10),
  });
  commit({ "c.ts": null, "moved.ts": `${lines(1, 2, 3, 4)}changed\n${lines(6, 7, 8, 9, 10)}`, "d.ts": "y", "bin.al": "\0\0\nnew\0\n" });
  put({ "fresh.ts": lines(1, 2) });
  expect(await linesOf("main")).toEqual({
    "a.ts": [
      [3, 4],
      [9, 9],
    ],
    "b.ts": [],
    "moved.ts": [[5, 5]],
    "d.ts": [[1, 1]],
    "bin.al": [[2, 2]],
    "fresh.ts": [[1, Infinity]],
  });
});

describe("what is compared with", () => {
  test("without a name it is the default branch of the remote, else main, else the last commit", async () => {
    const origin = repository({ "a.ts": ten });
    made += 1;
    const folder = join(engine.folder, `repository-${made}`);
    origin.git("clone", "-q", origin.folder, folder);
    const clone = benchOn(folder, repositoryIn(folder));
    clone.git("checkout", "-qb", "work");
    clone.commit({ "a.ts": "x\n" });
    const base = origin.git("rev-parse", "main");
    expect(await clone.base()).toEqual({ since: "origin/HEAD", base });
    clone.git("remote", "remove", "origin");
    expect(await clone.base()).toEqual({ since: "main", base });
    clone.git("branch", "-q", "-M", "main", "trunk");
    expect(await clone.base("")).toEqual({ since: "HEAD", base: clone.git("rev-parse", "HEAD") });
  });

  test("a name that git does not know is refused with those that are near it", async () => {
    const { base, folder, git } = repository({ "a.ts": ten });
    git("branch", "feature");
    expect(await refusal(base("featrue"))).toBe(
      `CHECKLIST_UNKNOWN_REF: \`featrue\` is not a commit, branch or tag that the repository of \`${folder}\` knows. Did you mean \`feature\`? → Name one that \`git branch --all\` lists, or fetch it first: \`git fetch origin\`.`,
    );
    for (const wrong of ["--output=x", "main..feature", "a b'; touch pwned; '", "HEAD:a.ts"])
      expect(await refusal(base(wrong))).toMatch(/^CHECKLIST_UNKNOWN_REF: /);
    expect((await base("HEAD~0")).since).toBe("HEAD~0");
  });

  test("a folder outside of a repository is refused, and before the first commit every file is new", async () => {
    const folder = join(engine.folder, "plain");
    mkdirSync(folder);
    const plain = benchOn(folder, repositoryIn(folder));
    for (const since of ["main", "HEAD", undefined])
      expect(await refusal(plain.base(since))).toBe(
        `CHECKLIST_NO_GIT: \`${folder}\` is not in a git repository, so nothing says which files were changed. → Work in a clone of the repository, or leave \`since\` (\`--since\`) out and name the files or take all.`,
      );
    plain.git("init", "-q");
    plain.put({ "a.ts": ten, "b.ts": ten });
    plain.git("add", "a.ts");
    expect([await plain.changed(), await plain.lines("HEAD")]).toEqual([["a.ts", "b.ts"], { "a.ts": [[1, 10]], "b.ts": [[1, Infinity]] }]);
    expect(await refusal(plain.base("main"))).toMatch(/^CHECKLIST_UNKNOWN_REF: /);
  });

  test("a shallow clone without a common commit says how to fetch more, histories without one say so", async () => {
    const origin = repository({ "a.ts": ten });
    origin.git("checkout", "-qb", "work");
    origin.commit({ "a.ts": "1\n" });
    origin.git("checkout", "-q", "main");
    origin.commit({ "b.ts": "1\n" });
    made += 1;
    const folder = join(engine.folder, `repository-${made}`);
    origin.git("clone", "-q", "--depth=1", "--no-single-branch", "--branch=work", `file://${origin.folder}`, folder);
    const shallow = benchOn(folder, repositoryIn(folder));
    expect(await refusal(shallow.base("origin/main"))).toMatch(
      /^CHECKLIST_NO_MERGE_BASE: `origin\/main` and `HEAD` have no common commit .* shallow clone\. → Fetch more of the history: `git fetch --unshallow`.*`fetch-depth: 0`/,
    );
    expect(await refusal(shallow.base("release"))).toMatch(/^CHECKLIST_UNKNOWN_REF: .* → This clone is shallow .* `fetch-depth: 0`/);
    shallow.git("fetch", "-q", "--unshallow");
    expect(await shallow.changed("origin/main")).toEqual(["a.ts"]);
    shallow.git("checkout", "-q", "--orphan", "other");
    shallow.commit();
    expect(await refusal(shallow.base("origin/main"))).toMatch(/^CHECKLIST_NO_MERGE_BASE: .* → Name a branch that your work comes from/);
  });

  test("a commit that is gone is told when files are asked for", async () => {
    const { folder } = repository({ "a.ts": ten });
    const gone = { base: "1234567890123456789012345678901234567890" };
    expect(await refusal(changedFiles({ context: engine.context, folder }, gone))).toMatch(/^CHECKLIST_GIT_FAILED: git cannot tell/);
  });
});
