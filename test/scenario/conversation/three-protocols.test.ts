/** One meaning on every path: the seed's own calls, `workflow_progress` and the command line leave the same state. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld } from "../../process/mcp-client.ts";
import { driveLiterally } from "../../support/literal-client.ts";
import { driveOnCommandLine } from "../../support/literal-lines.ts";
import { agentOf, flows, flowWorkflows } from "../../support/protocol-flows.ts";

let world: McpWorld;
let bench: CliBench;
beforeAll(async () => {
  const workflows = flowWorkflows();
  world = await openWorld(workflows);
  bench = await openCliBench(
    Object.fromEntries(
      Object.entries(workflows).map(([name, body]) => [
        `.waymark/workflows/${name.replaceAll(":", "__")}.yaml`,
        `name: ${name}\ndescription: For a test.\nversion: "1.0.0"\n${body}`,
      ]),
    ),
  );
  for (const { name, commands } of flows) if (commands === true) await bench.run(["allow", `flow:${name}`, "--yes"], { terminal: true });
});
afterAll(async () => {
  await world.close();
  await bench.close();
});

describe.each(flows)("$name", (flow) => {
  const left = { status: flow.ends ?? "completed", state: flow.state };

  test("leaves its state by get_next_step, state_update and step_complete", async () => {
    const { status, state } = await driveLiterally(world, `flow:${flow.name}`, agentOf(flow, world.engine.context), { family: "seed" });
    expect({ status, state }).toEqual(left);
  });

  test("leaves its state by workflow_progress", async () => {
    const { status, state } = await driveLiterally(world, `flow:${flow.name}`, agentOf(flow, world.engine.context), { family: "progress" });
    expect({ status, state }).toEqual(left);
  });

  test("leaves its state by the lines that the command line prints", async () => {
    const { status, state } = await driveOnCommandLine(bench, `flow:${flow.name}`, agentOf(flow));
    expect({ status, state }).toEqual(left);
  });
});
