/** The seed's tools over the protocol, each with the inputs and outputs the seed gives it, and the canonical ones beside them. */
import { access, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient } from "../process/mcp-client.ts";
import { authorsId, handedOut } from "../support/handed-out.ts";

const small = `
inputs: { base: { type: string, default: main, required: false, description: "Where to compare with." } }
default_state: { raw: { attempts: 0, lines: [] }, state: { release: "1.0" } }
state_schema:
  raw: { lines: array }
  computed: { line_count: { from: raw.lines, transform: "input.length" } }
steps:
  - { id: collect, type: agent_shell_command, command: "git diff {{ inputs.base }}", output_format: lines, state_update: { path: raw.lines } }
  - { id: tell, type: user_message, message: "{{ line_count }}" }
sub_agent_tasks: { unused: { steps: [{ id: x, type: user_message, message: m }] } }
`;
const parallel = `
steps: [{ id: all, type: parallel_foreach, items: [{ id: t1 }, { id: t2 }], sub_agent_task: t }, { id: after, type: user_message, message: m }]
sub_agent_tasks: { t: { steps: [{ id: work, type: mcp_call, mcp: { method: m }, state_update: { path: "raw.done.{{ task_id }}" } }] } }
`;
const limited = `
default_state: { raw: { secret_log: [1, 2], count: 4 } }
on_high_context_usage:
  steps:
    - { type: mcp_call, mcp: { method: workflow.checkpoint, params: { workflow_id: "{{ workflow_id }}", reason: "Context approaching limit" } } }
    - { type: user_message, message: "Nearly full after {{ count }}. Run: workflow resume {{ workflow_id }}" }
    - { type: exit }
on_resume: { load_from_checkpoint: [workflow_metadata, computed_field_definitions, current raw state, pending tasks], exclude: [historical data, completed task details, raw.secret_log] }
steps: [{ id: hold, type: user_message, message: m }]
`;
const failing = `
error_handling: { on_error: retry_workflow }
steps: [{ id: bad, type: mcp_call, mcp: { method: m } }]
`;

let world: McpWorld;
let client: TestClient;
const call = (name: string, args?: Record<string, unknown>): ReturnType<TestClient["call"]> => client.call(name, args);
beforeAll(async () => {
  world = await openWorld({ "demo:small": small, "demo:parallel": parallel, "demo:limited": limited, "demo:failing": failing });
  client = await world.client({ toolsets: ["all"] });
});
afterAll(() => world.close());

async function begin(workflow: string, inputs: Record<string, unknown> = {}): Promise<string> {
  return String((await call("workflow_start", { workflow, inputs })).data.workflow_id);
}

