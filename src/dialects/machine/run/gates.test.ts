import { afterAll, beforeAll, expect, test } from "vitest";
import { samples, type SampleFiles } from "../../../../test/support/calling-samples.ts";
import { bundledMachine } from "../../../../test/support/machine-world.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { Program } from "../../../program/index.ts";
import { gatesAbove, gatesBefore, gatesOf, stateAround } from "./gates.ts";
import { decodeMachine, type MachineConfig } from "./machine-run.ts";

let engine: TestEngine;
let definition: MachineConfig["definition"];
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
  const { program } = await engine.context.catalog.loadValid("delivery");
  ({ definition } = decodeMachine(program.parts[program.main]!.config));
});
afterAll(() => engine.close());

const before = (mode: string, state: string): string[] => gatesBefore(definition, mode, state).map((gate) => `${gate.state} ${gate.id}`);

test("the gates of a state are those that every way to it passes, in their order", () => {
  const design = "APPROVE_DESIGN UD-APPROVE-DESIGN";
  const strategy = "REVIEW_STRATEGY UD-REVIEW-STRATEGY";
  expect(before("full", "IMPLEMENT_LOOP")).toEqual([design, strategy]);
  expect(before("full", "PLAN")).toEqual([design]);
});

test("a gate is not before its own state, nor before the states on the way to it", () => {
  expect(before("full", "APPROVE_DESIGN")).toEqual([]);
  expect(before("full", "DESIGN")).toEqual([]);
  expect(before("full", "INTAKE")).toEqual([]);
});

test("a gate that a mode goes past is not before its states", () => {
  expect(before("lean", "IMPLEMENT_LOOP")).toEqual([]);
});

test("gates above a step of their own state are those that always apply", () => {
  const gate = (id: string, when?: string) => ({ step: "gate", gate: { id }, ...(when === undefined ? {} : { when }) });
  const steps = [gate("UD-X"), gate("UD-S", "false"), { step: "report" }, gate("UD-Y"), { step: "finish" }];
  const own = { states: { B: { steps } } } as unknown as MachineConfig["definition"];
  expect(gatesOf(own, "B")).toEqual(["UD-X", "UD-S", "UD-Y"]);
  expect([1, 2, 4, 5].map((step) => gatesAbove(own, "B", step))).toEqual([[], ["UD-X"], ["UD-X"], ["UD-X", "UD-Y"]]);
  expect(gatesAbove(own, "B", Number.POSITIVE_INFINITY)).toEqual(["UD-X", "UD-Y"]);
});

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
