import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { begin, oldCalls } from "../../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../../test/support/checklist-sound.ts";
import { DrivenTime } from "../../../../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../../../../test/support/test-engine.ts";
import { end, journal, progress, type EngineContext } from "../../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch } from "./batch.ts";
import { undoBatch } from "./undo.ts";

let engine: TestEngine;
afterEach(() => engine.close());

async function applied(
  files: Readonly<Record<string, string>>,
  time?: DrivenTime,
): Promise<{ readonly run: string; readonly batch: string }> {
  engine = await openTestEngine({ ".waymark/workflows/old-calls.workflow.yaml": oldCalls, ...files }, {}, time);
  const { context, caller } = engine;
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  const { token = "" } = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const { batch } = await runBatch(context, caller, { run, token });
  await waitForBatch(context, { run, batch, waitMs: 20_000 });
  return { run, batch };
}

const text = (path: string): Promise<string> => readFile(join(engine.folder, path), "utf8");
const undo = (run: string, batch?: string, context: EngineContext = engine.context) =>
  undoBatch(context, engine.caller, { run, waitMs: 20_000, ...(batch === undefined ? {} : { batch }) });

/** The engine with a store of which some answers are given here. */
function answering(answers: Partial<EngineContext["store"]>): EngineContext {
  const store = new Proxy(engine.context.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(answers, name) ?? Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return Object.create(engine.context, { store: { value: store } }) as EngineContext;
}

test("an undoing names the files it restored and leaves those that somebody changed since", async () => {
  const { run, batch } = await applied({ "a.js": "old('x');\n", "b.js": "old('y');\n", "c.js": "quiet();\n" });
  await engine.write("b.js", "mine();\n");
  expect(await undo(run)).toMatchObject({
    batch,
    restored: ["a.js"],
    finished: true,
    record: { restored: 1, not_restored: [{ file: "b.js" }] },
  });
  expect([await text("a.js"), await text("b.js")]).toEqual(["old('x');\n", "mine();\n"]);
  await expectSound(engine.context, run);
});

test("a batch that was undone is not undone again", async () => {
  const { run, batch } = await applied({ "a.js": "old('x');\n" });
  const { record } = await undo(run, batch);
  expect(record).toMatchObject({ undone: true, undo_runs: 1 });
  expect(await undo(run, batch)).toEqual({ batch, record, restored: [], finished: true });
  await expect(undo(run)).rejects.toMatchObject({ code: "ENGINE_NO_BATCH", fix: `Its batches: ${batch} apply_fixes (undone).` });
});

test("an undoing is answered as soon as it is done, without a moment of the time that was given for it", { timeout: 15_000 }, async () => {
  const { run } = await applied({ "a.js": "old('x');\n", "b.js": "old('y');\n" }, new DrivenTime());
  await engine.write("b.js", "mine();\n");
  expect(await undo(run)).toMatchObject({ restored: ["a.js"], finished: true, record: { undone: false, undo_runs: 1 } });
  await engine.write("b.js", "fresh('y');\n");
  expect(await undo(run)).toMatchObject({ finished: true, record: { undone: true, undo_runs: 2 } });
});

test("an undoing that is still under way when the time is up has restored nothing yet", async () => {
  const { run, batch } = await applied({ "a.js": "old('x');\n" });
  const row = await engine.context.store.readItem(run, "batches", batch);
  const early = answering({ readItem: () => Promise.resolve(row) });
  expect(await undoBatch(early, engine.caller, { run, waitMs: 0 })).toMatchObject({ restored: [], finished: false });
});

test("a process that has not seen yet that another one undid the batch does not undo it again", async () => {
  const { run, batch } = await applied({ "a.js": "old('x');\n" });
  const { store } = engine.context;
  const before = await store.selectItems(run, { list: "batches", query: {}, limit: 10 });
  await undo(run, batch);
  const { head } = await engine.context.runs.open(run);
  const late = answering({
    selectItems: (...args) => (args[1].list === "batches" ? Promise.resolve(before) : store.selectItems(...args)),
  });
  expect(await undo(run, batch, late)).toMatchObject({ restored: [], finished: true, record: { undone: true, undo_runs: 1 } });
  expect((await journal(engine.context, run, head, 100)).map(({ cause }) => cause)).toEqual([]);
});

test("a batch that does not exist, or edited nothing, is refused with those that there are", async () => {
  const { run, batch } = await applied({ "a.js": "old('x');\n", "b.js": "old(y);\n" });
  await expect(undo(run, "b9")).rejects.toMatchObject({
    code: "ENGINE_NO_BATCH",
    message: `Run \`${run}\` has no batch \`b9\` that edited files.`,
    fix: `Its batches: ${batch} apply_fixes.`,
  });
});

test("a run without a batch says that nothing was changed", async () => {
  engine = await openTestEngine({ ".waymark/workflows/old-calls.workflow.yaml": oldCalls, "a.js": "old('x');\n" });
  const { run } = await begin(engine, "old-calls");
  await expect(undo(run)).rejects.toMatchObject({ code: "ENGINE_NO_BATCH", fix: "Nothing was changed by a batch in this run." });
});

test("a run that is not of a checklist has nothing to undo, and says why", async () => {
  const steps = "name: plain\nsteps: [{ id: a, type: user_message, message: x }]\n";
  engine = await openTestEngine({ ".waymark/workflows/plain.yaml": steps });
  const { run } = await begin(engine, "plain");
  await expect(undo(run)).rejects.toMatchObject({ code: "ENGINE_NOT_A_CHECKLIST" });
});

test("the batch of a run that has ended is undone, and nothing of it is open afterwards", async () => {
  const { run } = await applied({ "a.js": "old('x');\n" });
  await end(engine.context, engine.caller, { run, status: "cancelled", reason: "enough" });
  expect(await undo(run)).toMatchObject({ restored: ["a.js"], finished: true, record: { undone: true } });
  expect(await text("a.js")).toBe("old('x');\n");
  const { state } = await engine.context.runs.open(run);
  expect(state.lists["files"]?.by).toMatchObject({ pending: 0, in_progress: 0 });
  await expectSound(engine.context, run);
});
