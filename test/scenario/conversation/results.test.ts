/** A step that returns something is complete when its result is there, and what the agent stored by itself is that result. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readState } from "../../../src/engine/index.ts";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const entries = Array.from({ length: 2000 }, (_, at) => `entry-${String(at).padStart(4, "0")}`);
const workflows = {
  "one:text": `steps: [{ id: s, type: agent_shell_command, command: x, state_update: { path: raw.out } }]`,
  "one:append": `default_state: { raw: { log: [a] } }\nsteps: [{ id: s, type: agent_shell_command, command: x, state_update: { path: raw.log, operation: append } }]`,
  "one:old-value": `default_state: { raw: { out: old } }\nsteps: [{ id: s, type: agent_shell_command, command: x, state_update: { path: raw.out } }]`,
  "one:list": `steps: [{ id: s, type: mcp_call, mcp: { method: m }, state_update: [{ path: raw.a, value: "{{ result.a }}" }, { path: raw.b, value: "{{ result.b }}" }] }]`,
  "one:transform": `steps: [{ id: s, type: mcp_call, mcp: { method: m }, state_update: { path: raw.out, transform: "result.n * 2" } }]`,
  "one:json": `steps: [{ id: s, type: agent_shell_command, command: x, output_format: json, state_update: { path: raw.out } }]`,
  "two:same-path": `
steps:
  - { id: first, type: agent_shell_command, command: x, state_update: { path: raw.out } }
  - { id: second, type: agent_shell_command, command: y, state_update: { path: raw.out } }`,
  "tasks:append": `
default_state: { raw: { log: [] } }
steps: [{ id: fan, type: parallel_foreach, items: [a, b, c], sub_agent_task: t }]
sub_agent_tasks:
  t: { steps: [{ id: s, type: agent_shell_command, command: x, state_update: { path: raw.log, operation: append } }] }`,
  "agent:increment": `default_state: { raw: { n: 1 } }\nsteps: [{ id: s, type: state_update, by: agent, path: raw.n, operation: increment, value: 3 }]`,
  "agent:append": `default_state: { raw: { log: [a] } }\nsteps: [{ id: s, type: state_update, by: agent, updates: [{ path: raw.log, operation: append, value: b }, { path: raw.out, value: 1 }] }]`,
  "agent:large": `default_state: { raw: { from: ${JSON.stringify(entries)} } }\nsteps: [{ id: s, type: state_update, by: agent, path: raw.out, value: "{{ from }}" }]`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

interface Begun {
  readonly run: string;
  readonly step: string;
  readonly action: string;
}
const begun = async (workflow: string): Promise<Begun> => {
  const { run_id } = (await call("workflow_start", { workflow })).data;
  const { data } = await call("workflow_get_next_step", { workflow_id: run_id });
  return { run: run_id, step: data.step.id, action: data.action_id };
};
const complete = (at: Begun, more: Record<string, unknown> = {}) =>
  call("workflow_step_complete", { workflow_id: at.run, step_id: at.step, status: "success", ...more });
const write = (at: Begun, ...updates: readonly Record<string, unknown>[]) =>
  call("workflow_state_update", { workflow_id: at.run, updates });
const stateOf = async (at: Begun): Promise<unknown> => (await call("workflow_state_read", { workflow_id: at.run })).data;
const statusOf = async (at: Begun): Promise<unknown> => (await call("workflow_status", { run_id: at.run })).data.status;

describe("workflow_step_complete", () => {
  test("takes the result and stores it", async () => {
    const at = await begun("one:text");
    expect((await complete(at, { result: "done" })).data).toMatchObject({ success: true });
    expect(await stateOf(at)).toEqual({ out: "done" });
  });

  test("publishes `result` in its schema", async () => {
    const { client } = await world.client(everyTool);
    const tool = (await client.listTools()).tools.find(({ name }) => name === "workflow_step_complete");
    expect(tool?.inputSchema.properties).toHaveProperty("result");
  });

  test("reads the result in the format of the command", async () => {
    const at = await begun("one:json");
    await complete(at, { result: '{"n": 1}' });
    expect(await stateOf(at)).toEqual({ out: { n: 1 } });
  });
});

describe("without a result", () => {
  test.each(["one:text", "one:old-value", "one:append", "one:list"])(
    "a completion leaves the step of %s open and asks for it",
    async (workflow) => {
      const at = await begun(workflow);
      const before = await stateOf(at);
      const refused = await complete(at);
      expect(refused.text).toMatch(/result/i);
      expect(await statusOf(at)).toBe("running");
      expect(await stateOf(at)).toEqual(before);
    },
  );

  test.each(["one:text", "one:old-value", "one:append", "one:list"])(
    "a report leaves the step of %s open and asks for it",
    async (workflow) => {
      const at = await begun(workflow);
      const before = await stateOf(at);
      const refused = await call("workflow_progress", { run_id: at.run, action_id: at.action });
      expect(refused.text).toMatch(/result/i);
      expect(await statusOf(at)).toBe("running");
      expect(await stateOf(at)).toEqual(before);
    },
  );

  test("a failed step is complete all the same", async () => {
    const at = await begun("one:text");
    await complete(at, { status: "failed", error: "no luck" });
    expect(await statusOf(at)).toBe("failed");
  });
});

describe("what the agent stored since the hand-out", () => {
  test("counts as the result", async () => {
    const at = await begun("one:text");
    await write(at, { path: "raw.out", value: "stored" });
    await complete(at);
    expect(await statusOf(at)).toBe("completed");
    expect(await stateOf(at)).toEqual({ out: "stored" });
  });

  test("is not appended twice", async () => {
    const at = await begun("one:append");
    await write(at, { path: "raw.log", operation: "append", value: "b" });
    await complete(at);
    expect(await stateOf(at)).toEqual({ log: ["a", "b"] });
  });

  test("is not appended twice when the completion carries the result too", async () => {
    const at = await begun("one:append");
    await write(at, { path: "raw.log", operation: "append", value: "b" });
    await complete(at, { result: "b" });
    expect(await statusOf(at)).toBe("completed");
    expect(await stateOf(at)).toEqual({ log: ["a", "b"] });
  });

  test.each<[string, unknown]>([
    ["one:text", { out: "reported" }],
    ["one:append", { log: ["a", "stored", "reported"] }],
  ])("does not hide another result that is reported: %s", async (workflow, state) => {
    const at = await begun(workflow);
    const append = workflow === "one:append";
    await write(at, { path: append ? "raw.log" : "raw.out", value: "stored", ...(append ? { operation: "append" } : {}) });
    await complete(at, { result: "reported" });
    expect(await stateOf(at)).toEqual(state);
  });

  test("in one of two places is not the whole result", async () => {
    const at = await begun("one:list");
    await write(at, { path: "raw.a", value: 1 });
    expect((await complete(at)).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
    await complete(at, { result: { a: 2, b: 3 } });
    expect(await stateOf(at)).toEqual({ a: 2, b: 3 });
  });

  test("in one task is not the result of another", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "tasks:append" })).data;
    const tasks = ["fan.0", "fan.1", "fan.2"];
    const actions: string[] = [];
    for (const task_id of tasks) actions.push((await call("workflow_next", { run_id, task_id })).data.action_id as string);
    const updates = [{ path: "raw.log", operation: "append", value: "by hand" }];
    await call("workflow_state_update", { workflow_id: run_id, task_id: "fan.0", updates });
    for (const [at, task_id] of tasks.entries())
      await call("workflow_progress", { run_id, task_id, action_id: actions[at], ...(at === 0 ? {} : { result: task_id }) });
    expect((await call("workflow_state_read", { workflow_id: run_id })).data).toEqual({ log: ["by hand", "fan.1", "fan.2"] });
  });

  test("is not transformed again", async () => {
    const at = await begun("one:transform");
    await write(at, { path: "raw.out", value: 6 });
    await complete(at);
    expect(await stateOf(at)).toEqual({ out: 6 });
  });

  test("counts in workflow_progress as well", async () => {
    const at = await begun("one:append");
    await write(at, { path: "raw.log", operation: "append", value: "b" });
    await call("workflow_progress", { run_id: at.run, action_id: at.action });
    expect(await statusOf(at)).toBe("completed");
    expect(await stateOf(at)).toEqual({ log: ["a", "b"] });
  });

  test("at another path does not count", async () => {
    const at = await begun("one:text");
    await write(at, { path: "raw.other", value: 1 });
    await complete(at);
    expect(await statusOf(at)).toBe("running");
  });

  test("before this hand-out does not count", async () => {
    const at = await begun("two:same-path");
    await write(at, { path: "raw.out", value: "first" });
    await complete(at);
    const { data } = await call("workflow_get_next_step", { workflow_id: at.run });
    await complete({ ...at, step: data.step.id });
    expect(await statusOf(at)).toBe("running");
  });
});

describe("an update that the agent is to write", () => {
  test("is written by the engine when the completion comes without it", async () => {
    const at = await begun("agent:increment");
    await complete(at);
    expect(await stateOf(at)).toEqual({ n: 4 });
  });

  test("is written by the engine when the report comes without it", async () => {
    const at = await begun("agent:increment");
    await call("workflow_progress", { run_id: at.run, action_id: at.action });
    expect(await stateOf(at)).toEqual({ n: 4 });
  });

  test("is not written twice when the agent wrote it", async () => {
    const at = await begun("agent:append");
    await write(at, { path: "raw.log", operation: "append", value: "b" }, { path: "raw.out", operation: "set", value: 1 });
    await complete(at);
    expect(await stateOf(at)).toEqual({ log: ["a", "b"], out: 1 });
  });

  test("is not written twice when the agent wrote it and reports with workflow_progress", async () => {
    const at = await begun("agent:append");
    await write(at, { path: "raw.log", operation: "append", value: "b" }, { path: "raw.out", operation: "set", value: 1 });
    await call("workflow_progress", { run_id: at.run, action_id: at.action });
    expect(await stateOf(at)).toEqual({ log: ["a", "b"], out: 1 });
  });

  test("is written by the engine when the agent wrote something else", async () => {
    const at = await begun("agent:increment");
    await write(at, { path: "raw.other", value: 1 });
    await complete(at);
    expect(await stateOf(at)).toEqual({ n: 4, other: 1 });
  });

  test("is written by the engine as far as the agent left it out", async () => {
    const at = await begun("agent:append");
    await write(at, { path: "raw.log", operation: "append", value: "b" });
    await complete(at);
    expect(await stateOf(at)).toEqual({ log: ["a", "b"], out: 1 });
  });

  test.each(["workflow_next", "workflow_get_next_step"])("is written whole by the engine when it is too large for %s", async (tool) => {
    const at = await begun("agent:large");
    const { tool: done, arguments: args } = (await call(tool, { run_id: at.run })).data.next_call;
    await call(done, args);
    expect(await statusOf(at)).toBe("completed");
    const { state } = await readState(world.engine.context, at.run, ["out"]);
    expect(state["out"]).toEqual(entries);
  });
});
