/** A parent and its sub-agents: each gets its own answers, tasks are told apart, and the parent is told what still has to be started. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../../../src/base/index.ts";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { driveLiterally, everyTool, tasksToStart, type Agent, type Family } from "../../support/literal-client.ts";
import { driveOnCommandLine } from "../../support/literal-lines.ts";

const job = `
sub_agent_tasks:
  job: { steps: [{ id: do_it, type: agent_shell_command, command: "do {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] }
  other: { steps: [{ id: do_it, type: agent_shell_command, command: "other {{ item.id }}", state_update: { path: "raw.others.{{ item.id }}" } }] }
  outer: { steps: [{ id: inner, type: parallel_foreach, items: [{ id: s1 }], sub_agent_task: job }, { id: after, type: user_message, message: "{{ item.id }}" }] }`;
const start = `default_state: { raw: { done: {}, others: {} } }\nsteps:`;
const workflows = {
  "tasks:two": `${start}
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }
  - { id: end, type: user_message, message: bye }${job}`,
  "tasks:beside": `${start}
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], wait_for_all: false, sub_agent_task: job }
  - { id: own, type: agent_shell_command, command: own, state_update: { path: raw.own } }
  - { id: end, type: user_message, message: bye }${job}`,
  "tasks:reported": `${start}
  - { id: first, type: agent_shell_command, command: first, state_update: { path: raw.first } }
  - { id: one, type: parallel_foreach, items: [{ id: s1 }], wait_for_all: false, sub_agent_task: job }
  - { id: end, type: user_message, message: bye }${job}`,
  "tasks:answered": `${start}
  - { id: asked, type: user_input, prompt: "Go?", state_update: { path: raw.go } }
  - { id: one, type: parallel_foreach, items: [{ id: s1 }], wait_for_all: false, sub_agent_task: job }
  - { id: end, type: user_message, message: bye }${job}`,
  "tasks:tried": `${start}
  - { id: all, type: parallel_foreach, items: [a, b], sub_agent_task: fails, on_sub_agent_error: { strategy: retry_failed, max_retries: 1 } }${job}
  fails: { steps: [{ id: look, type: user_message, message: "{{ item }}" }, { id: check, type: shell_command, command: "exit 1" }] }`,
  "tasks:groups": `${start}
  - { id: first, type: parallel_foreach, items: [{ id: s1 }], wait_for_all: false, sub_agent_task: job }
  - { id: second, type: parallel_foreach, items: [{ id: s1 }], wait_for_all: false, sub_agent_task: other }
  - { id: end, type: user_message, message: bye }${job}`,
  "tasks:nested": `${start}
  - { id: all, type: parallel_foreach, items: [{ id: s1 }], sub_agent_task: outer }${job}`,
  "tasks:often": `${start}
  - { id: each, type: foreach, items: [r1, r2], steps: [{ id: both, type: parallel_foreach, items: [a, b], sub_agent_task: say }] }${job}
  say: { steps: [{ id: s, type: user_message, message: "{{ item }}" }] }`,
  "tasks:twice": `${start}
  - { id: each, type: foreach, items: [r1, r2], steps: [{ id: both, type: parallel_foreach, items: [a, b], sub_agent_task: say }] }
  - { id: end, type: user_message, message: bye }${job}
  say: { steps: [{ id: s, type: user_message, message: "{{ item }}" }] }`,
  "tasks:inner": `${start}
  - { id: all, type: parallel_foreach, items: [A, B], sub_agent_task: around }${job}
  around: { steps: [{ id: inner, type: parallel_foreach, items: [x, y], sub_agent_task: say }, { id: last, type: user_message, message: "{{ item }}" }] }
  say: { steps: [{ id: s, type: user_message, message: "{{ item }}" }] }`,
  "tasks:rounds": `${start}
  - { id: each, type: foreach, items: [1, 2], steps: [{ id: both, type: parallel_foreach, items: [{ id: s1 }], sub_agent_task: job }] }${job}`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const agent: Agent = { work: ({ definition }) => ({ result: `did ${textOf(definition["command"])}` }), answer: () => "yes" };
const started = async (workflow: string): Promise<string> => (await call("workflow_start", { workflow })).data.run_id as string;
const stateOf = async (run: string): Promise<unknown> => (await call("workflow_state_read", { workflow_id: run })).data;

/** Does all of a task by `workflow_progress`; answers the report that ended it. */
async function finish(run: string, task: string): Promise<Record<string, unknown>> {
  const { action_id } = (await call("workflow_next", { run_id: run, task_id: task })).data;
  const report = { run_id: run, task_id: task, action_id, result: `did ${task}` };
  await call("workflow_progress", report);
  return report;
}

