import { afterAll, beforeAll, expect, test } from "vitest";
import { SeedBench, SeedRun } from "../../test/support/seed-bench.ts";
import { next } from "./commands/next.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

async function openTask(run: SeedRun, task: string): Promise<SeedRun> {
  return new SeedRun(run.engine, run.caller, await next(run.engine.context, run.caller, { run: run.id, task }), task);
}

test("on_complete of a task reads the task's own call, whatever its siblings finish meanwhile", async () => {
  const callee = await bench.define(`
inputs: { n: { type: string, required: true } }
default_state: { raw: { got: "" } }
steps:
  - { id: inner, type: mcp_call, mcp: { method: m }, state_update: { path: raw.got, value: "{{ inputs.n }}" } }
`);
  const run = await bench.run(`
default_state: { raw: { seen: [] } }
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }
sub_agent_tasks:
  each:
    steps:
      - id: sub
        type: include_workflow
        workflow: "${callee}"
        inputs: { n: "{{ item.id }}" }
        on_complete:
          - { id: pause, type: user_message, message: x }
          - { id: keep, type: state_update, path: raw.seen, operation: append, value: "{{ item.id }}={{ got }}" }
`);
  const a = await openTask(run, "A");
  const b = await openTask(run, "B");
  await a.done("x");
  await b.done("x");
  await a.done();
  await b.done();
  expect(await run.read("raw.seen")).toEqual(["A=A", "B=B"]);
});

test("tasks that a called workflow does not wait for keep its state, also when it is called again", async () => {
  const callee = await bench.define(`
default_state: { raw: { got: [] } }
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }], sub_agent_task: each, wait_for_all: false }
sub_agent_tasks:
  each:
    steps:
      - { id: work, type: mcp_call, mcp: { method: m }, state_update: { path: raw.got, operation: append } }
`);
  const run = await bench.run(`
steps:
  - id: loop
    type: foreach
    items: [1, 2]
    steps:
      - { id: sub, type: include_workflow, workflow: "${callee}" }
`);
  await run.next();
  const tasks = Object.values(run.position.state.strands).filter(({ task }) => task !== undefined);
  expect(tasks).toHaveLength(2);
  for (const { id } of tasks) await (await openTask(run, id)).done("x");
  await run.next();
  expect([run.status, run.error]).toEqual(["completed", undefined]);
});
