import { afterEach, expect, test } from "vitest";
import { openWorld, type McpWorld } from "../../test/process/mcp-client.ts";
import { handedOut } from "../../test/support/handed-out.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const steps = `
steps:
  - { id: one, type: user_message, message: "first" }
  - { id: two, type: user_message, message: "second" }
  - { id: three, type: user_message, message: "third" }
`;

test("what the user said is passed on, and shown with the step it is for and no other", async () => {
  world = await openWorld({ "demo:tell": steps });
  const client = await world.client();
  const { run_id, action_id } = (await client.call("workflow_start", { workflow: "demo:tell" })).data;
  const noted = await client.call("workflow_tell", { run_id, message: "Mind the umlauts", for: "three" });
  expect(noted.data).toEqual({ noted: true, run_id, for: "three" });
  const second = await client.call("workflow_progress", { run_id, action_id });
  expect(second.text).not.toContain("umlauts");
  await client.call("workflow_tell", { run_id, message: "Hurry up" });
  const third = await client.call("workflow_progress", { run_id, action_id: second.data.action_id });
  expect(third.data).toMatchObject({ step: { id: handedOut("three") }, notes: expect.arrayContaining(["Mind the umlauts", "Hurry up"]) });
});

test("an empty message and an unknown run are refused", async () => {
  world = await openWorld({ "demo:tell": steps });
  const client = await world.client();
  expect((await client.call("workflow_tell", { run_id: "none", message: "x" })).data.error.code).toBe("ENGINE_NO_RUN");
  expect((await client.call("workflow_tell", { run_id: "none", message: " " })).isError).toBe(true);
});
