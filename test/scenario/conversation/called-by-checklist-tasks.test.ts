/** Sub-agents inside what a checklist calls hear the same as in a run of steps: above all that they are done. */
import { afterEach, describe, expect, test } from "vitest";
import { samples, type SampleDialect } from "../../support/calling-samples.ts";
import { sent, toCalled, type AtCalled } from "../../support/to-called.ts";
import type { TestClient, ToolReply } from "../../process/mcp-client.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const inner = `name: inner
default_state: { raw: { log: [] } }
steps:
  - { id: pf, type: parallel_foreach, items: [A, B, C], sub_agent_task: job }
  - { id: show, type: user_message, message: "{{ log | json }}" }
sub_agent_tasks:
  job:
    steps:
      - { id: one, type: agent_shell_command, command: "one {{ item }}", state_update: { path: raw.log, operation: append } }
      - { id: two, type: agent_shell_command, command: "two {{ item }}", state_update: { path: raw.log, operation: append } }
`;

interface AtTasks extends AtCalled {
  readonly tasks: readonly string[];
}

/** Comes to the tasks of what a workflow of that dialect calls. */
async function atTasks(dialect: SampleDialect): Promise<AtTasks> {
  const files = { ...samples[dialect]("outer", "inner"), "a.js": "1;\n", ".waymark/workflows/inner.yaml": inner };
  const at = await toCalled(files, opened);
  let { reply } = at;
  while (reply.data.step.type !== "parallel_tasks") reply = await sent(at.call, reply);
  const { tasks } = reply.data.step.definition as { tasks: { task_id: string }[] };
  return { ...at, tasks: tasks.map(({ task_id }) => task_id) };
}

/** Does both steps of a task; gives the reply to the last report and the call that made it. */
async function finish(call: TestClient["call"], run: string, task: string): Promise<{ last: ToolReply; again: () => Promise<ToolReply> }> {
  const two = await sent(call, await call("workflow_next", { run_id: run, task_id: task }), { result: "did" });
  const again = (): Promise<ToolReply> => sent(call, two, { result: "did" });
  return { last: await again(), again };
}

const done = (task: string): object => ({ status: "task_done", step: null, task_id: task });

describe.each(["steps", "checklist"] as const)("called by %s, a sub-agent", (dialect) => {
  test.each([
    { where: "on the connection of the parent", own: false },
    { where: "on a connection of its own", own: true },
  ])("$where is told that it is done, however often it reports or asks", async ({ own }) => {
    const { call, run, another, tasks } = await atTasks(dialect);
    const agent = own ? await another() : call;
    const [task = ""] = tasks;
    const { last, again } = await finish(agent, run, task);
    expect(last.data).toMatchObject({ ...done(task), recorded: "now" });
    expect(last.text).toContain("You are done");
    expect(last.data).not.toHaveProperty("next_call");
    expect((await again()).data).toMatchObject({ ...done(task), recorded: "before" });
    expect((await agent("workflow_next", { run_id: run, task_id: task })).data).toMatchObject(done(task));
    const seed = await agent("workflow_get_next_step", { workflow_id: run, sub_agent_context: { task_id: task } });
    expect(seed.data).toMatchObject(done(task));
  });

  test("is told so after all tasks have ended and the run has gone on, too", async () => {
    const { call, run, another, tasks } = await atTasks(dialect);
    const [first = "", ...others] = tasks;
    const agent = await another();
    const { again } = await finish(agent, run, first);
    for (const task of others) await finish(call, run, task);
    const show = await call("workflow_next", { run_id: run });
    expect(show.data).toMatchObject({ step: { type: "user_message" } });
    expect((await again()).data).toMatchObject({ ...done(first), recorded: "before" });
    await sent(call, show);
    expect((await again()).data).toMatchObject({ ...done(first), recorded: "before" });
    expect((await agent("workflow_next", { run_id: run, task_id: first })).data).toMatchObject(done(first));
    const unnamed = await agent("workflow_progress", { run_id: run, task_id: first, status: "completed" });
    expect(unnamed.data.error).toMatchObject({ code: "ENGINE_NO_ACTION" });
    expect(unnamed.text).toContain("You are done");
  });

  test("that fails is told how its task ended", async () => {
    const { call, run, another, tasks } = await atTasks(dialect);
    const [task = ""] = tasks;
    const agent = await another();
    const open = await agent("workflow_next", { run_id: run, task_id: task });
    const failed = (): Promise<ToolReply> => sent(agent, open, { status: "failed", error: "no" });
    expect((await failed()).data).toMatchObject({ ...done(task), recorded: "now" });
    expect((await failed()).data).toMatchObject({ ...done(task), recorded: "before" });
    expect((await agent("workflow_next", { run_id: run, task_id: task })).data).toMatchObject(done(task));
    expect((await call("workflow_next", { run_id: run })).data).toMatchObject({ status: "failed" });
  });

  test("is shown how its task ended when it resumes it", async () => {
    const { call, run, tasks } = await atTasks(dialect);
    const [task = ""] = tasks;
    await finish(call, run, task);
    expect((await call("workflow_resume", { run_id: run, task_id: task })).data).toMatchObject({ step: null, task_id: task });
  });
});
