import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { openCliBench } from "../process/cli-world.ts";
import { deliveryTeam, plays } from "./delivery-team.ts";
import { endOf, openDrivenPackage, type DrivenPackage, type FakeScript } from "./driven-package.ts";
import { killAfterGit } from "./kill-after-git.ts";
import { lookInto } from "./look-into.ts";
import { meet } from "./meeting.ts";
import { reported } from "./scripted-team.ts";

/** A delivery with three tasks that are made at the same time by the built command, two of which conflict. */
const tasks = [1, 2, 3].map(
  (number) => `  - id: T-00${number}
    status: not-started
    type: chore
    title: Part ${number}
    depends_on: []
    goal: Make part ${number}
    non_goals: []
    context_files: []
    files_expected: [part-${number}.txt]
    acceptance_checks: ["cmd: node check.mjs"]
    risk_flags: [none]
    done_when: ["it is there"]
`,
);
const plan = `project:\n  name: parts\n  definition_of_done: ["checks pass"]\ntasks:\n${tasks.join("")}`;
const coded = reported("OK", "Coded.", { artifacts: { patch_summary: ["made"] } });
const both = "one\nby T-001\nby T-002\nthree\n";

/** Two of the three tasks change the same line of a file that neither plans to change. */
const codes = (id: string, shared: Readonly<Record<string, string>>): FakeScript[number] => {
  const { do: actions, ...turn } = plays("Coder", { [`part-${id.slice(-1)}.txt`]: `${id}\n`, ...shared }, coded, `[\\s\\S]*"id":"${id}"`);
  return { ...turn, do: [{ run: `node meet.mjs ${id}`, ask: false }, ...actions] };
};
const team: FakeScript = [
  plays("Coder", { "shared.txt": both }, coded, "[\\s\\S]*Resolve the conflicts in shared\\.txt"),
  codes("T-001", { "shared.txt": "one\nby T-001\nthree\n" }),
  codes("T-002", { "shared.txt": "one\nby T-002\nthree\n" }),
  codes("T-003", {}),
  plays("Planner", { "$<session>/tasks.yaml": plan }, reported("OK", "Planned.")),
  ...deliveryTeam,
];
const judges = deliveryTeam
  .filter(({ match = "" }) => /^You are (?:Reviewer|QA|Security)/.test(match))
  .map((turn) => ({ ...turn, do: turn.do.filter((action) => "call" in action) }));

const project = {
  "meet.mjs": meet,
  "check.mjs": "process.exit(0);\n",
  "shared.txt": "one\ntwo\nthree\n",
  "README.md": "# Parts\n",
  ".gitignore": ".agents-work/\n.waymark/\n",
  "judge.json": JSON.stringify({ turns: judges }),
};

export const judge = "script:judge.json";
/** How each command drives: three workers, roles on two kinds of agents. */
export const driven = ["--agent", "team", "--workers", "3", "--context", "shared"].concat(
  ["Coder=team,permission=edit", `Reviewer=${judge},permission=read`, `QA=${judge}`, `Security=${judge}`].flatMap((role) => [
    "--role",
    role,
  ]),
);

/** A repository with the request, and the team for it. */
export async function openDelivery(): Promise<DrivenPackage> {
  const opened = await openDrivenPackage(project, { agents: { team: { script: team, env: ["MEETING"] } } });
  git(opened.workspace, "init", "-q");
  git(opened.workspace, "add", "-A");
  git(opened.workspace, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
  return opened;
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
}

async function decide(opened: DrivenPackage, run: string, id: string, answer: string): Promise<void> {
  const desk = await openCliBench();
  const call = { terminal: true, cwd: opened.workspace, env: opened.command([]).env };
  const { code, stdout, stderr } = await desk.run(["decide", run, id, answer], call);
  await desk.close();
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(
    `waymark drive ${run} --agent team --role 'Coder=team,permission=edit' --role 'Reviewer=${judge},permission=read'`,
  );
}

/** Through both gates; the tasks are open then. */
export async function toTasks(opened: DrivenPackage): Promise<string> {
  const begun = await opened.waymark(["run", "delivery", "Make parts", "--input", "parallel=3", "--worktree", ...driven]);
  expect(begun.code, begun.stdout + begun.stderr).toBe(3);
  await decide(opened, begun.run, "UD-APPROVE-DESIGN", "approved");
  expect((await opened.waymark(["drive", begun.run, ...driven])).code).toBe(3);
  await decide(opened, begun.run, "UD-REVIEW-STRATEGY", "per-batch");
  return begun.run;
}

interface Line {
  readonly step: string;
  readonly agent: string;
  readonly event: { readonly type: string; readonly sessionId?: string };
}

/** Every conversation that was begun or continued, in order. */
export async function conversations(opened: DrivenPackage, run: string): Promise<readonly Line[]> {
  const { stdout } = await lookInto(opened, ["--jsonl", "transcript", run]);
  const lines = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
  return lines.filter(({ event }) => event.type === "session");
}

/** Done, one commit each in the order of the tasks, the conflict solved, nothing left. */
export async function proveDone(opened: DrivenPackage, run: string, stdout: string): Promise<void> {
  const folder = /^Worktree (\S+), branch/m.exec(stdout)?.[1] ?? "";
  expect(git(folder, "log", "--format=%s", "--reverse").trim().split("\n")).toEqual([
    "first",
    "T-001: Part 1",
    "T-003: Part 3",
    "T-002: Part 2",
  ]);
  expect(await readFile(join(folder, "shared.txt"), "utf8")).toBe(both);
  // All of it is committed.
  expect(stdout).toContain("To take it:\n  git merge waymark/");
  // Nothing is left of the worktrees of tasks.
  expect(await readdir(dirname(folder))).toHaveLength(1);
  const [session = ""] = await readdir(join(folder, ".agents-work"));
  expect(JSON.parse(await readFile(join(folder, ".agents-work", session, "status.json"), "utf8"))).toMatchObject({ current_state: "DONE" });
  expect(await readFile(join(folder, ".agents-work", session, "tasks.yaml"), "utf8")).toMatch(/(?:status: completed[^]*){3}/);
  expect(await opened.status(run)).toMatchObject({ status: "completed", progress: { done: 3, total: 3 } });
}

/** Kills the driver right after the git command, lets another one finish, and proves that nothing is missing or done twice. Gives the status of the run. */
export async function killedAfter(opened: DrivenPackage, words: string): Promise<unknown> {
  const run = await toTasks(opened);
  const { bin, watch } = await killAfterGit(opened, words);
  const { PATH = "" } = process.env;
  const child = opened.start(["drive", run, ...driven], { PATH: `${bin}:${PATH}` });
  await watch(child.process.pid ?? 0);
  await endOf(child);
  expect(await readFile(join(bin, "killed"), "utf8")).toBe(String(child.process.pid));
  const end = await opened.waymark(["drive", run, ...driven]);
  expect(end.code, end.stdout + end.stderr).toBe(0);
  await proveDone(opened, run, end.stdout);
  return (await opened.status(run))["status"];
}
