/** A retry while a group of tasks still works is refused with what failed and when that can be tried again. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const tasks = (strategy: string): string => `
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each, on_sub_agent_error: ${strategy} }
  - { id: after, type: user_message, message: over }
sub_agent_tasks: { each: { steps: [{ id: work, type: agent_shell_command, command: x, state_update: { path: "raw.{{ item.id }}" } }] } }`;
const workflows = {
  "early:end": tasks("{ strategy: retry_failed, max_retries: 0 }"),
  "early:on": tasks("{ strategy: continue }"),
  "early:plain": `steps: [{ id: a, type: user_message, message: m }]`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const finish = async (run_id: string, task_id: string, outcome: object): Promise<unknown> => {
  await call("workflow_next", { run_id, task_id });
  return (await call("workflow_progress", { run_id, task_id, ...outcome })).data;
};
const failed = { status: "failed", error: "no luck" };

test("what failed is named, and can be tried again when the others have ended", async () => {
  const { run_id } = (await call("workflow_start", { workflow: "early:end" })).data;
  await finish(run_id, "A", failed);
  const { data, text } = await call("workflow_retry", { run_id });
  expect(data.error).toMatchObject({ code: "NOTHING_TO_RETRY", details: { failed: ["A"] } });
  expect(text).toContain("`A` of `all` failed");
  expect(text).not.toContain("Nothing in run");
  expect(data.error.fix).toMatch(/open tasks of `all`.*retry/);
  await finish(run_id, "B", { result: "r" });
  expect((await call("workflow_status", { run_id })).data.status).toBe("failed");
  expect((await call("workflow_retry", { run_id })).isError).toBe(false);
  expect(await finish(run_id, "A", { result: "r" })).toMatchObject({ status: "task_done" });
});

test("what a workflow continues without is said not to be tried again, while its group works and afterwards", async () => {
  const { run_id } = (await call("workflow_start", { workflow: "early:on" })).data;
  await finish(run_id, "A", failed);
  const early = await call("workflow_retry", { run_id });
  expect(early.text).toMatch(/`A` of `all` failed, and the workflow continues without it/);
  await finish(run_id, "B", { result: "r" });
  const late = await call("workflow_retry", { run_id });
  expect(late.data.error.code).toBe("NOTHING_TO_RETRY");
  expect(late.text).toMatch(/1 task .*failed, and the workflow continued without it/);
});

test("where nothing failed, that is said", async () => {
  const { run_id } = (await call("workflow_start", { workflow: "early:plain" })).data;
  expect((await call("workflow_retry", { run_id })).text).toContain(`Nothing in run \`${run_id}\` has failed or is blocked.`);
});

test("the command line says the same", async () => {
  const text = `name: "early:end"\ndescription: d\nversion: "1.0.0"${workflows["early:end"]}\n`;
  const bench = await openCliBench({ ".waymark/workflows/early.yaml": text });
  try {
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "early:end"]);
    const { action_id: action } = await bench.json<{ action_id: string }>(["next", run, "--task", "A"]);
    await bench.run(["fail", run, "--error", "no luck", "--task", "A", "--action", action]);
    const { stderr } = await bench.run(["retry", run]);
    expect(stderr).toContain("`A` of `all` failed");
  } finally {
    await bench.close();
  }
});
