import { expect, test } from "vitest";
import type { AgentInfo, AgentProvider, Agents } from "../ports/index.ts";
import { agentFor, AgentPool, chooseAgent } from "./choose-agent.ts";
import type { DriveRequest } from "./drive-request.ts";

const never = new AbortController().signal;
const request = (of: Partial<DriveRequest> = {}): DriveRequest => ({ run: "r", finish: never, cancel: never, ...of });

const configured: Partial<AgentInfo> = { permission: "all", models: { small: "haiku" } };

/** Agents of any name; `configured` has a permission of its own. */
const agents: Pick<Agents, "resolve"> = {
  resolve: (name) =>
    Promise.resolve({
      name,
      ...(name === "configured" ? configured : {}),
    } satisfies Partial<AgentInfo> as AgentInfo),
};
const choose = (
  of: Partial<DriveRequest>,
  wish: Parameters<typeof chooseAgent>[2]["wish"],
  inWorktree = false,
): ReturnType<typeof chooseAgent> => chooseAgent(agents as Agents, request(of), { step: "plan", wish, inWorktree });
const edit = { level: "edit" } as const;
const read = { level: "read" } as const;

test("the step's agent counts before the driver's, that before the workflow's, that before the configuration's, that before claude", () => {
  const wish = { agent: "step", usual: { agent: "workflow" } };
  expect(agentFor({ agent: "driver", usual: { agent: "config" } }, wish)).toBe("step");
  expect(agentFor({ agent: "driver", usual: { agent: "config" } }, { usual: { agent: "workflow" } })).toBe("driver");
  expect(agentFor({ usual: { agent: "config" } }, { usual: { agent: "workflow" } })).toBe("workflow");
  expect(agentFor({ usual: { agent: "config" } })).toBe("config");
  expect(agentFor({})).toBe("claude");
});

test("the model is the step's, else the driver's, else the workflow's where its agent is the one that works", async () => {
  const wish = { model: "s", usual: { agent: "a", model: "w" } };
  expect(await choose({ model: "d", permission: read }, wish)).toMatchObject({ model: "s" });
  expect(await choose({ model: "d", permission: read }, { usual: { model: "w" } })).toMatchObject({ model: "d" });
  expect(await choose({ permission: read }, { usual: { agent: "a", model: "w" } })).toMatchObject({ agent: "a", model: "w" });
  expect(await choose({ agent: "b", permission: read }, { usual: { model: "w" } })).toMatchObject({ agent: "b", model: "w" });
  expect(await choose({ agent: "b", permission: read }, { usual: { agent: "a", model: "w" } })).toEqual({ agent: "b", permission: read });
});

test("a name that the agent's entry has a model for stands for that model, no matter who names it", async () => {
  const agent = "configured";
  expect(await choose({ agent, permission: read }, { model: "small" })).toMatchObject({ model: "haiku" });
  expect(await choose({ agent, model: "small", permission: read }, {})).toMatchObject({ model: "haiku" });
  expect(await choose({ agent, permission: read }, { usual: { model: "large" } })).toMatchObject({ model: "large" });
  expect(await choose({ agent: "b", permission: read }, { model: "small" })).toMatchObject({ model: "small" });
});

test("the permission is the step's, else the driver's, else the workflow's, else the agent's own, else edit in a worktree", async () => {
  const own = { level: "edit", commands: ["npm test"] } as const;
  expect(await choose({ permission: read }, { permission: own })).toMatchObject({ permission: own });
  expect(await choose({ permission: read }, { usual: { permission: edit } })).toMatchObject({ permission: read });
  expect(await choose({ agent: "configured" }, { usual: { permission: edit } })).toMatchObject({ permission: edit });
  expect(await choose({ agent: "configured" }, undefined, true)).toMatchObject({ permission: { level: "all" } });
  expect(await choose({ agent: "a" }, undefined, true)).toMatchObject({ permission: edit });
});

test("without any of them nothing is chosen, and both ways out are named", async () => {
  await expect(choose({ agent: "a" }, undefined)).rejects.toMatchObject({
    code: "RUNNER_NO_PERMISSION",
    message: "Nobody said what `a` may do in this folder while no one watches, and `plan` needs it.",
    fix: expect.stringMatching(/--permission.*--worktree/) as string,
  });
});

test("a pool opens each agent once and closes what was opened, also when one of them cannot be", async () => {
  const [opened, closed]: [string[], string[]] = [[], []];
  const pool = new AgentPool({
    open: (id: string) => {
      opened.push(id);
      if (id === "broken") return Promise.reject(new Error("no"));
      return Promise.resolve({ id, close: () => Promise.resolve(void closed.push(id)) } as unknown as AgentProvider);
    },
  } as Partial<Agents> as Agents);
  expect(await pool.open("a")).toBe(await pool.open("a"));
  await pool.open("b");
  await expect(pool.open("broken")).rejects.toThrow("no");
  await pool.close();
  expect([opened, closed]).toEqual([
    ["a", "b", "broken"],
    ["a", "b"],
  ]);
});
