/** The calls that bring the rest of a value: for whom, of what, and what they refuse. */
import { afterEach, expect, test } from "vitest";
import { openWorld, type McpWorld, type ToolReply } from "../../test/process/mcp-client.ts";
import { truncatedOf, wholeData } from "../../test/support/whole-data.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const long = Array.from({ length: 3000 }, (_, at) => `word${at}`).join(" ");
const restOf = ({ data }: ToolReply) => truncatedOf(data)[0]?.next ?? { tool: "", arguments: {} };

test("a part of a step that is reported meanwhile is refused, with the call for the open one", async () => {
  world = await openWorld({
    "demo:two": `steps: [{ id: a, type: user_message, message: "${long}" }, { id: b, type: user_message, message: "${long} b" }]`,
  });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow: "demo:two" });
  const { run_id, action_id } = started.data;
  const second = await call("workflow_progress", { run_id, action_id });
  const late = await call(restOf(started).tool, restOf(started).arguments);
  expect(late.isError).toBe(true);
  expect(late.data).toMatchObject({ error: { code: "MCP_NO_PART" }, next_call: { tool: "workflow_next", arguments: { run_id } } });
  expect((await wholeData(call, second))["step"]).toMatchObject({ definition: { message: `${long} b` } });
});

test("a client that starts again reads on where the one before it stopped", async () => {
  world = await openWorld({ "demo:one": `steps: [{ id: a, type: user_message, message: "${long}" }]` });
  const first = await world.client();
  const { run_id } = (await first.call("workflow_start", { workflow: "demo:one" })).data;
  await first.close();
  const { call } = await world.client();
  const resumed = await call("workflow_resume", { run_id });
  expect((await wholeData(call, resumed))["step"]).toMatchObject({ definition: { message: long } });
});

test("secret inputs are in the parts of a step, for its holder, and masked in those of the state", async () => {
  const steps = `
inputs: { token: { type: string, secret: true } }
default_state: { raw: { copied: "${long} {{ inputs.token }}" } }
steps: [{ id: tell, type: user_message, message: "{{ copied }}" }]
`;
  world = await openWorld({ "demo:secret": steps });
  const { call } = await world.client({ toolsets: ["state"] });
  const started = await call("workflow_start", { workflow: "demo:secret", inputs: { token: "hunter2-hunter2" } });
  const { step, state } = await wholeData(call, started);
  expect(step).toMatchObject({ definition: { message: `${long} hunter2-hunter2` } });
  expect(state).toMatchObject({ copied: `${long} ********` });
  const stranger = await world.client();
  const refused = await stranger.call(restOf(started).tool, restOf(started).arguments);
  expect(refused.data.error.code).toBe("STRAND_HELD");
});

test("the message of a checkpoint is whole", async () => {
  world = await openWorld({
    "demo:mark": `
on_high_context_usage: { steps: [{ type: user_message, message: "${long}" }, { type: exit }] }
steps: [{ id: tell, type: user_message, message: hi }]
`,
  });
  const { call } = await world.client();
  const { run_id } = (await call("workflow_start", { workflow: "demo:mark" })).data;
  const marked = await call("workflow_checkpoint", { run_id });
  expect((await wholeData(call, marked))["message"]).toBe(long);
});

test("what is not a part is refused, and tools that do not repeat take none", async () => {
  world = await openWorld({ "demo:one": `steps: [{ id: a, type: user_message, message: hi }]` });
  const { call } = await world.client({ toolsets: ["state"] });
  const { run_id } = (await call("workflow_start", { workflow: "demo:one" })).data;
  const codeOf = async (tool: string, part: unknown): Promise<string> => (await call(tool, { run_id, part })).data.error?.code;
  expect(await codeOf("workflow_next", { path: "step.definition.nothing" })).toBe("MCP_NO_PART");
  expect(await codeOf("workflow_next", { path: "step.definition.message", from: 3 })).toBe("MCP_NO_PART");
  expect(await codeOf("workflow_next", { path: "a..b" })).toBe("MCP_NO_PART");
  expect(await codeOf("workflow_next", { path: 5 })).toBe("MCP_BAD_ARGUMENT");
  expect(await codeOf("workflow_progress", { path: "step" })).toBe("MCP_UNKNOWN_ARGUMENT");
  expect((await call("workflow_next", { run_id, part: { path: "step.definition.message" } })).data).toEqual({
    part: { path: "step.definition.message", from: 0, total: 2 },
    value: "hi",
    next_call: { tool: "workflow_progress", arguments: { run_id, action_id: expect.any(String) } },
  });
});
