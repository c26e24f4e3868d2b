import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { gatherFacts } from "./commands/gather-facts.ts";
import { next, progress } from "../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch, type BatchRequest } from "./commands/batch.ts";
import { reopenFailed } from "./commands/retry-checklist.ts";
import { reportCheck } from "./commands/check-report.ts";
import { begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";

let engine: TestEngine;
afterEach(() => engine.close());
const skip = () => ({ status: "skipped" as const, skipReason: "not now" });
const done = () => ({ status: "completed" as const });

async function migration(files: Readonly<Record<string, string>>): Promise<TestEngine & { readonly run: string }> {
  engine = await withWorkflow(oldCalls, files);
  const { run } = await begin(engine, "old-calls");
  await progress(engine.context, engine.caller, { run, result: "review_by_file" });
  return { ...engine, run };
}

async function batch(run: string, request: Omit<BatchRequest, "run">) {
  const { context, caller } = engine;
  const preview = await previewBatch(context, caller, { run, ...request });
  const { batch: id } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  return waitForBatch(context, { run, batch: id, waitMs: 10_000 });
}

/** Says three times that the instance in hand was converted, so that it is set aside. */
async function failOne({ context, caller, run }: TestEngine & { readonly run: string }): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1) {
    await next(context, caller, { run });
    await reportCheck(context, caller, { run, status: "completed", result: "read" });
  }
}

test("a failed instance that is flagged opens its file again, and the run can be completed", async () => {
  const opened = await migration({ "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const { context, caller, run } = opened;
  await failOne(opened);
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js" });
  await batch(run, { operation: "flag_for_review", filter: { status: "failed" }, reason: "r" });
  await expectSound(context, run);
  const seen: string[] = [];
  await driveToEnd(opened, run, ({ file }) => (seen.push(file), skip()));
  expect(seen).toEqual(["b.js", "a.js"]);
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
});

test("a failed instance of a file that vanished is tried again without getting stuck", async () => {
  const opened = await migration({ "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const { context, caller, run, folder } = opened;
  await failOne(opened);
  await next(context, caller, { run });
  await rm(join(folder, "a.js"));
  await driveToEnd(opened, run, skip);
  await reopenFailed(context, caller, run);
  await expectSound(context, run);
  await driveToEnd(opened, run, skip);
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
  expect(await gatherFacts(context, run)).toMatchObject({ files: { completed: 1, skipped: 1 }, instances: { skipped: 2, failed: 0 } });
});

test("a file that vanished and came back is reviewed", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "2", "c.js": "3" });
  const { context, caller, folder } = engine;
  const { run } = await begin(engine, "review");
  await rm(join(folder, "b.js"));
  for (let entry = 0; entry < 3; entry += 1) {
    await next(context, caller, { run });
    await reportCheck(context, caller, { run, status: "completed", result: "read" });
  }
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "c.js" });
  await writeFile(join(folder, "b.js"), "2");
  const seen: string[] = [];
  await driveToEnd(engine, run, ({ file, item }) => (seen.push(`${file} ${item}`), done()));
  expect(seen).toEqual(["c.js review_complete", "b.js analyze", "b.js review_complete"]);
  expect(await gatherFacts(context, run)).toMatchObject({ files: { total: 3, completed: 3, skipped: 0 } });
  await expectSound(context, run);
});

test("a file that was given up stays so when it changes", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  const { context, caller, folder } = engine;
  const { run } = await begin(engine, "review");
  await driveToEnd(engine, run, () => ({ status: "failed", error: "no" }));
  await writeFile(join(folder, "a.js"), "2");
  await reportCheck(context, caller, { run, file: "a.js", status: "skipped", skipReason: "generated" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
});

test("with max_files a file that appears does not push out one of the run", async () => {
  engine = await withWorkflow(review, { "b.js": "1", "c.js": "2" });
  const { context } = engine;
  const { run } = await begin(engine, "review", { options: { max_files: 1 } });
  await writeFile(join(engine.folder, "a.js"), "0");
  await driveToEnd(engine, run, done);
  expect((await gatherFacts(context, run)).files).toMatchObject({ total: 1, completed: 1, skipped: 0 });
});

test("a file that became binary proves nothing: its instance is not converted", async () => {
  const { context, caller, run, folder } = await migration({ "a.js": "old(y);\n", "b.js": "x\n" });
  await writeFile(join(folder, "a.js"), "\0\0\u0001\0old(y);\n");
  await reportCheck(context, caller, { run, status: "completed", result: "read" });
  await driveToEnd(engine, run, skip);
  expect(await gatherFacts(context, run)).toMatchObject({ instances: { byHand: 0, completed: 0, failed: 1 } });
  await expectSound(context, run);
});

test("a binary file is listed and skipped with its reason, never completed", async () => {
  engine = await withWorkflow(oldCalls, { "a.js": "\0\0\u0001\0old(y);\n", "b.js": "x\n" });
  const { run } = await begin(engine, "old-calls");
  expect((await gatherFacts(engine.context, run)).files).toMatchObject({ total: 2, completed: 1, skipped: 1 });
  await expectSound(engine.context, run);
});

test("what was flagged stays in hands when its file is scanned again", async () => {
  const { context, caller, run, folder } = await migration({ "a.js": "old(y);\n", "b.js": "old('z');\n" });
  await batch(run, { operation: "flag_for_review", filter: { file_patterns: ["b.js"] }, reason: "r" });
  await writeFile(join(folder, "b.js"), "\nold('z');\n");
  await reportCheck(context, caller, { run, ...skip() });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js" });
  expect(await gatherFacts(context, run)).toMatchObject({ instances: { flagged: 1, open: { auto: 0, manual: 1 } } });
  await expectSound(context, run);
});

test("an instance that was gone and comes back is open again", async () => {
  const { context, caller, run, folder } = await migration({ "a.js": "old(y);\n", "b.js": "old(p);\nold(q);\n" });
  await writeFile(join(folder, "b.js"), "old(p);\n");
  await reportCheck(context, caller, { run, ...skip() });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js" });
  expect(await gatherFacts(context, run)).toMatchObject({ instances: { skipped: 2, inProgress: 1 } });
  await writeFile(join(folder, "b.js"), "old(p);\nold(q);\n");
  expect(await driveToEnd(engine, run, skip)).toBe(2);
  await expectSound(context, run);
});

test("a topic that is named twice is one entry", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const topics = [{ topic: "general/async-errors" }, { topic: "general/async-errors" }];
  await reportCheck(context, caller, { run, status: "completed", result: "read", topics });
  await expectSound(context, run);
  expect(await driveToEnd(engine, run, done)).toBe(2);
});

test("a change that is applied and brings a new instance opens the file", async () => {
  const { context, caller, run } = await migration({ "a.js": "old(y);\nx();\n" });
  const changes = [{ original_code: "x();", proposed_code: "old(q);", auto_applicable: true }];
  await reportCheck(context, caller, { run, ...skip(), changes });
  await next(context, caller, { run });
  expect(await batch(run, { operation: "apply_changes", filter: {} })).toMatchObject({ modified: 1 });
  await expectSound(context, run);
  await expect(completeChecklist(context, caller, run)).rejects.toMatchObject({ code: "RUN_NOT_DONE" });
  expect(await driveToEnd(engine, run, skip)).toBe(1);
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
});
