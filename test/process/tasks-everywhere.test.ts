/** Tasks of machines and checklists, as users meet them: the built command with a `script` agent, and a client of the built server. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openCliBench } from "./cli-world.ts";
import { spawnClient, type TestClient } from "./mcp-client.ts";
import { openPackage, type Package } from "./mcp-package.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { reviewed, taskScript, triage } from "../support/task-samples.ts";
import { lookInto } from "../support/look-into.ts";

let built: Package;
let client: TestClient | undefined;
afterEach(async () => {
  await client?.close();
  client = undefined;
  await built.close();
});

/** A workspace whose workflows a person allowed at a terminal. */
async function open(files: Readonly<Record<string, string>>, name: string): Promise<void> {
  built = await openPackage({ ...files, "agent.yaml": taskScript });
  const desk = await openCliBench();
  const call = { terminal: true, cwd: built.workspace, env: built.command([]).env };
  expect(await desk.run(["allow", name, "--yes"], call)).toMatchObject({ code: 0 });
  await desk.close();
}

async function waymark(...args: readonly string[]): Promise<{ readonly code: number | string; readonly out: string }> {
  const child = built.start(args);
  child.process.stdin.end();
  const code = await child.ended;
  return { code, out: `${child.stdout()}${child.stderr()}` };
}

async function prompts(run: string): Promise<readonly string[]> {
  const lines = (await lookInto(built, ["--jsonl", "transcript", run])).stdout.trim().split("\n");
  const entries = lines.map(
    (line) => JSON.parse(line) as { readonly step: string; readonly event: { readonly type: string; readonly text: string } },
  );
  return entries.flatMap(({ step, event }) => (event.type === "prompt" ? [`${step}: ${event.text.split("\n")[0] ?? ""}`] : []));
}

const runOf = (out: string): string => /wf-[\w-]+/.exec(out)?.[0] ?? "";

test("a machine is driven through its tasks: a missing file is asked for, a check that fails gives another try", async () => {
  await open(triage, "triage");
  const { code, out } = await waymark("run", "triage", "--input", "request=shop", "--agent", "script:agent.yaml");
  expect(code, out).toBe(0);
  expect(await prompts(runOf(out))).toEqual([
    expect.stringContaining("find-worst: Which bug of shop is the worst?"),
    "fix: Fix crash and write fix.md.",
    expect.stringContaining("`fix` is not done: fix.md is missing or empty."),
    "fix: Fix crash and write fix.md.",
  ]);
  expect(await readFile(join(built.workspace, "fix.md"), "utf8")).toBe("fixed");
});

test("a checklist is driven through its tasks and its files", async () => {
  await open(reviewed, "reviewed");
  const { code, out } = await waymark("run", "reviewed", "--agent", "script:agent.yaml", "--permission", "edit");
  expect(code, out).toBe(0);
  expect(await prompts(runOf(out))).toEqual([
    "rules: Write rules.md.",
    expect.stringContaining("`rules` is not done: rules.md is missing or empty."),
    expect.stringContaining("src/a.js#look: You carry out one step of a Waymark run"),
    "learn: What is to be learnt from the 1 files?",
    "learn: What is to be learnt from the 1 files?",
  ]);
  const report = await waymark("report", runOf(out));
  expect(report.out).toContain("| Lessons | completed |");
});

test("`waymark test` plays chains, steps, machines and checklists with a script, and leaves the workspace as it is", async () => {
  const steps = `name: write
description: d
version: "1.0.0"
steps: [{ id: note, type: agent_task, prompt: Write rules.md., artifacts: [rules.md], agent: claude, permission: edit }]
`;
  built = await openPackage({
    ...triage,
    ...reviewed,
    ...chainFiles("  - step: plan\n    artifacts: [plan.md]", { plan: "Plan it. Save it to $ARTIFACTS_DIR/plan.md" }),
    ".waymark/workflows/write.yaml": steps,
    "tests/agent.yaml": taskScript,
    "tests/code/src/a.js": "a();\n",
    "tests/triage.waymark-test.yaml": `workflow: triage
agent: agent.yaml
inputs: { request: shop }
commands: { "grep *": [{ stdout: not fixed yet, exit_code: 1 }, ""] }
tests:
  - { name: both, state: { worst: { bug: crash } }, files: { fix.md: fixed, lesson.txt: null }, ran: [/^grep/, /^grep/] }
  - { name: by answer, answers: { find-worst: { bug: x, severity: low } }, commands: {}, ran: [] }
`,
    "tests/reviewed.waymark-test.yaml": `workflow: reviewed
agent: agent.yaml
folder: code
execute: false
commands: { "test -f *": [{ stdout: no lesson.txt, exit_code: 1 }, ""] }
state: { tasks: { learn: { result: { lesson: read twice } } } }
files: { rules.md: Be kind., src/a.js: /a/ }
`,
    "tests/write.waymark-test.yaml": "workflow: write\nagent: agent.yaml\nfiles: { rules.md: Be kind. }\n",
    "tests/chain.waymark-test.yaml": `workflow: chain
inputs: { user_message: x }
agent:
  turns: [{ match: 'Save it to (?<dir>\\S+)/plan.md', do: [{ write: { file: "$<dir>/plan.md", text: "# Plan" } }, { say: Planned. }] }]
`,
  });
  const { code, out } = await waymark("test");
  expect(code, out).toBe(0);
  expect(out).toContain("5 tests, 5 passed, 0 failed.");
  expect((await readdir(built.workspace)).toSorted()).toEqual([".archon", ".waymark", "src", "tests"]);
  expect(await readdir(join(built.workspace, ".archon"))).toEqual(["steps", "workflows"]);
});

test.each([
  ["triage", triage, "find-worst", { bug: "crash", severity: "high" }],
  ["reviewed", reviewed, "rules", "Be kind."],
] as const)(
  "a client of the server does a task of %s, and a runner takes the run up after it is gone",
  async (name, files, step, result) => {
    await open(files, name);
    client = await spawnClient(built.command(["mcp"]), "auto");
    const inputs = name === "triage" ? { inputs: { request: "shop" } } : {};
    const started = await client.call("workflow_start", { workflow: name, ...inputs });
    expect(started.data.step).toMatchObject({ type: "agent_task", id: expect.stringContaining(step) as string });
    if (name === "reviewed") await writeFile(join(built.workspace, "rules.md"), "Be kind.");
    const run_id = String(started.data.run_id);
    const reported = await client.call("workflow_progress", { run_id, action_id: started.data.action_id, result });
    expect(reported.isError).toBe(false);
    await client.close();
    client = undefined;
    const { code, out } = await waymark("drive", run_id, "--agent", "script:agent.yaml", "--permission", "edit");
    expect(code, out).toBe(0);
    expect((await prompts(run_id)).some((each) => each.startsWith(step))).toBe(false);
  },
);
