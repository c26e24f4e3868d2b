import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeAgent } from "../../../test/agents/run-turn.ts";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

/** No agent is installed here. */
const env = { PATH: "/nowhere", WAYMARK_ALLOW_UNATTENDED: "1" };
const entry = (name: string, ...args: readonly string[]): string =>
  `  ${name}: { command: ${JSON.stringify([process.execPath, fakeAgent, ...args])}, permission: edit }\n`;

let bench: CliBench;
beforeEach(async () => void (bench = await openCliBench()));
afterEach(() => bench.close());

function user(text: string): void {
  mkdirSync(join(bench.home, ".config", "waymark"), { recursive: true });
  writeFileSync(join(bench.home, ".config", "waymark", "config.yaml"), text);
}

test("the list says what is found, answers and offers, and how to install the others", async () => {
  user(`agents:\n${entry("mine")}  empty: { protocol: acp }\n`);
  const { stdout, code } = await bench.run(["agents"], { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/empty +user +acp +not found[^]*empty: The agent `empty` has no `command`/);
  expect(stdout).toMatch(/mine +user +acp +answers \(1\.2\.3\) +default, plan +small, large/);
  expect(stdout).toMatch(/goose +known +acp +not found, untried/);
  expect(stdout).toContain("→ gemini: npm install -g @google/gemini-cli");
  const { agents } = await bench.json<{ agents: { name: string; found: boolean; probe?: unknown }[] }>(["agents"], { env });
  expect(agents.find(({ name }) => name === "mine")).toMatchObject({
    found: true,
    permission: "edit",
    probe: { answers: true, version: "1.2.3", modes: ["default", "plan"], models: ["small", "large"] },
  });
  expect(agents.find(({ name }) => name === "codex")).not.toHaveProperty("probe");
});

test("one small turn shows whether an agent works, and leaves nothing behind", async () => {
  user(`agents:\n${entry("mine")}${entry("broken", "--kind=death")}`);
  const before = readdirSync(bench.workspace);
  expect(await bench.run(["agents", "try", "mine"], { env })).toMatchObject({ code: 0, stdout: "ok\n✓ mine works.\n" });
  const broken = await bench.run(["agents", "try", "broken"], { env });
  expect(broken.code).toBe(1);
  expect(broken.stdout).toContain("✗ broken does not work: The agent `broken` ended with code 7.");
  expect(await bench.json(["agents", "try", "broken"], { env, code: 1 })).toMatchObject({ result: { stop: "error", errorKind: "crash" } });
  expect(readdirSync(bench.workspace)).toEqual(before);
});

test("an agent of the project is started only after a person allowed exactly what it is", async () => {
  await bench.write(".waymark/config.yaml", `agents:\n${entry("mine")}`);
  const refused = await bench.run(["agents", "try", "mine"], { env });
  expect(refused.stderr).toContain("AGENTS_NOT_ALLOWED");
  expect(refused.code).toBe(2);
  const listed = await bench.run(["agents"], { env });
  expect(listed.stdout).toMatch(/mine +project +acp +not allowed *\n/);
  expect(listed.stdout).toMatch(/^→ mine: waymark allow --agent mine$/m);
  expect(listed.stdout).not.toContain("does not answer");
  const { agents } = await bench.json<{ agents: { name: string; probe?: unknown }[] }>(["agents"], { env });
  expect(agents.find(({ name }) => name === "mine")).toMatchObject({ allowed: false, probe: { answers: false } });
  const allowed = await bench.run(["allow", "--agent", "mine"], { env, terminal: true, typed: ["y"] });
  expect(allowed.stdout).toContain("agent: mine: ");
  expect(allowed.stdout).toContain("(permission edit)");
  expect((await bench.run(["agents", "try", "mine"], { env })).code).toBe(0);
  await bench.write(".waymark/config.yaml", `agents:\n${entry("mine", "--kind=garbage")}`);
  expect((await bench.run(["agents", "try", "mine"], { env })).stderr).toContain("AGENTS_NOT_ALLOWED");
  expect((await bench.run(["allow", "--agent", "mine", "--revoke"], { env })).stdout).toBe("Took back 1 permission.\n");
  expect((await bench.run(["allow", "--agent", "mine", "--revoke"], { env })).code).toBe(2);
});

test.each([
  [["--agent", "mine"], "The project configures the agent `mine`, which needs your permission (`waymark allow --agent mine`)."],
  [["two"], "is not allowed to run this. A person must run `waymark allow two` first."],
])("no further turn after `allow %j --revoke`: the run is parked, also where the agent's process is warm", async (revoked, why) => {
  const turn = [{ match: "First", do: [{ run: "read -r line < gate", ask: false }] }, { do: [{ say: "Done." }] }];
  await bench.write("turns.json", JSON.stringify(turn));
  await bench.write(".waymark/config.yaml", `agents:\n${entry("mine", "--script=turns.json", "--log=requests.jsonl")}`);
  await bench.write(".archon/workflows/two.yaml", "name: two\ndescription: d\nsteps: [{ step: first }, { step: last }]\n");
  await bench.write(".archon/steps/first.md", "First.\n");
  await bench.write(".archon/steps/last.md", "Last.\n");
  spawnSync("mkfifo", [join(bench.workspace, "gate")]);
  for (const what of [["two"], ["--agent", "mine"]])
    expect(await bench.run(["allow", ...what, "--yes"], { env })).toMatchObject({ code: 0 });
  const driving = bench.run(["run", "two", "--agent", "mine"], { env: { ...env, PATH: process.env["PATH"] ?? "" } });
  const gate = await open(join(bench.workspace, "gate"), "w");
  await bench.run(["allow", ...revoked, "--revoke"], { env });
  await gate.write("go\n");
  await gate.close();
  const { code, stdout } = await driving;
  expect([code, stdout]).toEqual([4, expect.stringContaining(why)]);
  const [, run = ""] = /Run (\S+) is parked/.exec(stdout) ?? [];
  expect(stdout).toContain(`→ waymark allow ${revoked.join(" ")}, then waymark drive ${run} --agent mine\n`);
  expect((await bench.read("requests.jsonl")).match(/"session\/prompt"/g)).toHaveLength(1);
});

test.each([
  [["agents", "tyr"], "`tyr` is not an action of agents."],
  [["agents", "try"], "Name one agent to try."],
  [["agents", "try", "cluade"], "There is no agent `cluade`. Did you mean `claude`?"],
  [["agents", "try", "codex"], "npm install -g @agentclientprotocol/codex-acp"],
  [["allow", "--agent", "codex"], "The project's configuration has no agent `codex`."],
  [["allow", "--agent", "codex", "--all"], "cannot be combined"],
])("%j is refused", async (argv, message) => {
  const { code, stderr } = await bench.run(argv, { env });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
