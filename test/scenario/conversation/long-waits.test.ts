/** A wait that no call outlasts is told with its end, and asks nobody to ask again until then. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const until = "2999-01-01T00:00:00.000Z";
const far = `
steps:
  - { id: say, type: user_message, message: hello }
  - { id: w, type: wait, until: "${until}" }`;
const workflows = {
  "wait:far": far,
  "wait:task": `
steps: [{ id: all, type: parallel_foreach, items: [{ id: A }], sub_agent_task: each }]
sub_agent_tasks: { each: { steps: [{ id: w, type: wait, until: "${until}" }] } }`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const begin = async (workflow: string): Promise<string> => String((await call("workflow_start", { workflow })).data.run_id);

describe("over MCP", () => {
  test("a report and a question say until when, with the call for then", async () => {
    const run_id = await begin("wait:far");
    const reported = await call("workflow_progress", { run_id });
    for (const { data, text } of [reported, await call("workflow_next", { run_id })]) {
      expect(data).toMatchObject({
        status: "working",
        waiting_until: until,
        later: { when: `at ${until}`, tool: "workflow_next", arguments: { run_id } },
      });
      expect(data).not.toHaveProperty("next_call");
      expect(text).toContain(until);
    }
  });

  test("so do the seed's tools, and the status", async () => {
    const run_id = await begin("wait:far");
    await call("workflow_progress", { run_id });
    const { data } = await call("workflow_get_next_step", { workflow_id: run_id });
    expect(data).toMatchObject({ later: { tool: "workflow_get_next_step", arguments: { workflow_id: run_id } } });
    expect(data).not.toHaveProperty("next_call");
    expect((await call("workflow_status", { run_id })).data.open).toMatchObject([{ state: "engine at work", step: "w", until }]);
  });

  test("who asks for a task that waits is told to ask for that task again", async () => {
    const run_id = await begin("wait:task");
    const { data } = await call("workflow_next", { run_id, task_id: "A" });
    expect(data).toMatchObject({ waiting_until: until, later: { arguments: { run_id, task_id: "A" } } });
  });
});

test("on the command line", async () => {
  const bench = await openCliBench({ ".waymark/workflows/far.yaml": `name: "wait:far"\ndescription: d\nversion: "1.0.0"${far}\n` });
  try {
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "wait:far"]);
    const done = await bench.run(["done", run]);
    expect(done.stdout).toContain(`At ${until}: waymark next ${run}`);
    expect(done.stdout).not.toContain("→ waymark next");
    const { later_command: later, next_command: next } = await bench.json(["next", run]);
    expect([later, next]).toEqual([`waymark next ${run}`, undefined]);
    expect((await bench.run(["status", run])).stdout).toContain(`until ${until}`);
  } finally {
    await bench.close();
  }
});
