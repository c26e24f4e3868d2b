/** Every command that README.md and docs/ci.md print is run as it is printed, or is in a table with the reason why not. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { createCommandTree } from "../../src/cli/index.ts";
import { openCliBench, type CliBench, type CliCall, type CliResult } from "../process/cli-world.ts";
import { dialectCommands } from "../support/all-dialects.ts";
import { sarifProblems } from "../support/sarif-problems.ts";
import { blockLines, readShellLine, type ShellLine } from "../support/shell-lines.ts";

const root = resolve(import.meta.dirname, "../..");
const page = (path: string): string => readFileSync(join(root, path), "utf8");
const [readme, ci] = [page("README.md"), page("docs/ci.md")];

/** Lines that need more than a workspace: their words are read by the real command line, and they are run elsewhere. */
const notRun: Readonly<Record<string, string>> = {
  'waymark run feature-development "Add a dark theme" --agent claude --worktree':
    "needs a coding agent; test/process/runner-*.test.ts run it with scripted ones",
  "waymark drive <run> --agent codex --permission edit": "needs a coding agent; test/process/runner-*.test.ts run it with scripted ones",
  "waymark decide <run>": "asks what a role brings first; src/cli/commands/decide.scenario.test.ts answers gates",
  "waymark chat": "waits for messages; test/process/chat-terminal.test.ts writes some",
  "waymark chat --test-adapter 3000": "serves until it is stopped; test/process/chat-doors.test.ts does so on a free port",
  "waymark work --agent claude --permission edit --workers 4":
    "needs a coding agent and works until it is stopped; test/process/two-machines.test.ts",
};

/** No command of Waymark: what they set up is tested where it is named. */
const notOurs: readonly RegExp[] = [/^export WAYMARK_STORE_URL=/];

/** What a person does at the prompts of a line. */
const typed: Readonly<Record<string, readonly string[]>> = {
  "waymark init": ["claude-code", "y"],
  "waymark allow readme:tidy": ["y"],
};

const al = (text: string): string => `codeunit 50100 "A"\n{\n    procedure P()\n    begin\n        ${text};\n    end;\n}\n`;

let bench: CliBench;
const git = (...args: readonly string[]): string => {
  const own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...own, ...args], {
    cwd: bench.workspace,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: bench.home },
  });
};

beforeAll(async () => {
  const tidy = blockLines(readme, "yaml").join("\n");
  bench = await openCliBench({
    ".waymark/workflows/tidy.yaml": tidy,
    "README.md": "# It\n",
    "app.json": '{ "id": "x", "runtime": "12.0" }\n',
    "src/A.al": al("Error('First')"),
    "src/a.ts": "export const one = 1;\n",
    "../my-app/B.al": al("Error('Second')"),
  });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  await bench.write("src/b.ts", "export function stop(): void {\n  debugger;\n}\n");
  git("add", "-A");
  git("commit", "-qm", "second");
  await bench.write("src/b.ts", "export function stop(): void {\n  debugger;\n  debugger;\n}\n");
});
afterAll(() => bench.close());

/** Runs a line as a shell would, in the workspace; stdout is in its file where it goes to one. */
async function run({ text, words: [program, ...args], from, to }: ShellLine, call: CliCall = {}): Promise<CliResult> {
  expect(program, text).toBe("waymark");
  const piped = from === undefined ? {} : { typed: [execFileSync("sh", ["-c", from], { cwd: bench.workspace, encoding: "utf8" })] };
  const said = await bench.run(args, { ...call, ...piped });
  if (to !== undefined) await bench.write(to, said.stdout);
  return said;
}

async function newRun(...start: readonly string[]): Promise<string> {
  const { run_id: id } = await bench.json<{ run_id: string }>(["start", ...start]);
  return id;
}

/** A run that a line with `<run>` can be about. */
async function runFor(text: string): Promise<string> {
  if (!text.startsWith("waymark undo")) return newRun("delivery", "--input", "request=Add a dark theme");
  const id = await newRun("error-to-errorinfo-migration");
  await bench.json(["done", id, "--result", "apply_auto_first"]);
  const { confirmation_token: token } = await bench.json(["batch", id, "apply_fixes", "--auto-only"]);
  await bench.json(["batch", id, "apply_fixes", "--confirm", String(token)]);
  return id;
}

