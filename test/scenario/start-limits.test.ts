import { afterEach, expect, test } from "vitest";
import { start, type Caller } from "../../src/engine/index.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

const tight = `name: tight
description: d
version: "1.0.0"
budget: { steps: 2 }
steps: [{ id: a, type: user_message, message: m }]
`;

test("an agent may ask for less than the author's limit and for limits of its own, but only a person for more", async () => {
  engine = await openTestEngine({ ".waymark/workflows/tight.yaml": tight });
  const { context, caller } = engine;
  const person: Caller = { ...caller, holder: { kind: "person", name: "owner", session: "desk" }, surface: "cli-terminal" };
  const limitsOf = async (by: Caller, budget: Record<string, number>): Promise<unknown> =>
    (await start(context, by, { workflow: "tight", budget })).state.budget.limits;
  expect(await limitsOf(caller, { steps: 50, tokens: 10 })).toEqual({ steps: 2, tokens: 10 });
  expect(await limitsOf(caller, { steps: 1 })).toEqual({ steps: 1 });
  expect(await limitsOf(person, { steps: 50 })).toEqual({ steps: 50 });
});

test("an import that leads out of the folder is a problem at its place, beside all others", async () => {
  engine = await openTestEngine({
    ".waymark/workflows/out.yaml": `${tight.replace("tight", "out")}imports: ["../../../../etc/passwd"]\n`,
    ".waymark/workflows/tight.yaml": tight,
  });
  const { diagnostics } = await engine.context.catalog.load("out");
  expect(diagnostics.find(({ code }) => code === "HOST_PATH_OUTSIDE")).toMatchObject({
    severity: "error",
    place: { file: expect.stringMatching(/out\.yaml$/) as string, line: 6, column: 12 },
  });
  expect((await engine.context.catalog.load("tight")).program).toBeDefined();
});
