/** After `on_error: retry_workflow` an obedient agent is led into the new run and through it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { driveLiterally, everyTool, type Agent, type Family } from "../../support/literal-client.ts";

const workflows = {
  "again:two": `
error_handling: { on_error: retry_workflow, max_retries: 2 }
steps:
  - { id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }
  - { id: tell, type: user_message, message: "{{ out }}" }`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const failing = (times: number): Agent => {
  let failed = 0;
  return {
    work: () => {
      failed += 1;
      return failed <= times ? { error: "no luck" } : { result: `try ${failed}` };
    },
    answer: () => "",
  };
};

describe.each<Family>(["seed", "progress"])("by the %s calls", (family) => {
  test.each([1, 2])("an agent that fails %s times finishes the run after that", async (times) => {
    const { status, state } = await driveLiterally(world, "again:two", failing(times), { family });
    expect({ status, state }).toEqual({ status: "completed", state: { out: `try ${times + 1}` } });
  });

  test("an agent that always fails ends with the last attempt", async () => {
    const { status } = await driveLiterally(world, "again:two", failing(9), { family });
    expect(status).toBe("failed");
  });
});

test.each(["workflow_next", "workflow_get_next_step"])("every id in the reply of %s to the old run names the new one", async (tool) => {
  const first = (await call("workflow_start", { workflow: "again:two" })).data;
  await call("workflow_step_complete", { workflow_id: first.run_id, step_id: first.step.id, status: "failed", error: "no luck" });
  const { data } = await call(tool, { run_id: first.run_id });
  expect(data).toMatchObject({ retry_of: first.run_id, step: { definition: { command: "try" } } });
  expect(data.run_id).not.toBe(first.run_id);
  expect(JSON.stringify(data.next_call ?? {})).not.toContain(first.run_id);
});

test("a run that was started again names the new run, is not retried beside it, and a resume leads there", async () => {
  const first = (await call("workflow_start", { workflow: "again:two" })).data;
  await call("workflow_progress", { run_id: first.run_id, action_id: first.action_id, status: "failed", error: "no luck" });
  const { data: now } = await call("workflow_next", { run_id: first.run_id });
  const { data: old } = await call("workflow_status", { run_id: first.run_id });
  expect(old).toMatchObject({
    status: "failed",
    next_run: now.run_id,
    next_call: { tool: "workflow_status", arguments: { run_id: now.run_id } },
  });
  expect(old.later).toBeUndefined();
  const retried = await call("workflow_retry", { run_id: first.run_id });
  expect([retried.data.error.code, retried.text]).toEqual(["RUN_ENDED", expect.stringContaining(now.run_id)]);
  expect((await call("workflow_resume", { run_id: first.run_id })).data.run_id).toBe(now.run_id);
});
