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

test("the parts of a step are parts of one value, though the state that it comes from is written meanwhile", async () => {
  world = await openWorld({
    "demo:big": `
default_state: { raw: { big: "${long}" } }
steps: [{ id: work, type: mcp_call, mcp: { method: m }, state_update: { path: raw.copy, value: "{{ big }}" } }]
`,
  });
  const { call } = await world.client({ toolsets: ["state"] });
  const started = await call("workflow_start", { workflow: "demo:big" });
  const [cut] = truncatedOf(started.data).filter(({ path }) => path === "step.definition.state_update.value");
  const other = `other ${long}`;
  await call("workflow_state_update", { workflow_id: started.data.run_id, updates: [{ path: "raw.big", value: other }] });
  const rest = await call(cut!.next.tool, cut!.next.arguments);
  const { next_call: again } = rest.data;
  const whole = await wholeData(call, rest.isError ? await call(again.tool, again.arguments) : started);
  expect(whole["step"]).toMatchObject({ definition: { state_update: { value: rest.isError ? other : long } } });
});

test("a part of a state that was written meanwhile is refused, with the call that reads it from the beginning", async () => {
  const words = long.split(" ");
  world = await openWorld({
    "demo:list": `
default_state: { raw: { list: ${JSON.stringify(words)}, other: 1 } }
steps: [{ id: work, type: user_message, message: m }]
`,
  });
  const { call } = await world.client({ toolsets: ["state"] });
  const { run_id } = (await call("workflow_start", { workflow: "demo:list" })).data;
  const write = (path: string, value: unknown) => call("workflow_state_update", { workflow_id: run_id, updates: [{ path, value }] });
  const read = await call("workflow_state_read", { workflow_id: run_id });
  await write("raw.other", 2);
  const second = await call(restOf(read).tool, restOf(read).arguments);
  expect(second.isError, "another value was written").toBe(false);
  await write("raw.list", [...words, "one more"]);
  const late = await call(restOf(second).tool, restOf(second).arguments);
  expect(late.data).toMatchObject({
    error: { code: "MCP_PART_CHANGED", details: { path: "list" } },
    next_call: { tool: "workflow_state_read", arguments: { workflow_id: run_id } },
  });
  const again = await call(late.data.next_call.tool, late.data.next_call.arguments);
  expect(await wholeData(call, again)).toMatchObject({ list: [...words, "one more"], other: 2 });
});

test("a value that only parts of a step's call bring is read from its beginning by them", async () => {
  world = await openWorld({
    "demo:state": `
default_state: { raw: { text: "${long}" } }
steps: [{ id: work, type: user_message, message: m }]
`,
  });
  const { call } = await world.client({ toolsets: ["state"] });
  const { run_id } = (await call("workflow_start", { workflow: "demo:state" })).data;
  const part = { path: "state.text", from: 5, hash: "another" };
  const late = await call("workflow_next", { run_id, part });
  expect(late.data).toMatchObject({ error: { code: "MCP_PART_CHANGED" }, next_call: { arguments: { run_id, part: { from: 0 } } } });
  const again = await call(late.data.next_call.tool, late.data.next_call.arguments);
  expect([again.isError, again.data.part]).toEqual([false, { path: "state.text", from: 0, total: long.length }]);
  expect(restOf(again).arguments).toMatchObject({ part: { hash: expect.any(String) } });
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
