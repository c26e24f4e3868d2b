/** Chains of prompts that Waymark drives by itself, as a user sees them: the built command with `script` agents. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openCliBench } from "./cli-world.ts";
import { openPackage, type Package } from "./mcp-package.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { lookInto } from "../support/look-into.ts";

let built: Package;
afterEach(() => built.close());

interface Ran {
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

async function waymark(...args: readonly string[]): Promise<Ran> {
  const child = built.start(args);
  child.process.stdin.end();
  const code = await child.ended;
  return { code, out: child.stdout(), err: child.stderr() };
}

async function json<T>(...args: readonly string[]): Promise<T> {
  return JSON.parse((await lookInto(built, ["--json", ...args])).stdout) as T;
}

interface Shown {
  readonly run_id: string;
  readonly workflow_id: string;
}

const runs = async (): Promise<readonly Shown[]> => (await json<{ readonly runs: readonly Shown[] }>("runs")).runs;

/** A workspace whose workflows a person allowed at a terminal. */
async function open(files: Readonly<Record<string, string>>, allowed: readonly string[]): Promise<void> {
  built = await openPackage(files);
  const desk = await openCliBench();
  try {
    for (const name of allowed) {
      const call = { terminal: true, cwd: built.workspace, env: built.command([]).env };
      expect(await desk.run(["allow", name, "--yes"], call)).toMatchObject({ code: 0 });
    }
  } finally {
    await desk.close();
  }
}

const git = (...args: readonly string[]): string => execFileSync("git", ["-C", built.workspace, ...args], { encoding: "utf8" });

function commitAll(): void {
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
}

interface Said {
  readonly type: string;
  readonly text?: string;
  readonly sessionId?: string;
  readonly resumed?: string;
}

/** What the transcript of a run has, step by step. */
async function transcript(run: string): Promise<readonly { readonly step: string; readonly agent: string; readonly event: Said }[]> {
  const { stdout } = await lookInto(built, ["--jsonl", "transcript", run]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { step: string; agent: string; event: Said });
}

async function logOf(uuid: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(join(built.workspace, `.archon/logs/${uuid}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const chain = chainFiles("  - step: plan\n    artifacts: [plan.md]\n  - step: implement\n    clearContext: true\n  - step: create-pr", {
  plan: "Plan $USER_MESSAGE. Save it to $ARTIFACTS_DIR/plan.md",
  implement: "Implement it.",
  "create-pr": "Open the pull request.",
});
const scripts = {
  "lazy.yaml": 'turns: [{ match: Plan, do: [{ say: "I planned it." }] }, { do: [{ say: "I wrote nothing." }] }]\n',
  "good.yaml": `turns:
  - match: 'Save it to (?<dir>\\S+)/plan.md'
    do: [{ say: "I plan." }, { write: { file: "$<dir>/plan.md", text: "# Plan" } }, { say: "Planned." }]
  - { match: Implement, do: [{ write: { file: "src/a.txt", text: "a" } }, { say: "Implemented." }] }
  - { do: [{ say: "Opened." }] }
`,
  ".gitignore": ".waymark/\n.archon/logs/\n.archon/artifacts/\n*.yaml\n",
};
const good = ["--agent", "script:good.yaml", "--permission", "edit"];

test("a step without its artifact is asked for it once, then fails; after a retry, driving continues at that step", async () => {
  await open({ ...chain, ...scripts }, ["chain"]);
  const failed = await waymark("run", "chain", "dark mode", "--agent", "script:lazy.yaml", "--permission", "edit");
  expect(failed.code).toBe(1);
  expect(failed.out).toMatch(/It was asked once more, and still: `plan` is not done: \S+\/plan.md is missing or empty/);
  const [{ run_id: run, workflow_id: uuid }] = (await runs()) as [Shown];
  const prompts = (await transcript(uuid)).flatMap(({ event: { type, text } }) => (type === "prompt" ? text : []));
  expect(prompts).toEqual([expect.stringContaining("Plan dark mode."), expect.stringContaining("plan.md is missing or empty")]);
  expect((await logOf(uuid)).map(({ type }) => type)).toEqual([
    "workflow_start",
    "step_start",
    "assistant",
    "assistant",
    "step_error",
    "workflow_error",
  ]);
  expect(await waymark("retry", uuid)).toMatchObject({ code: 0, out: expect.stringContaining("Plan dark mode.") as string });
  expect(await waymark("drive", uuid, ...good)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Run ${run} is complete.`) as string,
  });
  expect(await json("status", uuid)).toMatchObject({ run_id: run, workflow_id: uuid, status: "completed" });
  expect(await json("status", run)).toMatchObject({ workflow_id: uuid });
  const log = (await logOf(uuid)).slice(6).map(({ type, step, content, tool_name: tool }) => [type, step ?? content ?? tool]);
  expect(log).toEqual([
    ["step_start", "plan"],
    ["assistant", "I plan."],
    ["tool", "write"],
    ["assistant", "Planned."],
    ["step_complete", "plan"],
    ["step_start", "implement"],
    ["tool", "write"],
    ["assistant", "Implemented."],
    ["step_complete", "implement"],
    ["step_start", "create-pr"],
    ["assistant", "Opened."],
    ["step_complete", "create-pr"],
    ["workflow_complete", undefined],
  ]);
  expect(await readFile(join(built.workspace, `.archon/artifacts/${uuid}/plan.md`), "utf8")).toBe("# Plan");
});

