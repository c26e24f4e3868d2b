/** A task has one name from its beginning to its end, and who uses that name gets nothing of another task. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const work = `
sub_agent_tasks:
  w:
    steps:
      - { id: one, type: agent_shell_command, command: "echo {{ item.id }}", state_update: { path: raw.out, operation: append } }
      - { id: two, type: user_message, message: "two {{ item.id }}" }`;
const start = "default_state: { raw: { out: [] } }\nsteps:";
const end = "- { id: e, type: user_message, message: E }";
const ask = `
sub_agent_tasks:
  w: { steps: [{ id: colour, type: user_input, prompt: "Which colour?", state_update: { path: raw.colour } }, { id: last, type: user_message, message: x }] }
  only: { steps: [{ id: colour, type: user_input, prompt: "Which colour?", state_update: { path: raw.colour } }] }
  long: { steps: [{ id: big, type: user_message, message: "{{ 'x'.repeat(60000) }}" }] }`;
const rounds = (task: string): string =>
  `steps: [{ id: loop, type: foreach, items: [1, 2], steps: [{ id: all, type: parallel_foreach, items: [1], sub_agent_task: ${task} }] }]${ask}`;

const workflows = {
  "names:groups": `${start}
  - { id: g1, type: parallel_foreach, items: [{ id: s1 }], sub_agent_task: w, wait_for_all: false }
  - { id: g2, type: parallel_foreach, items: [{ id: s1 }], sub_agent_task: w, wait_for_all: false }
  ${end}${work}`,
  "names:rounds": `${start}
  - { id: loop, type: foreach, items: [1, 2], steps: [{ id: g, type: parallel_foreach, items: [{ id: b1 }], sub_agent_task: w }] }
  ${end}${work}`,
  "names:nested": `${start}
  - { id: outer, type: parallel_foreach, items: [{ id: x }, { id: y }], sub_agent_task: around }${work}
  around: { steps: [{ id: inner, type: parallel_foreach, items: [{ id: "{{ item.id }}a" }], sub_agent_task: w }] }`,
  "names:main": `${start}
  - { id: g, type: parallel_foreach, items: [{ id: main }, { id: s9 }], sub_agent_task: w }
  ${end}${work}`,
  "names:fail": `${start}
  - { id: p, type: parallel_foreach, items: [{ id: A }, { id: B }, { id: C }], sub_agent_task: w }
  ${end}${work}`,
  "names:again": `error_handling: { on_error: retry_workflow, max_retries: 1 }\n${start}
  - { id: p, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: w }
  ${end}${work}`,
  "names:ask": rounds("w"),
  "names:long": rounds("long"),
  "names:answer": `steps:\n  - { id: p, type: parallel_foreach, items: [{ id: A }], sub_agent_task: only }\n  ${end}${ask}`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const started = async (workflow: string): Promise<string> => (await call("workflow_start", { workflow })).data.run_id as string;
const follow = ({ data: { next_call: next } }: ToolReply): Promise<ToolReply> => call(next.tool, next.arguments);
const next = (run: string, task?: string): Promise<ToolReply> =>
  call("workflow_next", { run_id: run, ...(task === undefined ? {} : { task_id: task }) });

/** Reports the open step of a task by the calls of the seed; answers the report and its reply. */
async function step(run: string, task: string, result?: string): Promise<{ said: Record<string, unknown>; reply: ToolReply }> {
  const { data } = await next(run, task);
  const said = {
    workflow_id: run,
    step_id: data.step.id,
    sub_agent_context: { task_id: task },
    status: "success",
    ...(result === undefined ? {} : { result }),
  };
  return { said, reply: await call("workflow_step_complete", said) };
}

/** Names of the tasks that a step of the parent hands out. */
const namesIn = ({ data }: ToolReply): string[] => data.step.definition.tasks.map(({ task_id }: { task_id: string }) => task_id);

