import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { openCliBench } from "../process/cli-world.ts";
import { endOf, openDrivenPackage, type DrivenPackage, type FakeScript } from "./driven-package.ts";
import { killAfterGit } from "./kill-after-git.ts";
import { lookInto } from "./look-into.ts";
import { meet } from "./meeting.ts";

/** A graph that calls a workflow for four items at the same time, by the built command: two of them conflict, and one fails. */
const both = "one\nby one\nby two\nthree\n";

const edits = (item: string, shared: boolean): FakeScript[number] => ({
  match: `^Migrate <${item}>`,
  do: [
    ...(item === "bad" ? [] : [{ run: `node meet.mjs ${item}`, ask: false }]),
    { write: { file: `${item}.txt`, text: `${item}\n` } },
    ...(shared ? [{ write: { file: "shared.txt", text: `one\nby ${item}\nthree\n` } }] : []),
    { say: `Did ${item}.` },
  ],
});
const script: FakeScript = [
  { match: "^What was done for `two` does not fit", do: [{ write: { file: "shared.txt", text: both } }, { say: "Both." }] },
  edits("one", true),
  edits("two", true),
  edits("three", false),
  edits("bad", false),
];

const project = {
  ".archon/workflows/migrate-all.yaml": `name: migrate-all
description: Migrates everything.
nodes:
  - { id: go, approval: { message: Shall it begin? } }
  - { id: before, depends_on: [go], bash: "echo before > before.txt; printf '%s' '[\\"one\\",\\"two\\",\\"three\\",\\"bad\\"]'" }
  - id: all
    depends_on: [before]
    workflow: migrate-one
    isolation: worktree
    fan_out: { items: $before.output, max_parallel: 4 }
  - { id: said, depends_on: [all], bash: "cat one.txt two.txt three.txt; printf '%s' $all.output" }
`,
  ".archon/workflows/migrate-one.yaml": `name: migrate-one
description: Migrates one.
nodes:
  - { id: edit, prompt: "Migrate <$ARGUMENTS>." }
  - { id: check, depends_on: [edit], bash: 'test "$ARGUMENTS" != bad' }
returns: edit
`,
  "meet.mjs": meet,
  "shared.txt": "one\ntwo\nthree\n",
  ".gitignore": ".waymark/\n",
};

export const driven: readonly string[] = ["--agent", "fake", "--workers", "3"];

export async function openGraph(): Promise<DrivenPackage> {
  const opened = await openDrivenPackage(project, {
    agents: { fake: { script, env: ["MEETING"] } },
    allow: ["migrate-all", "migrate-one"],
  });
  git(opened.workspace, "init", "-q");
  git(opened.workspace, "add", "-A");
  git(opened.workspace, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
  return opened;
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
}

/** Begun, with the question answered that it begins with. */
export async function toItems(opened: DrivenPackage): Promise<string> {
  const begun = await opened.waymark(["run", "migrate-all", "--worktree", ...driven]);
  expect(begun.code, begun.stdout + begun.stderr).toBe(3);
  const desk = await openCliBench();
  const { code, stderr } = await desk.run(["decide", begun.run, "go", "approve"], {
    terminal: true,
    typed: [""],
    cwd: opened.workspace,
    env: opened.command([]).env,
  });
  await desk.close();
  expect(code, stderr).toBe(0);
  return begun.run;
}

/** All three met, and each waited for the other two. */
export async function driveTogether(opened: DrivenPackage, run: string): Promise<string> {
  const meeting = opened.beside("meeting");
  await mkdir(meeting);
  const end = await endOf(opened.start(["drive", run, ...driven], { MEETING: meeting }));
  // One item fails on purpose.
  expect(end.code, end.stdout + end.stderr).toBe(1);
  expect((await readdir(meeting)).toSorted()).toEqual(["one", "three", "two"]);
  expect(existsSync(opened.beside("alone"))).toBe(false);
  return end.stdout;
}

/** Done, one commit for each item in their order, the conflict solved, the failed one on its branch, nothing left. */
export async function proveBrought(opened: DrivenPackage, run: string, stdout: string): Promise<void> {
  const folder = /^Worktree (\S+), branch/m.exec(stdout)?.[1] ?? "";
  expect(git(folder, "log", "--format=%s", "--reverse").trim().split("\n")).toEqual([
    "first",
    "What was done before all",
    "all: one",
    "all: two",
    "all: three",
  ]);
  expect(await readFile(join(folder, "shared.txt"), "utf8")).toBe(both);
  expect(git(folder, "status", "--porcelain", "--", ".", ":(exclude).archon")).toBe("");
  expect((await readdir(dirname(folder))).filter((name) => name.includes("+"))).toEqual([]);
  const branches = git(folder, "branch", "--list", "waymark/*+*", "--format=%(refname:short)").trim().split("\n");
  expect(branches).toEqual([expect.stringContaining("+run.all.3-")]);
  expect(git(folder, "show", `${branches[0]}:bad.txt`)).toBe("bad\n");
  expect(await opened.status(run)).toMatchObject({ status: "completed", nodes: { total: 4, completed: 4 } });
  const items = (await lookInto(opened, ["items", run, "--jsonl"])).stdout.trim().split("\n");
  const all = items.map((line) => JSON.parse(line) as { readonly id: string; readonly reason?: string }).find(({ id }) => id === "all");
  expect(all?.reason).toContain(`What was done is on the branch \`${branches[0]}\`.`);
}

/** Kills the driver right after the n-th such git command, lets another one finish, and proves that nothing is missing or done twice. Gives the status of the run. */
export async function killedAfter(opened: DrivenPackage, words: string, nth = 1): Promise<unknown> {
  const run = await toItems(opened);
  const { bin, watch } = await killAfterGit(opened, words, nth);
  const { PATH = "" } = process.env;
  const child = opened.start(["drive", run, ...driven], { PATH: `${bin}:${PATH}` });
  await watch(child.process.pid ?? 0);
  await endOf(child);
  expect(await readFile(join(bin, "killed"), "utf8")).toBe(String(child.process.pid));
  const end = await opened.waymark(["drive", run, ...driven]);
  expect(end.code, end.stdout + end.stderr).toBe(1);
  await proveBrought(opened, run, end.stdout);
  return (await opened.status(run))["status"];
}
