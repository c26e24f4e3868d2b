/** Every hand-out has an id of its own, in all families of tools and on the command line. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld } from "../../process/mcp-client.ts";
import { oldCalls } from "../../support/checklist-sample.ts";
import { openChecklistWorld } from "../../support/checklist-world.ts";
import { driveLiterally, everyTool, type Family } from "../../support/literal-client.ts";
import { driveOnCommandLine } from "../../support/literal-lines.ts";
import { agentOf, flows, flowWorkflows, type Flow } from "../../support/protocol-flows.ts";

let world: McpWorld;
beforeAll(async () => {
  world = await openWorld(flowWorkflows());
});
afterAll(() => world.close());

/** Flows in which one step of the author is handed out more than once, and the id the author gave it. */
const repeated: readonly [string, string, string][] = [
  ["rounds of a foreach", "foreach-of-messages", "say"],
  ["rounds of a while", "while", "add"],
  ["rounds of a loop in a loop", "nested-foreach", "do"],
  ["attempts", "error-retry", "try"],
  ["tasks", "tasks", "first"],
  ["attempts of a task", "error-task-retry", "first"],
];

describe.each<Family>(["seed", "progress"])("the calls of the %s family", (family) => {
  test.each(repeated)("name each of the %s by an id of its own that holds the author's", async (_, name, author) => {
    const { steps } = await driveLiterally(world, `flow:${name}`, agentOf(flowOf(name)), { family });
    expect(steps.filter((id) => id.includes(author)).length).toBeGreaterThan(1);
    expect(new Set(steps).size, steps.join(", ")).toBe(steps.length);
  });

  test.each(repeated)("give each of the %s an action id of its own", async (_, name) => {
    const { actions } = await driveLiterally(world, `flow:${name}`, agentOf(flowOf(name)), { family });
    expect(new Set(actions).size, actions.join(", ")).toBe(actions.length);
  });
});

test("the command line names each hand-out by an id of its own", async () => {
  const bench = await openCliBench({
    ".waymark/workflows/messages.yaml": `name: messages\ndescription: d\nversion: "1.0.0"\n${flowOf("foreach-of-messages").body}`,
  });
  const { steps, actions } = await driveOnCommandLine(bench, "messages", agentOf(flowOf("foreach-of-messages")));
  await bench.close();
  expect(steps).toHaveLength(3);
  expect(new Set(steps).size, steps.join(", ")).toBe(3);
  expect(new Set(actions).size).toBe(3);
});

test("a hand-out has the same id however it is asked for", async () => {
  const { call } = await world.client(everyTool);
  const { data } = await call("workflow_start", { workflow: "flow:foreach" });
  const asked = [
    await call("workflow_next", { run_id: data.run_id }),
    await call("workflow_get_next_step", { workflow_id: data.run_id }),
    await call("workflow_resume", { run_id: data.run_id }),
  ];
  for (const reply of asked) expect(reply.data).toMatchObject({ action_id: data.action_id, step: { id: data.step.id } });
});

test("a repeated report of a failed run changes nothing in the run that follows it", async () => {
  const { call } = await world.client(everyTool);
  const first = (await call("workflow_start", { workflow: "flow:error-retry-workflow" })).data;
  const second = await call("workflow_progress", {
    run_id: first.run_id,
    action_id: first.action_id,
    status: "failed",
    error: "no luck",
  });
  expect(second.data.run_id).not.toBe(first.run_id);
  const late = await call("workflow_progress", { run_id: first.run_id, action_id: first.action_id, result: "late" });
  expect(late.data).toMatchObject({ recorded: "before" });
  expect((await call("workflow_state_read", { workflow_id: second.data.run_id })).data).toEqual({});
});

test("entries of a checklist have an id each in their replies", async () => {
  const files = { "a.js": "old(x);\nold(y);\n", "b.js": "old(z);\n" };
  const sample = await openChecklistWorld({ workflows: [], definitions: { ".waymark/workflows/o.workflow.yaml": oldCalls }, files });
  const { call } = await sample.client();
  const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  let reply = await call("workflow_progress", { session_id, answer: "review_by_file" });
  const ids: string[] = [];
  while (reply.data.next_action.action === "convert_instance") {
    const id: unknown = reply.data.action_id ?? reply.data.next_action.action_id ?? reply.data.next_call?.arguments.action_id;
    ids.push(String(id));
    reply = await call("workflow_progress", { session_id, action_id: id, status: "skipped", skip_reason: "fine as it is" });
  }
  await sample.close();
  expect(ids).toHaveLength(3);
  expect(new Set(ids)).not.toContain("undefined");
  expect(new Set(ids).size).toBe(3);
});

function flowOf(name: string): Flow {
  const found = flows.find((flow) => flow.name === name);
  if (found === undefined) throw new Error(`There is no flow ${name}`);
  return found;
}
