/** After a restart of the server the former holder is gone: a report by the id counts, any other leads to the step by a plain `workflow_next`. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const workflows = {
  "gone:step": `
steps:
  - { id: work, type: agent_shell_command, command: x, state_update: { path: raw.out } }
  - { id: after, type: user_message, message: "{{ out }}" }`,
  "gone:tasks": `
steps: [{ id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }]
sub_agent_tasks: { each: { steps: [{ id: work, type: agent_shell_command, command: x, state_update: { path: "raw.{{ item.id }}" } }] } }`,
};

let world: McpWorld;
beforeAll(async () => {
  world = await openWorld(workflows);
});
afterAll(() => world.close());

interface Left {
  readonly run: string;
  readonly action: string;
  readonly first: TestClient;
  readonly second: TestClient;
}

async function begun(workflow: string, task?: string): Promise<Left> {
  const first = await world.client(everyTool);
  const started = (await first.call("workflow_start", { workflow })).data;
  const shown = task === undefined ? started : (await first.call("workflow_next", { run_id: started.run_id, task_id: task })).data;
  return { run: started.run_id, action: shown.action_id, first, second: await world.client(everyTool) };
}

const reports: readonly [string, string, (left: Left) => Record<string, unknown>][] = [
  ["without an id", "workflow_progress", ({ run }) => ({ run_id: run, result: "r" })],
  ["with the author's id", "workflow_progress", ({ run }) => ({ run_id: run, action_id: "work", result: "r" })],
  ["with the author's id by the seed's tool", "workflow_step_complete", ({ run }) => ({ workflow_id: run, step_id: "work", result: "r" })],
  ["by a write", "workflow_state_update", ({ run }) => ({ workflow_id: run, updates: [{ path: "raw.out", value: 1 }] })],
];

describe.each(reports)("a report %s", (_how, tool, args) => {
  test("does not count when its holder is gone, and leads to the step", async () => {
    const left = await begun("gone:step");
    await left.first.close();
    const { data, text } = await left.second.call(tool, args(left));
    expect(data.error.code).toBe("HOLDER_LOST");
    expect(text).toMatch(/is gone/);
    expect(data.next_call).toEqual({ tool: "workflow_next", arguments: { run_id: left.run } });
    expect(data).not.toHaveProperty("later");
    const open = (await left.second.call(data.next_call.tool, data.next_call.arguments)).data;
    expect(open.step).toMatchObject({ definition: { command: "x" } });
    expect((await left.second.call("workflow_progress", { run_id: left.run, action_id: open.action_id, result: "r" })).data).toMatchObject({
      recorded: "now",
      step: { definition: { message: "r" } },
    });
  });

  test("is told of a holder that is there, and leads to it only for later", async () => {
    const left = await begun("gone:step");
    const { data, text } = await left.second.call(tool, args(left));
    expect([data.error.code, data.later.tool]).toEqual(["HOLDER_LOST", "workflow_next"]);
    expect(text).not.toMatch(/is gone/);
    expect(data).not.toHaveProperty("next_call");
  });
});

test("a report with the id of the hand-out counts when its holder is gone, and not while it is there", async () => {
  const left = await begun("gone:step");
  const report = { run_id: left.run, action_id: left.action, result: "r" };
  const { data } = await left.second.call("workflow_progress", report);
  expect([data.error.code, data.later.tool]).toEqual(["HOLDER_LOST", "workflow_next"]);
  await left.first.close();
  expect((await left.second.call("workflow_progress", report)).data).toMatchObject({
    recorded: "now",
    step: { definition: { message: "r" } },
  });
});

test("a sub-agent whose connection was begun again is led to its own task", async () => {
  const { run, first, second } = await begun("gone:tasks", "A");
  await first.close();
  const { data } = await second.call("workflow_progress", { run_id: run, task_id: "A", result: "r" });
  expect([data.error.code, data.next_call]).toEqual(["HOLDER_LOST", { tool: "workflow_next", arguments: { run_id: run, task_id: "A" } }]);
  expect((await second.call("workflow_next", data.next_call.arguments)).data.step).toMatchObject({ definition: { command: "x" } });
});
