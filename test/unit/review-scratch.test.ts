import { rm, writeFile, readFile, chmod } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { canonicalJson } from "../../src/base/index.ts";
import {
  completeChecklist, doctor, gatherFacts, next, previewBatch, progress, reopenFailed, reportCheck, runBatch, undoBatch, waitForBatch,
} from "../../src/engine/index.ts";
import { another, begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../support/checklist-sample.ts";
import type { TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
afterEach(() => engine.close());
const open = async (text: string, files: Readonly<Record<string, string>>) => (engine = await withWorkflow(text, files));
const skip = () => ({ status: "skipped" as const, skipReason: "not now" });

/** Counts by status and facet equal the rows; nothing is open below a settled file; the journal gives the state. */
async function sound(run: string, settledFiles = true): Promise<void> {
  const { context } = engine;
  const handle = await context.runs.open(run);
  await context.runs.refresh(handle);
  for (const [list, counts] of Object.entries(handle.state.lists)) {
    const rows = await context.store.selectItems(run, { list, query: {}, limit: 1_000_000 });
    const by: Record<string, number> = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };
    const facets: Record<string, Record<string, number>> = {};
    for (const row of rows) {
      by[row.status] = (by[row.status] ?? 0) + 1;
      for (const [facet, value] of Object.entries(row.facets)) {
        const of = (facets[`${facet}=${value}`] ??= { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 });
        of[row.status] = (of[row.status] ?? 0) + 1;
      }
      if (row.status === "skipped" || row.status === "failed") expect(row.reason, `${list} ${row.id} ${row.status}`).toBeTruthy();
    }
    expect({ total: counts.total, by: counts.by }, list).toEqual({ total: rows.length, by });
    const known = Object.fromEntries(Object.entries(counts.facets).filter(([, each]) => Object.values(each).some((count) => count !== 0)));
    expect(known, list).toEqual(facets);
    const ids = new Set(rows.map((row) => row.id));
    expect(ids.size).toBe(rows.length);
    if (settledFiles)
      for (const row of rows) {
        const file = row.parent === undefined ? undefined : rows.find((each) => each.id === row.parent);
        if (file !== undefined && (row.status === "pending" || row.status === "in_progress"))
          expect(["pending", "in_progress"], `${row.id} is open below ${file.id}`).toContain(file.status);
      }
  }
  const rebuilt = await context.runs.rebuild(run);
  expect(canonicalJson(rebuilt.state)).toBe(canonicalJson(handle.state));
  expect((await doctor(context, run)).problems).toEqual([]);
}
async function batchOf(run: string, more: object = {}) {
  const preview = await previewBatch(engine.context, engine.caller, { run, operation: "apply_fixes", filter: {}, ...more });
  const { batch } = await runBatch(engine.context, engine.caller, { run, token: preview.token ?? "" });
  return waitForBatch(engine.context, { run, batch, waitMs: 10_000 });
}

test("1 flags on failed instances of a completed file", async () => {
  const { context, caller } = await open(oldCalls, { "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  for (let i = 0; i < 3; i += 1) { await next(context, caller, { run }); await reportCheck(context, caller, { run, status: "completed" }); }
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js" });
  await batchOf(run, { operation: "flag_for_review", filter: { status: "failed" } });
  await sound(run);
});
test("2 file vanished and back", async () => {
  const { context, caller, folder } = await open(review, { "a.js": "1", "b.js": "2", "c.js": "3" });
  const { run } = await begin(engine, "review");
  await rm(join(folder, "b.js"));
  for (let i = 0; i < 3; i += 1) { await next(context, caller, { run }); await reportCheck(context, caller, { run, status: "completed" }); }
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "c.js" });
  await writeFile(join(folder, "b.js"), "2");
  const seen: string[] = [];
  await driveToEnd(engine, run, ({ file }) => (seen.push(file), { status: "completed" as const }));
  expect(seen).toContain("b.js");
  await sound(run);
});
test("3 retry of an instance whose file vanished", async () => {
  const { context, caller, folder } = await open(oldCalls, { "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  for (let i = 0; i < 3; i += 1) { await next(context, caller, { run }); await reportCheck(context, caller, { run, status: "completed" }); }
  await next(context, caller, { run });
  await rm(join(folder, "a.js"));
  await driveToEnd(engine, run, skip);
  await sound(run);
  await reopenFailed(context, caller, run);
  await sound(run);
  await driveToEnd(engine, run, skip);
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
});
test("4 a topic named twice", async () => {
  const { context, caller } = await open(review, { "a.js": "1" });
  const { run } = await begin(engine, "review");
  await reportCheck(context, caller, { run, status: "completed", topics: [{ topic: "general/async-errors" }, { topic: "general/async-errors" }, { topic: "async-errors" }] }).catch((e) => console.log(String(e)));
  await sound(run);
  await driveToEnd(engine, run, () => ({ status: "completed" }));
  await sound(run);
});
test("5 max_files with a file that appears before", async () => {
  const { context } = await open(review, { "b.js": "1", "c.js": "2" });
  const { run } = await begin(engine, "review", { options: { max_files: 1 } });
  await writeFile(join(engine.folder, "a.js"), "0");
  await driveToEnd(engine, run, () => ({ status: "completed" }));
  expect((await gatherFacts(context, run)).files).toMatchObject({ total: 1, completed: 1 });
  await sound(run);
});
test("6 an instance whose file cannot be read any more is not converted", async () => {
  const { context, caller, folder } = await open(oldCalls, { "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  await writeFile(join(folder, "a.js"), Buffer.concat([Buffer.from([0, 1, 2, 0, 0, 0]), Buffer.from("old(y);\n")]));
  await reportCheck(context, caller, { run, status: "completed" });
  await next(context, caller, { run });
  expect((await gatherFacts(context, run)).instances).toMatchObject({ byHand: 0, completed: 0 });
  await driveToEnd(engine, run, skip);
  await sound(run);
});
test("7 flag survives a new scan", async () => {
  const { context, caller, folder } = await open(oldCalls, { "a.js": "old(y);\n", "b.js": "old('z');\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  await batchOf(run, { operation: "flag_for_review", filter: { file_patterns: ["b.js"] } });
  expect((await gatherFacts(context, run)).instances).toMatchObject({ open: { auto: 0, manual: 2 } });
  await writeFile(join(folder, "b.js"), "\nold('z');\n");
  await reportCheck(context, caller, { run, ...skip() });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js" });
  expect((await gatherFacts(context, run)).instances).toMatchObject({ flagged: 1, open: { auto: 0, manual: 1 } });
  await sound(run);
});
test("8 an instance that is gone and comes back is open again", async () => {
  const { context, caller, folder } = await open(oldCalls, { "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  await writeFile(join(folder, "b.js"), "\n");
  await reportCheck(context, caller, { run, ...skip() });
  await next(context, caller, { run });
  expect((await gatherFacts(context, run))).toMatchObject({ stage: "ready_for_completion" });
  await writeFile(join(folder, "b.js"), "old(z);\n");
  await reopenFailed(context, caller, run).catch(() => undefined);
  await completeChecklist(context, caller, run).catch(() => undefined);
  console.log((await gatherFacts(context, run)).instances);
  await sound(run);
});
test("9 applied changes that bring new instances open the file", async () => {
  const { context, caller } = await open(oldCalls, { "a.js": "old(y);\nx();\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  await reportCheck(context, caller, { run, ...skip(), changes: [{ original_code: "x();", proposed_code: "old(q);", auto_applicable: true }] });
  await next(context, caller, { run });
  const record = await batchOf(run, { operation: "apply_changes" });
  expect(record).toMatchObject({ modified: 1 });
  await sound(run);
});
test("10 undo of applied changes brings back what was gone", async () => {
  const { context, caller } = await open(oldCalls, { "a.js": "old(y);\nold(q);\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_type" });
  await reportCheck(context, caller, { run, ...skip(), changes: [{ original_code: "old(q);", proposed_code: "x();", auto_applicable: true }] });
  const record = await batchOf(run, { operation: "apply_changes" });
  console.log(record, (await gatherFacts(context, run)).instances);
  await sound(run);
});
