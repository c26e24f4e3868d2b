/** What an agent stores for a step by itself is written once, whatever the step's expressions say afterwards. */
import { freeHolders } from "../../support/free-holders.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const numbered = `{ path: raw.out, operation: append, value: "{{ out.length }}-{{ result }}" }`;
const workflows = {
  "one:numbered": `default_state: { raw: { out: [] } }\nsteps: [{ id: c, type: agent_shell_command, command: "echo hi", state_update: ${numbered} }]`,
  "ask:numbered": `default_state: { raw: { out: [] } }\nsteps: [{ id: c, type: user_input, prompt: "Q?", state_update: ${numbered} }]`,
  "one:set-numbered": `default_state: { raw: { n: 0, a: old } }\nsteps: [{ id: c, type: agent_shell_command, command: x, state_update: [{ path: raw.a, value: "{{ n }}-{{ result }}" }, { path: raw.n, operation: increment }] }]`,
  "one:list": `
default_state: { raw: { cnt: 0, t: 0, u: 0 } }
steps:
  - { id: c, type: mcp_call, mcp: { method: m }, state_update: [{ path: raw.t, transform: "result.x + cnt" }, { path: raw.cnt, operation: increment, value: "{{ result.y }}" }, { path: raw.u, transform: "result.x + cnt" }] }`,
  "one:appends": `
default_state: { raw: { out: [] } }
steps: [{ id: c, type: mcp_call, mcp: { method: m }, state_update: [{ path: raw.out, operation: append, value: "{{ result.a }}" }, { path: raw.out, operation: append, value: "{{ result.b }}" }] }]`,
  "one:increment": `default_state: { raw: { n: 1 } }\nsteps: [{ id: c, type: mcp_call, mcp: { method: m }, state_update: { path: raw.n, operation: increment, value: "{{ result }}" } }]`,
  "one:append": `default_state: { raw: { out: [] } }\nsteps: [{ id: c, type: agent_shell_command, command: x, state_update: { path: raw.out, operation: append } }, { id: e, type: user_message, message: E }]`,
  "agent:twins": `default_state: { raw: { out: [] } }\nsteps: [{ id: u, type: state_update, by: agent, updates: [{ path: raw.out, operation: append, value: x }, { path: raw.out, operation: append, value: x }] }]`,
  "agent:others": `default_state: { raw: { out: [], n: 0 } }\nsteps: [{ id: u, type: state_update, by: agent, updates: [{ path: raw.n, operation: increment, value: 5 }, { path: raw.out, operation: append, value: "{{ n }}" }, { path: raw.out, operation: append, value: y }] }]`,
  "one:part": `steps: [{ id: c, type: agent_shell_command, command: x, output_format: json, state_update: { path: raw.out, value: "{{ result.name }}" } }]`,
  "try:twice": `default_state: { raw: { out: [] } }\nsteps: [{ id: c, type: agent_shell_command, command: x, on_error: retry, retry_count: 1, retry_delay: 0, state_update: { path: raw.out, operation: append } }]`,
  "tasks:numbered": `
default_state: { raw: { out: [] } }
steps: [{ id: p, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: w }]
sub_agent_tasks:
  w: { inputs: { id: string }, steps: [{ id: one, type: agent_shell_command, command: x, state_update: ${numbered} }] }`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

interface Begun {
  readonly run: string;
  readonly step: string;
  readonly reply: ToolReply;
}
const begun = async (workflow: string): Promise<Begun> => {
  const { run_id } = (await call("workflow_start", { workflow })).data;
  const reply = await call("workflow_get_next_step", { workflow_id: run_id });
  return { run: run_id, step: reply.data.step.id, reply };
};
const complete = (at: Begun, more: Record<string, unknown> = {}): Promise<ToolReply> =>
  call("workflow_step_complete", { workflow_id: at.run, step_id: at.step, status: "success", ...more });
const write = (at: Pick<Begun, "run">, ...updates: readonly Record<string, unknown>[]): Promise<ToolReply> =>
  call("workflow_state_update", { workflow_id: at.run, updates });
const append = (value: unknown) => ({ path: "raw.out", operation: "append", value });
const stateOf = async ({ run }: Pick<Begun, "run">): Promise<unknown> => (await call("workflow_state_read", { workflow_id: run })).data;

describe("a null that was stored", () => {
  test.each([
    ["one:part", [{ path: "raw.out", value: null }], { out: null }],
    ["one:append", [append(null)], { out: [null] }],
    ["one:appends", [append(null), append(1)], { out: [null, 1] }],
  ])("is a result: %s", async (workflow, updates, state) => {
    const at = await begun(workflow);
    await write(at, ...updates);
    expect((await complete(at)).data).toMatchObject({ success: true, recorded: "now" });
    expect(await stateOf(at)).toEqual(state);
  });

  test("is not an answer", async () => {
    const at = await begun("ask:numbered");
    await write(at, append(null));
    expect((await complete(at)).data.error.code).toBe("ENGINE_BAD_VALUE");
  });
});

describe("a write whose value mentions the state", () => {
  test.each(["one:numbered", "ask:numbered"])("is not made again by the report: %s", async (workflow) => {
    const at = await begun(workflow);
    expect(at.reply.data.step.definition.state_update).toMatchObject({ value: "0-{{ result }}" });
    await write(at, append("0-hi"));
    await complete(at, { result: "hi" });
    expect(await stateOf(at)).toEqual({ out: ["0-hi"] });
  });

  test("is made for another result that is reported, as at the hand-out", async () => {
    const at = await begun("one:numbered");
    await write(at, append("0-hi"));
    await complete(at, { result: "ho" });
    expect(await stateOf(at)).toEqual({ out: ["0-hi", "0-ho"] });
  });

  test("is replaced for another result that is reported, as at the hand-out", async () => {
    const at = await begun("one:set-numbered");
    await write(at, { path: "raw.a", value: "0-hi" }, { path: "raw.n", operation: "increment" });
    await complete(at, { result: "ho" });
    expect(await stateOf(at)).toEqual({ a: "0-ho", n: 1 });
  });

  test("counts as stored when others wrote meanwhile", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "tasks:numbered" })).data;
    const ids: string[] = [];
    for (const task_id of ["A", "B"])
      ids.push((await call("workflow_get_next_step", { workflow_id: run_id, sub_agent_context: { task_id } })).data.step.id as string);
    for (const task_id of ["B", "A"])
      await call("workflow_state_update", { workflow_id: run_id, task_id, updates: [append(`0-${task_id}`)] });
    for (const [at, task_id] of ["A", "B"].entries())
      await call("workflow_step_complete", { workflow_id: run_id, step_id: ids[at], sub_agent_context: { task_id }, result: task_id });
    expect(await stateOf({ run: run_id })).toEqual({ out: ["0-B", "0-A"] });
  });
});

