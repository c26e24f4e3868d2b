/** Machines that Waymark drives by itself, in a worktree: the built command with an agent that plays every role. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openDrivenPackage, type DrivenPackage, type Ended, type FakeScript } from "../support/driven-package.ts";
import { deliveryProject as project, deliveryTeam as team, plays, slug } from "../support/delivery-team.ts";
import { reported } from "../support/scripted-team.ts";
import { lean } from "../support/seed-004-team.ts";
import { lookInto } from "../support/look-into.ts";
import { openCliBench } from "./cli-world.ts";

let opened: DrivenPackage;
afterEach(() => opened.close());

async function openProject(files: Readonly<Record<string, string>>, script: FakeScript, allow: readonly string[] = []): Promise<void> {
  opened = await openDrivenPackage({ ...files, ".gitignore": ".waymark/\n" }, { agents: { team: { script } }, allow });
  const git = (...args: readonly string[]): string => execFileSync("git", ["-C", opened.workspace, ...args], { encoding: "utf8" });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
}

/** A person's answer at a terminal. */
async function decide(run: string, id: string, answer: string): Promise<void> {
  const desk = await openCliBench();
  const call = { terminal: true, cwd: opened.workspace, env: opened.command([]).env };
  const { code, stderr } = await desk.run(["decide", run, id, answer], call);
  await desk.close();
  expect(code, stderr).toBe(0);
}

/** The roles that were asked, in order. */
async function asked(): Promise<readonly (string | undefined)[]> {
  return (await opened.prompts()).map(({ text }) => /You are (\w+)\./.exec(text)?.[1]);
}

function worktreeOf({ stdout }: Ended): string {
  return /^Worktree (\S+), branch/m.exec(stdout)?.[1] ?? "";
}

/** What the agents of a run asked for and were not allowed. */
async function denied(run: string): Promise<readonly string[]> {
  const { stdout } = await lookInto(opened, ["--jsonl", "transcript", run]);
  return stdout.split("\n").filter((line) => line.includes('"decision":"deny"'));
}

const roleText = "You write the notice. Keep it to one sentence about rabbits.\n";
const notice = {
  ".waymark/workflows/notice.machine.yaml": `machine: notice
title: A notice
description: A writer writes, and that is all.
version: "1.0.0"
start: WRITE
artifacts: { notice: { path: notice.md, sections: [Text] }, report: { form: report } }
roles:
  Writer: { title: Writes the notice., instructions: roles/writer.md, writes: [notice] }
states:
  WRITE: { title: The writer writes., do: [{ dispatch: Writer, leaves: [notice], goal: Write the notice. }], next: DONE }
  DONE: { title: It is done., do: [{ report: true }, { finish: true }], next: end }
done: { report: true }
`,
  ".waymark/workflows/roles/writer.md": roleText,
};

test("a driven role gets its instructions as they were at the start, and no path that leads out of its folder", async () => {
  const writer = plays("Writer", { "$<session>/notice.md": "# Notice\n\n## Text\n\nRabbits.\n" }, reported("OK", "Written."));
  await openProject(notice, [writer], ["notice"]);
  const started = await opened.waymark(["start", "notice"]);
  expect(started.code, started.stderr).toBe(0);
  await writeFile(join(opened.workspace, ".waymark/workflows/roles/writer.md"), "Write about cats.\n");
  const end = await opened.waymark(["drive", started.run, "--agent", "team"]);
  expect(end.code, end.stdout).toBe(0);
  const [prompt] = await opened.prompts();
  expect(prompt?.text).toContain(roleText.trim());
  expect(prompt?.text).not.toMatch(/cats|Read the file of instructions|writer\.md/);
  expect(prompt?.text).not.toContain(opened.workspace);
}, 240_000);

test("a delivery in full, in a worktree: it stops at each gate without a terminal, and is driven to its end after the answers", async () => {
  await openProject(project, team);
  const first = await opened.waymark(["run", "delivery", "Make slugs of titles", "--agent", "team", "--worktree"]);
  expect(first.code, first.stdout).toBe(3);
  expect(first.stdout).toContain(`Run ${first.run} waits for a person:`);
  expect(await asked()).toEqual(["SpecAgent", "Architect"]);
  expect(await opened.status(first.run)).toMatchObject({ questions: [{ decision: "UD-APPROVE-DESIGN" }] });
  await decide(first.run, "UD-APPROVE-DESIGN", "approved");
  const second = await opened.waymark(["drive", first.run, "--agent", "team"]);
  expect(second.code, second.stdout).toBe(3);
  await decide(first.run, "UD-REVIEW-STRATEGY", "per-batch");
  const end = await opened.waymark(["drive", first.run, "--agent", "team"]);
  expect(end.code, end.stdout).toBe(0);
  expect((await asked()).slice(2)).toEqual([
    "Planner",
    "Coder",
    "Reviewer",
    "QA",
    "Reviewer",
    "Security",
    "Integrator",
    "Docs",
    "Integrator",
  ]);
  for (const { text } of await opened.prompts()) expect(text).not.toMatch(/"\/|Read the file of instructions/);
  expect(await denied(first.run)).toEqual([]);
  expect(await readFile(join(worktreeOf(end), "src/slug.mjs"), "utf8")).toBe(slug);
  await expect(readFile(join(opened.workspace, "src/slug.mjs"), "utf8")).rejects.toThrow("ENOENT");
}, 240_000);

test("a lean delivery in a worktree asks about the commands of its checks, and reports by itself", async () => {
  await openProject({ ...project, "inputs.json": JSON.stringify(lean) }, team);
  const first = await opened.waymark(["run", "delivery", "Fix the slugs", "--inputs", "inputs.json", "--agent", "team", "--worktree"]);
  expect(first.code, first.stdout).toBe(3);
  expect(first.stdout).toContain("node check.mjs");
  await decide(first.run, "UD-1", "allow");
  const end = await opened.waymark(["drive", first.run, "--agent", "team"]);
  expect(end.code, end.stdout).toBe(0);
  expect(await asked()).toEqual(["SpecAgent", "Coder", "Reviewer", "QA"]);
  expect(await denied(first.run)).toEqual([]);
  expect(await readFile(join(worktreeOf(end), "src/slug.mjs"), "utf8")).toBe(slug);
}, 240_000);
