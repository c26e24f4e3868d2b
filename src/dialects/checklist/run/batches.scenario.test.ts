import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { shiftedStore } from "../../../cli/testing/shifted-store.ts";
import { end, next, progress, type EngineContext } from "../../../engine/index.ts";
import { gatherFacts } from "./commands/gather-facts.ts";
import { previewBatch, runBatch, waitForBatch, type BatchRequest } from "./commands/batch.ts";
import { reportCheck } from "./commands/check-report.ts";
import { undoBatch } from "./commands/undo.ts";
import { another, begin, driveToEnd, oldCalls, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";

let engine: TestEngine;
let others: TestEngine[] = [];
afterEach(async () => {
  for (const each of others) await each.close();
  others = [];
  await engine.close();
});

const fixes: Omit<BatchRequest, "run"> = { operation: "apply_fixes", filter: {} };
const codeOf = (error: unknown): string => (error as { readonly code: string }).code;

async function migration(files: Readonly<Record<string, string>>, way = "apply_auto_first") {
  engine = await withWorkflow(oldCalls, files);
  const { run } = await begin(engine, "old-calls");
  await progress(engine.context, engine.caller, { run, result: way });
  return { ...engine, run };
}

async function apply(run: string, request: Omit<BatchRequest, "run"> = fixes) {
  const { context, caller } = engine;
  const preview = await previewBatch(context, caller, { run, ...request });
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  return waitForBatch(context, { run, batch, waitMs: 20_000 });
}

test("bytes outside an edit stay as they are in every encoding and line ending, and an undoing brings all of them back", async () => {
  engine = await withWorkflow(oldCalls, {});
  const { context, caller, folder } = engine;
  const text = "// \u00e9t\u00e9 old('no')\r\nold('\u00fc');\r\nx = 1;\n\told('2') ;\r\n";
  const le = (value: string) => Buffer.from(value, "utf16le");
  const be = (value: string) => Buffer.from(value, "utf16le").swap16();
  const forms: Record<string, (value: string) => Buffer> = {
    "utf8.js": (value) => Buffer.from(value),
    "bom.js": (value) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(value)]),
    "le.js": (value) => Buffer.concat([Buffer.from([0xff, 0xfe]), le(value)]),
    "be.js": (value) => Buffer.concat([Buffer.from([0xfe, 0xff]), be(value)]),
    "1252.js": (value) => Buffer.from(value, "latin1"),
    "no-end.js": (value) => Buffer.from(value.trimEnd()),
  };
  for (const [name, encode] of Object.entries(forms)) await writeFile(join(folder, name), encode(text));
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  expect(await apply(run)).toMatchObject({ modified: 12, failed: 0, left_out: 0, remaining: 0 });
  const fixed = text.replace("old('\u00fc')", "fresh('\u00fc')").replace("old('2')", "fresh('2')");
  for (const [name, encode] of Object.entries(forms))
    expect((await readFile(join(folder, name))).toString("hex"), name).toBe(encode(fixed).toString("hex"));
  await undoBatch(context, caller, { run, waitMs: 10_000 });
  for (const [name, encode] of Object.entries(forms))
    expect((await readFile(join(folder, name))).toString("hex"), name).toBe(encode(text).toString("hex"));
  await expectSound(context, run);
});

test("what was skipped or flagged after the preview is left out with its reason, and its file is not written", async () => {
  const files = { "a.js": "old(y);\n", "b.js": "old('z');\n", "c.js": "old('q');\n", "d.js": "old('w');\n" };
  const { context, caller, run, folder } = await migration(files, "review_by_file");
  const preview = await previewBatch(context, caller, { run, ...fixes });
  await apply(run, { operation: "skip_instances", filter: { file_patterns: ["b.js"] }, reason: "must stay" });
  await apply(run, { operation: "flag_for_review", filter: { file_patterns: ["c.js"] }, reason: "look at it" });
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  const record = await waitForBatch(context, { run, batch, waitMs: 10_000 });
  expect(record).toMatchObject({ previewed: 3, modified: 1, failed: 0, left_out: 2 });
  expect(record.failures.map(({ file, error }) => `${file} ${error}`)).toEqual([
    "b.js Line 1 was skipped since the preview.",
    "c.js Line 1 was flagged since the preview.",
  ]);
  expect(await readFile(join(folder, "b.js"), "utf8")).toBe(files["b.js"]);
  expect(await readFile(join(folder, "c.js"), "utf8")).toBe(files["c.js"]);
  await expectSound(context, run);
});

