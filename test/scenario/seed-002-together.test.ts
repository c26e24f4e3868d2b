/** Chains of prompts and workflows of other dialects in one run. */
import { afterEach, expect, test } from "vitest";
import { start } from "../../src/engine/index.ts";
import { chainFiles, chainOf } from "../support/prompt-files.ts";
import { SeedRun } from "../support/seed-bench.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function begin(files: Readonly<Record<string, string>>, workflow: string, inputs = {}): Promise<SeedRun> {
  engine = await openTestEngine(files);
  const { context, caller } = engine;
  return new SeedRun(engine, caller, await start(context, caller, { workflow, inputs }));
}

const steps = `name: "notes:tell"
description: x
version: "1.0.0"
inputs: { text: string, times: { type: number, default: 1 } }
steps:
  - { id: tell, type: user_message, message: "{{ inputs.text }} x{{ inputs.times }}" }
`;

test("a step of a chain runs a workflow of steps, with inputs in which placeholders are filled in", async () => {
  const chain = chainFiles('  - step: a\n  - workflow: notes:tell\n    with: { text: "For $USER_MESSAGE.", times: 2 }\n  - step: b', {
    a: "A $USER_MESSAGE",
    b: "B",
  });
  const run = await begin({ ...chain, ".waymark/workflows/notes__tell.yaml": steps }, "chain", { user_message: "me {{ 1 }}" });
  await run.done("ok");
  expect(run.message).toBe("For me {{ 1 }}. x2");
  await run.done();
  expect(run.step?.definition["prompt"]).toBe("B");
  await run.done("ok");
  expect(run.status).toBe("completed");
});

test("a chain runs another chain, which shares the run's folder for artifacts", async () => {
  const files = {
    ...chainFiles("  - workflow: inner\n    input: $1 only", { b: "Do $USER_MESSAGE in $ARTIFACTS_DIR" }, { name: "outer" }),
    ".archon/workflows/inner.yaml": chainOf("inner", "  - step: b"),
  };
  const run = await begin(files, "outer", { user_message: "first second" });
  const uuid = run.position.state.options.uuid ?? "";
  expect(run.step?.definition["prompt"]).toBe(`Do first only in ${engine!.host.workspace}/.archon/artifacts/${uuid}`);
});

test("a workflow of steps runs a chain", async () => {
  const outer = `name: outer
description: x
version: "1.0.0"
steps:
  - { id: chain, type: include_workflow, workflow: chain, inputs: { user_message: "from steps" } }
  - { id: end, type: user_message, message: End. }
`;
  const run = await begin({ ...chainFiles("  - step: a", { a: "Do $USER_MESSAGE" }), ".waymark/workflows/outer.yaml": outer }, "outer");
  expect(run.step?.definition["prompt"]).toBe("Do from steps");
  await run.done("ok");
  expect(run.message).toBe("End.");
});

test("a call of a workflow that does not exist, without an input that it needs, or in a circle is told when the file is read", async () => {
  engine = await openTestEngine({
    ".archon/workflows/lost.yaml": chainOf("lost", "  - workflow: nowhere"),
    ".archon/workflows/poor.yaml": chainOf("poor", "  - workflow: notes:tell"),
    ".archon/workflows/round.yaml": chainOf("round", "  - workflow: round"),
    ".waymark/workflows/notes__tell.yaml": steps,
  });
  const codes = async (name: string): Promise<string[]> => (await engine!.context.catalog.load(name)).diagnostics.map(({ code }) => code);
  expect(await codes("lost")).toEqual(["PROMPTS_UNKNOWN_WORKFLOW"]);
  expect(await codes("poor")).toEqual(["DIALECTS_CALL_INPUT"]);
  expect(await codes("round")).toEqual(["DIALECTS_CALL_CYCLE"]);
});
