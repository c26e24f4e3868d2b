import { afterAll, beforeAll, expect, test } from "vitest";
import { samples, type SampleFiles } from "../../../../test/support/calling-samples.ts";
import { bundledMachine } from "../../../../test/support/machine-world.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { Program } from "../../../program/index.ts";
import { stateAround } from "./state-around.ts";

let engine: TestEngine;
beforeAll(async () => {
  const middle = JSON.stringify(samples.machine("middle", "delivery")).replace(
    "workflow: delivery",
    "workflow: delivery, inputs: { request: x }",
  );
  engine = await openTestEngine({
    ...(await bundledMachine()),
    ...samples.steps("outer", "middle"),
    ...(JSON.parse(middle) as SampleFiles),
  });
});
afterAll(() => engine.close());

function around(program: Program, block: string): ReturnType<typeof stateAround> {
  const scopes = { here: { part: "delivery" } };
  return stateAround({ program, state: { scopes } } as unknown as Parameters<typeof stateAround>[0], { scope: "here" }, block);
}

test("a block belongs to the same state wherever its machine is called from", async () => {
  const { program: alone } = await engine.context.catalog.loadValid("delivery");
  const { program: called } = await engine.context.catalog.loadValid("outer");
  const blocks = Object.keys(alone.blocks).filter((id) => id.includes("."));
  expect(around(alone, "IMPLEMENT_LOOP.CODE.1.prepare")).toEqual({ state: "IMPLEMENT_LOOP", step: Number.POSITIVE_INFINITY });
  expect(around(alone, "DESIGN.2.prepare")).toEqual({ state: "DESIGN", step: 2 });
  expect(blocks.length).toBeGreaterThan(100);
  for (const id of blocks) {
    expect(called.blocks).toHaveProperty([`middle/delivery/${id}`]);
    expect(around(called, `middle/delivery/${id}`)).toEqual(around(alone, id));
  }
});
