import { freeHolders } from "../../test/support/free-holders.ts";
import { afterEach, describe, expect, test } from "vitest";
import { openWorld, type McpWorld } from "../../test/process/mcp-client.ts";
import { handedOut } from "../../test/support/handed-out.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const twoSteps = `
inputs:
  who: { type: string, default: world }
default_state: { raw: { count: 0 } }
steps:
  - id: look
    type: agent_shell_command
    command: "ls {{ inputs.who }}"
    output_format: lines
    state_update: { path: raw.files }
  - id: tell
    type: user_message
    message: "Found {{ files.length }} files"
`;

describe.each(["legacy", "modern"] as const)("an agent of the %s era", (mode) => {
  test("starts a workflow, reports each step and gets the final state", async () => {
    world = await openWorld({ "demo:two": twoSteps });
    const { call } = await world.client({}, mode);
    const started = await call("workflow_start", { workflow: "demo:two" });
    expect(started.data).toMatchObject({
      status: "running",
      state: { count: 0 },
      step: {
        id: handedOut("look"),
        type: "agent_shell_command",
        definition: { command: "ls world", state_update: { path: "raw.files" } },
      },
    });
    const { run_id, action_id } = started.data;
    expect(run_id).toMatch(/^wf-demo-two-\d{4}-\d\d-\d\d-[a-z0-9]{6}$/);
    expect(started.data.workflow_id).toBe(run_id);
    expect(started.data.next_call).toMatchObject({ tool: "workflow_progress", arguments: { run_id, action_id } });
    for (const said of ["ls world", action_id, run_id, "workflow_progress"]) expect(started.text).toContain(said);
    expect((await call("workflow_next", { run_id })).data).toMatchObject({ action_id, step: started.data.step });

    const told = await call("workflow_progress", { run_id, action_id, result: ["a", "b"] });
    expect(told.data).toMatchObject({
      status: "action",
      recorded: "now",
      step: { id: handedOut("tell"), definition: { message: "Found 2 files" } },
    });
    const again = await call("workflow_progress", { run_id, action_id, result: ["x"] });
    expect(again.data).toMatchObject({ recorded: "before", step: { id: handedOut("tell") } });
    expect(again.text).toContain("reported before");

    const done = await call("workflow_progress", { run_id, action_id: told.data.action_id });
    expect(done.data).toMatchObject({ status: "completed", step: null, next_call: { tool: "workflow_complete" } });
    const final = await call("workflow_complete", { run_id, status: "success" });
    expect(final.data).toMatchObject({ success: true, status: "completed", final_state: { files: ["a", "b"] } });
    expect(final.text).toContain('"files":["a","b"]');
    expect((await call("workflow_complete", { run_id })).data.success).toBe(true);
  });
});

describe("reports", () => {
  test("a failed step fails the run, and a retry opens it again", async () => {
    world = await openWorld({ "demo:two": twoSteps });
    const { call } = await world.client();
    const { run_id, action_id } = (await call("workflow_start", { workflow: "demo:two" })).data;
    const failed = await call("workflow_progress", { run_id, action_id, status: "failed", error: "no such folder" });
    expect(failed.data).toMatchObject({
      status: "failed",
      step: null,
      error_message: expect.stringContaining("no such folder"),
      later: { when: "when the cause is fixed", tool: "workflow_retry", arguments: { run_id } },
    });
    expect(failed.data.next_call, "repeating what failed is nothing to do at once").toBeUndefined();
    const retried = await call("workflow_retry", { run_id });
    expect(retried.data).toMatchObject({ status: "action", step: { id: handedOut("look") } });
    expect((await call("workflow_status", { run_id })).data).toMatchObject({ status: "running", open: [{ step: "look" }] });
  });

  test("the reporting client is recorded by the name it gave in its handshake", async () => {
    world = await openWorld({ "demo:two": twoSteps });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "demo:two" })).data;
    const status = await call("workflow_status", { run_id });
    expect(status.data.open).toMatchObject([{ driven_by: "test-client/1.2.3", alive: true }]);
    expect(status.text).toContain("driven_by test-client/1.2.3");
  });

  test("JSON text counts as an object where the step wants one, and stays text for a command's output", async () => {
    const steps = `
steps:
  - { id: ask, type: mcp_call, mcp: { method: check_types, params: { files: [a.ts] } }, state_update: { path: raw.checked } }
  - { id: print, type: agent_shell_command, command: cat x.json, state_update: { path: raw.printed } }
