import { rm, writeFile, readFile, chmod } from "node:fs/promises";
import { shiftedStore } from "../../src/cli/testing/shifted-store.ts";
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


const audit = review.replace("type: review", "type: audit");
const both = review.replace("completion_rules:", "sub_workflows: [audit]\ncompletion_rules:");
test("11 a called workflow with the same entries goes on when reports name file and item", async () => {
  const { context, caller } = await open(both, { "a.js": "1", ".waymark/workflows/audit.workflow.yaml": audit });
  const { run } = await begin(engine, "review");
  let count = 0;
  for (; count < 12; count += 1) {
    const hand = inHand(await next(context, caller, { run }));
    if (hand.what !== "check") break;
    await reportCheck(context, caller, { run, file: hand.file, item: hand.item, status: "completed" });
  }
  expect(count).toBe(4);
  await sound(run);
});
test("12 topics and failures in a called workflow are its own", async () => {
  const { context, caller } = await open(both, { "a.js": "1", "b.js": "1", ".waymark/workflows/audit.workflow.yaml": audit });
  const { run } = await begin(engine, "review");
  for (let i = 0; i < 4; i += 1) { await next(context, caller, { run }); await reportCheck(context, caller, { run, status: "completed" }); }
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", item: "analyze" });
  await reportCheck(context, caller, { run, status: "completed", topics: [{ topic: "general/async-errors" }] });
  await sound(run);
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", type: "topic_application" });
  await reportCheck(context, caller, { run, status: "completed" });
  await next(context, caller, { run });
  await reportCheck(context, caller, { run, status: "completed" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js", item: "analyze" });
  await reportCheck(context, caller, { run, status: "failed", error: "no" });
  await sound(run);
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
  await sound(run);
});
test("13 a run that goes back to its files does not scan for the called workflow twice", async () => {
  const main = oldCalls.replace("completion_rules:", "sub_workflows: [audit]\ncompletion_rules:");
  const { context, caller } = await open(main, { "a.js": "old('y');\n", ".waymark/workflows/audit.workflow.yaml": audit });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  await batchOf(run);
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  await driveToEnd(engine, run, () => ({ status: "completed" }));
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
  await undoBatch(context, caller, { run, waitMs: 5000 });
  await driveToEnd(engine, run, skip);
  await sound(run);
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
});
test("14 eight agents at once have eight files", async () => {
  const files = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f${at}.js`, "1"]));
  const { context } = await open(review, files);
  const { run } = await begin(engine, "review");
  const second = await engine.again();
  const callers = Array.from({ length: 8 }, (_, at) => [at % 2 === 0 ? context : second.context, another(at % 2 === 0 ? engine : second, `w${at}`)] as const);
  const hands = await Promise.allSettled(callers.map(async ([where, caller]) => inHand(await next(where, caller, { run })).file));
  console.log(hands.map((h) => h.status === "fulfilled" ? h.value : String(h.reason)));
  const ok = hands.flatMap((h) => h.status === "fulfilled" ? [h.value] : []);
  expect(new Set(ok).size).toBe(8);
  await second.close();
  await sound(run);
});
test("15 an instance that was skipped after the preview is not edited", async () => {
  const { context, caller, folder } = await open(oldCalls, { "a.js": "old(y);\n", "b.js": "old('z');\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  await batchOf(run, { operation: "skip_instances", filter: { file_patterns: ["b.js"] }, reason: "must stay" });
  const result = await runBatch(context, caller, { run, token: preview.token ?? "" }).then(({ batch }) => waitForBatch(context, { run, batch, waitMs: 5000 }), (e) => e);
  console.log(result);
  expect(await readFile(join(folder, "b.js"), "utf8")).toBe("old('z');\n");
  await sound(run);
});
test("16 a token for a skip dies with the content", async () => {
  const { context, caller, folder } = await open(oldCalls, { "b.js": "old('z');\n" });
  const { run } = await begin(engine, "old-calls");
  const preview = await previewBatch(context, caller, { run, operation: "skip_instances", filter: {}, reason: "r" });
  await writeFile(join(folder, "b.js"), "old('other');\n");
  await expect(runBatch(context, caller, { run, token: preview.token ?? "" })).rejects.toMatchObject({ code: "ENGINE_TOKEN_DEAD" });
});
test("17 a refused completion settles nothing", async () => {
  const loose = review.replace("require_all_files: true, require_all_checklist_items: true", "require_all_files: false, require_all_checklist_items: false");
  const { context, caller } = await open(loose, { "a.js": "1", "b.js": "2", "c.js": "3" });
  const { run } = await begin(engine, "review");
  const second = another(engine, "second");
  await next(context, second, { run });
  const before = (await context.runs.open(run)).state.lists["files"]?.by;
  const error = await completeChecklist(context, caller, run, 50).then((h) => h.state.status, (e) => String(e));
  console.log(error, (await context.runs.open(run)).state.lists["files"]?.by);
  if (error !== "completed") expect((await context.runs.open(run)).state.lists["files"]?.by).toEqual(before);
  await sound(run);
});
test("18 completing while a batch is undone", async () => {
  const { context, caller } = await open(oldCalls, { "a.js": "old('y');\n", "b.js": "old('z');\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  await batchOf(run);
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
  const results = await Promise.allSettled([completeChecklist(context, caller, run), undoBatch(context, caller, { run, waitMs: 5000 }), completeChecklist(context, caller, run)]);
  console.log(results.map((r) => r.status === "fulfilled" ? "ok" : String(r.reason)));
  const { state } = await context.runs.open(run);
  console.log(state.status, Object.values(state.strands).map((s) => [s.id, s.status, s.blocked]));
  if (state.status === "running") { await driveToEnd(engine, run, skip); expect((await completeChecklist(context, caller, run)).state.status).toBe("completed"); }
  await sound(run);
});
test("19 a batch that is undone while it runs", async () => {
  const files = Object.fromEntries(Array.from({ length: 350 }, (_, at) => [`f${String(at).padStart(3, "0")}.js`, `old('${at}');\n`]));
  const { context, caller, folder } = await open(oldCalls, files);
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  const undone = await undoBatch(context, caller, { run, batch, waitMs: 20_000 }).then((u) => u.record, (e) => String(e));
  const record = await waitForBatch(context, { run, batch, waitMs: 20_000 });
  let restored = 0;
  for (const [path, text] of Object.entries(files)) if ((await readFile(join(folder, path), "utf8")) === text) restored += 1;
  console.log(undone, record.done, record.undone, restored);
  if (typeof undone !== "string") expect({ undone: record.undone, restored }).toEqual({ undone: true, restored: 350 });
  await sound(run);
}, 60_000);
test("20 one token, two processes", async () => {
  const { context, caller } = await open(oldCalls, { "a.js": "old('y');\n", "b.js": "old('z');\n" });
  const { run } = await begin(engine, "old-calls");
  const second = await engine.again();
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const both = await Promise.allSettled([context, second.context, context, second.context].map((where) => runBatch(where, caller, { run, token: preview.token ?? "" })));
  expect(both.filter((each) => each.status === "fulfilled")).toHaveLength(1);
  for (const each of both) if (each.status === "rejected") expect(["ENGINE_TOKEN_USED", "ENGINE_TOKEN_DEAD"]).toContain(each.reason.code);
  await waitForBatch(context, { run, batch: "b1", waitMs: 5000 });
  await second.close();
  await sound(run);
});
test("21 a token after 24 hours", async () => {
  const { context, caller } = await open(oldCalls, { "a.js": "old('y');\n" });
  const { run } = await begin(engine, "old-calls");
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const shifted = shiftedStore(context.store);
  await shifted.jumpTo((preview.expiresAt ?? 0) - 5000);
  const later = Object.create(context, { store: { value: shifted.store } }) as typeof context;
  await shifted.jumpTo(preview.expiresAt ?? 0);
  await expect(runBatch(later, caller, { run, token: preview.token ?? "" })).rejects.toMatchObject({ code: "ENGINE_TOKEN_DEAD", message: expect.stringContaining("24 hours") });
});
test("22 two batches for the same instances", async () => {
  const { context, caller } = await open(oldCalls, { "a.js": "old('y');\n", "b.js": "old('z');\n" });
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  const one = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const two = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const both = await Promise.allSettled([one, two].map(({ token }) => runBatch(context, caller, { run, token: token ?? "" })));
  const records = [];
  for (const each of both) if (each.status === "fulfilled") records.push(await waitForBatch(context, { run, batch: each.value.batch, waitMs: 5000 }));
  console.log(records.map((r) => [r.modified, r.left_out]), both.map((b) => b.status));
  expect(records.reduce((sum, r) => sum + r.modified, 0)).toBe(2);
  await sound(run);
});
