import { afterEach, expect, test } from "vitest";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { next, progress } from "../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
import { reportCheck } from "./commands/check-report.ts";
import { undoBatch } from "./commands/undo.ts";
import { begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";

const audit = review.replace("type: review", "type: audit");
const calling = (text: string): string => text.replace("completion_rules:", "sub_workflows: [audit]\ncompletion_rules:");
const called = { ".waymark/workflows/audit.workflow.yaml": audit };

let engine: TestEngine;
afterEach(() => engine.close());

test("a called workflow has the same entries on the same files; a report by file and item is about what is in hand", async () => {
  engine = await withWorkflow(calling(review), { "a.js": "1", ...called });
  const { context } = engine;
  const { run } = await begin(engine, "review");
  expect(await driveToEnd(engine, run, ({ file, item }) => ({ file, item, status: "completed" }))).toBe(4);
  await expectSound(context, run);
  const { lists } = (await context.runs.open(run)).state;
  expect(lists["audit/files"]).toMatchObject({ total: 3, by: { completed: 3 } });
});

test("topics and failures of a called workflow are its own", async () => {
  engine = await withWorkflow(calling(review), { "a.js": "1", "b.js": "1", ...called });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  for (let entry = 0; entry < 4; entry += 1) {
    await next(context, caller, { run });
    await reportCheck(context, caller, { run, status: "completed", result: "read" });
  }
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", item: "analyze" });
  await reportCheck(context, caller, { run, status: "completed", result: "read", topics: [{ topic: "general/async-errors" }] });
  await expectSound(context, run);
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", type: "topic_application" });
  await reportCheck(context, caller, { run, status: "completed", result: "read" });
  await next(context, caller, { run });
  await reportCheck(context, caller, { run, status: "completed", result: "read" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js", item: "analyze" });
  await reportCheck(context, caller, { run, status: "failed", error: "no" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
  await expectSound(context, run);
  const { lists } = (await context.runs.open(run)).state;
  expect(lists["files"]?.by).toMatchObject({ completed: 6, failed: 0 });
  expect(lists["audit/files"]?.facets["kind=file"]).toMatchObject({ completed: 1, failed: 1 });
});

test("a run that goes back to its files does not make the rows of a called workflow twice", async () => {
  engine = await withWorkflow(calling(oldCalls), { "a.js": "old('y');\n", ...called });
  const { context, caller } = engine;
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  await waitForBatch(context, { run, batch, waitMs: 10_000 });
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  await driveToEnd(engine, run, () => ({ status: "completed" }));
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
  await undoBatch(context, caller, { run, waitMs: 10_000 });
  expect(await driveToEnd(engine, run, () => ({ status: "skipped", skipReason: "s" }))).toBe(1);
  await expectSound(context, run);
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
});
