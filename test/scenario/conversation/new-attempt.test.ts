/** After `on_error: retry_workflow` an obedient agent is led into the new run and through it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { driveLiterally, everyTool, type Agent, type Family } from "../../support/literal-client.ts";

const workflows = {
  "again:two": `
error_handling: { on_error: retry_workflow, max_retries: 2 }
steps:
  - { id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }
  - { id: tell, type: user_message, message: "{{ out }}" }`,
  "again:asks": `
error_handling: { on_error: retry_workflow, max_retries: 1 }
steps:
  - { id: asked, type: user_input, prompt: "Go?", state_update: { path: raw.go } }
  - { id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }`,
  "again:tasks": `
error_handling: { on_error: retry_workflow, max_retries: 1 }
steps: [{ id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each, on_sub_agent_error: { strategy: fail_all } }]
sub_agent_tasks: { each: { steps: [{ id: do_it, type: agent_shell_command, command: try, state_update: { path: "raw.{{ item.id }}" } }] } }`,
  "again:alone": `
error_handling: { on_error: retry_workflow, max_retries: 2 }
steps:
  - { id: try, type: shell_command, command: "echo tried >> tries.txt; exit 3" }`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const failing = (times: number): Agent => {
  let failed = 0;
  return {
    work: () => {
      failed += 1;
      return failed <= times ? { error: "no luck" } : { result: `try ${failed}` };
    },
    answer: () => "",
  };
};

describe.each<Family>(["seed", "progress"])("by the %s calls", (family) => {
  test.each([1, 2])("an agent that fails %s times finishes the run after that", async (times) => {
    const { status, state } = await driveLiterally(world, "again:two", failing(times), { family });
    expect({ status, state }).toEqual({ status: "completed", state: { out: `try ${times + 1}` } });
  });

  test("an agent that always fails ends with the last attempt", async () => {
    const { status } = await driveLiterally(world, "again:two", failing(9), { family });
    expect(status).toBe("failed");
  });
});

describe("a client that keeps the id of the run that it started", () => {
  test("finishes the new attempt by the seed's calls", async () => {
    const { run_id: workflow_id } = (await call("workflow_start", { workflow: "again:two" })).data;
    const seen: string[] = [];
    for (let round = 0; round < 9; round += 1) {
      const { step } = (await call("workflow_get_next_step", { workflow_id })).data;
      if (step === null || step === undefined) break;
      seen.push(String(step.id));
      const outcome = seen.length === 1 ? { status: "failed" } : { result: "ok" };
      await call("workflow_step_complete", { workflow_id, step_id: step.id, ...outcome });
    }
    expect(seen.map((id) => id.split("@")[0])).toEqual(["try", "try", "tell"]);
    expect(new Set(seen).size).toBe(3);
  });

  test("finishes it by the canonical calls, and a repeat of the failed report is known again", async () => {
    const { run_id, action_id } = (await call("workflow_start", { workflow: "again:two" })).data;
    const failed = { run_id, action_id, status: "failed", error: "no luck" };
    const { data } = await call("workflow_progress", failed);
    expect((await call("workflow_progress", failed)).data).toMatchObject({ recorded: "before", action_id: data.action_id });
    const told = (await call("workflow_progress", { run_id, action_id: data.action_id, result: "ok" })).data;
    expect(told).toMatchObject({ recorded: "now", run_id: data.run_id, step: { definition: { message: "ok" } } });
  });

  test("answers the question of the new attempt, and not once more that of the first", async () => {
    const { run_id, action_id: decision_id } = (await call("workflow_start", { workflow: "again:asks" })).data;
    const yes = { run_id, decision_id, answer: "first" };
    const { action_id } = (await call("workflow_decide", yes)).data;
    const { data } = await call("workflow_progress", { run_id, action_id, status: "failed", error: "no luck" });
    expect(data.action_id).not.toBe(decision_id);
    await call("workflow_decide", yes);
    expect((await call("workflow_next", { run_id: data.run_id })).data.action_id).toBe(data.action_id);
    const done = await call("workflow_decide", { run_id, decision_id: data.action_id, answer: "second" });
    expect(done.data).toMatchObject({ recorded: "now", run_id: data.run_id, step: { definition: { command: "try" } } });
  });
});

test("a write to a run that was started again is refused, and the way to the new run is shown", async () => {
  const first = (await call("workflow_start", { workflow: "again:two" })).data;
  const now = (await call("workflow_progress", { run_id: first.run_id, action_id: first.action_id, status: "failed", error: "no" })).data;
  const { data } = await call("workflow_state_update", { workflow_id: first.run_id, updates: [{ path: "raw.out", value: 5 }] });
  expect(data).toMatchObject({ error: { code: "RUN_ENDED" }, next_call: { tool: "workflow_next", arguments: { run_id: now.run_id } } });
});

test("a run that fails by itself makes all its attempts before it is called failed, and asking makes none", async () => {
  const tries = async (): Promise<number> => (await readFile(join(world.engine.folder, "tries.txt"), "utf8")).trim().split("\n").length;
  const { data } = await call("workflow_start", { workflow: "again:alone" });
  expect([data.status, await tries()]).toEqual(["failed", 3]);
  await call("workflow_next", { run_id: data.run_id });
  const wrong = await call("workflow_progress", { run_id: data.run_id, result: 1 });
  await call(wrong.data.next_call.tool, wrong.data.next_call.arguments);
  expect(await tries()).toBe(3);
});

test.each(["workflow_next", "workflow_get_next_step"])("every id in the reply of %s to the old run names the new one", async (tool) => {
  const first = (await call("workflow_start", { workflow: "again:two" })).data;
  await call("workflow_step_complete", { workflow_id: first.run_id, step_id: first.step.id, status: "failed", error: "no luck" });
  const { data } = await call(tool, { run_id: first.run_id });
  expect(data).toMatchObject({ retry_of: first.run_id, step: { definition: { command: "try" } } });
  expect(data.run_id).not.toBe(first.run_id);
  expect(JSON.stringify(data.next_call ?? {})).not.toContain(first.run_id);
});

test("a run that was started again names the new run, is not retried beside it, and a resume leads there", async () => {
  const first = (await call("workflow_start", { workflow: "again:two" })).data;
  await call("workflow_progress", { run_id: first.run_id, action_id: first.action_id, status: "failed", error: "no luck" });
  const { data: now } = await call("workflow_next", { run_id: first.run_id });
  const { data: old } = await call("workflow_status", { run_id: first.run_id });
  expect(old).toMatchObject({
    status: "failed",
    next_run: now.run_id,
    next_call: { tool: "workflow_status", arguments: { run_id: now.run_id } },
  });
  expect(old.later).toBeUndefined();
  const retried = await call("workflow_retry", { run_id: first.run_id });
  expect([retried.data.error.code, retried.text]).toEqual(["RUN_ENDED", expect.stringContaining(now.run_id)]);
  expect((await call("workflow_resume", { run_id: first.run_id })).data.run_id).toBe(now.run_id);
});

test("a resume of the old run speaks of the newest attempt alone", async () => {
  const first = (await call("workflow_start", { workflow: "again:two" })).data;
  const failing = async ({ run_id, action_id }: Record<string, unknown>): Promise<Record<string, unknown>> =>
    (await call("workflow_progress", { run_id, action_id, status: "failed", error: "no luck" })).data;
  const second = await failing(first);
  const resumed = await call("workflow_resume", { run_id: first.run_id });
  expect([resumed.data.run_id, resumed.data.workflow_id]).toEqual([second["run_id"], second["run_id"]]);
  expect(resumed.text).toContain(`Resumed run ${String(second["run_id"])}`);
  const third = await failing(resumed.data);
  const { data } = await call("workflow_resume", { run_id: first.run_id });
  expect([data.run_id, data.workflow_id, data.step.definition.command]).toEqual([third["run_id"], third["run_id"], "try"]);
});

test("a late report of a task of the old attempt is told that this task is over", async () => {
  const { run_id } = (await call("workflow_start", { workflow: "again:tasks" })).data;
  const late = (await call("workflow_next", { run_id, task_id: "B" })).data;
  await call("workflow_next", { run_id, task_id: "A" });
  await call("workflow_progress", { run_id, task_id: "A", status: "failed", error: "no luck" });
  const { data: now } = await call("workflow_next", { run_id });
  expect(now.retry_of).toBe(run_id);
  for (const args of [{ task_id: "B" }, {}]) {
    const { data, text } = await call("workflow_progress", { run_id, action_id: late.action_id, result: "r", ...args });
    expect(data.error.code).toBe("ENGINE_NO_ACTION");
    expect(text).not.toContain(now.run_id);
  }
  const { data } = await call("workflow_progress", { run_id, task_id: "B", action_id: late.action_id, result: "r" });
  expect((await call(data.next_call.tool, data.next_call.arguments)).data).toMatchObject({ status: "task_done", task_id: "B" });
});

test("on the command line the old run leads to the new one", async () => {
  const text = `name: "again:two"\ndescription: d\nversion: "1.0.0"${workflows["again:two"]}\n`;
  const bench = await openCliBench({ ".waymark/workflows/again.yaml": text });
  try {
    const { run_id: old, action_id: action } = await bench.json<Record<string, string>>(["start", "again:two"]);
    const { run_id: now } = await bench.json<Record<string, string>>(["fail", old ?? "", "--action", action ?? "", "--error", "no luck"]);
    expect(now).not.toBe(old);
    const { stdout } = await bench.run(["status", old ?? ""]);
    expect(stdout).toContain(`It was started again as run ${now}.`);
    expect(stdout).toContain(`→ waymark status ${now}`);
    expect(stdout).not.toContain("waymark retry");
    expect(await bench.json(["status", old ?? ""])).toMatchObject({ status: "failed", next_run: now });
    expect((await bench.run(["status", now ?? ""])).stdout).toContain(`→ waymark next ${now}`);
  } finally {
    await bench.close();
  }
});
