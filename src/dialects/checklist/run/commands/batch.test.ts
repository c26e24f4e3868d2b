import { afterEach, expect, test } from "vitest";
import { begin, oldCalls, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import { previewBatch, runBatch, waitForBatch, type BatchRequest } from "./batch.ts";
import { batches, gatherFacts } from "./gather-facts.ts";
import { progress } from "../../../../engine/index.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const fixes: Omit<BatchRequest, "run"> = { operation: "apply_fixes", filter: {} };

async function migration(workflow = oldCalls): Promise<string> {
  engine = await withWorkflow(workflow, { "a.js": "old('x');\n", "b.js": "old(y);\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(engine.context, engine.caller, { run, result: "apply_auto_first" });
  return run;
}

const preview = (run: string, request: Omit<BatchRequest, "run"> = fixes) =>
  previewBatch(engine.context, engine.caller, { run, ...request });
const confirm = (run: string, token: string, more: object = {}) => runBatch(engine.context, engine.caller, { run, token, ...more });

test("a skip needs its reason, and a workflow that allows skips", async () => {
  const run = await migration();
  for (const reason of [undefined, "", "  "])
    await expect(
      preview(run, { operation: "skip_instances", filter: {}, ...(reason === undefined ? {} : { reason }) }),
    ).rejects.toMatchObject({ code: "ENGINE_OFF_COURSE", message: "A skip needs its reason." });
  const { token = "" } = await preview(run, { operation: "skip_instances", filter: {}, reason: "kept for now" });
  const { batch } = await confirm(run, token);
  expect(await waitForBatch(engine.context, { run, batch, waitMs: 10_000 })).toMatchObject({ done: true });
  expect((await gatherFacts(engine.context, run)).instances).toMatchObject({ total: 2, skipped: 2 });
  await expectSound(engine.context, run);
  await engine.close();
  const strict = await migration(oldCalls.replace("allow_skip_with_reason: true", "allow_skip_with_reason: false"));
  await expect(preview(strict, { operation: "skip_instances", filter: {}, reason: "r" })).rejects.toMatchObject({
    code: "ENGINE_OFF_COURSE",
    message: "This workflow allows no skips. Nothing was changed.",
  });
});

test("a token stands for one operation with one filter in one run, and is used once", async () => {
  const run = await migration();
  const { token = "", plan } = await preview(run);
  expect(plan.instances).toBe(1);
  await expect(confirm(run, "batch-of-nobody")).rejects.toMatchObject({ code: "ENGINE_TOKEN_UNKNOWN" });
  await expect(confirm(run, token, { operation: "skip_instances" })).rejects.toMatchObject({
    code: "ENGINE_TOKEN_DEAD",
    message: expect.stringContaining("it was given for apply_fixes, not skip_instances."),
  });
  await expect(confirm(run, token, { filter: { file_patterns: ["a.js"] } })).rejects.toMatchObject({
    code: "ENGINE_TOKEN_DEAD",
    message: expect.stringContaining("the filter is another one."),
  });
  const { batch } = await confirm(run, token, { operation: "apply_fixes", filter: {} });
  expect(await waitForBatch(engine.context, { run, batch, waitMs: 10_000 })).toMatchObject({ done: true, modified: 1, remaining: 0 });
  await expect(confirm(run, token)).rejects.toMatchObject({ code: "ENGINE_TOKEN_USED" });
  expect((await batches(engine.context, run)).map(({ id }) => id)).toEqual([batch]);
});

test("a token dies with the content of a file it is about, and names the file", async () => {
  const run = await migration();
  const { token = "" } = await preview(run);
  await engine.write("b.js", "other\n");
  await engine.write("a.js", "old('x'); // new\n");
  await expect(confirm(run, token)).rejects.toMatchObject({ code: "ENGINE_TOKEN_DEAD", details: { files: ["a.js"] } });
});

test("a preview of nothing has no token and says what the filter names that is not there", async () => {
  const run = await migration();
  const nothing = await preview(run, { operation: "apply_fixes", filter: { instance_types: ["nothing"] } });
  expect(nothing).toMatchObject({ plan: { instances: 0 }, leftOut: [], note: expect.stringContaining("nothing") });
  expect(nothing).not.toHaveProperty("token");
});

test("a batch that does not exist cannot be waited for", async () => {
  const run = await migration();
  await expect(waitForBatch(engine.context, { run, batch: "b9", waitMs: 0 })).rejects.toMatchObject({ code: "ENGINE_NO_BATCH" });
});