describe("workflow tools", () => {
  test.each(["workflow.get_info", "workflow_get_info", "workflow_info"])(
    "%s gives name, description, version, inputs and found_at",
    async (name) => {
      const { data } = await call(name, { workflow: "demo:small" });
      expect(data).toMatchObject({
        name: "demo:small",
        description: "For a test.",
        version: "1.0.0",
        found_at: expect.stringMatching(/demo__small\.yaml$/) as string,
        inputs: { base: { type: "string", default: "main", required: false, description: "Where to compare with." } },
      });
    },
  );

  test.each(["workflow.start", "workflow_start"])("%s gives the id and the flat state", async (name) => {
    const { data } = await call(name, { workflow: "demo:small", inputs: { base: "dev" } });
    expect(data).toMatchObject({
      workflow_id: expect.stringMatching(/^wf-demo-small-\d{4}-\d\d-\d\d-[a-z0-9]{6}$/) as string,
      state: { attempts: 0, lines: [], release: "1.0", line_count: 0 },
      status: "running",
      total_steps: expect.any(Number) as number,
    });
    expect(data.run_id).toBe(data.workflow_id);
  });

  test.each(["workflow.get_next_step", "workflow_get_next_step"])("%s gives the atomic step, and null when none is left", async (name) => {
    const workflow_id = await begin("demo:small");
    expect((await call(name, { workflow_id })).data.step).toMatchObject({
      id: handedOut("collect"),
      type: "agent_shell_command",
      instructions: expect.any(String) as string,
      definition: { command: "git diff main" },
      variable_replacements: { "{{ inputs.base }}": "main" },
    });
    await call("workflow_progress", { run_id: workflow_id, result: "a\nb" });
    await call("workflow_progress", { run_id: workflow_id });
    expect((await call(name, { workflow_id })).data.step).toBeNull();
  });

  test("a sub-agent fetches its own steps with sub_agent_context and gets null at its end", async () => {
    const workflow_id = await begin("demo:parallel");
    const { step } = (await call("workflow_get_next_step", { workflow_id })).data;
    expect(step).toMatchObject({
      id: handedOut("all"),
      type: "parallel_tasks",
      definition: { tasks: [{ task_id: "t1", context: { workflow_id } }, { task_id: "t2" }] },
    });
    for (const task_id of ["t1", "t2"]) {
      const sub_agent_context = { task_id, batch_id: task_id };
      expect(authorsId((await call("workflow_get_next_step", { workflow_id, sub_agent_context })).data.step)).toBe("all.work");
      await call("workflow_state_update", { workflow_id, updates: [{ path: `raw.done.${task_id}`, value: 1 }] });
      expect((await call("workflow_step_complete", { workflow_id, step_id: "all.work", sub_agent_context })).data.success).toBe(true);
      expect((await call("workflow_get_next_step", { workflow_id, sub_agent_context })).data.step).toBeNull();
    }
    expect(authorsId((await call("workflow_get_next_step", { workflow_id })).data.step)).toBe("after");
    expect((await call("workflow_state_read", { workflow_id })).data).toEqual({ done: { t1: 1, t2: 1 } });
  });

  test.each(["workflow.step_complete", "workflow_step_complete"])("%s completes or fails a step", async (name) => {
    const workflow_id = await begin("demo:small");
    await call("workflow_state_update", { workflow_id, updates: [{ path: "raw.lines", value: ["x"] }] });
    expect((await call(name, { workflow_id, step_id: "collect", status: "success" })).data).toMatchObject({ success: true });
    await call("workflow_get_next_step", { workflow_id });
    expect((await call(name, { workflow_id, step_id: "tell", status: "failed", error: "no screen" })).data).toMatchObject({
      success: true,
    });
    const { data } = await call("workflow_get_next_step", { workflow_id });
    expect(data).toMatchObject({ step: null, status: "failed", error_message: "no screen" });
  });

  test.each(["workflow.complete", "workflow_complete"])(
    "%s gives success and the final state, and is refused while steps are open",
    async (name) => {
      const workflow_id = await begin("demo:small");
      const early = await call(name, { workflow_id, status: "success" });
      expect(early.isError).toBe(true);
      expect(early.text).toContain("collect");
      expect((await call(name, { workflow_id, status: "cancelled" })).data).toMatchObject({
        success: true,
        final_state: { attempts: 0, line_count: 0 },
      });
    },
  );

  test.each(["workflow.list", "workflow_list"])("%s gives name, path, description and source of each", async (name) => {
    const { data } = await call(name, { include_global: false });
    expect(data.workflows).toContainEqual({
      name: "demo:small",
      description: "For a test.",
      source: "project",
      path: expect.stringMatching(/demo__small\.yaml$/) as string,
    });
  });

  test.each(["workflow.load_definition", "workflow_load_definition"])(
    "%s gives steps, schema, tasks and where they were loaded from",
    async (name) => {
      const { data } = await call(name, { workflow: "demo:small" });
      expect(data).toMatchObject({
        name: "demo:small",
        source: "project",
        loaded_from: expect.stringMatching(/demo__small\.yaml$/) as string,
        resolved_imports: [],
        sub_agent_tasks: { unused: {} },
        state_schema: { raw: { lines: "array" }, computed: { line_count: { from: "raw.lines", transform: "input.length" } } },
      });
      expect(data.steps).toHaveLength(2);
    },
  );

  test.each(["workflow.checkpoint", "workflow_checkpoint"])(
    "%s gives an id, a path that exists, and the text for the next conversation",
    async (name) => {
      const workflow_id = await begin("demo:small");
      const { data } = await call(name, { workflow_id, step_id: "collect", reason: "lunch" });
      expect(data).toMatchObject({
        checkpoint_id: expect.any(String) as string,
        resume_text: expect.stringContaining(workflow_id) as string,
      });
      await access(data.state_path);
      expect(JSON.parse(await readFile(data.state_path, "utf8"))).toMatchObject({ run_id: workflow_id, step: "collect", reason: "lunch" });
    },
  );

  test.each(["workflow.resume", "workflow_resume"])("%s gives id, state and last checkpoint", async (name) => {
    const workflow_id = await begin("demo:small");
    await call("workflow_checkpoint", { workflow_id, step_id: "collect", reason: "lunch" });
    const { data } = await call(name, { workflow_id });
    expect(data).toMatchObject({
      workflow_id,
      state: { attempts: 0, line_count: 0 },
      last_checkpoint: { step_id: "collect", timestamp: expect.stringMatching(/^\d{4}-/) as string },
      step: { id: handedOut("collect") },
    });
  });

  test("on_high_context_usage: a checkpoint without a reason takes the workflow's reason and shows its message", async () => {
    const workflow_id = await begin("demo:limited");
    const { data, text } = await call("workflow_checkpoint", { workflow_id });
    expect(data.message).toBe(`Nearly full after 4. Run: workflow resume ${workflow_id}`);
    expect(text).toContain(data.message);
    expect((await call("workflow_resume", { workflow_id })).data.last_checkpoint.reason).toBe("Context approaching limit");
  });

  test("on_resume: load_from_checkpoint and exclude decide what a new conversation is given", async () => {
    const workflow_id = await begin("demo:limited");
    const { data } = await call("workflow_resume", { workflow_id });
    expect(data.state).toEqual({ count: 4 });
    expect(data).toMatchObject({ workflow: "demo:limited 1.0.0" });
  });

  test.each<[string, string, unknown]>([
    ["workflow_metadata", "workflow", "resume:workflow_metadata 1"],
    ["computed_field_definitions", "computed_fields", ["twice from raw.n"]],
    ["current_raw_state", "state", { n: 2, twice: 4 }],
    ["pending_tasks", "pending_tasks", { open: ["t2"], waiting: 1 }],
    ["historical_data", "state", { steps_completed: ["first", "all.work"] }],
    ["completed_task_details", "ended_tasks", { completed: 1, failed: 0, skipped: 0 }],
  ])("on_resume: %s alone can be loaded", async (part, key, expected) => {
    const name = `resume:${part}`;
    await world.engine.write(
      `.waymark/workflows/resume__${part}.yaml`,
      `
name: "${name}"
description: d
version: "1"
on_resume: { load_from_checkpoint: [${part}] }
default_state: { raw: { n: 2, steps_completed: [] } }
state_schema: { computed: { twice: { from: raw.n, transform: "input * 2" } } }
steps: [{ id: first, type: user_message, message: m }, { id: all, type: parallel_foreach, max_parallel: 1, items: [{ id: t1 }, { id: t2 }, { id: t3 }], sub_agent_task: t, sub_agent_prompt_override: Go. }]
sub_agent_tasks: { t: { steps: [{ id: work, type: user_message, message: m }] } }
`,
    );
    const workflow_id = await begin(name);
    await call("workflow_progress", { run_id: workflow_id });
    await call("workflow_next", { run_id: workflow_id, task_id: "t1" });
    await call("workflow_progress", { run_id: workflow_id, task_id: "t1" });
    const { data } = await call("workflow_resume", { workflow_id });
    const { workflow, computed_fields, state, pending_tasks, ended_tasks } = data;
    const shown = { workflow, computed_fields, pending_tasks, ended_tasks, state: Object.keys(state).length === 0 ? undefined : state };
    expect(Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))).toEqual({ [key]: expected });
  });

  test("retry_workflow: the agent is led into the linked run", async () => {
    const workflow_id = await begin("demo:failing");
    const { data } = await call("workflow_progress", { run_id: workflow_id, status: "failed", error: "down" });
    expect(data).toMatchObject({ retry_of: workflow_id, step: { id: handedOut("bad") } });
    expect(data.run_id).not.toBe(workflow_id);
  });
});

