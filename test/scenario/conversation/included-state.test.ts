/** While a step of an included workflow is open, reading and writing mean the state of that workflow, and replies say so. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const inner = `
default_state: { raw: { x: 10 } }
steps: [{ id: s1, type: user_message, message: inside }]`;
const middle = `
default_state: { raw: { x: 20 } }
steps: [{ id: deep, type: include_workflow, workflow: "inc:inner" }]`;
const outer = (workflow: string): string => `
default_state: { raw: { x: 1 } }
steps:
  - { id: sub, type: include_workflow, workflow: "${workflow}" }
  - { id: last, type: user_message, message: "{{ x }} {{ sub.x }}" }`;
const workflows = {
  "inc:inner": inner,
  "inc:middle": middle,
  "inc:outer": outer("inc:inner"),
  "inc:nested": outer("inc:middle"),
  "inc:fails": `
default_state: { raw: { x: 1 } }
steps: [{ id: sub, type: include_workflow, workflow: "inc:broken" }]`,
  "inc:broken": `
default_state: { raw: { x: 10 } }
steps: [{ id: s1, type: agent_shell_command, command: try }]`,
  "inc:tasks": `
default_state: { raw: { x: 1 } }
steps: [{ id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }]
sub_agent_tasks: { each: { steps: [{ id: sub, type: include_workflow, workflow: "inc:inner" }] } }`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const begin = async (workflow: string): Promise<{ readonly workflow_id: string; readonly action: string }> => {
  const { run_id, action_id } = (await call("workflow_start", { workflow })).data;
  return { workflow_id: run_id, action: action_id };
};
const updates = [{ path: "raw.x", value: 5 }];

test("what was written is read, and both replies name the step whose state it is", async () => {
  const { workflow_id, action } = await begin("inc:outer");
  const written = await call("workflow_state_update", { workflow_id, updates });
  expect(written.data).toMatchObject({ success: true, version: 1, of: "sub" });
  expect(written.text).toContain("`sub`");
  const read = await call("workflow_state_read", { workflow_id, paths: ["raw.x"] });
  expect(read.data).toEqual({ "raw.x": 5 });
  expect(read.text).toMatch(/^State of `sub` in \S+, version 1/);
  expect(read.raw["_meta"]).toMatchObject({ "waymark/version": 1, "waymark/of": "sub" });
  expect((await call("workflow_state_read", { workflow_id })).data).toEqual({ x: 5 });
  await call("workflow_progress", { run_id: workflow_id, action_id: action });
  const after = await call("workflow_state_read", { workflow_id });
  expect([after.data, after.text]).toEqual([{ x: 1 }, expect.stringMatching(/^State of wf-/)]);
  expect((await call("workflow_state_update", { workflow_id, updates })).data).not.toHaveProperty("of");
  expect((await call("workflow_state_read", { workflow_id })).data).toEqual({ x: 5 });
});

test("the version that is read is the one that a write may expect", async () => {
  const { workflow_id } = await begin("inc:outer");
  await call("workflow_state_update", { workflow_id, updates });
  const { raw } = await call("workflow_state_read", { workflow_id });
  const expected_version = (raw["_meta"] as Record<string, unknown>)["waymark/version"];
  expect((await call("workflow_state_update", { workflow_id, updates, expected_version })).data).toMatchObject({ success: true });
});

test("the run's own state is read with `of`", async () => {
  const { workflow_id } = await begin("inc:outer");
  await call("workflow_state_update", { workflow_id, updates });
  const own = await call("workflow_state_read", { workflow_id, of: "run" });
  expect([own.data, own.text]).toEqual([{ x: 1 }, expect.stringMatching(/^State of wf-/)]);
  expect(own.raw["_meta"]).not.toHaveProperty("waymark/of");
});

test("a workflow that is included by an included one is named with the way to it", async () => {
  const { workflow_id } = await begin("inc:nested");
  expect((await call("workflow_state_update", { workflow_id, updates })).data.of).toBe("sub/deep");
  expect((await call("workflow_state_read", { workflow_id })).data).toEqual({ x: 5 });
});

test("a task reads what it wrote in the workflow that it includes, and not what another task wrote", async () => {
  const { workflow_id } = await begin("inc:tasks");
  for (const [at, task_id] of ["A", "B"].entries()) {
    await call("workflow_next", { run_id: workflow_id, task_id });
    const own = { path: "raw.x", value: at + 50 };
    expect((await call("workflow_state_update", { workflow_id, task_id, updates: [own] })).data.of).toBe("sub");
  }
  const read = async (task_id: string): Promise<unknown> => (await call("workflow_state_read", { workflow_id, task_id })).data;
  expect([await read("A"), await read("B"), (await call("workflow_state_read", { workflow_id })).data]).toEqual([
    { x: 50 },
    { x: 51 },
    { x: 1 },
  ]);
});

test("a run that failed inside an included workflow shows its own state", async () => {
  const { workflow_id, action } = await begin("inc:fails");
  await call("workflow_progress", { run_id: workflow_id, action_id: action, status: "failed", error: "no" });
  expect((await call("workflow_state_read", { workflow_id })).data).toEqual({ x: 1 });
});

test("the command line reads what it wrote, and says whose state it is", async () => {
  const file = (name: string, text: string): string => `name: "${name}"\ndescription: d\nversion: "1.0.0"${text}\n`;
  const bench = await openCliBench({
    ".waymark/workflows/inner.yaml": file("inc:inner", inner),
    ".waymark/workflows/outer.yaml": file("inc:outer", outer("inc:inner")),
  });
  try {
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "inc:outer"]);
    const line = async (...more: string[]): Promise<string> => (await bench.run(["state", run, ...more])).stdout;
    expect(await line("--set", "raw.x=7")).toContain("Written; the state of `sub` has version 1 now.");
    const read = await bench.run(["state", run]);
    expect([JSON.parse(read.stdout), read.stderr]).toEqual([{ x: 7 }, expect.stringContaining("`sub`")]);
    expect(await bench.json(["state", run])).toMatchObject({ of: "sub", version: 1, state: { x: 7 } });
    expect(JSON.parse(await line("raw.x"))).toBe(7);
    expect(JSON.parse(await line("--of", "run"))).toEqual({ x: 1 });
    expect(await bench.json(["state", run, "--of", "run"])).not.toHaveProperty("of");
    expect((await bench.run(["state", run, "--of", "sub"])).code).toBe(2);
    expect((await bench.run(["state", run, "--of", "run", "--set", "raw.x=1"])).code).toBe(2);
  } finally {
    await bench.close();
  }
});
