/** A repeated report gets the stored answer and changes nothing; one that fits nothing that was handed out is refused. */
import { freeHolders } from "../../support/free-holders.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { review } from "../../support/checklist-sample.ts";
import { openChecklistWorld } from "../../support/checklist-world.ts";
import { everyTool } from "../../support/literal-client.ts";

const workflows = {
  "say:four": `steps: [{ id: each, type: foreach, items: [a, b, c, d], steps: [{ id: say, type: user_message, message: "{{ item }}" }] }]`,
  "do:four": `
default_state: { raw: { log: [] } }
steps: [{ id: each, type: foreach, items: [a, b, c, d], steps: [{ id: do, type: agent_shell_command, command: "{{ item }}", state_update: { path: raw.log, operation: append } }] }]`,
  "ask:four": `
default_state: { raw: { log: [] } }
steps: [{ id: each, type: foreach, items: [a, b, c, d], steps: [{ id: ask, type: user_input, prompt: "{{ item }}?", state_update: { path: raw.log, operation: append } }] }]`,
  "say:three": `
steps:
  - { id: first, type: user_message, message: a }
  - { id: second, type: user_message, message: b }
  - { id: third, type: user_message, message: c }`,
  "ask:three": `
steps:
  - { id: q1, type: user_input, prompt: "First?", state_update: { path: raw.a } }
  - { id: q2, type: user_input, prompt: "Second?", state_update: { path: raw.b } }
  - { id: q3, type: user_input, prompt: "Third?", state_update: { path: raw.c } }`,
  "ask:rule": `steps: [{ id: ask, type: user_input, prompt: "Who?", validation: { pattern: "^[a-z]+$", error_message: no }, attempts: 3, state_update: { path: raw.who } }]`,
  "tasks:beside": `
steps:
  - { id: fan, type: parallel_foreach, items: [a, b], sub_agent_task: t, wait_for_all: false }
  - { id: own, type: user_message, message: hi }
sub_agent_tasks: { t: { steps: [{ id: s, type: user_message, message: "{{ item }}" }] } }`,
  "try:often": `steps: [{ id: try, type: agent_shell_command, command: try, on_error: retry, retry_count: 2, retry_delay: 0, state_update: { path: raw.out } }]`,
  "long:tasks": `
steps: [{ id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }]
sub_agent_tasks: { job: { steps: [{ id: first, type: user_message, message: a }, { id: second, type: user_message, message: b }] } }`,
  "two:tasks": `
default_state: { raw: { done: {} } }
steps: [{ id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }]
sub_agent_tasks: { job: { steps: [{ id: do_it, type: agent_shell_command, command: "echo {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] } }`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const started = async (workflow: string): Promise<string> => (await call("workflow_start", { workflow })).data.run_id as string;
const openOf = async (run: string): Promise<unknown> => {
  const { definition } = (await call("workflow_next", { run_id: run })).data.step;
  return definition.message ?? definition.command ?? definition.prompt;
};
const stateOf = async (run: string): Promise<unknown> => (await call("workflow_state_read", { workflow_id: run })).data;

test("words without an id that were said for the step before lead to the id of the one that is open", async () => {
  const run = await started("do:four");
  const said = { run_id: run, result: "ok" };
  await call("workflow_progress", said);
  const again = await call("workflow_progress", said);
  const { action_id } = again.data;
  expect(again.data).toMatchObject({ recorded: "before", next_call: { tool: "workflow_progress", arguments: { run_id: run, action_id } } });
  expect(again.text).toContain(
    `was reported before; nothing was changed. To report \`each.do\`, which is open now, name its action_id \`${action_id}\`.`,
  );
  expect((await call("workflow_progress", { ...said, action_id })).data.recorded).toBe("now");
  expect(await stateOf(run)).toMatchObject({ log: ["ok", "ok"] });
});

describe("workflow_progress with the author's id", () => {
  test.each([
    ["do:four", "do", { result: "ok" }],
    ["say:four", "say", {}],
    ["say:four", "each.say", {}],
  ])(
    "in %s, sent twice as `%s`, closes one round; asked for, the next round may be reported in the same words",
    async (workflow, author, more) => {
      const run = await started(workflow);
      const said = { run_id: run, action_id: author, ...more };
      expect((await call("workflow_progress", said)).data.recorded).toBe("now");
      const again = await call("workflow_progress", said);
      expect(again.data).toMatchObject({ recorded: "before", next_call: { arguments: { action_id: again.data.action_id } } });
      expect(await openOf(run)).toBe("b");
      expect((await call("workflow_progress", said)).data.recorded).toBe("now");
    },
  );

  test("gets the stored answer, also when more was reported since", async () => {
    const run = await started("say:three");
    const said = { run_id: run, action_id: "first" };
    const replies = [await call("workflow_progress", said), await call("workflow_progress", said)];
    replies.push(await call("workflow_progress", { run_id: run, action_id: "second" }), await call("workflow_progress", said));
    expect(replies.map(({ data }) => data.recorded)).toEqual(["now", "before", "now", "before"]);
    expect(await openOf(run)).toBe("c");
  });

  test("is about a question too: the same words do not answer the next one of that name", async () => {
    const run = await started("ask:four");
    const said = { run_id: run, action_id: "ask", result: "yes" };
    expect((await call("workflow_progress", said)).data.recorded).toBe("now");
    expect((await call("workflow_progress", said)).data.recorded).toBe("before");
    expect(await stateOf(run)).toMatchObject({ log: ["yes"] });
  });

  test("of an earlier step, repeated after the end of its task, says again that the task is done", async () => {
    const run = await started("long:tasks");
    await call("workflow_next", { run_id: run, task_id: "one" });
    const said = { run_id: run, task_id: "one", action_id: "first" };
    await call("workflow_progress", said);
    await call("workflow_progress", { ...said, action_id: "second" });
    expect((await call("workflow_progress", said)).data).toMatchObject({ recorded: "before", status: "task_done" });
  });

  test("repeated after the last step of a task, says again that the task is done", async () => {
    const run = await started("two:tasks");
    await call("workflow_next", { run_id: run, task_id: "one" });
    const said = { run_id: run, task_id: "one", action_id: "do_it", result: "ok" };
    const replies = [await call("workflow_progress", said), await call("workflow_progress", said)];
    expect(replies.map(({ data }) => [data.recorded, data.status])).toEqual([
      ["now", "task_done"],
      ["before", "task_done"],
    ]);
  });
});

describe("workflow_step_complete", () => {
  test("sent three times over [a, b, c, d] closes a and leaves b open", async () => {
    const run = await started("say:four");
    const { step } = (await call("workflow_get_next_step", { workflow_id: run })).data;
    const sent = { workflow_id: run, step_id: step.id, status: "success" };
    const replies = [await call("workflow_step_complete", sent), await call("workflow_step_complete", sent)];
    replies.push(await call("workflow_step_complete", sent));
    expect(await openOf(run)).toBe("b");
    expect(replies.map(({ data }) => data.recorded)).toEqual(["now", "before", "before"]);
  });

  test.each(["say", "each.say"])("sent three times with the author's id `%s` closes no item that was not handed out", async (author) => {
    const run = await started("say:four");
    await call("workflow_get_next_step", { workflow_id: run });
    for (let time = 0; time < 3; time += 1) await call("workflow_step_complete", { workflow_id: run, step_id: author });
    expect(["a", "b"]).toContain(await openOf(run));
  });

  test("takes the author's id where one such step is open to the caller", async () => {
    const run = await started("say:three");
    await call("workflow_get_next_step", { workflow_id: run });
    expect((await call("workflow_step_complete", { workflow_id: run, step_id: "first" })).data).toMatchObject({ success: true });
    expect(await openOf(run)).toBe("b");
  });

  test("repeated after two more steps gets the stored answer", async () => {
    const run = await started("say:three");
    const ids: string[] = [];
    for (let step = 0; step < 2; step += 1) {
      ids.push((await call("workflow_get_next_step", { workflow_id: run })).data.step.id);
      await call("workflow_step_complete", { workflow_id: run, step_id: ids.at(-1) });
    }
    expect((await call("workflow_step_complete", { workflow_id: run, step_id: ids[0] })).data).toMatchObject({ recorded: "before" });
    expect(await openOf(run)).toBe("c");
  });

  test("repeated after the end of the run gets the stored answer", async () => {
    const run = await started("say:three");
    let last = "";
    for (let step = 0; step < 3; step += 1) {
      last = (await call("workflow_get_next_step", { workflow_id: run })).data.step.id;
      await call("workflow_step_complete", { workflow_id: run, step_id: last });
    }
    expect((await call("workflow_step_complete", { workflow_id: run, step_id: last })).data).toMatchObject({ recorded: "before" });
    expect((await call("workflow_step_complete", { workflow_id: run, step_id: last })).isError).toBe(false);
  });

  test("of a failure, sent three times, spends one attempt", async () => {
    const run = await started("try:often");
    const { step } = (await call("workflow_get_next_step", { workflow_id: run })).data;
    const sent = { workflow_id: run, step_id: step.id, status: "failed", error: "no luck" };
    for (let time = 0; time < 3; time += 1) await call("workflow_step_complete", sent);
    expect((await call("workflow_status", { run_id: run })).data).toMatchObject({ status: "running" });
    expect((await call("workflow_get_next_step", { workflow_id: run })).data.step.definition.command).toBe("try");
  });

  test("of a step that several tasks of the caller have open is refused when it names no task", async () => {
    const run = await started("two:tasks");
    const ids = ["one", "two"];
    for (const task_id of ids) await call("workflow_get_next_step", { workflow_id: run, sub_agent_context: { task_id } });
    const refused = await call("workflow_step_complete", { workflow_id: run, step_id: "both.do_it" });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.data.error)).toMatch(/do_it/);
    expect(await stateOf(run)).toEqual({ done: {} });
  });
});

