/** What a report says must fit together, and `fill_in` belongs to the call beside it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openClient, openWorld, serverParts, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { calling } from "../../support/calling-samples.ts";
import { review } from "../../support/checklist-sample.ts";
import { everyTool } from "../../support/literal-client.ts";
import { openTestEngine } from "../../support/test-engine.ts";

const tasks = `
default_state: { raw: { done: {} } }
steps: [{ id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }]
sub_agent_tasks: { job: { steps: [{ id: do_it, type: agent_shell_command, command: "echo {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] } }`;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

describe("a report that names the task of one step and the id of another", () => {
  let world: McpWorld;
  let call: TestClient["call"];
  beforeAll(async () => {
    world = await openWorld({ "two:tasks": tasks });
    ({ call } = await world.client(everyTool));
  });
  afterAll(() => world.close());

  test("is refused, and both stay open", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "two:tasks" })).data;
    const handed = (await call("workflow_next", { run_id })).data.step.definition.tasks as { task_id: string }[];
    const [one, two] = handed.map(({ task_id }) => task_id);
    const first = (await call("workflow_next", { run_id, task_id: one })).data;
    const second = (await call("workflow_next", { run_id, task_id: two })).data;
    const mixed = await call("workflow_progress", { run_id, task_id: two, action_id: first.action_id, result: "x" });
    expect(mixed.data.error).toMatchObject({ code: "ENGINE_WRONG_STEP" });
    expect((await call("workflow_next", { run_id, task_id: one })).data.action_id).toBe(first.action_id);
    expect((await call("workflow_next", { run_id, task_id: two })).data.action_id).toBe(second.action_id);
    for (const [task_id, { action_id }] of [
      [one, first],
      [two, second],
    ] as const)
      expect((await call("workflow_progress", { run_id, task_id, action_id, result: "x" })).data.recorded).toBe("now");
  });
});

describe("a checklist", () => {
  const clientFor = async (files: Readonly<Record<string, string>>): Promise<TestClient["call"]> => {
    const engine = await openTestEngine(files);
    const client = await openClient({ context: engine.context, ...serverParts, toolsets: ["seed"] });
    opened.push(engine, client);
    return client.call;
  };

  test("has no fill_in beside a call that takes none", async () => {
    const sources = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`src/file-with-a-long-name-${at}.js`, "1;\n"]));
    const call = await clientFor({ ".waymark/workflows/review.workflow.yaml": review, ...sources });
    const { session_id: run } = (await call("workflow_start", { workflow: "review" })).data;
    await call("workflow_next", { run_id: run });
    const { data } = await call("workflow_status", { run_id: run, include_all_files: true });
    expect(data.next_call.tool).toBe("workflow_status");
    expect(data.fill_in).toBeUndefined();
  });

  test("is reported by the seed's own tools with the words that fill_in names", async () => {
    const call = await clientFor(calling("steps", "checklist"));
    const { run_id: run, action_id } = (await call("workflow_start", { workflow: "outer" })).data;
    await call("workflow_progress", { run_id: run, action_id });
    const shown = await call("workflow_get_next_step", { workflow_id: run });
    expect(shown.text).not.toContain("workflow_state_update");
    const done = { workflow_id: run, step_id: shown.data.step.id };
    expect((await call("workflow_step_complete", { ...done, status: "skipped" })).data.error).toMatchObject({ code: "ENGINE_OFF_COURSE" });
    const findings = [{ file: "a.js", severity: "info", description: "fine" }];
    expect((await call("workflow_step_complete", { ...done, status: "completed", findings })).data).toMatchObject({ success: true });
    expect((await call("workflow_get_next_step", { workflow_id: run })).data.step).toBeNull();
  });

  test("whose files failed is not ended by a next_call that is sent back word for word", async () => {
    const call = await clientFor({
      ".waymark/workflows/review.workflow.yaml": review,
      "a.js": "1;\n",
      "b.js": "1;\n",
    });
    const { session_id: run } = (await call("workflow_start", { workflow: "review" })).data;
    let { data } = await call("workflow_next", { run_id: run });
    for (let turn = 0; turn < 20 && data.next_action?.action !== "complete_workflow"; turn += 1) {
      const failed = data.next_action.file === "a.js" ? { status: "failed", error: "cannot" } : { status: "completed", result: "read" };
      data = (await call("workflow_progress", { run_id: run, action_id: data.next_call.arguments.action_id, ...failed })).data;
    }
    expect(data.next_action.action).toBe("complete_workflow");
    expect(data.next_call).toBeUndefined();
    expect(data.later).toMatchObject({ tool: "workflow_complete", arguments: { run_id: run } });
    expect((await call("workflow_retry", { run_id: run })).data.error).toBeUndefined();
  });
});

describe("on the command line", () => {
  const bench = async (): Promise<CliBench> => {
    const made = await openCliBench({ ".waymark/workflows/tasks.yaml": `name: tasks\ndescription: d\nversion: "1.0.0"\n${tasks}` });
    opened.push(made);
    return made;
  };

  test("a report that names the task of one step and the id of another is refused", async () => {
    const desk = await bench();
    const { run_id: run } = await desk.json<{ run_id: string }>(["start", "tasks"]);
    const { step } = await desk.json<{ step: { definition: { tasks: { task_id: string }[] } } }>(["next", run]);
    const [one = "", two = ""] = step.definition.tasks.map(({ task_id }) => task_id);
    const first = await desk.json<{ action_id: string }>(["next", run, "--task", one]);
    await desk.json(["next", run, "--task", two]);
    const mixed = await desk.run(["done", run, "--task", two, "--action", first.action_id, "--result", "x"]);
    expect(mixed.stderr).toContain("ENGINE_WRONG_STEP");
    expect((await desk.json<{ action_id: string }>(["next", run, "--task", one])).action_id).toBe(first.action_id);
  });
});
