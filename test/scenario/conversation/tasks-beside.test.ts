/** Tasks that nobody waits for are handed out until they are taken, and bring their prompt to who begins them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";
import type { Call } from "../../support/whole-data.ts";

const start = `default_state: { raw: { done: {} } }\nsteps:`;
const job = `
sub_agent_tasks:
  job: { steps: [{ id: do_it, type: agent_shell_command, command: "do {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] }`;
const workflows = {
  "tasks:beside": `${start}
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], wait_for_all: false, sub_agent_task: job }
  - { id: own, type: agent_shell_command, command: own, state_update: { path: raw.own } }
  - { id: end, type: user_message, message: bye }${job}`,
  "tasks:groups": `${start}
  - { id: first, type: parallel_foreach, items: [{ id: s1 }], wait_for_all: false, sub_agent_task: job }
  - { id: second, type: parallel_foreach, items: [{ id: s1 }], wait_for_all: false, sub_agent_task: job }
  - { id: end, type: user_message, message: bye }${job}`,
  "tasks:nested": `${start}
  - { id: outer, type: parallel_foreach, items: [{ id: out }], sub_agent_task: nest }
  - { id: end, type: user_message, message: bye }${job}
  nest:
    steps:
      - { id: inner, type: parallel_foreach, items: [{ id: one }, { id: two }], wait_for_all: false, sub_agent_task: job }
      - { id: own, type: user_message, message: hi }`,
  "tasks:waiting": `${start}
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], wait_for_all: false, sub_agent_task: job }
  - { id: pause, type: wait, seconds: 86400 }
  - { id: end, type: user_message, message: bye }${job}`,
  "tasks:prompt": `${start}
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], wait_for_all: false, sub_agent_task: say, sub_agent_prompt_override: "Use the red pen." }
  - { id: end, type: user_message, message: bye }${job}
  say: { steps: [{ id: s, type: user_message, message: first }, { id: t, type: user_message, message: second }] }`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const started = async (workflow: string): Promise<string> => (await call("workflow_start", { workflow })).data.run_id as string;

/** Where the call of a hand-out leads; the seed's own tools take one more. */
async function behind(on: Call): Promise<ToolReply["data"]> {
  const { data } = await call(on.tool, on.arguments);
  return data.step === undefined ? (await call(data.next_call.tool, data.next_call.arguments)).data : data;
}

describe.each(["workflow_next", "workflow_get_next_step"])("%s", (tool) => {
  test("asked again hands the same tasks out again, also right after the start", async () => {
    const { run_id: run, action_id } = (await call("workflow_start", { workflow: "tasks:beside" })).data;
    for (const _time of [1, 2, 3]) expect((await call(tool, { run_id: run })).data).toMatchObject({ action_id });
  });

  test("continues by the call that the hand-out names, also when it is repeated, and stays there", async () => {
    const run = await started("tasks:beside");
    const { next_call: on } = (await call(tool, { run_id: run })).data;
    for (const _time of [1, 2]) expect((await behind(on)).step.definition).toMatchObject({ command: "own" });
    expect((await call(tool, { run_id: run })).data.step.definition).toMatchObject({ command: "own" });
    expect((await call("workflow_next", { run_id: run, task_id: "two" })).data.status).toBe("action");
  });

  test("continues once one of them is begun", async () => {
    const run = await started("tasks:beside");
    await call("workflow_next", { run_id: run, task_id: "one" });
    expect((await call(tool, { run_id: run })).data.step.definition).toMatchObject({ command: "own" });
  });

  test("continues once something is reported since", async () => {
    const run = await started("tasks:beside");
    const { next_call: report } = await behind((await call(tool, { run_id: run })).data.next_call);
    await call(report.tool, { ...report.arguments, result: "did own" });
    expect((await call(tool, { run_id: run })).data.step.definition).toEqual({ message: "bye" });
  });

  test("hands out one group after the other", async () => {
    const { run_id: run, step, next_call } = (await call("workflow_start", { workflow: "tasks:groups" })).data;
    const on = tool === "workflow_next" ? next_call : (await call(tool, { run_id: run })).data.next_call;
    const second = await behind(on);
    expect([step.id, second.step.id].map((id: string) => id.split("@")[0])).toEqual(["first", "second"]);
    expect((await call(tool, { run_id: run })).data.step.id).toBe(second.step.id);
    const end = await behind(second.next_call);
    expect(end.step.definition).toEqual({ message: "bye" });
  });
});

