import { expect, test } from "vitest";
import { describeAgent, describeProjectAgents } from "./describe-agents.ts";
import type { AgentConfig } from "./settings.ts";

const mine: AgentConfig = {
  protocol: "acp",
  command: ["node", "agent.mjs", "two words"],
  env: ["MY_KEY", "NODE_OPTIONS=--require ./x.js"],
  mode: "ask",
  permission: "all",
  from: "project",
};

test("a project's agent is shown with its whole command line, variables, mode and permission", () => {
  expect(describeProjectAgents({ agents: { mine } }, "")["mine"]).toBe(
    `mine: MY_KEY="$MY_KEY" NODE_OPTIONS='--require ./x.js' node agent.mjs 'two words' (mode ask, permission all, protocol acp)`,
  );
});

test("a script is shown with a hash of its content", () => {
  const script: AgentConfig = { protocol: "script", file: "describe-agents.ts", from: "project" };
  const shown = (file: string): string | undefined =>
    describeProjectAgents({ agents: { mine: { ...script, file } } }, import.meta.dirname)["mine"];
  expect(shown("describe-agents.ts")).toMatch(/^mine: describe-agents\.ts \(protocol script\) script [0-9a-f]{32}$/);
  expect(shown("none.yaml")).toBe("mine: none.yaml (protocol script) script that is missing");
});

test("agents of the user, and those that are not configured, have nothing to allow", () => {
  expect(describeProjectAgents({ agents: { mine: { ...mine, from: "user" } } }, "")).toEqual({});
});

test("values that a user set may be secrets, and are shown by name", () => {
  expect(describeAgent({ command: ["x"], env: ["KEY=secret"], from: "user" }, "names")).toBe("KEY=... x");
});

test("every key of an agent changes what is shown", () => {
  const shown = (more: Partial<AgentConfig>): string => describeAgent({ ...mine, ...more }, "values");
  const changes: Partial<AgentConfig>[] = [
    { protocol: "claude-cli" },
    { command: ["node"] },
    { env: [] },
    { mode: { read: "ask" } },
    { model: "m" },
    { models: { small: "m" } },
    { permission: "read" },
    { auth: "a" },
    { resume: "load" },
    { file: "f" },
  ];
  expect(new Set([shown({}), ...changes.map(shown)]).size).toBe(changes.length + 1);
});
