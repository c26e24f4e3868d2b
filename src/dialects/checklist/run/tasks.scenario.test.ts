/** Phases of checklists that are one task, over MCP. */
import { afterEach, describe, expect, test } from "vitest";
import { openClient, serverParts, type TestClient, type ToolReply } from "../../../../test/process/mcp-client.ts";
import { reviewed } from "../../../../test/support/task-samples.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { lineOfRun, whatItRuns } from "../../../engine/index.ts";

let engine: TestEngine;
let client: TestClient;
afterEach(async () => {
  await client.close();
  await engine.close();
});

const file = ".waymark/workflows/reviewed.workflow.yaml";

async function open(change: (text: string) => string = (text) => text, files: Readonly<Record<string, string>> = {}) {
  engine = await openTestEngine({ ...reviewed, ...files, [file]: change(reviewed[file] ?? "") });
  client = await openClient({ context: engine.context, ...serverParts });
}

async function begin(change?: (text: string) => string, files?: Readonly<Record<string, string>>) {
  await open(change, files);
  await engine.allow("reviewed");
  const started = await client.call("workflow_start", { workflow: "reviewed" });
  const run_id = String(started.data.run_id);
  const report = (reply: ToolReply, more: object): Promise<ToolReply> =>
    client.call("workflow_progress", { run_id, action_id: reply.data.action_id ?? reply.data.next_action.action_id, ...more });
  return { started, run_id, report };
}

test("tasks run where their phases are, are shown and reported as everywhere, and their results are in later prompts and the report", async () => {
  const { started, run_id, report } = await begin();
  expect(started.data.step).toMatchObject({ type: "agent_task", definition: { prompt: "Write rules.md.", artifacts: ["rules.md"] } });
  expect(started.data.next_call).toMatchObject({ tool: "workflow_progress" });
  const status = await client.call("workflow_status", { run_id });
  expect(status.text).toContain("Step `rules` is open. workflow_next shows what it asks for.");
  expect((await client.call("workflow_complete", { run_id })).data.error.message).toContain("`task`");
  const missing = await report(started, { result: "Done." });
  expect(missing.data.error).toMatchObject({ code: "ENGINE_TASK_FILES" });
  await engine.write("rules.md", "Be kind.");
  // The inventory comes after the task that leaves what it is about.
  await engine.write("src/b.js", "b();\n");
  const first = await report(started, { result: "Be kind." });
  expect(first.data.next_action).toMatchObject({ file: "src/a.js", checklist_item_id: "look" });
  const second = await report(first, { status: "completed" });
  const learn = await report(second, { status: "completed" });
  expect(learn.data.step.definition).toMatchObject({ prompt: "What is to be learnt from the 2 files?", give: { rules: "Be kind." } });
  const wrong = await report(learn, { result: "Nothing." });
  expect(wrong.data.error).toMatchObject({ code: "ENGINE_TASK_RESULT" });
  const again = await report(learn, { result: { lesson: "read" } });
  expect(again.data.step.instructions).toContain("no lesson.txt");
  await engine.write("lesson.txt", "x");
  const end = await report(again, { result: { lesson: "read twice" } });
  expect(end.data.next_action).toMatchObject({ action: "complete_workflow" });
  const { data } = await client.call("workflow_complete", { run_id, report_format: "markdown" });
  expect(data.report).toContain("| Rules | completed | Be kind. |");
  expect(data.report).toContain('{"lesson":"read twice"}');
});

test("a required task that fails stops the run until it is tried again", async () => {
  const { started, run_id, report } = await begin();
  const blocked = await report(started, { status: "failed", error: "no pen" });
  expect(blocked.data).toMatchObject({ status: "blocked" });
  expect(blocked.text).toContain("no pen");
  const again = await client.call("workflow_retry", { run_id });
  expect(again.data.step.definition).toMatchObject({ prompt: "Write rules.md." });
});

test("a task that is not required is passed over when it fails, and the report says so", async () => {
  const { started, run_id, report } = await begin((text) => text.replace("name: Rules", "name: Rules\n    required: false"));
  const first = await report(started, { status: "failed", error: "no pen" });
  expect(first.data.next_action).toMatchObject({ file: "src/a.js" });
  const learn = await report(first, { status: "completed" });
  expect(learn.data.step.definition.give).toEqual({ rules: null });
  await engine.write("lesson.txt", "x");
  await report(learn, { result: { lesson: "read" } });
  const { data } = await client.call("workflow_complete", { run_id, report_format: "markdown" });
  expect(data.report).toContain("| Rules | failed | no pen |");
});

