import { afterEach, expect, test } from "vitest";
import { samples, type SampleFiles } from "../../../../test/support/calling-samples.ts";
import { openMachineWorld, type MachineWorld } from "../../../../test/support/machine-world.ts";
import { start } from "../../../engine/index.ts";

let world: MachineWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const outer: SampleFiles = {
  [".waymark/workflows/outer.yaml"]: [
    "name: outer",
    "description: Calls at once.",
    'version: "1.0.0"',
    "steps:",
    "  - { id: p, type: parallel_foreach, items: [1, 2], sub_agent_task: t, max_parallel: 1, wait_for_all: false }",
    "  - { id: again, type: include_workflow, workflow: inner }",
    "sub_agent_tasks:",
    "  t: { description: t, steps: [{ id: inc, type: include_workflow, workflow: inner }] }",
    "",
  ].join("\n"),
};

test.each([
  ["a machine", samples.machine("inner")],
  ["a bot", samples.bots("inner")],
])("a run that calls %s in tasks that nobody waits for, and beside them, does not start", async (_name, files) => {
  world = await openMachineWorld({ ...files, ...outer }, { workflow: "outer", repository: "none" });
  const { context, caller } = world.engine;
  await world.engine.allow("outer").catch(() => undefined);
  await expect(start(context, caller, { workflow: "outer", inputs: {} })).rejects.toMatchObject({ code: "ENGINE_PARALLEL_CALL" });
});