describe("a sub-agent that repeats its last report", () => {
  test("gets the end of its own task while another task is open", async () => {
    const run = await started("tasks:two");
    const report = await finish(run, "one");
    const again = await call("workflow_progress", report);
    expect(again.data).toMatchObject({ recorded: "before", status: "task_done", task_id: "one", step: null });
  });

  test("gets the end of its own task after all have ended, and not the parent's step", async () => {
    const run = await started("tasks:two");
    await finish(run, "one");
    const report = await finish(run, "two");
    const again = await call("workflow_progress", report);
    expect(again.data).toMatchObject({ recorded: "before", status: "task_done", task_id: "two", step: null });
  });

  test("gets its own answer by the action id alone", async () => {
    const run = await started("tasks:two");
    const { task_id: _, ...report } = await finish(run, "one");
    expect((await call("workflow_progress", report)).data).toMatchObject({ recorded: "before", status: "task_done", task_id: "one" });
  });

  test.each(["one", "two"])("gets its stored answer from workflow_step_complete when `%s` ends last", async (last) => {
    const run = await started("tasks:two");
    await finish(run, last === "one" ? "two" : "one");
    const sub_agent_context = { task_id: last };
    const { step } = (await call("workflow_get_next_step", { workflow_id: run, sub_agent_context })).data;
    await call("workflow_state_update", { workflow_id: run, task_id: last, updates: [{ path: `raw.done.${last}`, value: "stored" }] });
    const report = { workflow_id: run, step_id: step.id, sub_agent_context };
    await call("workflow_step_complete", report);
    expect((await call("workflow_step_complete", report)).data).toMatchObject({ success: true, recorded: "before" });
  });
});

/** Sends each reply's `next_call`, else its `later`, as an agent without sub-agents does; answers how the run stands in the end. */
async function alone(workflow: string, most: number): Promise<{ readonly status: string; readonly calls: number }> {
  let reply = await call("workflow_start", { workflow });
  const run = reply.data.run_id as string;
  for (let calls = 1; calls <= most; calls += 1) {
    const following = reply.data.next_call ?? reply.data.later;
    if (following === undefined) return { status: reply.data.status, calls };
    reply = await call(following.tool, following.arguments);
    expect(reply.isError, reply.text).toBe(false);
  }
  return { status: (await call("workflow_status", { run_id: run })).data.status, calls: most };
}

/** Ends the tasks of the group that the parent is shown; answers the reports. */
async function endShown(run: string, parent?: string): Promise<Record<string, unknown>[]> {
  const { step } = (await call("workflow_next", { run_id: run, ...(parent === undefined ? {} : { task_id: parent }) })).data;
  const reports: Record<string, unknown>[] = [];
  for (const { task_id } of tasksToStart(step)) {
    const { next_call } = (await call("workflow_next", { run_id: run, task_id })).data;
    await call(next_call.tool, next_call.arguments);
    reports.push(next_call.arguments);
  }
  return reports;
}