describe("state tools", () => {
  test.each(["workflow_state.read", "workflow_state_read"])("%s gives the flat state, or only the paths asked for", async (name) => {
    const workflow_id = await begin("demo:small");
    expect((await call(name, { workflow_id })).data).toEqual({ attempts: 0, lines: [], release: "1.0", line_count: 0 });
    expect((await call(name, { workflow_id, paths: ["line_count", "raw.attempts", "none"] })).data).toEqual({
      line_count: 0,
      "raw.attempts": 0,
      none: null,
    });
  });

  test.each(["workflow_state.update", "workflow_state_update"])(
    "%s writes and gives success with the computed fields that changed",
    async (name) => {
      const workflow_id = await begin("demo:small");
      const { data } = await call(name, {
        workflow_id,
        updates: [
          { path: "raw.lines", operation: "append", value: "x" },
          { path: "state.release", value: "1.1" },
        ],
      });
      expect(data).toMatchObject({ success: true, changed: { line_count: 1 } });
      const wrong = await call(name, { workflow_id, updates: [{ path: "computed.line_count", value: 9 }] });
      expect(wrong.isError).toBe(true);
    },
  );

  test.each(["workflow_state.dependencies", "workflow_state_dependencies"])(
    "%s gives direct_deps, all_deps and dependents",
    async (name) => {
      const workflow_id = await begin("demo:small");
      expect((await call(name, { workflow_id, field: "line_count" })).data).toEqual({
        direct_deps: ["raw.lines"],
        all_deps: ["raw.lines"],
        dependents: [],
      });
    },
  );
});