`;
    world = await openWorld({ "demo:json": steps });
    const { call } = await world.client();
    const { run_id, action_id, step } = (await call("workflow_start", { workflow: "demo:json" })).data;
    expect(step).toMatchObject({ type: "mcp_call", definition: { method: "check_types", params: { files: ["a.ts"] } } });
    const second = await call("workflow_progress", { run_id, action_id, result: '{"errors": 2}' });
    const done = await call("workflow_progress", { run_id, action_id: second.data.action_id, result: '{"a": 1}' });
    expect(done.data.status).toBe("completed");
    expect((await call("workflow_complete", { run_id })).data.final_state).toMatchObject({ checked: { errors: 2 }, printed: '{"a": 1}' });
  });
});

test("a run that another connection drives is refused until that one is gone, also to who resumes it", async () => {
  world = await openWorld({ "demo:two": twoSteps });
  const first = await world.client();
  const second = await world.client();
  const { run_id, action_id } = (await first.call("workflow_start", { workflow: "demo:two" })).data;
  const refused = await second.call("workflow_next", { run_id });
  expect(refused).toMatchObject({
    isError: true,
    data: { error: { code: "STRAND_HELD" }, run_id, later: { tool: "workflow_next", arguments: { run_id } } },
  });
  expect(refused.data).not.toHaveProperty("next_call");
  expect((await second.call("workflow_resume", { run_id })).data.error.code).toBe("STRAND_HELD");
  await freeHolders(world.engine.context);
  const resumed = await second.call("workflow_resume", { run_id });
  expect(resumed.data).toMatchObject({
    run_id,
    workflow_id: run_id,
    status: "running",
    state: { count: 0 },
    last_checkpoint: { step_id: expect.any(String) },
    step: { id: handedOut("look") },
  });
  expect(resumed.data.action_id).not.toBe(action_id);
  const late = await first.call("workflow_progress", { run_id, action_id, result: [] });
  expect(late.isError).toBe(true);
  expect(late.data.error.fix).not.toBe("");
});

test("a closed connection gives back what it held", async () => {
  world = await openWorld({ "demo:two": twoSteps });
  const first = await world.client();
  const { run_id } = (await first.call("workflow_start", { workflow: "demo:two" })).data;
  await first.close();
  const second = await world.client();
  expect((await second.call("workflow_next", { run_id })).data).toMatchObject({ status: "action", step: { id: handedOut("look") } });
});

test("a failed run whose workflow asks for a new attempt leads to one linked run, however often it is asked for", async () => {
  const again = `
error_handling: { on_error: retry_workflow, max_retries: 1 }
steps: [{ id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }]
`;
  world = await openWorld({ "demo:again": again });
  const { call } = await world.client();
  const first = (await call("workflow_start", { workflow: "demo:again" })).data;
  const failed = await call("workflow_progress", { run_id: first.run_id, action_id: first.action_id, status: "failed", error: "no luck" });
  expect(failed.data).toMatchObject({ status: "action", retry_of: first.run_id, step: { id: handedOut("try") } });
  const second = failed.data.run_id;
  expect(second).not.toBe(first.run_id);
  expect((await call("workflow_next", { run_id: first.run_id })).data).toMatchObject({ run_id: second, retry_of: first.run_id });
  const last = await call("workflow_progress", { run_id: second, action_id: failed.data.action_id, status: "failed", error: "still none" });
  expect(last.data).toMatchObject({ run_id: second, status: "failed", error_message: expect.stringContaining("still none") });
  expect((await call("workflow_status")).data.runs).toEqual([]);
});

test("the open runs of the workspace are listed without an id", async () => {
  world = await openWorld({ "demo:two": twoSteps });
  const { call } = await world.client();
  expect((await call("workflow_status")).data).toMatchObject({ runs: [], next_call: { tool: "workflow_list" } });
  const { run_id } = (await call("workflow_start", { workflow: "demo:two" })).data;
  const other = (await call("workflow_start", { workflow: "demo:two" })).data.run_id;
  expect((await call("workflow_abort", { run_id: other, reason: "not wanted" })).data).toMatchObject({
    success: true,
    status: "cancelled",
  });
  const listed = await call("workflow_status");
  expect(listed.data.runs).toMatchObject([{ run_id, workflow: "demo:two", status: "running", holder: "test-client/1.2.3" }]);
  expect(listed.text).toContain(run_id);
  expect(listed.text).not.toContain(other);
});

test("long work answers in time, goes on, and is told to clients that asked for progress", async () => {
  const slow = `
steps:
  - { id: wait, type: shell_command, command: "sleep 1.2; echo done", state_update: { path: raw.said } }
  - { id: tell, type: user_message, message: "{{ said }}" }
`;
  world = await openWorld({ "demo:slow": slow }, { callWaitMs: 400 });
  const { call, client } = await world.client();
  const heard: number[] = [];
  const started = await client.callTool(
    { name: "workflow_start", arguments: { workflow: "demo:slow" } },
    { onprogress: ({ progress }) => heard.push(progress) },
  );
  const data = started.structuredContent as { run_id: string; status: string; next_call: unknown };
  expect(data).toMatchObject({ status: "running", next_call: { tool: "workflow_next" } });
  expect(heard.length).toBeGreaterThan(0);
  expect(heard).toEqual([...new Set(heard)].sort((a, b) => a - b));
  let reply = await call("workflow_next", { run_id: data.run_id });
  for (let tries = 0; reply.data.status === "working" && tries < 20; tries += 1)
    reply = await call("workflow_next", { run_id: data.run_id });
  expect(reply.data).toMatchObject({ status: "action", step: { id: handedOut("tell"), definition: { message: "done" } } });
});

test("a cancelled call ends, the work goes on, and a late cancellation is ignored", async () => {
  const slow = `
steps:
  - { id: wait, type: shell_command, command: "sleep 1; echo done", state_update: { path: raw.said } }
  - { id: tell, type: user_message, message: "{{ said }}" }
`;
  world = await openWorld({ "demo:slow": slow });
  const { call, client } = await world.client();
  const stop = new AbortController();
  const cancelled = client.callTool(
    { name: "workflow_start", arguments: { workflow: "demo:slow" } },
    { signal: stop.signal, onprogress: () => stop.abort("enough") },
  );
  await expect(cancelled).rejects.toThrow(/enough|abort/i);
  await client.notification({ method: "notifications/cancelled", params: { requestId: 1, reason: "late" } });
  const [run] = (await call("workflow_status")).data.runs;
  expect((await call("workflow_next", { run_id: run.run_id })).data).toMatchObject({ status: "action", step: { id: handedOut("tell") } });
});