describe("a task has its id to itself for the whole run", () => {
  test("a report of an earlier round, repeated in a later one, gets the end of its own task", async () => {
    const run = await started("tasks:often");
    const [first] = await endShown(run);
    for (const report of [first!, { ...first!, task_id: undefined }]) {
      const { data } = await call("workflow_progress", JSON.parse(JSON.stringify(report)) as Record<string, unknown>);
      expect(data).toMatchObject({ recorded: "before", status: "task_done", task_id: "each.both.0", step: null });
    }
    const late = await call("workflow_next", { run_id: run, task_id: "each.both.0" });
    expect(late.data).toMatchObject({ status: "task_done", task_id: "each.both.0" });
    const { step } = (await call("workflow_next", { run_id: run })).data;
    expect(tasksToStart(step)).toHaveLength(2);
    const [again] = await endShown(run);
    expect(again).not.toMatchObject({ task_id: "each.both.0" });
    const { data } = await call("workflow_progress", { run_id: run, action_id: again!["action_id"] });
    expect(data).toMatchObject({ recorded: "before", status: "task_done", task_id: again!["task_id"] });
    expect((await call("workflow_status", { run_id: run })).data.status).toBe("completed");
  });

  test("a repeated report of one task's tasks never brings those of another", async () => {
    const run = await started("tasks:inner");
    await call("workflow_next", { run_id: run });
    const { step } = (await call("workflow_next", { run_id: run, task_id: "all.1" })).data;
    const others = tasksToStart(step).map(({ task_id }) => task_id);
    const [report] = await endShown(run, "all.0");
    expect((await call("workflow_progress", report)).data).toMatchObject({ recorded: "before", status: "task_done" });
    expect((await call("workflow_next", { run_id: run, task_id: report!["task_id"] })).data).toMatchObject({ status: "task_done" });
    const of = await call("workflow_next", { run_id: run, task_id: others[0] });
    expect(of.data.next_call.arguments).toMatchObject({ task_id: others[0] });
    const left = (await call("workflow_next", { run_id: run, task_id: "all.1" })).data.step;
    expect(tasksToStart(left).map(({ task_id }) => task_id)).toEqual([others[1]]);
  });
});

test("the last report of a task within a task leads, also when it is repeated, back into the task around it", async () => {
  const run = await started("tasks:inner");
  const reports = await endShown(run, "all.0");
  const again = await call("workflow_progress", reports.at(-1));
  expect(again.data).toMatchObject({ recorded: "before", status: "task_done", later: { arguments: { run_id: run, task_id: "all.0" } } });
  const { later } = again.data;
  expect((await call(later.tool, later.arguments)).data.step.definition).toEqual({ message: "A" });
});

test.each([
  ["tasks:often", 40],
  ["tasks:inner", 60],
])("an agent without sub-agents that only follows the replies of %s comes to its end", async (workflow, most) => {
  expect((await alone(workflow, most)).status).toBe("completed");
});

test("a parent whose tasks all run is told how to take over one whose sub-agent is gone", async () => {
  const run = await started("tasks:two");
  for (const task_id of ["one", "two"]) await call("workflow_next", { run_id: run, task_id });
  const { step } = (await call("workflow_next", { run_id: run })).data;
  expect(step.instructions).toContain("If the sub-agent of a task is gone");
  expect((await call("workflow_next", { run_id: run, task_id: "one" })).data.status).toBe("action");
});