describe("debug tools", () => {
  test.each(["workflow.trace_transformations", "workflow_trace_transformations"])("%s gives traces", async (name) => {
    const workflow_id = await begin("demo:small");
    const { data } = await call(name, { workflow_id, field: "line_count", include_timing: true });
    expect(data.traces[0]).toMatchObject({
      field: "line_count",
      timestamp: expect.any(String) as string,
      trigger: expect.any(String) as string,
      input: [],
      output: 0,
      duration_ms: expect.any(Number) as number,
    });
  });

  test.each(["workflow.debug_info", "workflow_debug_info"])("%s gives step, history, size and performance", async (name) => {
    const workflow_id = await begin("demo:small");
    await call("workflow_progress", { run_id: workflow_id, result: "a" });
    expect((await call(name, { workflow_id })).data).toMatchObject({
      current_step: "tell",
      step_history: [{ step_id: "collect", status: "success" }],
      state_size: {
        raw_bytes: expect.any(Number) as number,
        computed_bytes: expect.any(Number) as number,
        total_transformations: expect.any(Number) as number,
      },
      performance: {
        avg_transformation_time: expect.any(Number) as number,
        slowest_transformations: [{ field: "line_count", avg_ms: expect.any(Number) as number }],
      },
    });
  });

  test.each(["workflow.test_transformation", "workflow_test_transformation"])(
    "%s gives success, output or error, and the time",
    async (name) => {
      expect((await call(name, { transform: "input.length + more", input: [1, 2], context: { more: 1 } })).data).toMatchObject({
        success: true,
        output: 3,
        execution_time_ms: expect.any(Number) as number,
      });
      expect((await call(name, { transform: "input.x.y", input: {} })).data).toMatchObject({
        success: false,
        error: expect.any(String) as string,
      });
    },
  );

  test.each(["workflow.explain_plan", "workflow_explain_plan"])("%s gives steps, an estimate and the tools needed", async (name) => {
    expect((await call(name, { workflow: "demo:parallel", inputs: {} })).data).toMatchObject({
      steps: [
        { step_id: "all", type: "parallel_foreach", estimated_sub_agents: 2 },
        { step_id: "after", type: "user_message" },
      ],
      required_tools: ["m"],
      estimated_duration: expect.any(String) as string,
    });
  });
});

