/** Budgets and limits through the built command: what a killed driver leaves, and who wakes up. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { openDrivenPackage, type DrivenPackage } from "../support/driven-package.ts";
import { lookInto } from "../support/look-into.ts";
import { chainFiles } from "../support/prompt-files.ts";

let built: DrivenPackage;
afterEach(() => built.close());

const names = ["a", "b", "c", "d", "e", "f"];
const chain = chainFiles(
  names.map((name) => `  - { step: ${name} }`).join("\n"),
  Object.fromEntries(names.map((name) => [name, `Do ${name}.`])),
);
const tokens = (n: number) => ({ usage: { inputTokens: n - 10, outputTokens: 10, totalTokens: n } });
const cost = (amount: number) => ({
  update: { sessionUpdate: "usage_update", used: 5, size: 10, cost: { amount, currency: "USD" } },
});

interface Status {
  readonly budget: { readonly used: { readonly tokens: number; readonly money: number }; readonly reserved?: object };
  readonly used?: { readonly turns: number; readonly tokens: number | null; readonly cost_usd: number | null };
  readonly questions: readonly { readonly question: string }[];
}
const statusOf = async (run: string): Promise<Status> => (await built.status(run)) as unknown as Status;
const asked = async (): Promise<readonly string[]> => (await built.prompts()).map(({ text }) => text.trim().split("\n")[0] ?? "");

test("a run stops at its budget of tokens, and only a person raises it", async () => {
  built = await openDrivenPackage(chain, { agents: { fake: { script: [{ do: [tokens(100), { say: "done" }] }] } }, allow: ["chain"] });
  const { code, stdout, run } = await built.waymark(["run", "chain", "--agent", "fake", "--budget-tokens", "250"]);
  expect([code, stdout]).toEqual([3, expect.stringContaining("The budget of 250 tokens is used up")]);
  expect(stdout).toMatch(/^a +fake +1 +100 +unknown$/m);
  expect(stdout).toContain("Used in all: 3 turns, tokens 300, cost unknown.");
  expect(await asked()).toEqual(["Do a.", "Do b.", "Do c."]);
  expect(await statusOf(run)).toMatchObject({ budget: { used: { tokens: 300 } }, used: { turns: 3, tokens: 300, cost_usd: null } });
  expect((await built.waymark(["drive", run, "--agent", "fake"])).code).toBe(3);
  const raise = await built.waymark(["drive", run, "--agent", "fake", "--budget-tokens", "5000"]);
  expect([raise.code, raise.stderr]).toEqual([2, expect.stringContaining("only a person may raise it")]);
  expect(await asked()).toHaveLength(3);
});

test("after a limit and after denials the end proposes what decides: the role, nothing where the step names its agent, else the option", async () => {
  const task = (name: string, more: string): string =>
    `name: ${name}\ndescription: x\nversion: "1.0.0"\nsteps: [{ id: one, type: agent_task, prompt: "Do it."${more} }]\n`;
  const files = {
    ".waymark/workflows/judged.yaml": task("judged", ", role: Judge, permission: read"),
    ".waymark/workflows/named.yaml": task("named", ", agent: second, permission: read"),
    ".waymark/workflows/free.yaml": task("free", ""),
  };
  const denied = { write: { file: "/etc/waymark-fake", text: "no" } };
  const script = [
    { do: [denied, { error: { code: -32_603, message: "You've hit your usage limit. Try again at 2099-01-02T03:04:05Z." } }] },
  ];
  built = await openDrivenPackage(files, {
    agents: { team: { script: [] }, judge: { script }, second: { script }, third: { script } },
    roles: { Judge: { agent: "judge" } },
    allow: ["judged", "named", "free"],
  });
  const hints = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { stdout, run } = await built.waymark(["run", ...words, "--no-wait"]);
    const lines = stdout.split("\n").filter((line) => /^→ to (?:continue now|allow)/.test(line));
    return lines.map((line) => line.replaceAll(run, "X"));
  };
  const retry = "→ to continue now with another agent: waymark retry X, then waymark drive X";
  expect(await hints("judged", "--agent", "team", "--role", "Judge=permission=read")).toEqual([
    `${retry} --agent team --role 'Judge=<name>,permission=read' --no-wait`,
    "→ to allow everything: waymark drive X --agent team --role 'Judge=permission=all' --no-wait",
  ]);
  expect(await hints("named", "--agent", "team")).toEqual([]);
  expect(await hints("free", "--agent", "third", "--permission", "read")).toEqual([
    `${retry} --agent <name> --permission read --on-lost fresh`,
    "→ to allow everything: waymark drive X --agent third --permission all --no-wait",
  ]);
});

test("minutes of a drive are its own: the same number again and a lower one need no person, and the limit of the run stays", async () => {
  built = await openDrivenPackage(chain, { agents: { fake: { script: [{ do: [tokens(100), { say: "done" }] }] } }, allow: ["chain"] });
  const { code, run } = await built.waymark(["run", "chain", "--agent", "fake", "--budget-tokens", "250", "--max-minutes", "40.5"]);
  expect(code).toBe(3);
  for (const minutes of ["480", "480", "10.2"]) {
    const again = await built.waymark(["drive", run, "--agent", "fake", "--max-minutes", minutes]);
    expect([again.code, again.stdout]).toEqual([
      3,
      expect.stringContaining(`waymark drive ${run} --agent fake --max-minutes ${minutes}\n`),
    ]);
  }
  expect(await statusOf(run)).toMatchObject({ budget: { limits: { tokens: 250, minutes: 40.5 } } });
});

test("all attempts of a workflow share their budget, and the end is about all of them: totals, and the transcript of the last one", async () => {
  const again = `
name: again
description: x
version: "1.0.0"
error_handling: { on_error: retry_workflow, max_retries: 2 }
steps: [{ id: one, type: agent_task, prompt: "Do it." }]
`;
  const script = [{ do: [tokens(120), { say: "No." }, { stop: "refusal" }] }];
  built = await openDrivenPackage({ ".waymark/workflows/again.yaml": again }, { agents: { fake: { script } }, allow: ["again"] });
  const end = await built.waymark(["run", "again", "--agent", "fake", "--budget-tokens", "5000"]);
  expect([end.code, end.stdout]).toEqual([1, expect.stringContaining("Used in all: 3 turns, tokens 360, cost unknown.")]);
  const failed = /Run (\S+) failed/.exec(end.stdout)?.[1] ?? "";
  expect([failed === end.run, end.stdout.includes(`→ waymark transcript ${failed}\n`)]).toEqual([false, true]);
  expect(await statusOf(failed)).toMatchObject({ budget: { used: { tokens: 360 } }, used: { turns: 3, tokens: 360 } });
});

test("a run that is killed at 70 % of its budget stops at the limit when it is resumed: what the killed turn used counts, once", async () => {
  const flag = "killed";
  built = await openDrivenPackage(chain, { agents: { fake: { script: [] } }, allow: ["chain"] });
  const soFar = { update: { sessionUpdate: "usage_update", used: 5, size: 10, usage: { inputTokens: 80, outputTokens: 10 } } };
  const script = [
    {
      match: "Do c",
      do: [{ ...soFar, once: built.beside("said") }, { hang: true, once: built.beside(flag) }, tokens(100), { say: "done" }],
    },
    { do: [tokens(100), { say: "done" }] },
  ];
  await writeFile(built.beside("fake.json"), JSON.stringify(script));
  const child = built.start(["run", "chain", "--agent", "fake", "--budget-tokens", "415"]);
  child.process.stdin.end();
  await child.says(/Started run/);
  const run = /wf-[\w-]+/.exec(child.stdout())?.[0] ?? "";
  let seen = await statusOf(run);
  while (seen.used?.tokens !== 290) seen = await statusOf(run);
  expect(Object.keys(seen.budget.reserved ?? {})).toHaveLength(1);
  child.process.kill("SIGKILL");
  expect(await child.ended).toBe("SIGKILL");
  expect((await lookInto(built, ["status", run])).stdout).toContain(
    "Budget: 200 of 415 tokens. A turn was killed: what its transcript says it used counts with the next drive.\n",
  );
  const { code, stdout } = await built.waymark(["drive", run, "--agent", "fake"]);
  expect([code, stdout]).toEqual([3, expect.stringContaining("The budget of 415 tokens is used up")]);
  expect(await asked()).toEqual(["Do a.", "Do b.", "Do c.", "Do c.", "Do d."]);
  const { budget } = await statusOf(run);
  expect(budget.used.tokens).toBe(490);
  expect(budget).not.toHaveProperty("reserved");
});

test("a node whose driver is killed after its agent has reported it: what the turn used has a line of its own in the log, once", async () => {
  const nodes = "  - { id: a, workflow: judging }\n  - { id: b, depends_on: [a], prompt: Do b. }";
  const judge = '{ id: judge, type: agent_shell_command, command: "wc -l a.txt", reason: You judge. }';
  const files = {
    ".archon/workflows/graph.yaml": `name: graph\ndescription: A case.\nnodes:\n${nodes}\n`,
    ".waymark/workflows/judging.yaml": `name: judging\ndescription: A case.\nversion: "1.0.0"\nsteps:\n  - ${judge}\n`,
  };
  built = await openDrivenPackage(files, { agents: { fake: { script: [] } }, allow: ["graph"] });
  const report = { call: { tool: "workflow_progress", with: { run_id: "$<run>", action_id: "$<action>", result: "1" } } };
  const soFar = { update: { sessionUpdate: "usage_update", used: 5, size: 10, usage: { inputTokens: 60, outputTokens: 10 } } };
  const script = [
    { match: '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"', do: [soFar, report, { hang: true }] },
    { do: [tokens(100), { say: "done" }] },
  ];
  await writeFile(built.beside("fake.json"), JSON.stringify(script));
  const child = built.start(["run", "graph", "--agent", "fake", "--budget-tokens", "1000"]);
  child.process.stdin.end();
  await child.says(/Started run/);
  const run = /wf-[\w-]+/.exec(child.stdout())?.[0] ?? "";
  const lines = async (): Promise<readonly { readonly type: string; readonly step?: string; readonly tokens?: number }[]> => {
    const { workflow_id: id } = (await built.status(run)) as unknown as { readonly workflow_id: string };
    const text = await readFile(join(built.workspace, ".archon", "logs", `${id}.jsonl`), "utf8");
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
  };
  await expect
    .poll(async () => (await lines()).map(({ type, step }) => `${type} ${step}`), { timeout: 30_000 })
    .toContain("node_complete a");
  child.process.kill("SIGKILL");
  expect(await child.ended).toBe("SIGKILL");
  expect((await built.waymark(["drive", run, "--agent", "fake"])).code).toBe(0);
  const used = (await lines()).filter(({ type }) => type === "node_complete" || type === "node_usage");
  expect(used.map(({ type, step, tokens: count }) => [type, step, count])).toEqual([
    ["node_complete", "a", undefined],
    ["node_usage", "a", 70],
    ["node_complete", "b", 100],
  ]);
  expect((await statusOf(run)).budget).toMatchObject({ used: { tokens: 170 } });
});

test("a run stops at its budget of money", async () => {
  const script = names.map((name, at) => ({ match: `Do ${name}`, do: [cost((at + 1) * 0.2), tokens(10), { say: "done" }] }));
  built = await openDrivenPackage(chain, { agents: { claude: { script } }, allow: ["chain"] });
  const { code, stdout, run } = await built.waymark(["run", "chain", "--agent", "claude", "--budget-usd", "0.5"]);
  expect([code, stdout]).toEqual([3, expect.stringContaining("The budget of $0.50 is used up")]);
  expect((await statusOf(run)).budget.used.money).toBeCloseTo(0.6);
  expect(stdout).toContain("cost $0.60.");
});

test("a turn that does not say what it cost stops a run with a budget of money, and a person is asked", async () => {
  built = await openDrivenPackage(chain, { agents: { fake: { script: [{ do: [tokens(10), { say: "done" }] }] } }, allow: ["chain"] });
  const { code, stdout, run } = await built.waymark(["run", "chain", "--agent", "fake", "--budget-usd", "5"]);
  expect([code, stdout]).toEqual([3, expect.stringContaining("A turn did not say what it cost")]);
  expect(await asked()).toEqual(["Do a."]);
  expect((await statusOf(run)).questions).toHaveLength(1);
});

test("a run that waits for its account continues by itself within 2 seconds of the reset, and the limit costs its step no try", async () => {
  const once = Object.entries(chain).map(([path, text]) => [
    path,
    text.replace("step: b }", "step: b, retry: { max_attempts: 1, delay_ms: 1000, on_error: all } }"),
  ]);
  built = await openDrivenPackage(Object.fromEntries(once) as typeof chain, { agents: { fake: { script: [] } }, allow: ["chain"] });
  const times = built.beside("times");
  await writeFile(
    built.beside("fake.json"),
    // After the limit the step fails once: it succeeds only if its one retry is left.
    JSON.stringify([
      {
        match: "Do b",
        do: [{ limit: 5, times }, { error: { code: -32603, message: "No." }, once: built.beside("failed") }, { say: "done" }],
      },
      { do: [{ say: "done" }] },
    ]),
  );
  const { code, stdout, run } = await built.waymark(["run", "chain", "--agent", "fake"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("Waiting until ")]);
  const [end = 0, first = 0, second = 0, third = 0, ...more] = (await readFile(times, "utf8"))
    .trim()
    .split("\n")
    .map((text) => Date.parse(text));
  expect(more).toEqual([]);
  expect(first).toBeLessThan(end);
  expect(second).toBeGreaterThanOrEqual(end);
  expect(second).toBeLessThan(end + 2_000);
  expect(third).toBeGreaterThan(second);
  // The folder for what they leave, each step, and the retry of one: nothing for the limit.
  expect(await statusOf(run)).toMatchObject({ budget: { used: { steps: names.length + 2 } } });
});

test("without waiting the run is parked, and after the time the next command says that it is due", async () => {
  built = await openDrivenPackage(chain, { agents: { fake: { script: [] } }, allow: ["chain"] });
  const times = built.beside("times");
  await writeFile(
    built.beside("fake.json"),
    JSON.stringify([{ match: "Do a", do: [{ limit: 4, times }, { say: "done" }] }, { do: [{ say: "done" }] }]),
  );
  const { code, run } = await built.waymark(["run", "chain", "--agent", "fake", "--permission", "edit", "--no-wait"]);
  expect(code).toBe(4);
  const end = Date.parse((await readFile(times, "utf8")).split("\n")[0] ?? "");
  // Nothing tells when the clock has come to a time.
  while (Date.now() < end + 1_000) await delay(50);
  const { stdout } = await built.waymark(["status", run]);
  expect(stdout).toContain("It is due since");
  expect(stdout).toContain(`→ waymark drive ${run} --agent fake --permission edit\n`);
  expect((await built.waymark(["runs"])).stdout).toMatch(/ due /);
  expect((await built.waymark(["drive", run, "--agent", "fake"])).code).toBe(0);
});
