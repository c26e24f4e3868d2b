import { afterEach, expect, test } from "vitest";
import { begin, review, withWorkflow } from "../../../test/support/checklist-sample.ts";
import { openTestEngine, type TestEngine } from "../../../test/support/test-engine.ts";
import { gatherFacts } from "../../dialects/checklist/run/index.ts";
import { runs } from "./status.ts";
import { start } from "./start.ts";
import type { Caller } from "../caller.ts";

let engine: TestEngine;
afterEach(() => engine.close());

async function refused(inputs: Parameters<typeof begin>[2]): Promise<string> {
  const error = (await begin(engine, "review", inputs).catch((each: unknown) => each)) as {
    readonly code: string;
    readonly message: string;
  };
  expect(error.code).toBe("ENGINE_WRONG_INPUTS");
  expect(await runs(engine.context, {})).toEqual([]);
  return error.message;
}

test("an option that does not exist starts nothing, and the one that was perhaps meant is named", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  expect(await refused({ options: { max_file: 1, zzzzzzzzzz: 2 }, initial_processing: { timeout: 1 } })).toMatch(
    /^Unknown: `options\.max_file` \(did you mean `max_files`\?\), `options\.zzzzzzzzzz`, `initial_processing\.timeout`.* Nothing was started\.$/,
  );
});

test("a path that is not there starts nothing; a file is not taken for a folder, nor a folder for a file", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "sub/b.js": "2" });
  expect(await refused({ scope: "directory", path: "nowhere" })).toContain("nowhere");
  expect(await refused({ scope: "directory", path: "a.js" })).toBe("`a.js` is a file, not a folder. Nothing was started.");
  expect(await refused({ scope: "files", path: "sub" })).toContain("sub");
  expect(await refused({ scope: "files", path: "no.js, none.js" })).toContain("no.js");
});

test("a folder, the whole workspace by its dot, or files of which one is there, can be started with", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "sub/b.js": "2" });
  const total = async (inputs: Parameters<typeof begin>[2]): Promise<number> =>
    (await gatherFacts(engine.context, (await begin(engine, "review", inputs)).run)).files.total;
  expect(await total({ scope: "directory", path: "sub" })).toBe(1);
  expect(await total({ scope: "directory", path: "./" })).toBe(2);
  expect(await total({ scope: "files", path: "a.js, none.js" })).toBe(1);
});

test("an agent may ask for less than the limits of the workflow, and only a person for more", async () => {
  const text = "name: limited\nbudget: { steps: 5 }\nsteps: [{ id: a, type: user_message, message: x }]\n";
  engine = await openTestEngine({ ".waymark/workflows/limited.yaml": text });
  const { context, caller } = engine;
  const person: Caller = { ...caller, holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal" };
  const steps = async (who: Caller, asked?: number): Promise<number | undefined> => {
    const request = { workflow: "limited", ...(asked === undefined ? {} : { budget: { steps: asked } }) };
    return (await start(context, who, request)).state.budget.limits.steps;
  };
  expect([await steps(caller), await steps(caller, 3), await steps(caller, 9), await steps(person, 9)]).toEqual([5, 3, 5, 9]);
});
