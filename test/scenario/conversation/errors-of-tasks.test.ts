/** An error of a sub-agent's call leads back into its own task, never to the step of the agent that started it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isObject } from "../../../src/base/index.ts";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";
import type { Call } from "../../support/whole-data.ts";

const workflows = {
  "tasks:work": `
default_state: { raw: { done: {} } }
steps: [{ id: both, type: parallel_foreach, items: [{ id: A }, { id: B }], wait_for_all: false, sub_agent_task: job }, { id: own, type: user_message, message: own }]
sub_agent_tasks: { job: { steps: [{ id: do_it, type: agent_shell_command, command: "do {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] } }`,
  "tasks:ask": `
steps: [{ id: each, type: foreach, items: [1, 2], steps: [{ id: both, type: parallel_foreach, items: [a], sub_agent_task: job }] }]
sub_agent_tasks: { job: { steps: [{ id: ask, type: user_input, prompt: "Who?", options: [left, right], attempts: 3 }] } }`,
};

let world: McpWorld;
let client: TestClient;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  client = await world.client({ toolsets: ["all"] });
  ({ call } = client);
});
afterAll(() => world.close());

/** Errors of each tool that takes a task, as arguments beside run and task. */
const wrong: Readonly<Record<string, readonly (readonly [string, Record<string, unknown>])[]>> = {
  workflow_next: [
    ["MCP_UNKNOWN_ARGUMENT", { bogus: 1 }],
    ["MCP_NO_PART", { part: { path: "step.nothing", from: 0 } }],
  ],
  workflow_progress: [
    ["ENGINE_NO_RESULT", {}],
    ["ENGINE_WRONG_STEP", { action_id: "a999", result: 1 }],
    ["MCP_BAD_ARGUMENT", { status: "sucess", result: 1 }],
    ["MCP_BAD_ARGUMENT", { status: "skipped" }],
    ["MCP_UNKNOWN_ARGUMENT", { bogus: 1 }],
  ],
  workflow_resume: [["MCP_UNKNOWN_ARGUMENT", { bogus: 1 }]],
  workflow_state_update: [
    ["ENGINE_BAD_PATH", { updates: [{ path: "nowhere", value: 1 }] }],
    ["VERSION_CONFLICT", { updates: [{ path: "raw.x", value: 1 }], expected_version: 99 }],
    ["MCP_BAD_ARGUMENT", { updates: [] }],
  ],
  workflow_get_next_step: [["MCP_UNKNOWN_ARGUMENT", { bogus: 1 }]],
  workflow_step_complete: [
    ["ENGINE_WRONG_STEP", { step_id: "wrong" }],
    ["ENGINE_NO_RESULT", { step_id: "both.do_it" }],
    ["MCP_BAD_ARGUMENT", {}],
    ["MCP_BAD_ARGUMENT", { step_id: "both.do_it", status: "done" }],
  ],
};

const spellings: readonly (readonly [string, Record<string, unknown>])[] = [
  ["task_id", { task_id: "A" }],
  ["taskId", { taskId: "A" }],
  ["task", { task: "A" }],
  ["sub_agent_context", { sub_agent_context: { task_id: "A" } }],
  ["sub_agent_context as text", { sub_agent_context: '{"task_id":"A"}' }],
  ["batch_id in subAgentContext", { subAgentContext: { batch_id: "A" } }],
];

const cases = Object.entries(wrong).flatMap(([tool, errors]) =>
  errors.flatMap(([code, args]) => spellings.map(([name, task]) => [code, tool, name, { ...args, ...task }] as const)),
);

const following = ({ data }: ToolReply): Call => (data.next_call ?? data.later) as Call;

test("the table has every tool that takes a task", async () => {
  const { tools } = await client.client.listTools();
  const taking = tools.filter(({ inputSchema: { properties = {} } }) => "task_id" in properties || "sub_agent_context" in properties);
  expect(Object.keys(wrong).sort()).toEqual(taking.map(({ name }) => name).sort());
});

test.each(cases)("%s of %s leads back into the task that %s names", async (code, tool, _, args) => {
  const { run_id } = (await call("workflow_start", { workflow: "tasks:work" })).data;
  const { action_id } = (await call("workflow_next", { run_id, task_id: "A" })).data;
  await call("workflow_next", { run_id, task_id: "B" });
  const failed = await call(tool, { run_id, ...args });
  expect(failed.data.error?.code, failed.text).toBe(code);
  expect(following(failed).arguments).toMatchObject({ run_id, task_id: "A" });
  const filled = isObject(failed.data.fill_in) ? { result: "done" } : undefined;
  const led = await call(following(failed).tool, { ...following(failed).arguments, ...filled });
  expect(led.data).toMatchObject(filled === undefined ? { action_id, step: { definition: { command: "do A" } } } : { task_id: "A" });
});

test("a task that somebody else works on is offered for later, and not the run", async () => {
  const { run_id } = (await call("workflow_start", { workflow: "tasks:work" })).data;
  await call("workflow_next", { run_id, task_id: "A" });
  const { call: other } = await world.client(everyTool);
  const held = await other("workflow_get_next_step", { workflow_id: run_id, sub_agent_context: { task_id: "A" } });
  expect(held.data).toMatchObject({
    error: { code: "STRAND_HELD" },
    later: { tool: "workflow_next", arguments: { run_id, task_id: "A" } },
  });
});

describe("a question of a task whose name was used before in the run", () => {
  async function asked(): Promise<{ readonly run_id: string; readonly task_id: string; readonly action_id: string }> {
    const { run_id } = (await call("workflow_start", { workflow: "tasks:ask" })).data;
    const first = (await call("workflow_next", { run_id, task_id: "each.both.0" })).data;
    await call("workflow_progress", { run_id, action_id: first.action_id, result: "left" });
    const [{ task_id }] = (await call("workflow_next", { run_id })).data.step.definition.tasks;
    return { run_id, task_id, action_id: (await call("workflow_next", { run_id, task_id })).data.action_id };
  }

  test.each<[string, string, Record<string, unknown>]>([
    ["without an answer", "MCP_NO_ANSWER", {}],
    ["with an old revision", "DECISION_REVISED", { answer: "left", revision: 7 }],
  ])("leads back into the task after workflow_decide %s", async (_, code, args) => {
    const { run_id, task_id, action_id } = await asked();
    const failed = await call("workflow_decide", { run_id, decision_id: action_id, ...args });
    expect(failed.data.error?.code, failed.text).toBe(code);
    expect(failed.data.next_call).toEqual({ tool: "workflow_next", arguments: { run_id, task_id } });
  });

  test("leads back into the task after workflow_decide without its id", async () => {
    const { run_id, task_id } = await asked();
    const failed = await call("workflow_decide", { run_id });
    expect(failed.data).toMatchObject({ error: { code: "MCP_NO_ANSWER" }, next_call: { arguments: { run_id, task_id } } });
  });

  test("is followed by the end of that task", async () => {
    const { run_id, task_id, action_id } = await asked();
    const done = await call("workflow_decide", { run_id, decision_id: action_id, answer: "right" });
    expect(done.data).toMatchObject({ recorded: "now", status: "task_done", task_id });
  });
});