test("a prompt that is used several times is shown each time, what was denied after its step, and how many steps are done", async () => {
  const script = `turns:
  - { match: one, times: 1, do: [{ say: "First." }] }
  - { match: one, times: 1, do: [{ write: { file: a.txt, text: a } }, { write: { file: b.txt, text: b } }, { say: "Second." }] }
  - { match: one, error: "It broke." }
`;
  const files = chainFiles("  - step: one\n  - step: one\n  - step: one", { one: "Do one." });
  await open({ ...files, "denied.yaml": script }, ["chain"]);
  const { code, out } = await waymark("run", "chain", "--agent", "script:denied.yaml", "--permission", "read");
  expect(code).toBe(1);
  const shown = out.split("\n").filter((line) => /^[✓✗!]/.test(line));
  expect(shown).toEqual(["✓ one", "✓ one (2)", "! 2 calls were denied", "✗ one (3) failed: It broke."]);
  const [{ run_id: run, ...counts }] = (await runs()) as [Shown];
  expect(counts).toMatchObject({ done: 2, total: 3 });
  const drive = `waymark drive ${run} --agent script:denied.yaml --permission all`;
  expect(out).toContain(`→ to allow everything: waymark retry ${run}, then ${drive}\n`);
});

test("a step with clearContext begins a conversation, one without continues the last", async () => {
  await open({ ...chain, ...scripts }, ["chain"]);
  expect(await waymark("run", "chain", "dark mode", ...good)).toMatchObject({ code: 0 });
  const [{ run_id: run }] = (await runs()) as [Shown];
  const sessions = (await transcript(run)).flatMap(({ step, event }) =>
    event.type === "session" ? [[step, event.sessionId, event.resumed]] : [],
  );
  const [[, first], [, second]] = sessions as [[string, string], [string, string]];
  expect(sessions).toEqual([
    ["plan", first, "new"],
    ["implement", second, "new"],
    ["create-pr", second, "resumed"],
  ]);
  expect(first).not.toBe(second);
});

test("without permission, or a permission to start agents, nothing is started; the refusal names the ways out", async () => {
  const ours = "agents: { ours: { protocol: script, file: good.yaml } }\n";
  await open({ ...chain, ...scripts, ".waymark/config.yaml": ours }, []);
  commitAll();
  const unstated = await waymark("run", "chain", "dark mode", "--agent", "script:good.yaml");
  expect(unstated).toMatchObject({ code: 2, err: expect.stringContaining("RUNNER_NO_PERMISSION") as string });
  expect(unstated.err).toMatch(
    /State it: `permission: edit` in the workflow[^]*`--permission read`, `edit` or `all`[^]*`waymark run --worktree`, to let it edit a copy of its own\./,
  );
  const unallowed = await waymark("run", "chain", "dark mode", ...good);
  expect(unallowed).toMatchObject({ code: 2, err: expect.stringContaining("ENGINE_NOT_ALLOWED") as string });
  expect(unallowed.err).toContain("waymark allow chain");
  const unknown = await waymark("run", "chain", "dark mode", "--agent", "ours", "--worktree");
  expect(unknown).toMatchObject({ code: 2, out: "", err: expect.stringContaining("AGENTS_NOT_ALLOWED") as string });
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(await runs()).toEqual([]);
  expect(await readdir(built.workspace)).not.toContain("src");
});

