/** Clients that repeat every call, or restart without memory, end where a plain one ends. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type McpWorld } from "../../process/mcp-client.ts";
import { driveLiterally, type Family } from "../../support/literal-client.ts";
import { agentOf, flows, flowWorkflows } from "../../support/protocol-flows.ts";

let world: McpWorld;
beforeAll(async () => {
  world = await openWorld(flowWorkflows());
});
afterAll(() => world.close());

describe.each<Family>(["seed", "progress"])("by the %s calls", (family) => {
  test.each(flows)("a client that repeats every call ends $name in its state", async (flow) => {
    const { status, state } = await driveLiterally(world, `flow:${flow.name}`, agentOf(flow, world.engine.context), {
      family,
      mode: "repeats",
    });
    expect({ status, state }).toEqual({ status: flow.ends ?? "completed", state: flow.state });
  });

  test.each(flows)("a client that restarts without memory ends $name in its state", async (flow) => {
    for (const seed of [3, 7]) {
      const { status, state } = await driveLiterally(world, `flow:${flow.name}`, agentOf(flow, world.engine.context), {
        family,
        mode: seed,
      });
      expect({ seed, status, state }).toEqual({ seed, status: flow.ends ?? "completed", state: flow.state });
    }
  });
});