describe("a parent that completes its parallel_tasks step", () => {
  test("gets `before` from workflow_step_complete when all tasks have ended", async () => {
    const run = await started("tasks:two");
    const { step } = (await call("workflow_get_next_step", { workflow_id: run })).data;
    await finish(run, "one");
    await finish(run, "two");
    const done = await call("workflow_step_complete", { workflow_id: run, step_id: step.id, status: "success" });
    expect(done.data).toMatchObject({ success: true, recorded: "before" });
    expect((await call("workflow_next", { run_id: run })).data.step.definition).toEqual({ message: "bye" });
  });

  test("gets `before` also by the author's id of the step, and the step behind it stays open", async () => {
    const run = await started("tasks:two");
    await call("workflow_next", { run_id: run });
    await finish(run, "one");
    await finish(run, "two");
    for (const shown of [false, true]) {
      const done = await call("workflow_step_complete", { workflow_id: run, step_id: "both", status: "success" });
      expect(done.data, `the step behind it is ${shown ? "" : "not "}shown`).toMatchObject({ success: true, recorded: "before" });
      expect((await call("workflow_next", { run_id: run })).data.step.definition).toEqual({ message: "bye" });
    }
  });

  test("is refused by the author's id where two steps of that id have ended, or one is open", async () => {
    const run = await started("tasks:twice");
    const complete = async (): Promise<string> =>
      (await call("workflow_step_complete", { workflow_id: run, step_id: "each.both", status: "success" })).data.error.code;
    await endShown(run);
    expect(await complete(), "one has ended, one is open and not shown").toBe("ENGINE_WRONG_STEP");
    await call("workflow_next", { run_id: run });
    expect(await complete(), "it is shown").toBe("TASKS_OPEN");
    await endShown(run);
    expect(await complete(), "two have ended").toBe("ENGINE_WRONG_STEP");
    expect((await call("workflow_next", { run_id: run })).data.step.definition).toEqual({ message: "bye" });
  });

  test("of a task in a task gets `before` by the author's id for its own step alone", async () => {
    const run = await started("tasks:inner");
    await call("workflow_next", { run_id: run });
    await endShown(run, "all.0");
    const complete = (task_id: string): Promise<ToolReply> =>
      call("workflow_step_complete", { workflow_id: run, step_id: "all.inner", sub_agent_context: { task_id } });
    expect((await complete("all.0")).data).toMatchObject({ success: true, recorded: "before" });
    expect((await complete("all.1")).isError).toBe(true);
    await endShown(run, "all.1");
    for (const task of ["all.0", "all.1"]) expect((await complete(task)).data).toMatchObject({ success: true, recorded: "before" });
  });

  test("gets `before` from workflow_progress when all tasks have ended", async () => {
    const run = await started("tasks:two");
    const { action_id } = (await call("workflow_next", { run_id: run })).data;
    await finish(run, "one");
    await finish(run, "two");
    const done = await call("workflow_progress", { run_id: run, action_id });
    expect(done.data).toMatchObject({ recorded: "before", step: { definition: { message: "bye" } } });
  });

  test("is refused while a task is open", async () => {
    const run = await started("tasks:two");
    const { step } = (await call("workflow_get_next_step", { workflow_id: run })).data;
    await finish(run, "one");
    const refused = await call("workflow_step_complete", { workflow_id: run, step_id: step.id, status: "success" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("two");
    expect(await stateOf(run)).toMatchObject({ done: { one: "did one" } });
  });
});

describe("a task that fails by itself after a report", () => {
  const tried = async () => {
    const run = await started("tasks:tried");
    const { task_id } = tasksToStart((await call("workflow_next", { run_id: run })).data.step)[0]!;
    const { action_id } = (await call("workflow_next", { run_id: run, task_id })).data;
    return { run_id: run, task_id, action_id };
  };

  test("is shown to its sub-agent where it is tried again, and then where it ended", async () => {
    const first = await tried();
    const again = (await call("workflow_progress", first)).data;
    expect(again).toMatchObject({ recorded: "now", step: { definition: { message: "a" } } });
    expect(again.action_id).not.toBe(first.action_id);
    const over = (await call("workflow_progress", { ...first, action_id: again.action_id })).data;
    expect(over).toMatchObject({ status: "task_done", recorded: "now" });
    expect(over.instruction ?? over.later ?? over.next_call).toBeDefined();
  });

  test("is shown to who asks for it while it fails", async () => {
    const first = await tried();
    await call("workflow_step_complete", {
      workflow_id: first.run_id,
      step_id: first.action_id,
      sub_agent_context: { task_id: first.task_id },
    });
    const asked = (await call("workflow_next", { run_id: first.run_id, task_id: first.task_id })).data;
    expect(asked).toMatchObject({ step: { definition: { message: "a" } } });
  });
});

describe("wait_for_all: false", () => {
  test("hands the tasks out at once, before the parent's own work", async () => {
    const { step } = (await call("workflow_start", { workflow: "tasks:beside" })).data;
    expect(step.type).toBe("parallel_tasks");
    expect(tasksToStart(step).map(({ task_id }) => task_id)).toEqual(["one", "two"]);
  });

  test("names those that nobody has begun with every step of the parent's own", async () => {
    const { run_id: run, next_call } = (await call("workflow_start", { workflow: "tasks:beside" })).data;
    await call(next_call.tool, next_call.arguments);
    for (const tool of ["workflow_next", "workflow_get_next_step"]) {
      const own = await call(tool, { run_id: run });
      expect(own.data).toMatchObject({ step: { definition: { command: "own" } }, tasks_beside: ["one", "two"] });
      expect(own.text).toContain(`workflow_next({"run_id":"${run}","task_id":"one"})`);
    }
    await call("workflow_next", { run_id: run, task_id: "one" });
    expect((await call("workflow_next", { run_id: run })).data.tasks_beside).toEqual(["two"]);
    await call("workflow_next", { run_id: run, task_id: "two" });
    expect((await call("workflow_next", { run_id: run })).data).not.toHaveProperty("tasks_beside");
  });

  test("hands them out again with the repeated report whose reply was lost, until one of them is begun", async () => {
    const run = await started("tasks:reported");
    const { action_id } = (await call("workflow_next", { run_id: run })).data;
    const report = { run_id: run, action_id, result: "done" };
    const shown = (await call("workflow_progress", report)).data;
    expect(tasksToStart(shown.step).map(({ task_id }) => task_id)).toEqual(["s1"]);
    const again = (await call("workflow_progress", report)).data;
    expect(again).toMatchObject({ recorded: "before", action_id: shown.action_id });
    await call("workflow_next", { run_id: run, task_id: "s1" });
    expect((await call("workflow_progress", report)).data).toMatchObject({ recorded: "before", step: { type: "user_message" } });
  });

  test("hands them out again with the repeated answer whose reply was lost", async () => {
    const run = await started("tasks:answered");
    const { decision_id } = (await call("workflow_next", { run_id: run })).data;
    const said = { run_id: run, decision_id, answer: "yes" };
    const shown = (await call("workflow_decide", said)).data;
    expect(shown.step.type).toBe("parallel_tasks");
    expect((await call("workflow_decide", said)).data).toMatchObject({ recorded: "before", action_id: shown.action_id });
  });

  test.each(["workflow_next", "workflow_get_next_step"])("lets the parent work on beside its tasks after %s", async (tool) => {
    const run = await started("tasks:beside");
    const { tool: next, arguments: args } = (await call(tool, { run_id: run })).data.next_call;
    await call(next, args);
    const own = await call("workflow_next", { run_id: run });
    expect(own.data.step.definition).toMatchObject({ command: "own" });
    await call("workflow_progress", { run_id: run, action_id: own.data.action_id, result: "did own" });
    expect(await stateOf(run)).toEqual({ done: {}, others: {}, own: "did own" });
    await finish(run, "one");
    expect((await call("workflow_status", { run_id: run })).data.status).toBe("running");
  });
});

describe.each<Family>(["seed", "progress"])("tasks of one name, driven by the %s calls", (family) => {
  test.each<[string, string, unknown]>([
    ["of two groups", "tasks:groups", { done: { s1: "did do s1" }, others: { s1: "did other s1" } }],
    ["of a group in a task of that name", "tasks:nested", { done: { s1: "did do s1" }, others: {} }],
    ["of two rounds", "tasks:rounds", { done: { s1: "did do s1" }, others: {} }],
  ])("%s are all done by the ids that replies give", async (_, workflow, expected) => {
    const { status, state } = await driveLiterally(world, workflow, agent, { family });
    expect({ status, state }).toEqual({ status: "completed", state: expected });
  });
});

test("tasks of one name in two groups are done by the lines that the command line prints", async () => {
  const bench = await openCliBench({
    ".waymark/workflows/groups.yaml": `name: groups\ndescription: d\nversion: "1.0.0"\n${workflows["tasks:groups"]}`,
  });
  const { status, state } = await driveOnCommandLine(bench, "groups", agent);
  await bench.close();
  expect({ status, state }).toEqual({ status: "completed", state: { done: { s1: "did do s1" }, others: { s1: "did other s1" } } });
});

describe("what a parent is told", () => {
  test.each(["the same client", "another client"])(
    "leaves out of what it starts a task that %s has begun, and says that it runs",
    async (who) => {
      const run = await started("tasks:two");
      const sub = who === "the same client" ? call : (await world.client(everyTool)).call;
      expect((await sub("workflow_next", { run_id: run, task_id: "one" })).data.status).toBe("action");
      for (const tool of ["workflow_next", "workflow_get_next_step"]) {
        const again = await call(tool, { run_id: run });
        expect(tasksToStart(again.data.step).map(({ task_id }) => task_id)).toEqual(["two"]);
        expect(again.data.step.definition.tasks).toContainEqual({ task_id: "one", running: true });
      }
    },
  );

  test("names the run and the task in the text for each sub-agent", async () => {
    const { run_id, step } = (await call("workflow_start", { workflow: "tasks:two" })).data;
    for (const { task_id, prompt } of tasksToStart(step)) {
      expect(textOf(prompt)).toContain(run_id);
      expect(textOf(prompt)).toContain(textOf(task_id));
    }
    expect(step.instructions).toContain("its prompt");
  });

  test("says what to do without sub-agents", async () => {
    const { step } = (await call("workflow_start", { workflow: "tasks:two" })).data;
    expect(step.instructions).toMatch(/(without|no|cannot start|can not start) (a )?sub-agents?|yourself/i);
  });
});