describe("two open groups that each hold a task of one name", () => {
  async function bothOpen(): Promise<{ run: string; names: string[] }> {
    const first = await call("workflow_start", { workflow: "names:groups" });
    const run = first.data.run_id as string;
    return { run, names: [...namesIn(first), ...namesIn(await follow(first))] };
  }

  test("give each its own name, and keep it when the other is over", async () => {
    const { run, names } = await bothOpen();
    expect(names).toEqual(["s1", expect.stringMatching(/^s1@g\d+$/)]);
    const [mine = "", other = ""] = names;
    const theirs = (await next(run, other)).data;
    const first = await step(run, mine, "mine");
    const last = await step(run, mine);
    // The call that the last reply names leads to the end of this task, not into the other one.
    expect((await follow(last.reply)).data).toMatchObject({ status: "task_done", task_id: "s1" });
    expect((await next(run, mine)).data).toMatchObject({ status: "task_done", task_id: "s1" });
    for (const { said } of [first, last, first]) {
      const again = await call("workflow_step_complete", said);
      expect(again.data).toMatchObject({ success: true, recorded: "before" });
      expect((await follow(again)).data.status).toBe("task_done");
    }
    const still = (await next(run, other)).data;
    expect([still.action_id, still.next_call.arguments.task_id]).toEqual([theirs.action_id, other]);
    expect((await call("workflow_state_read", { workflow_id: run })).data).toEqual({ out: ["mine"] });
  });

  test("take nothing for the second by the name of the first", async () => {
    const { run, names } = await bothOpen();
    const [mine = ""] = names;
    await step(run, mine, "mine");
    await step(run, mine);
    const late = await call("workflow_progress", { run_id: run, task_id: mine, result: "late" });
    expect([late.isError, (await call("workflow_state_read", { workflow_id: run })).data]).toEqual([true, { out: ["mine"] }]);
  });
});

test("the last reply of a task leads to its end also when a later round has a task of its name", async () => {
  const run = await started("names:rounds");
  await step(run, "b1", "round 1");
  const { reply } = await step(run, "b1");
  await next(run);
  expect((await next(run, "b1")).data.step.id).toMatch(/one@/);
  expect((await follow(reply)).data).toMatchObject({ status: "task_done", task_id: "b1" });
});

test("an author's id that only one task of the run has means that task, whatever it was handed out as", async () => {
  const run = await started("names:nested");
  for (const outer of ["x", "y"]) {
    const [inner = ""] = namesIn(await next(run, outer));
    expect(inner).toMatch(new RegExp(`^${outer}a(?:@g\\d+)?$`));
    const named = (await next(run, inner)).data.action_id;
    expect([(await next(run, `${outer}a`)).data.action_id, named]).toEqual([named, expect.stringMatching(/^a\d+$/)]);
  }
});

test("tasks called like a strand are handed out by names that mean them", async () => {
  const first = await call("workflow_start", { workflow: "names:main" });
  const names = namesIn(first);
  expect(names).toEqual(["main", "s9"].map((name) => expect.stringMatching(new RegExp(`^${name}@g\\d+$`))));
  for (const [index, name] of names.entries()) {
    const { data } = await next(first.data.run_id, name);
    expect(data.step.definition.command).toBe(`echo ${["main", "s9"][index]}`);
  }
});

describe("a task that fails", () => {
  async function failed(): Promise<{ run: string; sibling: Record<string, unknown>; failure: Record<string, unknown> }> {
    const run = await started("names:fail");
    const { said: sibling } = await step(run, "C", "C");
    const { action_id } = (await next(run, "B")).data;
    const failure = { run_id: run, task_id: "B", action_id, status: "failed", error: "no" };
    expect((await call("workflow_progress", failure)).data).toMatchObject({ status: "task_done" });
    return { run, sibling, failure };
  }

  test("leaves its siblings' reports recorded, and tells them that they are stopped", async () => {
    const { run, sibling, failure } = await failed();
    expect((await call("workflow_step_complete", sibling)).data).toMatchObject({ success: true, recorded: "before" });
    const stopped = await next(run, "C");
    expect([stopped.isError, stopped.data.status]).toEqual([false, "task_done"]);
    expect(stopped.text).toContain("Task `C` is stopped, because the run has failed.");
    const again = await call("workflow_progress", failure);
    expect(again.data).toMatchObject({ recorded: "before", status: "task_done" });
    expect(again.text).toContain("Task `B` has failed.");
  });

  test("is still said to have failed when its report is repeated after a retry; its siblings continue where they stood", async () => {
    const { run, sibling, failure } = await failed();
    await call("workflow_retry", { run_id: run });
    const again = await call("workflow_progress", failure);
    expect(again.data).toMatchObject({ recorded: "before", status: "task_done" });
    expect(again.text).toContain("Task `B` has failed.");
    const known = await call("workflow_step_complete", sibling);
    expect(known.data.recorded).toBe("before");
    expect((await follow(known)).data.step.id).toMatch(/two@/);
    expect((await next(run, "B")).data.step.id).toMatch(/one@/);
  });
});

