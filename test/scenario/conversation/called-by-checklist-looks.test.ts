/** What a checklist calls from another dialect is shown whole by every tool that shows it, and no call closes what its reply does not show. */
import { afterEach, describe, expect, test } from "vitest";
import { samples } from "../../support/calling-samples.ts";
import { sent, toCalled, type AtCalled } from "../../support/to-called.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const steps = {
  work: { line: "type: mcp_call, mcp: { method: do.it, params: { big: whole } }, state_update: { path: raw.x }", content: "whole" },
  ask: { line: 'type: user_input, prompt: "Which colour?", state_update: { path: raw.colour }', content: "Which colour?" },
  say: { line: 'type: user_message, message: "Tell them this"', content: "Tell them this" },
  sh: { line: 'type: agent_shell_command, command: "echo whole"', content: "echo whole" },
  all: { line: "type: parallel_foreach, items: [A, B], sub_agent_task: job", content: "inner/all.0" },
  beside: { line: "type: parallel_foreach, items: [A, B], wait_for_all: false, sub_agent_task: job", content: "inner/beside.0" },
} as const;
const names = Object.keys(steps) as (keyof typeof steps)[];

const job = `sub_agent_tasks:
  job: { steps: [{ id: do_it, type: user_message, message: "{{ item }}" }] }
`;

/** Comes to that step of what the checklist calls. */
async function at(name: keyof typeof steps): Promise<AtCalled> {
  const text = `name: inner\nsteps:\n  - { id: ${name}, ${steps[name].line} }\n  - { id: last, type: user_message, message: bye }\n${job}`;
  return toCalled({ ...samples.checklist("outer", "inner"), "a.js": "1;\n", ".waymark/workflows/inner.yaml": text }, opened);
}

describe.each(names)("`%s`", (name) => {
  test("is never closed by a call that a look at the status gives", async () => {
    const { call, run, reply } = await at(name);
    const { text, data } = await call("workflow_status", { run_id: run });
    expect(data.next_call).toEqual({ tool: "workflow_next", arguments: { run_id: run } });
    expect(data).not.toHaveProperty("fill_in");
    expect(text).not.toContain("workflow_progress");
    const followed = await sent(call, { ...reply, data });
    expect(followed.text).toContain(steps[name].content);
    expect(followed.data.action_id).toBe(reply.data.action_id);
  });
});

test.each(["work", "ask", "say", "sh"] as const)("`%s` is shown by a retry as by the next call", async (name) => {
  const { call, run, reply } = await at(name);
  expect((await sent(call, reply, { status: "failed", error: "no" })).data.status).toBe("failed");
  const { text, data } = await call("workflow_retry", { run_id: run });
  const { reopened: _reopened, ...same } = data;
  expect(same).toEqual((await call("workflow_next", { run_id: run })).data);
  expect(same).toMatchObject({ step: { definition: reply.data.step.definition } });
  expect(text).toContain(steps[name].content);
});

test.each(["all", "beside"] as const)("tasks of `%s` are shown by a retry", async (name) => {
  const { call, run, reply } = await at(name);
  const task_id = reply.data.step.definition.tasks[0].task_id as string;
  const own = await call("workflow_next", { run_id: run, task_id });
  await sent(call, own, { status: "failed", error: "no" });
  const retried = await call("workflow_retry", { run_id: run });
  const { text, data } = retried;
  expect(data).toMatchObject({ step: { type: "parallel_tasks", definition: { tasks: [{ task_id }, {}] } } });
  // Beside tasks that nobody waits for the caller works on: a report of theirs records nothing.
  expect(data.next_call).toMatchObject({ tool: name === "beside" ? "workflow_progress" : "workflow_next" });
  expect(text).toContain(task_id);
  expect((await sent(call, retried)).isError).toBe(false);
});