describe("workflow_progress", () => {
  test("sent three times with its action id records it once", async () => {
    const { run_id, action_id } = (await call("workflow_start", { workflow: "do:four" })).data;
    for (let time = 0; time < 3; time += 1) await call("workflow_progress", { run_id, action_id, result: "did it" });
    expect(await stateOf(run_id)).toEqual({ log: ["did it"] });
    expect(await openOf(run_id)).toBe("b");
  });

  test("sent three times without any id closes at most the one item that was open", async () => {
    const run = await started("do:four");
    for (let time = 0; time < 3; time += 1) await call("workflow_progress", { run_id: run, result: "did it" });
    expect(["a", "b"]).toContain(await openOf(run));
  });

  test("of a step that is open to another client is refused", async () => {
    const { run_id, action_id } = (await call("workflow_start", { workflow: "do:four" })).data;
    const other = await world.client(everyTool);
    expect((await other.call("workflow_progress", { run_id, action_id, result: "not mine" })).isError).toBe(true);
    expect((await other.call("workflow_step_complete", { workflow_id: run_id, step_id: "each.do" })).isError).toBe(true);
    expect(await stateOf(run_id)).toEqual({ log: [] });
  });
});

describe("a step", () => {
  test.each(["action_id", "step_id"])("is found by the author's id or its own, whichever is given as %s", async (name) => {
    const { run_id, action_id } = (await call("workflow_start", { workflow: "say:three" })).data;
    expect((await call("workflow_progress", { run_id, [name]: "first" })).data).toMatchObject({ recorded: "now" });
    expect((await call("workflow_progress", { run_id, [name]: action_id })).data).toMatchObject({ recorded: "before" });
    const { action_id: second } = (await call("workflow_next", { run_id })).data;
    expect((await call("workflow_progress", { run_id, [name]: second })).data).toMatchObject({ recorded: "now" });
    expect(await openOf(run_id)).toBe("c");
  });

  test("that somebody else took over is not called untaken, whatever the one before was shown", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "tasks:beside" })).data;
    await call("workflow_next", { run_id });
    const other = await world.client(everyTool);
    await freeHolders(world.engine.context);
    await other.call("workflow_resume", { run_id });
    expect((await call("workflow_progress", { run_id })).data.error).toMatchObject({
      code: "HOLDER_LOST",
      message: expect.stringContaining("not by you"),
    });
  });
});

