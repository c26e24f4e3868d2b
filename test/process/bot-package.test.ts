/** The built package: the sample bot over MCP, left by one conversation and taken up by the next. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { storyBot } from "../support/seed-003-bench.ts";
import { spawnClient, type TestClient } from "./mcp-client.ts";
import { openPackage, type Package } from "./mcp-package.ts";

let opened: Package | undefined;
let client: TestClient | undefined;
afterEach(async () => {
  await client?.close();
  await opened?.close();
  client = opened = undefined;
});

test("one conversation begins, the next is asked and goes on, the command line closes", async () => {
  opened = await openPackage(storyBot());
  await mkdir(join(opened.workspace, "docs"));
  const command = opened.command(["mcp", "--tools", "bots"]);
  const user = () => ({ action: "accept" as const, content: { answer: "done" } });
  client = await spawnClient(command, "auto", user);
  const { tools } = await client.client.listTools();
  expect(tools.filter((tool) => tool.name.startsWith("story_bot_"))).toHaveLength(42);
  await client.call("story_bot_tool");
  const next = await client.call("story_bot_close_current_action", { parameters: { summary: "Chose docs.", project_area: "docs" } });
  expect(next.data).toMatchObject({ completed_action: "initialize_project", next: { action: "gather_context" } });
  await client.close();

  client = await spawnClient(command, "auto", user);
  const asked = await client.call("story_bot_tool");
  expect(asked.data).toMatchObject({ status: "question", action: "gather_context", data: { about: "interrupted" } });
  const again = await client.call("story_bot_tool", { parameters: { answer: "retry" } });
  expect(again.data).toMatchObject({ status: "started", action: "gather_context" });
  const closed = await client.call("story_bot_close_current_action", { parameters: { summary: "Asked." } });
  expect(closed.data).toMatchObject({ completed_action: "gather_context", next_action: "decide_planning_criteria" });
  await client.close();
  client = undefined;

  const shown = opened.start(["bot", "story_bot", "--json"]);
  expect(await shown.ended).toBe(0);
  expect(JSON.parse(shown.stdout())).toMatchObject({
    status: "question",
    action: "decide_planning_criteria",
    data: { about: "interrupted" },
  });
  const log = JSON.parse(await readFile(join(opened.workspace, "docs/activity_log.json"), "utf8")) as {
    action: string;
    action_state: string;
  }[];
  expect(log.map((entry) => `${entry.action} ${entry.action_state}`)).toEqual([
    "initialize_project started",
    "initialize_project completed",
    "gather_context started",
    "gather_context completed",
    "decide_planning_criteria started",
  ]);
}, 120_000);
