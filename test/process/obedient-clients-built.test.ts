/**
 * Over the built server, every bundled workflow and every example is finished by a client that does literally what each reply says, by
 * one that repeats every call, and by one that restarts without memory; all three leave the same state and the same files.
 */
import { afterEach, describe, expect, test } from "vitest";
import { openBuiltExample, settled, type BuiltWorld } from "../support/built-world.ts";
import { stepsCases, type StepsCase } from "../support/example-steps.ts";
import { driveLiterally, type ClientMode, type Family } from "../support/literal-client.ts";

const modes: readonly ClientMode[] = ["plain", "repeats", 3];
const opened: BuiltWorld[] = [];
afterEach(async () => {
  for (const world of opened.splice(0)) await world.close();
});

/** What a run of a case leaves behind. */
type End = Readonly<Record<string, unknown>>;

async function expectOneEnd(ends: string, run: (mode: ClientMode) => Promise<End>): Promise<void> {
  const all: End[] = [];
  for (const mode of modes) all.push(await run(mode));
  expect(all[0]).toMatchObject({ status: ends });
  for (const end of all.slice(1)) expect(end).toEqual(all[0]);
}

async function stepsEnd({ example, workflow, inputs = {}, agent }: StepsCase, family: Family, mode: ClientMode): Promise<End> {
  const world = await openBuiltExample(example, { server: false });
  opened.push(world);
  const { run, status, state } = await driveLiterally(world, workflow, await agent(world.folder), { family, mode, inputs });
  return { status, state: settled(state, run), files: await world.files() };
}

describe("in steps", () => {
  test.each(stepsCases)("$workflow", async (each) => {
    const family = each.example === "gallery" ? "seed" : "progress";
    await expectOneEnd(each.ends ?? "completed", (mode) => stepsEnd(each, family, mode));
  });
});