test("a report for a task that is over says so, and names no step of others", async () => {
  const run = await started("names:groups");
  await step(run, "s1", "mine");
  await step(run, "s1");
  const { data } = await call("workflow_progress", { run_id: run, task_id: "s1", action_id: "a99999", result: "late" });
  expect([data.error.code, data.error.fix]).toEqual(["ENGINE_NO_ACTION", expect.stringContaining("You are done")]);
  expect(data.error.message).toContain("Task `s1`");
  expect(data.next_call.arguments).toMatchObject({ task_id: "s1" });
});

test("sub-agents of a run that begins again come to the end of their tasks, and its driver to the new run", async () => {
  const run = await started("names:again");
  await step(run, "B", "B");
  const { action_id: last } = (await next(run, "B")).data;
  const done = { run_id: run, task_id: "B", action_id: last };
  expect((await call("workflow_progress", done)).data.status).toBe("task_done");
  const { action_id } = (await next(run, "A")).data;
  const failure = { run_id: run, task_id: "A", action_id, status: "failed", error: "no" };
  for (const said of [failure, failure, done]) {
    const { data } = await call("workflow_progress", said);
    expect([data.run_id, data.status, data.step]).toEqual([run, "task_done", null]);
  }
  for (const task of ["A", "B"]) expect((await next(run, task)).data).toMatchObject({ run_id: run, status: "task_done" });
  const { data } = await next(run);
  expect([data.retry_of, data.run_id === run, data.step.type]).toEqual([run, false, "parallel_tasks"]);
});

describe("in the second round of a group", () => {
  async function secondRound(workflow: string, finish: (task: string, opened: ToolReply) => Promise<unknown>): Promise<ToolReply> {
    const first = await call("workflow_start", { workflow });
    const run = first.data.run_id as string;
    const [name = ""] = namesIn(first);
    await finish(name, await next(run, name));
    const [later = ""] = namesIn(await next(run));
    expect(later).not.toBe(name);
    return next(run, later);
  }

  test("the rest of a step that is shown in part can be fetched", async () => {
    const opened = await secondRound("names:long", (task_id, { data }) =>
      call("workflow_progress", { run_id: data.run_id, task_id, action_id: data.action_id }),
    );
    const { tool, arguments: args } = opened.data.truncated.next;
    expect((await call(tool, args)).isError).toBe(false);
  });

  test("a sub-agent that answers a question gets its own next step", async () => {
    const answered = (data: ToolReply["data"]): Promise<ToolReply> =>
      call("workflow_decide", { run_id: data.run_id, decision_id: data.action_id, answer: "red" });
    const { data } = await secondRound("names:ask", async (task_id, opened) => {
      const { action_id } = (await answered(opened.data)).data;
      return call("workflow_progress", { run_id: opened.data.run_id, task_id, action_id });
    });
    expect((await answered(data)).data).toMatchObject({ recorded: "now", status: "action", step: { id: expect.stringMatching(/last@/) } });
  });
});

describe("a sub-agent whose answer ended its task gets its own end again", () => {
  test.each(["workflow_decide", "workflow_progress"])("by %s", async (tool) => {
    const run = await started("names:answer");
    const { action_id } = (await next(run, "A")).data;
    const said =
      tool === "workflow_decide" ? { run_id: run, decision_id: action_id, answer: "red" } : { run_id: run, action_id, result: "red" };
    for (const recorded of ["now", "before"]) {
      const { data } = await call(tool, said);
      expect([data.recorded, data.status, data.step]).toEqual([recorded, "task_done", null]);
    }
  });
});