function parsed({ words }: ShellLine): string | undefined {
  let reached: string | undefined;
  const perform = async (command: { name(): string }): Promise<void> => void (reached = command.name());
  createCommandTree({ version: "", dialects: dialectCommands, perform }).parse(words.slice(1), { from: "user" });
  return reached;
}

const lines = blockLines(readme, "sh").map(readShellLine);

test("README prints commands, and the table names none that it does not print", () => {
  const printed = lines.map(({ text }) => text);
  expect(printed.length).toBeGreaterThan(15);
  expect(Object.keys({ ...notRun, ...typed }).filter((text) => !printed.includes(text))).toEqual([]);
});

const ours = lines.filter(({ text }) => !notOurs.some((other) => other.test(text)));

test.each(ours.filter(({ text }) => notRun[text] !== undefined).map((line) => [line.text, line] as const))(
  "README.md, read but not run: %s",
  (_text, line) => {
    expect(parsed(line)).toBe(line.words[1]);
  },
);

test.each(ours.filter(({ text }) => notRun[text] === undefined).map((line) => [line.text, line] as const))(
  "README.md: %s",
  async (text, line) => {
    const words = await Promise.all(line.words.map(async (word) => (word === "<run>" ? runFor(text) : word)));
    const answers = typed[text];
    // What is watched has no end by itself here.
    const stop = text === "waymark watch" ? { world: { stopSignal: () => AbortSignal.abort() } } : {};
    const { code, stderr } = await run(
      { ...line, words },
      { ...stop, ...(answers === undefined ? {} : { typed: answers, terminal: true }) },
    );
    expect(code, stderr).toBe(0);
  },
);

/** 1 says that `--fail-on` counted something; everything else but 0 is a line that does not work. */
function expectWorks({ code, stderr }: CliResult, { text }: ShellLine): void {
  expect(text.includes("--fail-on") ? [0, 1] : [0], stderr).toContain(code);
}

test.each(blockLines(ci, "sh").map((text) => [text, readShellLine(text)] as const))("docs/ci.md: %s", async (_text, line) => {
  expectWorks(await run(line), line);
  const sarif = line.to === "waymark.sarif" ? sarifProblems(JSON.parse(await bench.read(line.to))) : [];
  expect(sarif).toEqual([]);
});

/** The commands in the configurations of a page. */
function configured(): readonly ShellLine[] {
  const [, gitlab, hooks] = [...ci.matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, text = ""]) => parse(text) as unknown);
  const [{ hooks: [hook] = [] } = {}] = (hooks as { repos: readonly { hooks?: readonly { entry: string }[] }[] }).repos;
  const [staged] = [...ci.matchAll(/^```json\n([^]*?)^```/gm)].map(
    ([, text = ""]) => JSON.parse(text) as { "lint-staged": Record<string, string> },
  );
  return [
    ...(gitlab as { waymark: { script: readonly string[] } }).waymark.script,
    hook?.entry ?? "",
    // Staged paths come behind the command.
    ...Object.values(staged?.["lint-staged"] ?? {}).map((command) => `${command} src/b.ts src/a.ts`),
  ].map(readShellLine);
}

test("what GitLab, pre-commit and lint-staged run", async () => {
  const commands = configured();
  expect(commands.length).toBe(5);
  for (const line of commands) expectWorks(await run(line), line);
  expect(JSON.parse(await bench.read("gl-code-quality-report.json"))).toEqual(expect.any(Array));
  expect(await bench.read("waymark.xml")).toContain("<testsuites");
});

test("the workflow for GitHub and the page give the action inputs that it has", () => {
  const action = parse(page("action.yml")) as { inputs: Record<string, unknown> };
  const steps = (
    parse(page("docs/ci/github-workflow.yml")) as { jobs: { findings: { steps: readonly { uses: string; with?: object }[] } } }
  ).jobs.findings.steps;
  const [step] = parse(/^```yaml\n([^]*?)^```/m.exec(ci)?.[1] ?? "") as [{ uses: string; with: object }];
  const own = [...steps, step].filter(({ uses }) => uses.includes("/waymark@"));
  expect(own).toHaveLength(2);
  for (const { with: given = {} } of own) expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
});
