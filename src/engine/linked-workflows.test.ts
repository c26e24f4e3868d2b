import { afterEach, expect, test } from "vitest";
import { samples, type SampleDialect } from "../../test/support/calling-samples.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { start } from "./commands/start.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

const dialects: readonly SampleDialect[] = ["steps", "checklist", "bots", "machine"];

test.each(dialects)(
  "a workflow of %s that calls one that does not exist is listed, checked and started as one with a problem",
  async (caller) => {
    engine = await openTestEngine({ ...samples[caller]("outer", "iner"), ...samples.steps("inner") });
    const { catalog } = engine.context;
    const listed = (await catalog.list()).map(({ name, problems }) => [name, problems]);
    expect(Object.fromEntries(listed)).toEqual({ outer: 1, inner: 0 });
    const { diagnostics, program } = await catalog.load("outer");
    expect(program).toBeUndefined();
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([
      expect.objectContaining({ fix: "Did you mean `inner`?", place: expect.objectContaining({ endColumn: expect.any(Number) }) }),
    ]);
    await expect(start(engine.context, engine.caller, { workflow: "outer" })).rejects.toMatchObject({
      code: "ENGINE_INVALID_WORKFLOW",
      message: expect.stringContaining("There is no workflow `iner`"),
    });
  },
);

test.each(dialects)("a workflow of %s whose calls exist is listed without a problem", async (caller) => {
  engine = await openTestEngine({ ...samples[caller]("outer", "inner"), ...samples.bots("inner") });
  expect((await engine.context.catalog.list()).filter(({ problems }) => problems > 0)).toEqual([]);
});