test("a script that cannot be used, of any step, and a worktree that cannot be made are refused before a run starts", async () => {
  const second = chainFiles(
    "  - step: plan\n  - { step: after, provider: 'script:broken.yaml' }",
    { plan: "P", after: "A" },
    { name: "second" },
  );
  await open({ ...chain, ...second, "good.yaml": says("ok"), "broken.yaml": "turns: [{ mach: x }]\n" }, ["chain", "second"]);
  const refused = async (code: string, ...args: readonly string[]): Promise<void> => {
    const { err, ...ran } = await waymark("run", ...args);
    expect([ran, err]).toEqual([{ code: 2, out: "" }, expect.stringContaining(code)]);
  };
  await refused("AGENTS_SCRIPT", "chain", "x", "--agent", "script:none.yaml", "--permission", "read");
  await refused("AGENTS_SCRIPT", "second", "--agent", "script:good.yaml", "--permission", "read");
  await refused("HOST_WORKTREE", "chain", "x", "--agent", "script:good.yaml", "--worktree");
  expect(await runs()).toEqual([]);
});

test("a step that may only read may write exactly the artifacts that it must leave", async () => {
  const steps = "  - step: plan\n    permission: read\n    artifacts: [plan.md]";
  const writes = `turns:
  - match: 'Save it to (?<dir>\\S+)/plan.md'
    do: [{ write: { file: "src/a.txt", text: "a" } }, { write: { file: "$<dir>/plan.md", text: "# Plan" } }, { say: "Planned." }]
`;
  await open({ ...chainFiles(steps, { plan: "Save it to $ARTIFACTS_DIR/plan.md" }), "writes.yaml": writes }, ["chain"]);
  const ran = await waymark("run", "chain", "dark mode", "--agent", "script:writes.yaml", "--permission", "all");
  expect([ran.code, ran.err]).toEqual([0, ""]);
  const [{ workflow_id: uuid }] = (await runs()) as [Shown];
  expect(await readFile(join(built.workspace, `.archon/artifacts/${uuid}/plan.md`), "utf8")).toBe("# Plan");
  await expect(stat(join(built.workspace, "src/a.txt"))).rejects.toThrow("ENOENT");
  expect(ran.out).toContain("The agent was not allowed: write: src/a.txt.");
});

test("in a worktree the agent may edit; the end shows what changed and the commands to take it, and nothing is merged", async () => {
  await open({ ...chain, ...scripts }, ["chain"]);
  commitAll();
  const before = git("rev-parse", "HEAD");
  const ran = await waymark("run", "chain", "dark mode", "--agent", `script:${built.workspace}/good.yaml`, "--worktree");
  expect(ran.code).toBe(0);
  const [, path = "", branch = ""] = /^Worktree (\S+), branch (\S+):/m.exec(ran.out) ?? [];
  const [{ run_id: run }] = (await runs()) as [Shown];
  expect(branch).toBe(`waymark/${run}-1`);
  const { workflow_id: uuid } = await json<Shown>("status", run);
  const artifacts = { folder: `${path}/.archon/artifacts/${uuid}`, files: [{ path: "plan.md", bytes: 6 }] };
  expect(await json("status", run)).toMatchObject({ artifacts });
  expect(ran.out).toContain(" src/a.txt (new)");
  expect(await readFile(join(path, "src/a.txt"), "utf8")).toBe("a");
  expect(git("status", "--porcelain")).toBe("");
  expect([git("rev-parse", "HEAD"), git("rev-parse", branch)]).toEqual([before, before]);
  const commands = ran.out.split("\n").filter((line) => line.startsWith("  git "));
  expect(commands).toHaveLength(3);
  const shell = {
    cwd: built.workspace,
    env: { ...process.env, GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@b" },
  };
  for (const command of commands) execFileSync("sh", ["-c", command], { ...shell, stdio: "pipe" });
  expect(await readFile(join(built.workspace, "src/a.txt"), "utf8")).toBe("a");
  await expect(stat(path)).rejects.toThrow("ENOENT");
  expect(git("branch", "--list", branch)).toBe("");
});

test("what a run left in its worktree can be thrown away as printed, and `--jsonl` names the worktree", async () => {
  await open({ ...chain, ...scripts }, ["chain"]);
  commitAll();
  const ran = await waymark("--jsonl", "run", "chain", "dark mode", "--agent", `script:${built.workspace}/good.yaml`, "--worktree");
  expect(ran.code).toBe(0);
  const lines = ran.out.trim().split("\n");
  const documents = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly remove?: string });
  expect(documents.map(({ type }) => type)).toEqual(expect.arrayContaining(["block", "line", "end", "worktree"]));
  const left = documents.find(({ type }) => type === "worktree");
  expect(left).toMatchObject({ branch: expect.stringMatching(/^waymark\/wf-chain-/) as string, changes: [" src/a.txt (new)"] });
  execFileSync("sh", ["-c", left?.remove ?? "false"], { cwd: built.workspace, stdio: "pipe" });
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(git("branch", "--list", "waymark/*")).toBe("");
  const [{ run_id: run }] = (await runs()) as [Shown];
  const folder = expect.stringMatching(new RegExp(`^/.*${run}-1/\\.archon/artifacts/`)) as string;
  expect(await json("status", run)).toMatchObject({
    worktree: { branch: `waymark/${run}-1`, exists: false },
    artifacts: { folder, files: [] },
  });
  expect((await waymark("status", run)).out).toMatch(/^Worktree: \S+, branch waymark\/\S+; it was removed\.$/m);
});