describe("of several writes", () => {
  const result = { x: 3, y: 2 };
  const all = [
    { path: "raw.t", value: 3 },
    { path: "raw.cnt", operation: "increment", value: 2 },
    { path: "raw.u", value: 5 },
  ];

  test("all that the agent made stay as it made them", async () => {
    const at = await begun("one:list");
    await write(at, all[0]!, all[1]!, { path: "raw.u", value: 3 });
    await complete(at, { result });
    expect(await stateOf(at)).toEqual({ t: 3, cnt: 2, u: 3 });
  });

  test.each([0, 1, 2])("the engine makes those that the agent left out, as at the hand-out: all but %i", async (left) => {
    const at = await begun("one:list");
    await write(at, ...all.map((each, index) => (index === 2 ? { ...each, value: 3 } : each)).filter((_, index) => index !== left));
    await complete(at, { result });
    expect(await stateOf(at)).toEqual({ t: 3, cnt: 2, u: 3 });
  });

  test("to one path each counts by itself, in any order", async () => {
    const at = await begun("one:appends");
    await write(at, append("b"));
    expect((await complete(at)).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
    await complete(at, { result: { a: "a", b: "b" } });
    expect(await stateOf(at)).toEqual({ out: ["b", "a"] });
  });

  test("a number that the agent added for another result is corrected", async () => {
    const at = await begun("one:increment");
    await write(at, { path: "raw.n", operation: "increment", value: 2 });
    await complete(at, { result: 5 });
    expect(await stateOf(at)).toEqual({ n: 6 });
  });
});

describe("an update that the agent is to write", () => {
  test("twice is written as often by the engine as the agent left it out", async () => {
    const at = await begun("agent:twins");
    await write(at, append("x"));
    await complete(at);
    expect(await stateOf(at)).toEqual({ out: ["x", "x"] });
  });

  test("twice is not written again when the agent wrote it twice", async () => {
    const at = await begun("agent:twins");
    await write(at, append("x"));
    await write(at, append("x"));
    await complete(at);
    expect(await stateOf(at)).toEqual({ out: ["x", "x"] });
  });

  test("is written by the engine with the value that was handed out", async () => {
    const at = await begun("agent:others");
    await write(at, { path: "raw.n", operation: "increment", value: 5 }, append("y"));
    await complete(at);
    expect(await stateOf(at)).toEqual({ n: 5, out: ["y", 0] });
  });
});

describe("a step whose result is stored", () => {
  const again = async (run: string): Promise<ToolReply> => {
    const other = await world.client(everyTool);
    await freeHolders(world.engine.context);
    await other.call("workflow_resume", { run_id: run });
    const reply = await other.call("workflow_get_next_step", { workflow_id: run });
    const { tool, arguments: args } = reply.data.next_call;
    await other.call(tool, args);
    return reply;
  };

  test.each(["one:append", "ask:numbered"])("only has to be reported by a client that comes back: %s", async (workflow) => {
    const at = await begun(workflow);
    await write(at, append("0-hi"));
    const { data, text } = await again(at.run);
    expect(data.step.definition).not.toHaveProperty("state_update");
    expect(data).not.toHaveProperty("fill_in");
    expect(data).not.toHaveProperty("write_call");
    expect(data.step.instructions).toMatch(/stored/);
    expect(text).toMatch(/stored/);
    expect(await stateOf(at)).toEqual({ out: ["0-hi"] });
    expect((await call("workflow_status", { run_id: at.run })).data.open_steps ?? []).not.toContain("c");
  });

  test("in part shows the writes that are left", async () => {
    const at = await begun("one:list");
    await write(at, { path: "raw.cnt", operation: "increment", value: 2 });
    const { step, fill_in } = (await call("workflow_get_next_step", { workflow_id: at.run })).data;
    expect(step.definition.state_update).toMatchObject([{ path: "raw.t" }, { path: "raw.u" }]);
    expect(fill_in).toHaveProperty("result");
  });

  test("by the agent on order shows the updates that are left, then none", async () => {
    const at = await begun("agent:others");
    await write(at, append("y"));
    const shown = async (): Promise<unknown> =>
      (await call("workflow_get_next_step", { workflow_id: at.run })).data.step.definition.updates;
    expect(await shown()).toMatchObject([{ path: "raw.n" }, { path: "raw.out", value: 0 }]);
    await write(at, append(0), { path: "raw.n", operation: "increment", value: 5 });
    expect(await shown()).toBeUndefined();
    await complete(at);
    expect(await stateOf(at)).toEqual({ n: 5, out: ["y", 0] });
  });

  test("is taken as it is, whatever the format of the output", async () => {
    const at = await begun("one:part");
    await write(at, { path: "raw.out", value: "bob" });
    await complete(at);
    expect((await call("workflow_status", { run_id: at.run })).data.status).toBe("completed");
    expect(await stateOf(at)).toEqual({ out: "bob" });
  });

  test.each(["try:twice", "one:append"])("and that failed is handed out whole again: %s", async (workflow) => {
    const at = await begun(workflow);
    await write(at, append("first"));
    await complete(at, { status: "failed", error: "no luck" });
    if (workflow === "one:append") await call("workflow_retry", { run_id: at.run });
    const { data } = await call("workflow_get_next_step", { workflow_id: at.run });
    expect(data.step.definition.state_update).toMatchObject({ path: "raw.out" });
    expect((await complete({ ...at, step: data.step.id })).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
  });
});

test("what a task stored before another one failed is still stored when the tasks are tried again", async () => {
  const { run_id } = (await call("workflow_start", { workflow: "tasks:numbered" })).data;
  const next = (task_id: string): Promise<ToolReply> =>
    call("workflow_get_next_step", { workflow_id: run_id, sub_agent_context: { task_id } });
  const [a, b] = [await next("A"), await next("B")];
  await call("workflow_state_update", { ...a.data.write_call.arguments, updates: [append("0-A")] });
  await call("workflow_step_complete", { ...b.data.next_call.arguments, status: "failed", error: "no luck" });
  await call("workflow_retry", { run_id });
  const again = await next("A");
  expect(again.data.step.instructions).toMatch(/stored/);
  await call(again.data.next_call.tool, again.data.next_call.arguments);
  expect(await stateOf({ run: run_id })).toEqual({ out: ["0-A"] });
});

describe("the call that a reply names for writing", () => {
  test("writes once when it is repeated", async () => {
    const at = await begun("one:append");
    const { tool, arguments: args } = at.reply.data.write_call;
    expect((await call(tool, { ...args, updates: [append("a")] })).data).toMatchObject({ recorded: "now" });
    expect((await call(tool, { ...args, updates: [append("a")] })).data).toMatchObject({ recorded: "before" });
    await complete(at);
    expect((await call(tool, { ...args, updates: [append("a")] })).data).toMatchObject({ recorded: "before" });
    expect(await stateOf(at)).toEqual({ out: ["a"] });
  });

  test("takes several writes one by one", async () => {
    const at = await begun("one:appends");
    const { tool, arguments: args } = at.reply.data.write_call;
    for (const value of ["a", "b"]) await call(tool, { ...args, updates: [append(value)] });
    await complete(at);
    expect(await stateOf(at)).toEqual({ out: ["a", "b"] });
  });

  test("writes nothing for a step that is not open any more", async () => {
    const at = await begun("one:append");
    const { tool, arguments: args } = at.reply.data.write_call;
    await complete(at, { result: "a" });
    const late = await call(tool, { ...args, updates: [append("late")] });
    expect(late.data.error).toMatchObject({ code: "ACTION_NOT_OPEN" });
    expect(await stateOf(at)).toEqual({ out: ["a"] });
  });

  test("counts for the task whose step it was handed out with", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "tasks:numbered" })).data;
    const replies: ToolReply[] = [];
    for (const task_id of ["A", "B"])
      replies.push(await call("workflow_get_next_step", { workflow_id: run_id, sub_agent_context: { task_id } }));
    for (const [at, { data }] of replies.entries()) {
      const { task_id: _named, ...args } = data.write_call.arguments;
      await call("workflow_state_update", { ...args, updates: [append(at)] });
    }
    for (const { data } of replies)
      expect((await call(data.next_call.tool, data.next_call.arguments)).data).toMatchObject({ success: true });
    expect(await stateOf({ run: run_id })).toEqual({ out: [0, 1] });
  });

  test("is in the replies of workflow_next too, and in none where the tool is not offered", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "one:append" })).data;
    expect((await call("workflow_next", { run_id })).data.write_call).toMatchObject({ tool: "workflow_state_update" });
    const plain = await world.client();
    expect((await plain.call("workflow_start", { workflow: "one:append" })).data).not.toHaveProperty("write_call");
  });
});