test("a person lets the run into a task with hard_stop", async () => {
  const { started, report } = await begin((text) => text.replace("id: learn", "id: learn\n    hard_stop: true"));
  await engine.write("rules.md", "x");
  const first = await report(started, { result: "x" });
  const asked = await report(first, { status: "completed" });
  expect(asked.text).toContain('The phase "Lessons" is about to begin.');
  expect(asked.data.next_action.command_for_person).toContain("waymark decide");
});

test("what was opened at the end is gone through without the tasks", async () => {
  const { started, run_id, report } = await begin();
  await engine.write("rules.md", "x");
  const first = await report(started, { result: "x" });
  const learn = await report(first, { status: "completed" });
  await engine.write("lesson.txt", "x");
  await report(learn, { result: { lesson: "read" } });
  await engine.write("src/late.js", "late();\n");
  expect((await client.call("workflow_complete", { run_id })).isError).toBe(true);
  const late = await client.call("workflow_next", { run_id });
  expect(late.data.next_action).toMatchObject({ file: "src/late.js" });
  const end = await report(late, { status: "completed" });
  expect(end.data.next_action).toMatchObject({ action: "complete_workflow" });
});

test("a checklist that is called does its tasks too", async () => {
  const outer = 'name: outer\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: all, type: include_workflow, workflow: reviewed }]\n';
  await open(undefined, { ".waymark/workflows/outer.yaml": outer });
  await engine.allow("outer");
  const started = await client.call("workflow_start", { workflow: "outer" });
  expect(started.data.step).toMatchObject({ type: "agent_task", definition: { prompt: "Write rules.md." } });
});

test("context, permission, agent, model, tools and idle time reach a runner", async () => {
  const more = `context: last
      on_lost_context: replay
      permission: { level: edit, commands: [npm test] }
      agent: claude
      model: opus
      tools: { allowed: [Read], denied: [Bash] }
      idle_timeout: 60000
      files: [docs/style.md]`;
  const { run_id } = await begin((text) => text.replace("permission: edit", () => more));
  const { context } = engine;
  const handle = await context.runs.open(run_id);
  const action = Object.values(handle.state.actions)[0]!;
  const { at, leaf } = context.leaves.ofAction(context, handle, action);
  expect(await leaf.turn?.(at, { action })).toEqual({
    prompt: expect.stringContaining("## Files to read first\n\n- docs/style.md") as string,
    endIsReport: true,
    artifacts: ["rules.md"],
    context: "last",
    onLost: "replay",
    permission: { level: "edit", commands: ["npm test"] },
    agent: "claude",
    model: "opus",
    tools: { allowed: ["Read"], denied: ["Bash"] },
    idleMs: 60_000,
  });
});

test("what it would start is shown before it is allowed", async () => {
  await open();
  const { program } = await engine.context.catalog.load("reviewed");
  expect(whatItRuns(engine.context, program!).map(lineOfRun)).toEqual([
    "agent (permission edit): Write rules.md.",
    "agent (permission edit): What is to be learnt from the {{ inventory.total }} files?",
    "command: test -f lesson.txt || { echo 'no lesson.txt'; exit 1; }",
  ]);
});

describe("problems of a definition", () => {
  test.each([
    ["name: Rules", "name: Rules\n    mode: guided", "CHECKLIST_WITHOUT_EFFECT: `mode` has no effect in a phase with a `task`."],
    ["name: Rules", "name: Rules\n    checklist: [x]", "CHECKLIST_WITHOUT_EFFECT: `checklist` has no effect in a phase with a `task`."],
    ["{{ inventory.total }}", "{{ inventry.total }}", "CHECKLIST_TEMPLATE: Nothing is called `inventry` here."],
    ["{{ inventory.total }}", "{{ inventory. }}", "CHECKLIST_TEMPLATE: The template cannot be read: "],
    ["returns: {", "returns: { oneOf: [],", "CHECKLIST_BAD_VALUE: `returns` uses `oneOf`, which Waymark does not check."],
    ["      prompt: Write rules.md.\n", "", "CHECKLIST_MISSING_KEY: `phases[0].task` needs `prompt`."],
    ["retries: 1", "retries: 21", "CHECKLIST_BAD_VALUE: `phases[3].task.retries` is 21, but must be at most 20."],
  ])("%s as %s", async (from, to, problem) => {
    await open((text) => text.replace(from, to));
    const { diagnostics } = await engine.context.catalog.load("reviewed");
    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([expect.stringContaining(problem)]);
  });
});