const says = (text: string): string => `turns: [{ do: [{ say: ${JSON.stringify(text)} }] }]\n`;

test("the step's provider counts before --agent, that before the workflow's, that before the configuration, that before claude", async () => {
  const steps =
    "  - step: plan\n  - parallel:\n      - { step: implement, provider: 'script:own.yaml' }\n      - { step: create-pr }\n  - step: after";
  const prompts = { plan: "P", implement: "I", "create-pr": "C", after: "A" };
  const named = chainFiles(steps, prompts, { name: "named" });
  await open(
    {
      ...named,
      ".archon/workflows/named.yaml": `provider: script:usual.yaml\n${named[".archon/workflows/named.yaml"]}`,
      ".archon/workflows/plain.yaml": `name: plain\ndescription: A case.\nsteps:\n${steps}\n`,
      ...Object.fromEntries(["own", "given", "usual", "configured"].map((name) => [`${name}.yaml`, says(name)])),
    },
    ["named", "plain"],
  );
  const said = async (...args: readonly string[]): Promise<readonly (string | undefined)[]> => {
    expect(await waymark("run", ...args, "--permission", "read")).toMatchObject({ code: 0 });
    const entries = await transcript((await runs())[0]?.run_id ?? "");
    return entries.flatMap(({ event: { type, text } }) => (type === "message" ? [text] : []));
  };
  expect(await said("named", "--agent", "script:given.yaml")).toEqual(["given", "own", "given", "given"]);
  expect(await said("named")).toEqual(["usual", "own", "usual", "usual"]);
  expect(await waymark("run", "plain", "--permission", "read")).toMatchObject({
    code: 2,
    err: expect.stringContaining("claude") as string,
  });
  const own = built.command([]).env?.["WAYMARK_CONFIG_HOME"] ?? "";
  await mkdir(own, { recursive: true });
  await writeFile(join(own, "config.yaml"), "drive: { agent: 'script:configured.yaml' }\n");
  expect(await said("plain")).toEqual(["configured", "own", "configured", "configured"]);
  expect(await said("named")).toEqual(["usual", "own", "usual", "usual"]);
});

test("a conversation that another agent has is warned about before the run starts; --on-lost says how it is continued", async () => {
  const files = chainFiles("  - { step: one, provider: 'script:first.yaml' }\n  - step: two\n  - step: three", {
    one: "1",
    two: "2",
    three: "3",
  });
  await open({ ...files, "first.yaml": says("First."), "second.yaml": says("Second.") }, ["chain"]);
  const second = ["--agent", "script:second.yaml", "--permission", "read"];
  const failed = await waymark("run", "chain", ...second);
  expect(failed.code).toBe(1);
  expect(failed.out.split("\n")[0]).toBe(
    "! `two` continues the conversation of `one`, which `script:first.yaml` has and `script:second.yaml` cannot continue: it fails there. Let one agent do both, or add `--on-lost fresh` or `replay`.",
  );
  expect(failed.out).toContain("`waymark drive --on-lost fresh`");
  const [{ run_id: run }] = (await runs()) as [Shown];
  expect(await waymark("retry", run)).toMatchObject({ code: 0 });
  expect(await waymark("drive", run, ...second, "--on-lost", "replay")).toMatchObject({ code: 0 });
  const asked = (await transcript(run)).flatMap(({ event: { type, text = "" } }) => (type === "prompt" ? [text] : []));
  expect(asked).toEqual(["1", expect.stringContaining("You said:\nFirst."), "3"]);
  const ran = await waymark("run", "chain", ...second, "--on-lost", "fresh");
  expect([ran.code, ran.out.includes("! `two`")]).toEqual([0, false]);
  expect(await waymark("run", "chain", ...second, "--on-lost", "never")).toMatchObject({ code: 2 });
});