describe("canonical tools", () => {
  test("workflow_next and workflow_progress drive a run to its end", async () => {
    const run_id = await begin("demo:small");
    expect(authorsId((await call("workflow_next", { run_id })).data.step)).toBe("collect");
    expect((await call("workflow_progress", { run_id, result: "a\nb\n" })).data.step).toMatchObject({
      id: handedOut("tell"),
      definition: { message: "2" },
    });
    expect((await call("workflow_progress", { run_id })).data).toMatchObject({ status: "completed", step: null });
  });

  test("workflow_status lists the open runs and shows one", async () => {
    const run_id = await begin("demo:small");
    expect(JSON.stringify((await call("workflow_status")).data)).toContain(run_id);
    expect((await call("workflow_status", { run_id })).text).toContain("collect");
  });

  test("workflow_retry lets a failed run go on and workflow_abort ends one for good", async () => {
    const run_id = await begin("demo:small");
    await call("workflow_progress", { run_id, status: "failed", error: "x" });
    expect(authorsId((await call("workflow_retry", { run_id })).data.step)).toBe("collect");
    expect((await call("workflow_abort", { run_id, reason: "enough" })).data).toMatchObject({ success: true, status: "cancelled" });
  });

  test("workflow_decide relays a person's answer", async () => {
    await world.engine.write(
      ".waymark/workflows/demo__ask.yaml",
      `name: "demo:ask"\ndescription: d\nversion: "1"\nsteps: [{ id: ask, type: user_input, prompt: "Go on?", state_update: { path: raw.answer } }]\n`,
    );
    const run_id = await begin("demo:ask");
    const decision_id = (await call("workflow_next", { run_id })).data.action_id;
    expect((await call("workflow_decide", { run_id, decision_id, answer: "yes" })).isError).toBe(false);
    expect((await call("workflow_state_read", { workflow_id: run_id })).data).toEqual({ answer: "yes" });
  });
});

describe("prompts", () => {
  test("the workflow prompt leads an agent through list, info, start with inputs, resume and status", async () => {
    const text = async (args: Record<string, string>): Promise<string> =>
      JSON.stringify((await client.client.getPrompt({ name: "workflow", arguments: args })).messages);
    expect(await text({ action: "list" })).toContain("workflow_list");
    expect(await text({ action: "demo:small", target: "info" })).toContain("workflow_info");
    expect(await text({ action: "demo:small", target: "start", inputs: "--input base=dev" })).toMatch(
      /workflow_start.*base.*dev|base.*dev.*workflow_start/,
    );
    expect(await text({ action: "resume", target: "wf-x" })).toContain("workflow_resume");
    expect(await text({ action: "status", target: "wf-x" })).toContain("workflow_status");
  });

  test("the prompt tells what to do with each kind of step", async () => {
    const { messages } = await client.client.getPrompt({ name: "workflow", arguments: { action: "demo:small" } });
    for (const word of [
      "agent_shell_command",
      "mcp_call",
      "parallel_tasks",
      "user_message",
      "user_input",
      "workflow_checkpoint",
      "workflow_complete",
    ])
      expect(JSON.stringify(messages)).toContain(word);
  });
});
