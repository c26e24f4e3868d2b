import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const flow = `name: flow
description: One task
version: "1.0.0"
steps: [{ id: work, type: agent_task, prompt: Work. }]
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({
    ".waymark/workflows/flow.yaml": flow,
    "idle.yaml": "turns: [{ do: [{ say: Nothing to do. }] }]\n",
    "busy.yaml": "turns: [{ do: [{ write: { file: made.txt, text: made } }] }]\n",
    "ignored.yaml": "turns: [{ do: [{ write: { file: out.log, text: made } }] }]\n",
    ".gitignore": ".waymark/store\n*.log\n",
  });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  await bench.run(["allow", "flow"], { terminal: true, typed: ["y"] });
});
afterEach(() => bench.close());

const who = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@b" };
const shell = () => ({ cwd: bench.workspace, env: { ...process.env, ...who }, encoding: "utf8" as const });
const git = (...args: readonly string[]): string => execFileSync("git", args, shell()).trim();
const branches = (): string => git("branch", "--list", "waymark/*", "--format=%(refname:short)");

interface Driven {
  readonly run: string;
  readonly path: string;
  readonly out: string;
}

async function driven(agent: string): Promise<Driven> {
  const { code, stdout } = await bench.run(["run", "flow", "--agent", `script:${bench.workspace}/${agent}.yaml`, "--worktree"]);
  expect(code, stdout).toBe(0);
  const [, path = ""] = /^Worktree (\S+), branch/m.exec(stdout) ?? [];
  return { run: /wf-flow-[\w-]+/.exec(stdout)?.[0] ?? "", path, out: stdout };
}

const remove = (run: string) => bench.run(["rm", run, "--yes"]);

test("a worktree in which nothing was changed is removed with its run, and its branch", async () => {
  const { run, path } = await driven("idle");
  const { code, stdout } = await remove(run);
  expect([code, stdout]).toEqual([
    0,
    `Removed 1 run.\nRemoved worktree ${path} and branch waymark/${run}-1, which had nothing of their own.\n`,
  ]);
  expect([existsSync(path), branches()]).toEqual([false, ""]);
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
});

test("a run that is refused leaves no worktree and no branch", async () => {
  const { code, stderr } = await bench.run([
    "run",
    "flow",
    "--agent",
    `script:${bench.workspace}/idle.yaml`,
    "--input",
    "nothing=1",
    "--worktree",
  ]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("ENGINE_WRONG_INPUTS")]);
  expect([branches(), git("worktree", "list").split("\n").length]).toEqual(["", 1]);
});

test("a workspace that is a folder of its repository is that folder in the worktree", async () => {
  const cwd = join(bench.workspace, "app/inner");
  await mkdir(join(cwd, ".waymark/workflows"), { recursive: true });
  await writeFile(join(cwd, ".waymark/workflows/flow.yaml"), flow);
  git("add", "-A");
  git("commit", "-qm", "inner");
  await bench.run(["allow", "flow"], { terminal: true, typed: ["y"], cwd });
  const { stdout } = await bench.run(["run", "flow", "--agent", `script:${bench.workspace}/busy.yaml`, "--worktree"], { cwd });
  const [, path = "", name = ""] = /^Worktree (\S+\/([^/\s]+)), branch/m.exec(stdout) ?? [];
  const run = name.replace(/-1$/, "");
  expect(run).toMatch(/^wf-flow-/);
  expect([existsSync(join(path, "app/inner/made.txt")), existsSync(join(path, "made.txt"))]).toEqual([true, false]);
  expect(stdout).toContain(" app/inner/made.txt (new)\n");
  expect((await bench.run(["status", run], { cwd })).stdout).toContain(`Worktree: ${path}, branch waymark/${run}-1.\n`);
  git("-C", path, "add", "-A");
  git("-C", path, "commit", "-qm", "made");
  git("merge", "-q", `waymark/${run}-1`);
  expect((await bench.run(["rm", run, "--yes"], { cwd })).stdout).toContain(`Removed worktree ${path} and branch`);
});

test("worktrees of single tasks beside that of the run are removed with it, unless something is only there", async () => {
  const { run, path } = await driven("idle");
  git("worktree", "add", "-q", "--detach", `${path}+T-001-e1`, "HEAD");
  git("worktree", "add", "-q", "--detach", `${path}+T-002-e2`, "HEAD");
  await writeFile(`${path}+T-002-e2/half.txt`, "half\n");
  expect((await remove(run)).stdout).toContain(`the worktree of a task, ${path}+T-002-e2, has work that is only there`);
  expect([existsSync(path), existsSync(`${path}+T-001-e1`), existsSync(`${path}+T-002-e2`)]).toEqual([true, false, true]);
});

test("folders without a file in them keep no worktree, also where git ignores them", async () => {
  const { run, path } = await driven("idle");
  await mkdir(join(path, "empty.log", "inner"), { recursive: true });
  expect((await remove(run)).stdout).toContain(`Removed worktree ${path} and branch`);
  expect([existsSync(path), branches()]).toEqual([false, ""]);
});

test.each([
  ["busy", " made.txt (new)"],
  ["ignored", " out.log (git ignores it)"],
])("what an agent left in one (%s) is kept, named, and removed by the printed command only", async (agent, shown) => {
  const { run, path } = await driven(agent);
  const { code, stdout } = await remove(run);
  const command = `git worktree remove --force ${path} && git branch -D waymark/${run}-1`;
  expect([code, stdout.split("\n")]).toEqual([
    0,
    [
      "Removed 1 run.",
      `Kept worktree ${path}, branch waymark/${run}-1. This is only there:`,
      shown,
      `To remove it with all of that:`,
      `  ${command}`,
      "",
    ],
  ]);
  expect([existsSync(path), branches()]).toEqual([true, `waymark/${run}-1`]);
  execFileSync("sh", ["-c", command], { ...shell(), stdio: "pipe" });
  expect([existsSync(path), branches()]).toEqual([false, ""]);
});

test("what was committed and merged is not missed, what was only committed is", async () => {
  const [taken, left] = [await driven("busy"), await driven("busy")];
  for (const { path } of [taken, left]) {
    git("-C", path, "add", "-A");
    git("-C", path, "commit", "-qm", `made in ${path}`);
  }
  git("merge", "-q", `waymark/${taken.run}-1`);
  const document = await bench.json<{ worktrees: unknown }>(["rm", taken.run, left.run, "--yes"]);
  expect(document).toMatchObject({
    removed: [taken.run, left.run],
    worktrees: [
      { path: taken.path, removed: true },
      { path: left.path, removed: false, remove: expect.stringContaining("--force") },
    ],
  });
  expect([existsSync(taken.path), existsSync(left.path), branches()]).toEqual([false, true, `waymark/${left.run}-1`]);
});

test("pruned runs leave worktrees in the same way, and a trial changes nothing", async () => {
  const [idle, busy] = [await driven("idle"), await driven("busy")];
  expect((await bench.run(["prune", "--older-than", "0s", "--dry-run"])).code).toBe(0);
  expect(existsSync(idle.path)).toBe(true);
  const { stdout } = await bench.run(["prune", "--older-than", "0s"]);
  expect(stdout).toContain(`Removed worktree ${idle.path} and branch`);
  expect(stdout).toContain(`Kept worktree ${busy.path}, branch`);
  expect([existsSync(idle.path), existsSync(busy.path)]).toEqual([false, true]);
});