test("it is warned about also where the conversation is that of a workflow between the two steps, or from before it", async () => {
  const steps =
    "  - { step: one, provider: 'script:first.yaml' }\n  - workflow: between\n  - { step: two, provider: 'script:second.yaml' }";
  const between = (inner: string): Record<string, string> => chainFiles(inner, { deep: "0" }, { name: "between" });
  const files = { ...chainFiles(steps, { one: "1", two: "2" }), "first.yaml": says("First."), "second.yaml": says("Second.") };
  const warning = async (): Promise<string> =>
    (await waymark("run", "chain", "--agent", "script:first.yaml", "--permission", "read")).out
      .split("\n")
      .find((line) => line.startsWith("! `")) ?? "none";
  await open({ ...files, ...between("  - step: deep") }, ["chain"]);
  expect(await warning()).toContain("! `two` continues the conversation of `between/deep`, which `script:first.yaml` has");
  await built.close();
  const commands = 'name: between\ndescription: x\nversion: "1.0.0"\nsteps: [{ id: show, type: shell_command, command: echo }]\n';
  await open({ ...files, ".waymark/workflows/between.yaml": commands }, ["chain"]);
  expect(await warning()).toContain("! `two` continues the conversation of `one`, which `script:first.yaml` has");
});

const looping = `name: looping
description: A loop.
loop: { until: ALL_GREEN, max_iterations: 3, fresh_context: false }
prompt: Fix one.
`;

test("a loop ends with the round that gives its promise, and fails when no round is left", async () => {
  await open(
    {
      ".archon/workflows/looping.yaml": looping,
      "ends.yaml": `turns:
  - { times: 1, do: [{ say: "One is fixed, ALL_GREEN is near." }] }
  - { do: [{ say: "All fixed. <promise>ALL_GREEN</promise> Good." }] }
`,
      "never.yaml": says("One is fixed."),
    },
    ["looping"],
  );
  const ends = await waymark("run", "looping", "--agent", "script:ends.yaml", "--permission", "edit");
  expect([ends.code, ends.out]).toEqual([0, expect.stringContaining("script:ends.yaml: All fixed. Good.\n")]);
  const [{ run_id: run, workflow_id: uuid }] = (await runs()) as [Shown];
  expect(JSON.stringify(await logOf(uuid))).not.toContain("promise");
  const sessions = (await transcript(run)).flatMap(({ event }) => (event.type === "session" ? [event.resumed] : []));
  expect(sessions).toEqual(["new", "resumed"]);
  const never = await waymark("run", "looping", "--agent", "script:never.yaml", "--permission", "edit");
  expect(never).toMatchObject({ code: 1 });
  const [{ run_id: second }] = (await runs()) as [Shown];
  expect((await transcript(second)).filter(({ event }) => event.type === "prompt")).toHaveLength(3);
});

test("a chain calls a workflow of steps, and a workflow of steps calls a chain; both are driven to their end", async () => {
  await open(
    {
      ...chainFiles('  - step: before\n  - workflow: inner:steps\n    with: { subject: "$USER_MESSAGE" }\n  - step: after', {
        before: "Before $USER_MESSAGE.",
        after: "After it.",
      }),
      ".archon/workflows/looping.yaml": looping,
      ".waymark/workflows/inner.yaml": `name: inner:steps
description: Called.
version: "1.0.0"
inputs: { subject: { type: string, required: true } }
steps:
  - { id: judge, type: agent_shell_command, command: "wc -l {{ inputs.subject }}", reason: You judge. }
`,
      ".waymark/workflows/outer.yaml": `name: outer:steps
description: Calls a chain.
version: "1.0.0"
steps:
  - { id: first, type: agent_task, prompt: "Before it." }
  - { id: call, type: include_workflow, workflow: looping }
  - { id: last, type: agent_task, prompt: "After it.", context: last }
`,
      "agent.yaml": `turns:
  - { match: Fix one, do: [{ say: "<promise>ALL_GREEN</promise>" }] }
  - match: '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"'
    do: [{ call: { tool: workflow_progress, with: { run_id: "$<run>", action_id: "$<action>", result: "7" } } }]
  - { do: [{ say: ok }] }
`,
    },
    ["chain", "outer:steps"],
  );
  const agent = ["--agent", "script:agent.yaml", "--permission", "edit"];
  expect(await waymark("run", "chain", "a.txt", ...agent)).toMatchObject({ code: 0 });
  const prompts = async (): Promise<readonly string[]> =>
    (await transcript((await runs())[0]?.run_id ?? "")).flatMap(({ event: { type, text = "" } }) => (type === "prompt" ? [text] : []));
  expect(await prompts()).toEqual(["Before a.txt.", expect.stringContaining("wc -l a.txt"), "After it."]);
  expect(await waymark("run", "outer:steps", ...agent)).toMatchObject({ code: 0 });
  expect(await prompts()).toEqual(["Before it.", "Fix one.", "After it."]);
  const [{ run_id: run, workflow_id: uuid }] = (await runs()) as [Shown];
  const artifacts = { folder: `.archon/artifacts/${uuid}`, files: [] };
  expect(await json("status", run)).toMatchObject({ workflow: "outer:steps", artifacts });
  expect((await waymark("status", run)).out).toContain(`Artifacts: ${artifacts.folder} (0 files).`);
});

