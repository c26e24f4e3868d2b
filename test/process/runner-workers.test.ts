/** Several workers of the built command, each with an agent process of its own. */
import { execFileSync } from "node:child_process";
import { open as openFile, readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { endOf, openDrivenPackage, type DrivenPackage, type FakeScript } from "../support/driven-package.ts";

let built: DrivenPackage;
afterEach(() => built.close());

const ids = '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"';
const call = (tool: string, given: object) => ({ call: { tool, with: { run_id: "$<run>", action_id: "$<action>", ...given } } });
const done = call("workflow_progress", { status: "completed", result: "read" });
const file = (name: string): string => `\\b${name}\\.txt\\b[^]*${ids}`;

const workflow = `type: many
name: Many
description: One look at every file
version: "1.0.0"
file_patterns: ["**/*.txt"]
phases:
  - { id: inventory, name: Inventory, description: Lists the files. }
  - { id: review, name: Review, description: Every file. }
per_file_checklist:
  - { id: judge, type: validation, description: Judge it. }
`;

async function open(count: number, script: FakeScript): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `f${at}.txt`);
  built = await openDrivenPackage(
    { ".waymark/workflows/many.workflow.yaml": workflow, ...Object.fromEntries(names.map((name) => [name, `${name}\n`])) },
    { agents: { fake: { script } }, allow: ["many"] },
  );
}

/** The files that were asked about, by the conversation. */
async function asked(): Promise<ReadonlyMap<string, string>> {
  const found = (await built.prompts()).flatMap(({ session, text }) => {
    const name = /\bf\d+\.txt\b/.exec(text)?.[0];
    return name === undefined ? [] : [[session, name] as const];
  });
  return new Map(found);
}

/** The agent's sessions are named after its processes. */
function processesOf(sessions: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...sessions.keys()].map((id) => id.split("-")[1] ?? ""))];
}

const windows = process.platform === "win32";

test.runIf(!windows)("two workers have agents of their own, are never on one file, and the lines name them", async () => {
  // The first two wait until both are shown.
  const waits = (name: string) => ({ match: file(name), do: [{ run: `cat ../${name}`, ask: false }, done] });
  await open(6, [waits("f0"), waits("f1"), { match: ids, do: [done] }]);
  const paths = ["f0", "f1"].map((name) => built.beside(name));
  execFileSync("mkfifo", paths);
  const pipes = await Promise.all(paths.map((path) => openFile(path, "r+")));
  const child = built.start(["run", "many", "--agent", "fake", "--workers", "2"]);
  await child.says(/^worker 1, fake/m);
  await child.says(/^worker 2, fake/m);
  for (const pipe of pipes) {
    await pipe.write("here\n");
    await pipe.close();
  }
  const end = await endOf(child);
  expect(end, end.stdout + end.stderr).toMatchObject({ code: 0 });
  const sessions = await asked();
  expect(processesOf(sessions)).toHaveLength(2);
  expect([...sessions.values()].toSorted()).toEqual(["f0", "f1", "f2", "f3", "f4", "f5"].map((name) => `${name}.txt`));
});

test.runIf(!windows)("an agent that dies takes nothing from the others, and its file is done", async () => {
  const dies = { run: "if [ ! -e ../died ]; then touch ../died; kill -9 $PPID; fi", ask: false };
  await open(5, [
    { match: file("f1"), do: [dies, done] },
    { match: ids, do: [done] },
  ]);
  const end = await built.waymark(["run", "many", "--agent", "fake", "--workers", "3"]);
  expect(end, end.stdout + end.stderr).toMatchObject({ code: 0 });
  expect(await readFile(built.beside("died"), "utf8")).toBe("");
});

test.runIf(!windows)("a question of one file leaves the others to be done; the run waits for it", async () => {
  await open(5, [
    { match: file("f2"), do: [call("workflow_ask", { question: "Keep f2?" })] },
    { match: ids, do: [done] },
  ]);
  const end = await built.waymark(["run", "many", "--agent", "fake", "--workers", "2"]);
  expect(end, end.stdout + end.stderr).toMatchObject({ code: 3 });
  expect(end.stdout).toContain("? Keep f2?");
  expect(new Set((await asked()).values()).size).toBe(5);
});

test.runIf(!windows)("SIGINT lets the turns of all workers come to their ends; what was not begun is left, and is done later", async () => {
  // The runner is told once, while both turns are open: being told twice would cancel them.
  const run = (command: string): object => ({ run: command, ask: false });
  const tells = { match: file("f0"), do: [run("cat ../f0"), { signal: "SIGINT" }, run("echo here > ../f1"), done] };
  const waits = { match: file("f1"), do: [run("(echo here > ../f0 &); cat ../f1"), done] };
  await open(6, [tells, waits, { match: ids, do: [done] }]);
  for (const name of ["f0", "f1"]) execFileSync("mkfifo", [built.beside(name)]);
  const end = await built.waymark(["run", "many", "--agent", "fake", "--workers", "2"]);
  expect(end, end.stdout + end.stderr).toMatchObject({ code: 4 });
  const again = await built.waymark(["drive", end.run, "--agent", "fake", "--workers", "2"]);
  expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 });
});

test("an agent that is not logged in parks the run without a failed file, and the next command says what to do first", async () => {
  await open(6, [{ do: [{ kind: "auth" }] }]);
  const end = await built.waymark(["run", "many", "--agent", "fake", "--workers", "2"]);
  expect(end, end.stdout + end.stderr).toMatchObject({ code: 4 });
  expect(end.stdout).toContain("is parked: `fake` is refused by its provider: Authentication required");
  expect(end.stdout).toContain(`→ when \`fake\` is logged in and paid for: waymark drive ${end.run} --agent fake --workers 2`);
  expect((await asked()).size).toBeLessThanOrEqual(2);
  expect(end.stdout).not.toContain("failed");
});

test("a number of workers that is none is refused before anything starts", async () => {
  await open(1, [{ match: ids, do: [done] }]);
  for (const given of ["0", "65", "two", "1.5"]) {
    const end = await built.waymark(["run", "many", "--agent", "fake", "--workers", given]);
    expect(end.code).toBe(2);
    expect(end.stderr).toContain(`\`--workers ${given}\` is not possible.`);
    expect(end.stderr).toContain("Write a whole number from 1 to 64.");
  }
});