describe("a sub-agent's write that names no task", () => {
  test("counts for the only open step of the caller that it fits", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "tasks:numbered" })).data;
    const { next_call } = (await call("workflow_get_next_step", { workflow_id: run_id, sub_agent_context: { task_id: "A" } })).data;
    await write({ run: run_id }, append("0-A"));
    expect((await call(next_call.tool, next_call.arguments)).data).toMatchObject({ success: true });
    expect(await stateOf({ run: run_id })).toEqual({ out: ["0-A"] });
  });

  test("and could be for several steps is asked for by the name of the task", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "tasks:numbered" })).data;
    const steps: string[] = [];
    for (const task_id of ["A", "B"])
      steps.push((await call("workflow_get_next_step", { workflow_id: run_id, sub_agent_context: { task_id } })).data.step.id as string);
    await write({ run: run_id }, append("0-A"));
    const sent = { workflow_id: run_id, step_id: steps[0], sub_agent_context: { task_id: "A" } };
    const { error } = (await call("workflow_step_complete", sent)).data;
    expect(error).toMatchObject({ code: "ENGINE_NO_RESULT", message: expect.stringContaining("`A`") });
  });
});

test("on the command line what was stored is not written again", async () => {
  const bench = await openCliBench({
    ".waymark/workflows/c.yaml": `name: c\ndescription: d\nversion: "1.0.0"\n${workflows["one:numbered"]}`,
  });
  const { run_id: run } = await bench.json(["start", "c"]);
  expect((await bench.run(["state", String(run), "--append", "raw.out=0-hi"])).code).toBe(0);
  expect((await bench.run(["done", String(run), "--result", "hi"])).code).toBe(0);
  expect(await bench.json(["state", String(run)])).toMatchObject({ state: { out: ["0-hi"] } });
  await bench.close();
});
