import { afterEach, describe, expect, test } from "vitest";
import { openWorld, type McpWorld } from "../../test/process/mcp-client.ts";
import { handedOut } from "../../test/support/handed-out.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const counting = `
inputs: { base: { type: string, default: main, description: "Where to compare with." } }
default_state: { raw: { attempts: 0, status: "new" } }
state_schema:
  raw: { lines: array }
  computed:
    line_count: { from: raw.lines, transform: "(input || []).length" }
    doubled: { from: computed.line_count, transform: "input * 2" }
steps:
  - { id: collect, type: agent_shell_command, command: "git diff {{ inputs.base }}", output_format: lines, state_update: { path: raw.lines } }
  - { id: tell, type: user_message, message: "{{ doubled }}" }
`;

describe("the seed's own tools", () => {
  test("a step is done in two calls: the result is written, then the step is completed", async () => {
    world = await openWorld({ "demo:count": counting });
    const { call } = await world.client({ toolsets: ["seed"] });
    const { workflow_id, state } = (await call("workflow_start", { workflow: "demo:count", inputs: { base: "dev" } })).data;
    expect(state).toMatchObject({ attempts: 0, status: "new", line_count: 0, doubled: 0 });
    const first = await call("workflow_get_next_step", { workflow_id });
    expect(first.data.step).toEqual({
      id: handedOut("collect"),
      type: "agent_shell_command",
      instructions: expect.any(String),
      definition: { command: "git diff dev", output_format: "lines", state_update: { path: "raw.lines", value: "{{ result }}" } },
      variable_replacements: expect.anything(),
    });
    expect(first.data.next_call).toEqual({
      tool: "workflow_step_complete",
      arguments: { workflow_id, step_id: first.data.step.id },
    });
    expect(first.text).toContain("workflow_state_update");
    const written = await call("workflow_state_update", { workflow_id, updates: [{ path: "raw.lines", value: ["a", "b", "c"] }] });
    expect(written.data).toMatchObject({ success: true, changed: { line_count: 3, doubled: 6 } });
    expect((await call("workflow_step_complete", { workflow_id, step_id: "collect" })).data).toMatchObject({
      success: true,
      next_call: { tool: "workflow_get_next_step" },
    });
    expect((await call("workflow_step_complete", { workflow_id, step_id: "collect" })).data).toMatchObject({
      success: true,
      recorded: "before",
    });
    expect((await call("workflow_get_next_step", { workflow_id })).data.step).toMatchObject({
      id: handedOut("tell"),
      definition: { message: "6" },
    });
    await call("workflow_step_complete", { workflow_id, step_id: "tell", status: "success" });
    expect((await call("workflow_get_next_step", { workflow_id })).data.step).toBeNull();
    const complete = await call("workflow_complete", { workflow_id, status: "success" });
    expect(complete.data).toMatchObject({ success: true, final_state: { lines: ["a", "b", "c"], line_count: 3, doubled: 6 } });
  });

  test("both ways of reporting leave the same final state", async () => {
    world = await openWorld({ "demo:count": counting });
    const { call } = await world.client({ toolsets: ["seed"] });
    const one = (await call("workflow_start", { workflow: "demo:count" })).data;
    const two = (await call("workflow_start", { workflow: "demo:count" })).data;
    const told = (await call("workflow_progress", { run_id: one.run_id, action_id: one.action_id, result: ["x"] })).data;
    await call("workflow_progress", { run_id: one.run_id, action_id: told.action_id });
    const { workflow_id } = two;
    await call("workflow_state.update", { workflow_id, updates: [{ path: "raw.lines", value: ["x"] }] });
    await call("workflow.step_complete", { workflow_id, step_id: "collect" });
    await call("workflow.get_next_step", { workflow_id });
    await call("workflow.step_complete", { workflow_id, step_id: "tell" });
    const [first, second] = await Promise.all(
      [one.run_id, workflow_id].map((id) => call("workflow.complete", { workflow_id: id, status: "success" })),
    );
    expect(second?.data.final_state).toEqual(first?.data.final_state);
  });

  test("a workflow is described and its definition read", async () => {
    world = await openWorld({ "demo:count": counting });
    const { call } = await world.client({ toolsets: ["seed"] });
    const info = await call("workflow_get_info", { workflow: "demo:count" });
    expect(info.data).toMatchObject({
      name: "demo:count",
      description: "For a test.",
      version: "1.0.0",
      inputs: { base: { type: "string", default: "main", description: "Where to compare with." } },
      found_at: expect.stringMatching(/demo__count\.yaml$/),
    });
    expect(info.text).toContain("base (string");
    const definition = await call("workflow_load_definition", { workflow: "demo:count" });
    expect(definition.data).toMatchObject({
      name: "demo:count",
      steps: [{ id: "collect" }, { id: "tell" }],
      state_schema: { raw: { lines: "array" }, computed: { line_count: { from: "raw.lines" } } },
      sub_agent_tasks: {},
      loaded_from: expect.stringMatching(/demo__count\.yaml$/),
      source: "project",
    });
  });

  test("state is read flat, and dependencies are told both ways", async () => {
    world = await openWorld({ "demo:count": counting });
    const { call } = await world.client({ toolsets: ["state"] });
    const { run_id } = (await call("workflow_start", { workflow: "demo:count" })).data;
    const read = await call("workflow_state_read", { workflow_id: run_id });
    expect(read.data).toMatchObject({ attempts: 0, status: "new", line_count: 0, doubled: 0 });
    expect(read.raw["_meta"]).toMatchObject({ "waymark/run_id": run_id, "waymark/version": expect.any(Number) });
    const deps = await call("workflow_state_dependencies", { workflow_id: run_id, field: "line_count" });
    expect(Object.keys(deps.data)).toEqual(["direct_deps", "all_deps", "dependents"]);
    expect(JSON.stringify(deps.data.direct_deps)).toContain("raw.lines");
    expect(JSON.stringify(deps.data.dependents)).toContain("doubled");
  });

  test("a version that is not the current one is refused, and nothing is written", async () => {
    world = await openWorld({ "demo:count": counting });
    const { call } = await world.client({ toolsets: ["state"] });
    const { run_id } = (await call("workflow_start", { workflow: "demo:count" })).data;
    const { version } = (await call("workflow_state_update", { run_id, updates: [{ path: "raw.attempts", operation: "increment" }] })).data;
    const stale = await call("workflow_state_update", {
      run_id,
      expected_version: version - 1,
      updates: [{ path: "raw.attempts", operation: "increment" }],
    });
    expect(stale).toMatchObject({ isError: true, data: { error: { code: "VERSION_CONFLICT", details: { current_version: version } } } });
    const repeated = { run_id, key: "k1", updates: [{ path: "raw.attempts", operation: "increment" }] };
    expect((await call("workflow_state_update", repeated)).data.recorded).toBe("now");
    expect((await call("workflow_state_update", repeated)).data.recorded).toBe("before");
    expect((await call("workflow_state_read", { run_id, paths: ["attempts"] })).data).toEqual({ attempts: 2 });
  });

  test("the debug tools answer with the seed's fields", async () => {
    world = await openWorld({ "demo:count": counting });
    const { call } = await world.client({ toolsets: ["debug", "state"] });
    const { run_id, action_id } = (await call("workflow_start", { workflow: "demo:count" })).data;
    await call("workflow_progress", { run_id, action_id, result: ["a"] });
    await call("workflow_state_read", { run_id });
    const { traces } = (await call("workflow_trace_transformations", { workflow_id: run_id, field: "line_count" })).data;
    expect(traces.at(-1)).toMatchObject({
      field: "line_count",
      timestamp: expect.any(String),
      trigger: expect.any(String),
      input: ["a"],
      output: 1,
      duration_ms: expect.any(Number),
    });
    expect(
      (await call("workflow_trace_transformations", { workflow_id: run_id, include_timing: false })).data.traces[0],
    ).not.toHaveProperty("duration_ms");
    const info = (await call("workflow_debug_info", { workflow_id: run_id })).data;
    expect(info).toMatchObject({
      current_step: "tell",
      step_history: [{ step_id: "collect", status: "success" }],
      state_size: { raw_bytes: expect.any(Number) },
      performance: { slowest_transformations: expect.any(Array) },
    });
    expect(
      (await call("workflow_test_transformation", { transform: "input.map(x => x * factor)", input: [1, 2], context: { factor: 3 } })).data,
    ).toMatchObject({ success: true, output: [3, 6] });
    expect((await call("workflow_test_transformation", { transform: "input.(", input: 1 })).data).toMatchObject({
      success: false,
      error: expect.any(String),
    });
    expect((await call("workflow_explain_plan", { workflow: "demo:count" })).data).toMatchObject({
      steps: [{ step_id: "collect" }, { step_id: "tell", dependencies: ["collect"] }],
      estimated_duration: expect.stringContaining("minutes"),
      required_tools: [],
    });
  });
});

describe("sub-agents", () => {
  const tasks = `