test("what a called workflow declares as secret is masked in the log, the transcript and what is printed, whoever says it", async () => {
  const secret = "tok-4711-geheim";
  await open(
    {
      ...chainFiles(`  - workflow: inner\n    with: { token: ${secret} }\n  - step: after`, { after: "After it." }),
      ".waymark/workflows/inner.yaml": `name: inner
description: x
version: "1.0.0"
inputs: { token: { type: string, secret: true } }
steps: [{ id: use, type: agent_task, prompt: "Use {{ inputs.token }}." }]
`,
      "agent.yaml": `turns:
  - { match: Use, do: [{ write: { file: used.txt, text: "used ${secret}" } }, { say: "I used ${secret}." }] }
  - { do: [{ say: "It was ${secret}." }] }
`,
    },
    ["chain"],
  );
  const ran = await waymark("--json", "run", "chain", "--agent", "script:agent.yaml", "--permission", "edit");
  expect(ran).toMatchObject({ code: 0, err: "" });
  const [{ workflow_id: uuid }] = (await runs()) as [Shown];
  const log = await logOf(uuid);
  expect(log.filter(({ type }) => type === "assistant" || type === "tool")).toHaveLength(3);
  const shown = [ran.out, JSON.stringify(log), JSON.stringify(await transcript(uuid)), (await waymark("transcript", uuid)).out];
  for (const text of shown) {
    expect(text).toContain("I used ");
    expect(text).not.toContain(secret);
  }
});

test("an agent's question stops the run until a person answers; then its step comes again with the answer", async () => {
  const asking = `turns:
  - { match: "The answer: keep", do: [{ say: "Planned with the old name." }] }
  - match: Plan
    do: [{ call: { tool: workflow_ask, with: { question: "Keep the old name?", options: [keep, drop] } } }, { say: "I wait." }]
  - { do: [{ say: "Done." }] }
`;
  const files = chainFiles("  - step: plan\n  - step: ship", { plan: "Plan it.", ship: "Ship it." });
  await open({ ...files, "asking.yaml": asking, ".gitignore": ".waymark/\n" }, ["chain"]);
  const drive = ["--agent", "script:asking.yaml", "--permission", "edit"];
  const waits = await waymark("run", "chain", "dark mode", ...drive);
  expect(waits.code).toBe(3);
  expect(waits.out).toContain("Keep the old name?");
  const [, run = "", decision = ""] = /waymark decide (\S+) (\S+)/.exec(waits.out) ?? [];
  // What an agent has relayed by a process without a terminal does not count.
  const relayed = await waymark("decide", run, decision, "keep");
  expect(relayed.code).not.toBe(0);
  expect(relayed.err).toContain("Only a person at a terminal can answer");
  expect((await waymark("drive", run, ...drive)).code).toBe(3);
  const desk = await openCliBench();
  try {
    const call = { terminal: true, cwd: built.workspace, env: built.command([]).env };
    expect(await desk.run(["decide", run, decision, "keep"], call)).toMatchObject({ code: 0 });
  } finally {
    await desk.close();
  }
  expect((await waymark("drive", run, ...drive)).code).toBe(0);
  const said = (await transcript(run)).filter(({ step }) => step === "plan").map(({ event }) => event);
  expect(said.flatMap(({ type, text }) => (type === "message" ? text : []))).toEqual(["I wait.", "Planned with the old name."]);
  const sessions = new Set(said.flatMap(({ type, sessionId }) => (type === "session" ? sessionId : [])));
  expect(sessions.size).toBe(1);
});