test("a report that is repeated after the tasks were taken does not hand them out again", async () => {
  const run = await started("tasks:beside");
  const { next_call: report } = await behind((await call("workflow_next", { run_id: run })).data.next_call);
  const said = { ...report.arguments, result: "did own" };
  const replies = [await call(report.tool, said), await call(report.tool, said)];
  for (const { data } of replies) expect(data.step.definition).toEqual({ message: "bye" });
  expect(replies.map(({ data }) => data.recorded)).toEqual(["now", "before"]);
});

test("tasks of a task that is over are handed out to who drives the run", async () => {
  let { data } = await call("workflow_start", { workflow: "tasks:nested" });
  const run = data.run_id as string;
  for (let turn = 0; turn < 30 && data.status !== "completed"; turn += 1) {
    const { tool, arguments: args } = data.next_call ?? data.later;
    const result = data.step?.type === "agent_shell_command" ? { result: "ok" } : {};
    ({ data } = await call(tool, { ...args, ...result }));
  }
  expect(data.status).toBe("completed");
  expect((await call("workflow_state_read", { workflow_id: run })).data).toEqual({ done: { one: "ok", two: "ok" } });
});

test("tasks beside the engine's own work are handed out at once, and named while it works", async () => {
  const { data } = await call("workflow_start", { workflow: "tasks:waiting" });
  expect(data.step).toMatchObject({ type: "parallel_tasks", definition: { tasks: [{ task_id: "one" }, { task_id: "two" }] } });
  const on = await call(data.next_call.tool, data.next_call.arguments);
  expect(on.data).toMatchObject({ status: "working", tasks_beside: ["one", "two"] });
  expect(on.text).toContain("one, two");
});

test("refuses to complete the step by its tasks once nothing else is left, and as failed", async () => {
  const { run_id: run, action_id } = (await call("workflow_start", { workflow: "tasks:groups" })).data;
  const failed = await call("workflow_progress", { run_id: run, action_id, status: "failed", error: "no" });
  expect(failed.data.error.code).toBe("TASKS_OPEN");
  const second = await behind({ tool: "workflow_progress", arguments: { run_id: run, action_id } });
  const end = await behind(second.next_call);
  await call(end.next_call.tool, end.next_call.arguments);
  expect((await call("workflow_progress", { run_id: run, action_id })).data.error.code).toBe("TASKS_OPEN");
});

test("gives the author's prompt to who begins a task, until its first report", async () => {
  const run = await started("tasks:prompt");
  for (const tool of ["workflow_next", "workflow_get_next_step"]) {
    const { text, data } = await call(tool, { run_id: run, task_id: "one" });
    expect(data).toMatchObject({ task_prompt: "Use the red pen.", step: { definition: { message: "first" } } });
    expect(text).toContain("Use the red pen.");
  }
  const { action_id } = (await call("workflow_next", { run_id: run, task_id: "one" })).data;
  const second = await call("workflow_progress", { run_id: run, task_id: "one", action_id });
  expect(second.data.step.definition).toEqual({ message: "second" });
  expect(second.data).not.toHaveProperty("task_prompt");
});

test("gives nobody the standard prompt who has begun a task already", async () => {
  const run = await started("tasks:beside");
  expect((await call("workflow_next", { run_id: run, task_id: "one" })).data).not.toHaveProperty("task_prompt");
});
