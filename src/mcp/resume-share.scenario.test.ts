import { freeHolders } from "../../test/support/free-holders.ts";
import { afterEach, expect, test } from "vitest";
import { openClient, openWorld, serverParts, type McpWorld, type TestClient } from "../../test/process/mcp-client.ts";
import { samples } from "../../test/support/calling-samples.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { wholeData } from "../../test/support/whole-data.ts";

let world: McpWorld | undefined;
let engine: TestEngine | undefined;
const clients: TestClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await world?.close();
  await engine?.close();
  world = undefined;
  engine = undefined;
});

const fields = Array.from({ length: 30 }, (_, at) => `field_${at}`);

test("a small question is whole in a resume, whatever the workflow tells beside it", async () => {
  const steps = `
default_state: { raw: ${JSON.stringify(Object.fromEntries(fields.map((name) => [name, `What was found as ${name} of it.`])))} }
state_schema:
  computed: { ${fields.map((name) => `computed_of_${name}: { from: [raw.${name}], transform: "input" }`).join(", ")} }
on_resume: { load_from_checkpoint: [workflow_metadata, computed_field_definitions, current_raw_state, pending_tasks] }
steps:
  - id: colour
    type: user_input
    prompt: "The work was interrupted before it was reported. Do it again, or continue as if it were done?"
    choices: [{ value: retry, label: Do it again }, { value: continue, label: Continue }]
    state_update: { path: raw.colour }
`;
  world = await openWorld({ "demo:long": steps });
  const started = await (await world.client()).call("workflow_start", { workflow: "demo:long" });
  const { definition } = started.data.step;
  expect(definition.options).toHaveLength(2);
  await freeHolders(world.engine.context);
  const { call } = await world.client();
  const resumed = await call("workflow_resume", { run_id: started.data.run_id });
  expect(resumed.data.step.definition).toEqual(definition);
  expect(resumed.text).toContain("Do it again, or continue as if it were done?");
  expect((await wholeData(call, resumed))["state"]).toMatchObject({ field_29: "What was found as field_29 of it." });
});

test("the instructions of a role are whole in a resume", async () => {
  engine = await openTestEngine(samples.machine("make"));
  const open = async (): Promise<TestClient["call"]> => {
    const client = await openClient({ context: engine!.context, ...serverParts });
    clients.push(client);
    return client.call;
  };
  const started = await (await open())("workflow_start", { workflow: "make" });
  await freeHolders(engine.context);
  const call = await open();
  const resumed = await call("workflow_resume", { run_id: started.data.run_id });
  const { instructions, definition } = started.data.step;
  expect(resumed.data.step.instructions).toBe(instructions);
  expect(resumed.text).toContain(`${instructions}\n{`);
  expect(resumed.data.truncated).toMatchObject({ path: "step.definition" });
  expect((await wholeData(call, resumed))["step"]).toMatchObject({ definition });
});