test("a token for a skip or a flag dies with the content of a file", async () => {
  const { context, caller, run, folder } = await migration({ "b.js": "old('z');\n" });
  const skips = await previewBatch(context, caller, { run, operation: "skip_instances", filter: {}, reason: "r" });
  const flags = await previewBatch(context, caller, { run, operation: "flag_for_review", filter: {}, reason: "r" });
  await writeFile(join(folder, "b.js"), "old('other');\n");
  for (const { token = "" } of [skips, flags])
    expect(await runBatch(context, caller, { run, token }).catch(codeOf)).toBe("ENGINE_TOKEN_DEAD");
});

test("a token dies after 24 hours", async () => {
  const { context, caller, run } = await migration({ "a.js": "old('y');\n" });
  const { token = "", expiresAt = 0 } = await previewBatch(context, caller, { run, ...fixes });
  const shifted = shiftedStore(context.store);
  const later = Object.create(context, { store: { value: shifted.store } }) as EngineContext;
  await shifted.jumpTo(expiresAt);
  await expect(runBatch(later, caller, { run, token })).rejects.toMatchObject({ message: expect.stringContaining("24 hours") as string });
  expect(await runBatch(context, caller, { run, token })).toEqual({ batch: "b1" });
});

test("one token in two processes is one batch", async () => {
  const { context, caller, run } = await migration({ "a.js": "old('y');\n", "b.js": "old('z');\n" });
  const second = await engine.again();
  others = [second];
  const { token = "" } = await previewBatch(context, caller, { run, ...fixes });
  const places = [context, second.context, context, second.context];
  const all = await Promise.all(places.map((where) => runBatch(where, caller, { run, token }).catch(codeOf)));
  expect(all.filter((each) => typeof each !== "string")).toEqual([{ batch: "b1" }]);
  const refusals = all.filter((each) => typeof each === "string");
  expect(refusals.filter((code) => code !== "ENGINE_TOKEN_USED" && code !== "ENGINE_TOKEN_DEAD")).toEqual([]);
  expect(await waitForBatch(context, { run, batch: "b1", waitMs: 10_000 })).toMatchObject({ modified: 2 });
  await expectSound(context, run);
});

test("two tokens for the same instances never count one twice", async () => {
  const { context, caller, run } = await migration({ "a.js": "old('y');\n", "b.js": "old('z');\n" });
  const previews = [await previewBatch(context, caller, { run, ...fixes }), await previewBatch(context, caller, { run, ...fixes })];
  const all = await Promise.all(previews.map(({ token = "" }) => runBatch(context, caller, { run, token }).catch(codeOf)));
  let sum = 0;
  for (const each of all) {
    if (typeof each === "string") continue;
    const { modified } = await waitForBatch(context, { run, ...each, waitMs: 10_000 });
    sum += modified;
  }
  expect(sum).toBe(2);
  await expectSound(context, run);
});

test("an undoing waits for the batch that is being applied", async () => {
  const files = Object.fromEntries(Array.from({ length: 220 }, (_, at) => [`f${String(at).padStart(3, "0")}.js`, `old('${at}');\n`]));
  const { context, caller, run, folder } = await migration(files);
  const { token = "" } = await previewBatch(context, caller, { run, ...fixes });
  const { batch } = await runBatch(context, caller, { run, token });
  const { record } = await undoBatch(context, caller, { run, batch, waitMs: 30_000 });
  expect(record).toMatchObject({ done: true, modified: 220, remaining: 0, undone: true, restored: 220, not_restored: [] });
  for (const [path, text] of Object.entries(files)) expect(await readFile(join(folder, path), "utf8")).toBe(text);
  await expectSound(context, run);
}, 60_000);