test("a wrong answer that is sent three times costs one try, and again after a question of one's own", async () => {
  const { run_id, action_id } = (await call("workflow_start", { workflow: "ask:rule" })).data;
  const say = async (result: string): Promise<string> =>
    (await call("workflow_progress", { run_id, action_id, result })).data.error.message as string;
  for (let time = 0; time < 3; time += 1) expect(await say("X")).toContain("2 tries are left");
  expect(await say("Y")).toContain("1 try is left");
  await call("workflow_next", { run_id });
  expect(await say("Y")).toContain("That was the last try");
});

describe("workflow_decide", () => {
  test("repeated does not answer the next question", async () => {
    const run = await started("ask:three");
    await call("workflow_decide", { run_id: run, answer: "one" });
    await call("workflow_decide", { run_id: run, answer: "one" });
    expect(await stateOf(run)).toEqual({ a: "one" });
    expect(await openOf(run)).toBe("Second?");
  });

  test("repeated with the id of its question gets the stored answer", async () => {
    const { run_id, action_id } = (await call("workflow_start", { workflow: "ask:three" })).data;
    await call("workflow_decide", { run_id, decision_id: action_id, answer: "one" });
    expect((await call("workflow_decide", { run_id, decision_id: action_id, answer: "two" })).data).toMatchObject({ recorded: "before" });
    expect(await stateOf(run_id)).toEqual({ a: "one" });
  });
});

describe("a report of a checklist in the words of its seed", () => {
  const topics = ["performance/calcsums-and-sift", "performance/setloadfields", "errors/silent-abort", "errors/collectible-errors"];

  test("sent three times closes one topic, and the next one is closed by naming it", async () => {
    const definitions = { ".waymark/workflows/review.workflow.yaml": review };
    const sample = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": "x;\n" } });
    const client = await sample.client();
    const { session_id } = (await client.call("workflow_start", { workflow_type: "review" })).data;
    const first = await client.call("workflow_progress", {
      session_id,
      completed_action: { action: "analyze_file", status: "completed", result: "read" },
      expand_checklist: topics.map((topic_id) => ({ topic_id, relevance_score: 0.9 })),
    });
    expect(first.data.next_action).toMatchObject({ action: "apply_topic" });
    const sent = { session_id, completed_action: { action: "apply_topic", status: "completed" } };
    for (let time = 0; time < 3; time += 1) await client.call("workflow_progress", sent);
    const applied = async (): Promise<unknown> => (await client.call("workflow_status", { session_id })).data.summary.topics_applied;
    expect(await applied()).toBe(1);
    const { file, checklist_item_id } = (await client.call("workflow_next", { session_id })).data.next_action;
    const named = { action: "apply_topic", file, checklist_item_id, status: "completed" };
    await client.call("workflow_progress", { session_id, completed_action: named });
    await client.call("workflow_progress", { session_id, completed_action: named });
    expect(await applied()).toBe(2);
    await sample.close();
  });
});
