import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import type { Agents } from "../ports/index.ts";
import { agentCodes } from "./codes.ts";
import { createAgents } from "./create-agents.ts";
import type { ConfiguredAgent } from "./plan-agent.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-agents-")));
  mkdirSync(join(folder, "bin"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(...programs: readonly string[]): void {
  for (const program of programs) {
    writeFileSync(join(folder, "bin", program), "#!/bin/sh\n");
    chmodSync(join(folder, "bin", program), 0o755);
  }
}

function agents(configured: Readonly<Record<string, ConfiguredAgent>> = {}, allowed: readonly string[] = []): Agents {
  const time = new DrivenTime();
  return createAgents({
    workspace: folder,
    configured,
    children: { start: () => Promise.reject(new Error("A unit test starts nothing.")) },
    time: { alarms: time.alarms, now: time.now },
    env: { PATH: join(folder, "bin") },
    version: "1.0.0",
    describe: (name) => `agent ${name}: line`,
    isAllowed: (line) => Promise.resolve(allowed.includes(line)),
  });
}

test("known agents are found on the search path, others are listed as missing", async () => {
  install("codex-acp");
  const all = await agents().list();
  expect(all.map(({ name }) => name)).toEqual(["claude", "codex", "gemini", "opencode", "copilot", "qwen", "goose"]);
  expect(all.filter(({ found }) => found).map(({ name }) => name)).toEqual(["codex"]);
  expect(all.filter(({ tried }) => !tried).map(({ name }) => name)).toEqual(["goose"]);
});

test("claude is used without its adapter where only the command is installed", async () => {
  expect(await agents().list()).toContainEqual(expect.objectContaining({ name: "claude", protocol: "acp", found: false }));
  install("claude");
  expect(await agents().resolve("claude")).toMatchObject({ protocol: "claude-cli", command: ["claude"], resume: "resume", modes: {} });
  install("claude-agent-acp");
  expect(await agents().resolve("claude")).toMatchObject({ protocol: "acp", command: ["claude-agent-acp"] });
});

test("a configured agent changes what it names of a known one", async () => {
  install("codex-acp", "mine");
  const configured = {
    codex: { model: "large", mode: { edit: "workspace-write" }, from: "user" },
    mine: { command: ["./bin/mine", "--acp"], mode: "ask", permission: "edit", resume: "load", from: "project" },
  } as const;
  expect(await agents(configured).resolve("codex")).toMatchObject({
    from: "user",
    command: ["codex-acp"],
    model: "large",
    modes: { read: "read-only", edit: "workspace-write", all: "workspace-write" },
  });
  expect(await agents(configured, ["agent mine: line"]).resolve("mine")).toEqual({
    name: "mine",
    title: "mine",
    from: "project",
    protocol: "acp",
    command: ["./bin/mine", "--acp"],
    found: true,
    modes: { read: "ask", edit: "ask", all: "ask" },
    account: "mine",
    permission: "edit",
    resume: "load",
    tried: false,
  });
});

test.each([
  ["cluade", "AGENTS_UNKNOWN", "There is no agent `cluade`. Did you mean `claude`?"],
  ["zzzzzzzz", "AGENTS_UNKNOWN", "There is no agent `zzzzzzzz`."],
  ["gemini", "AGENTS_NOT_INSTALLED", "The program `gemini` of the agent `gemini` is not found on your PATH."],
  ["empty", "AGENTS_NO_COMMAND", "The agent `empty` has no `command` in the configuration."],
  ["script:", "AGENTS_NO_COMMAND", "The agent `script:` has no `file` in the configuration."],
])("%s is refused with %s", async (name, code, message) => {
  await expect(agents({ empty: { from: "user" } }).resolve(name)).rejects.toMatchObject({ code, message });
});

test("a configured agent that cannot be found is listed with the reason and what to do", async () => {
  const listed = await agents({ empty: { protocol: "acp", from: "user" }, gone: { command: ["gone"], from: "project" } }).list();
  expect(listed.flatMap(({ problem }) => problem ?? [])).toEqual([
    "The agent `empty` has no `command` in the configuration. Add `command` to `agents.empty`.",
    "The program `gone` of the agent `gone` is not found on your PATH. Install it, or correct `command` of `agents.gone`.",
  ]);
});

test("an agent that is not installed comes with its install line", async () => {
  await expect(agents().open("gemini")).rejects.toMatchObject({
    fix: "Install it with `npm install -g @google/gemini-cli`, or configure its `command`.",
  });
});

test("an agent of the project is opened only when a person allowed exactly this line", async () => {
  install("mine");
  const configured = { mine: { command: ["mine"], from: "project" }, own: { command: ["mine"], from: "user" } };
  await expect(agents(configured).open("mine")).rejects.toMatchObject({
    code: "AGENTS_NOT_ALLOWED",
    fix: "Look at it and allow it with `waymark allow --agent mine`.",
  });
  await expect(agents(configured).resolve("mine")).rejects.toMatchObject({ code: "AGENTS_NOT_ALLOWED" });
  await expect(agents(configured).probe("mine")).rejects.toMatchObject({ code: "AGENTS_NOT_ALLOWED" });
  expect((await agents(configured, ["agent mine: line"]).open("mine")).id).toBe("mine");
  expect((await agents(configured).open("own")).id).toBe("own");
});

test("a script is opened by its path or by its configuration, and answers without a process", async () => {
  writeFileSync(join(folder, "dry.yaml"), "turns: [{ do: [{ say: hi }] }]");
  expect((await agents().open("script:dry.yaml")).id).toBe("script:dry.yaml");
  const configured = { dry: { protocol: "script", file: "dry.yaml", from: "user" } } as const;
  expect(await agents(configured).probe("dry")).toEqual({ answers: true, modes: [], models: [] });
});

test("a program that cannot be started is a probe without an answer", async () => {
  install("claude", "codex-acp");
  expect(await agents().probe("claude")).toMatchObject({
    answers: false,
    problem: expect.stringContaining("could not be started") as string,
  });
  expect(await agents().probe("codex")).toMatchObject({ answers: false });
});

test("every code of the room is in its catalogue, and every one there is used", () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const text = sources.map((name) => readFileSync(join(import.meta.dirname, name), "utf8")).join("\n");
  expect(new Set([...text.matchAll(/"(AGENTS_[A-Z_]+)"/g)].map(([, code]) => code))).toEqual(new Set(Object.keys(agentCodes)));
});