test("two undoings at once are one", async () => {
  const { context, caller, run } = await migration({ "a.js": "old('y');\n", "b.js": "old('z');\n" });
  await apply(run);
  const second = await engine.again();
  others = [second];
  const both = await Promise.all([context, second.context].map((where) => undoBatch(where, caller, { run, waitMs: 10_000 }).catch(codeOf)));
  const told = both.map((each) => (typeof each === "string" ? each : `${each.record.undone} ${each.record.restored}`));
  expect(told.filter((each) => each !== "true 2" && each !== "ENGINE_NO_BATCH")).toEqual([]);
  expect(told).toContain("true 2");
  await expectSound(context, run);
});

test("a process that dies after it wrote files and before it said so: the next one settles them by their content", async () => {
  const { context, caller, run, folder } = await migration({ "a.js": "old('y');\n", "b.js": "old('z');\n" });
  const { workspace } = context;
  const dying = new Proxy(workspace, {
    get: (target, name) => {
      if (name === "applyEdits")
        return async (...args: Parameters<typeof workspace.applyEdits>) => {
          await target.applyEdits(...args);
          throw new Error("the process died");
        };
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  const { token = "" } = await previewBatch(context, caller, { run, ...fixes });
  Object.assign(context, { workspace: dying });
  const { batch } = await runBatch(context, caller, { run, token });
  expect(await waitForBatch(context, { run, batch, waitMs: 300 })).toMatchObject({ done: false, modified: 0 });
  expect(await readFile(join(folder, "a.js"), "utf8")).toBe("fresh('y');\n");
  const second = await engine.again();
  others = [second];
  expect(await waitForBatch(second.context, { run, batch, waitMs: 10_000 })).toMatchObject({ done: true, modified: 2, left_out: 0 });
  await expectSound(second.context, run);
  expect((await undoBatch(second.context, caller, { run, waitMs: 10_000 })).record).toMatchObject({ undone: true, restored: 2 });
  expect(await readFile(join(folder, "a.js"), "utf8")).toBe("old('y');\n");
  Object.assign(context, { workspace });
});

test("a run that was given up takes no batch, and what it changed can be undone", async () => {
  const { context, caller, run, folder } = await migration({ "a.js": "old('y'); old(x);\n", "b.js": "old('z');\n" });
  await apply(run, { operation: "apply_fixes", filter: { file_patterns: ["a.js"] } });
  const { token = "" } = await previewBatch(context, caller, { run, ...fixes });
  await end(context, caller, { run, status: "cancelled", reason: "enough" });
  expect(await runBatch(context, caller, { run, token }).catch(codeOf)).toBe("RUN_ENDED");
  expect(await readFile(join(folder, "b.js"), "utf8")).toBe("old('z');\n");
  expect((await undoBatch(context, caller, { run, waitMs: 10_000 })).record).toMatchObject({ undone: true, restored: 1 });
  expect(await readFile(join(folder, "a.js"), "utf8")).toBe("old('y'); old(x);\n");
  await expectSound(context, run);
});

test("an undoing beside an agent that has the file in hand keeps its entry and opens the others", async () => {
  const { context, caller, run } = await migration({ "a.js": "old(x); old('y');\n", "b.js": "old('z');\n" });
  await apply(run);
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  const agent = another(engine, "agent");
  const before = await next(context, agent, { run });
  await undoBatch(context, caller, { run, waitMs: 10_000 });
  const after = await next(context, agent, { run });
  expect(after.standing).toMatchObject({ kind: "action", action: before.standing.kind === "action" && before.standing.action });
  await expectSound(context, run);
  let reports = 0;
  const skip = () => ((reports += 1), { status: "skipped" as const, skipReason: "s" });
  for (const each of [agent, caller]) await driveToEnd({ context, caller: each }, run, skip).catch(codeOf);
  expect(reports).toBe(3);
  await expectSound(context, run);
  expect((await gatherFacts(context, run)).instances).toMatchObject({ total: 3, skipped: 3 });
});
