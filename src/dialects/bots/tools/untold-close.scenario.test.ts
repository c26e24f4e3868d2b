import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openClient, serverParts, type TestClient } from "../../../../test/process/mcp-client.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";

let engine: TestEngine;
let client: TestClient;
beforeEach(async () => {
  engine = await openTestEngine(smallBot({}, { done_by: "relay" }));
  client = await openClient({ context: engine.context, ...serverParts, toolsets: ["bots"] });
  await client.call("small_bot_tool", { parameters: { project_area: "area" } });
});
afterEach(async () => {
  await client.close();
  await engine.close();
});

test.each([
  ["a name that is nearly one", { sumary: "x" }, "MCP_UNKNOWN_ARGUMENT", "Did you mean `summary`?"],
  ["a name of nothing", { foo: 1 }, "MCP_UNKNOWN_ARGUMENT", "`foo` means nothing"],
  ["outputs that are empty", { outputs: {} }, "ENGINE_NO_RESULT", "without word of what was done"],
  ["a summary that is blank", { summary: " " }, "ENGINE_NO_RESULT", "without word of what was done"],
])("a close with %s closes nothing", async (_name, parameters, code, said) => {
  const { data } = await client.call("small_bot_close_current_action", { parameters });
  expect(data.error).toMatchObject({ code, message: expect.stringContaining(said) as string });
  expect((await client.call("small_bot_tool", {})).data).toMatchObject({ status: "started", action: "gather" });
});

test("a close with a summary closes it, and what has no place of its own is kept as what went in", async () => {
  const { data } = await client.call("small_bot_close_current_action", { parameters: { summary: "Asked.", team: "red" } });
  expect(data).toMatchObject({ status: "completed", completed_action: "gather" });
  const log = JSON.parse(await readFile(join(engine.folder, "area/activity_log.json"), "utf8")) as { readonly inputs: unknown }[];
  expect(log[1]?.inputs).toEqual({ team: "red" });
});
