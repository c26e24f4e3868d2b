/** What is written counts as the result of a step only when the step was shown first, and for nobody else's question. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const ask = (update: string, rule = ""): string =>
  `{ id: q, type: user_input, prompt: "Delete everything?"${rule}, state_update: ${update} }`;
const workflows = {
  "shown:question": `default_state: { raw: { a: old } }
steps: [{ id: m, type: user_message, message: M }, ${ask("{ path: raw.a }")}, { id: e, type: user_message, message: "E {{ a }}" }]`,
  "shown:command": `default_state: { raw: { out: [] } }
steps:
  - { id: one, type: agent_shell_command, command: "make", state_update: { path: raw.out, operation: append } }
  - { id: two, type: agent_shell_command, command: "rm -rf build", state_update: { path: raw.out, operation: append } }`,
  "shown:rule": `default_state: { raw: { a: old } }
steps: [${ask(`{ path: raw.a, value: "v-{{ result }}" }`, `, validation: { pattern: "^y" }, attempts: 2`)}, { id: e, type: user_message, message: E }]`,
  "shown:beside": `default_state: { raw: { a: old } }
steps:
  - { id: g, type: parallel_foreach, items: [{ id: A }], sub_agent_task: w, wait_for_all: false }
  - { id: m, type: user_message, message: M }
sub_agent_tasks: { w: { steps: [${ask("{ path: raw.a }")}] } }`,
  "shown:person": `steps: [{ id: q, type: user_input, prompt: "Sure?", answer_by: person, state_update: { path: raw.a } }]`,
  "shown:nested": `steps: [{ id: p, type: parallel_foreach, items: [{ id: A }], sub_agent_task: w }]
sub_agent_tasks:
  w: { steps: [{ id: q, type: parallel_foreach, items: [{ id: x }], sub_agent_task: v }, { id: two, type: user_message, message: two }] }
  v: { steps: [{ id: one, type: user_message, message: one }] }`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const started = async (workflow: string): Promise<string> => (await call("workflow_start", { workflow })).data.run_id as string;
const stateOf = async (run: string): Promise<unknown> => (await call("workflow_state_read", { workflow_id: run })).data;
const write = (run: string, ...updates: object[]): Promise<unknown> => call("workflow_state_update", { workflow_id: run, updates });

describe("a write that comes before the step is shown", () => {
  test("does not answer its question", async () => {
    const run = await started("shown:question");
    await call("workflow_step_complete", { workflow_id: run, step_id: "m" });
    await write(run, { path: "raw.a", value: "note" });
    const { data } = await call("workflow_get_next_step", { workflow_id: run });
    expect([data.step.type, data.fill_in]).toEqual(["user_input", { result: expect.any(String) }]);
    const literal = await call(data.next_call.tool, data.next_call.arguments);
    expect([literal.isError, (await call("workflow_next", { run_id: run })).data.step.type]).toEqual([true, "user_input"]);
  });

  test("is not the result of the next command, also when it repeats the write of the one before", async () => {
    const run = await started("shown:command");
    const made = { path: "raw.out", operation: "append", value: "made" };
    await write(run, made);
    await call("workflow_step_complete", { workflow_id: run, step_id: "one" });
    await write(run, made);
    const { data } = await call("workflow_get_next_step", { workflow_id: run });
    expect([data.step.definition.command, data.fill_in]).toEqual(["rm -rf build", { result: expect.any(String) }]);
    expect((await call(data.next_call.tool, data.next_call.arguments)).isError).toBe(true);
  });
});

test("an answer that is stored in another form is asked for, and costs no try", async () => {
  const run = await started("shown:rule");
  await write(run, { path: "raw.a", value: "v-yes" });
  const { data } = await call("workflow_get_next_step", { workflow_id: run });
  expect(data.fill_in).toEqual({ result: expect.any(String) });
  const bare = await call("workflow_step_complete", { workflow_id: run, step_id: data.step.id });
  expect(bare.data.error.code).toBe("ENGINE_BAD_VALUE");
  expect((await call("workflow_step_complete", { workflow_id: run, step_id: data.step.id, result: "yes" })).data.recorded).toBe("now");
  expect(await stateOf(run)).toEqual({ a: "v-yes" });
});

test("what the driver of a run writes does not answer the question of a sub-agent", async () => {
  const run = await started("shown:beside");
  await call("workflow_next", { run_id: run, task_id: "A" });
  await write(run, { path: "raw.a", value: "note" });
  const { data } = await call("workflow_next", { run_id: run, task_id: "A" });
  expect([data.step.type, data.fill_in]).toEqual(["user_input", { result: expect.any(String) }]);
  expect((await call("workflow_progress", { run_id: run, task_id: "A", action_id: data.action_id })).isError).toBe(true);
});

test("who asks for a task that is over is led to the task around it, also when its group is over", async () => {
  const run = await started("shown:nested");
  const { tasks } = (await call("workflow_next", { run_id: run, task_id: "A" })).data.step.definition;
  const inner = tasks[0].task_id as string;
  const { action_id } = (await call("workflow_next", { run_id: run, task_id: inner })).data;
  await call("workflow_progress", { run_id: run, task_id: inner, action_id });
  for (const tool of ["workflow_next", "workflow_get_next_step"]) {
    const { data } = await call(tool, { run_id: run, task_id: inner });
    const { task_id, sub_agent_context } = data.later.arguments;
    expect([data.status, task_id ?? sub_agent_context?.task_id]).toEqual(["task_done", "A"]);
  }
});

test("a report without an answer to a question for a person names the line for the person, and asks the agent for nothing", async () => {
  const { run_id, step } = (await call("workflow_start", { workflow: "shown:person" })).data;
  const { data } = await call("workflow_step_complete", { workflow_id: run_id, step_id: step.id });
  expect(data.error).toMatchObject({
    code: "DECISION_FOR_PERSON",
    details: { command_for_person: expect.stringMatching(new RegExp(`^waymark decide ${run_id} d\\d+$`)) as string },
  });
  expect(data.fill_in).toBeUndefined();
});