inputs: { items: { type: array } }
sub_agent_tasks:
  work:
    steps:
      - { id: fix, type: agent_shell_command, command: "fix {{ item.id }}", state_update: { path: "raw.results.{{ task_id }}" } }
steps:
  - { id: all, type: parallel_foreach, items: "{{ inputs.items }}", max_parallel: 2, sub_agent_task: work }
  - { id: tell, type: user_message, message: "{{ Object.keys(results).length }} done" }
`;

  test("each drives its own task, and the parent goes on when all have ended", async () => {
    world = await openWorld({ "demo:tasks": tasks });
    const { call } = await world.client({ toolsets: ["seed"] });
    const items = [{ id: "batch_0" }, { id: "batch_1" }, { id: "batch_2" }];
    const started = await call("workflow_start", { workflow: "demo:tasks", inputs: JSON.stringify({ items }) });
    const { run_id, step } = started.data;
    expect(step).toMatchObject({
      id: handedOut("all"),
      type: "parallel_tasks",
      definition: { tasks: [{ task_id: "batch_0", context: { workflow_id: run_id } }, { task_id: "batch_1" }] },
    });
    const early = await call("workflow_progress", { run_id, action_id: started.data.action_id });
    expect(early).toMatchObject({ isError: true, data: { error: { code: "TASKS_OPEN" }, next_call: { tool: "workflow_next" } } });

    const own = await call("workflow_next", { run_id, task_id: "batch_0" });
    expect(own.data).toMatchObject({
      step: { id: handedOut("all.fix"), definition: { command: "fix batch_0" } },
      next_call: { arguments: { task_id: "batch_0" } },
    });
    expect(
      (await call("workflow_progress", { run_id, task_id: "batch_0", action_id: own.data.action_id, result: "ok" })).data,
    ).toMatchObject({ status: "task_done", step: null, task_id: "batch_0" });

    const seed = await call("workflow_get_next_step", { workflow_id: run_id, sub_agent_context: { task_id: "batch_1" } });
    expect(seed.data).toMatchObject({
      step: { definition: { command: "fix batch_1" } },
      next_call: { tool: "workflow_step_complete", arguments: { sub_agent_context: { task_id: "batch_1" } } },
    });
    await call("workflow_state_update", {
      workflow_id: run_id,
      task_id: "batch_1",
      updates: [{ path: "raw.results.batch_1", value: "ok" }],
    });
    await call("workflow_step_complete", { workflow_id: run_id, step_id: seed.data.step.id, sub_agent_context: { task_id: "batch_1" } });
    expect(
      (await call("workflow_get_next_step", { workflow_id: run_id, sub_agent_context: '{"task_id":"batch_1"}' })).data.step,
    ).toBeNull();

    const third = await call("workflow_next", { run_id, task_id: "batch_2" });
    await call("workflow_progress", { run_id, task_id: "batch_2", action_id: third.data.action_id, result: "ok" });
    expect((await call("workflow_next", { run_id })).data).toMatchObject({
      status: "action",
      step: { id: handedOut("tell"), definition: { message: "3 done" } },
    });
  });

  test("a task that does not exist is refused with those that do", async () => {
    world = await openWorld({ "demo:tasks": tasks });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "demo:tasks", inputs: { items: [{ id: "batch_0" }] } })).data;
    expect(await call("workflow_next", { run_id, task_id: "batch_O" })).toMatchObject({
      isError: true,
      data: { error: { code: "ENGINE_NO_TASK", message: expect.stringContaining("Did you mean `batch_0`?") } },
    });
  });
});
