import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { next, progress, type NextRequest } from "../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
import { reportCheck } from "./commands/check-report.ts";
import { undoBatch } from "./commands/undo.ts";
import { another, begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";

let engine: TestEngine;
let others: TestEngine[] = [];
afterEach(async () => {
  for (const each of others) await each.close();
  others = [];
  await engine.close();
});

test("eight agents of two processes that ask at the same moment have eight files", async () => {
  const files = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f${at}.js`, "1"]));
  engine = await withWorkflow(review, files);
  const { run } = await begin(engine, "review");
  const second = await engine.again();
  others = [second];
  const places = [engine, second];
  const agents = Array.from({ length: 8 }, (_, at) => ({ of: places[at % 2] ?? engine, name: `w${at}` }));
  const ask = () => Promise.all(agents.map(async ({ of, name }) => inHand(await next(of.context, another(of, name), { run })).file));
  const hands = await ask();
  expect(new Set(hands).size).toBe(8);
  expect(await ask()).toEqual(hands);
  await expectSound(engine.context, run);
});

test("agents that share one connection have files of their own, and each keeps its file when it asks again", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "2", "c.js": "3" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const agents = [caller, ...["w1", "w2"].map((session) => ({ ...caller, holder: { ...caller.holder, session } }))];
  const ask = async (): Promise<string[]> => {
    const files: string[] = [];
    for (const agent of agents) files.push(inHand(await next(context, agent, { run })).file);
    return files;
  };
  const hands = await ask();
  expect(hands.toSorted()).toEqual(["a.js", "b.js", "c.js"]);
  expect(await ask()).toEqual(hands);
  await expectSound(context, run);
});

test("an agent that finds everything in other hands waits for it, unless it takes over or does not want to wait", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  await next(context, caller, { run });
  const idle = another(engine, "idle");
  const waits = async (wish: Omit<NextRequest, "run">): Promise<boolean> => {
    let waited = false;
    const { standing } = await next(context, idle, { run, waitMs: 100, ...wish, onProgress: () => (waited = true) });
    expect(standing.kind).toBe("joining");
    return waited;
  };
  expect([await waits({}), await waits({ waitForOthers: false }), await waits({ takeOver: true })]).toEqual([true, false, false]);
});

test("files are shared out to their end by agents that report at the same time", async () => {
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}.js`, "1"]));
  engine = await withWorkflow(review, files);
  const { run } = await begin(engine, "review");
  const second = await engine.again();
  others = [second];
  const agents = [engine, second, engine, second].map((of, at) => ({ context: of.context, caller: another(of, `w${at}`) }));
  // Whoever comes first has the end in hand; the others are told so.
  const codes = new Set<string>();
  const work = (agent: (typeof agents)[number]) =>
    driveToEnd(agent, run, () => ({ status: "completed" })).catch((error: unknown) => void codes.add((error as { code: string }).code));
  await Promise.all(agents.map(work));
  for (const agent of [...agents, engine]) await work(agent);
  expect([...codes].filter((code) => code !== "STRAND_HELD")).toEqual([]);
  await expectSound(engine.context, run);
  const { state } = await engine.context.runs.open(run);
  expect(state.lists["files"]?.by).toMatchObject({ completed: 36, pending: 0, in_progress: 0 });
});

test("the file of an agent that was lost is handed on with the same entry, and the late report changes nothing", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "2" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const lost = { ...another(engine, "lost"), leaseTtlMs: 1 };
  const before = await next(context, lost, { run });
  expect(inHand(before)).toMatchObject({ file: "b.js", item: "analyze" });
  await reportCheck(context, lost, { run, status: "completed", result: "read" });
  const last = await next(context, lost, { run });
  const id = last.standing.kind === "action" ? last.standing.action.id : "";
  expect(inHand(last)).toMatchObject({ file: "b.js", item: "review_complete" });
  await sleep(5);
  const heir = another(engine, "heir");
  const after = await next(context, heir, { run });
  expect(inHand(after)).toMatchObject({ file: "b.js", item: "review_complete" });
  expect(after.standing.kind === "action" ? after.standing.action.id : id).not.toBe(id);
  await expect(reportCheck(context, lost, { run, actionId: id, status: "completed", result: "read" })).rejects.toMatchObject({
    code: "ENGINE_OFF_COURSE",
  });
  expect(inHand(await next(context, heir, { run }))).toMatchObject({ file: "b.js", item: "review_complete" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js" });
  await expectSound(context, run);
});

test("a completion that is refused settles nothing of what others have in hand", async () => {
  const loose = review.replace(
    "require_all_files: true, require_all_checklist_items: true",
    "require_all_files: false, require_all_checklist_items: false",
  );
  engine = await withWorkflow(loose, { "a.js": "1", "b.js": "2", "c.js": "3" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const second = another(engine, "second");
  await next(context, second, { run });
  const handle = await context.runs.open(run);
  const before = handle.state.lists["files"]?.by;
  await expect(completeChecklist(context, caller, run, 50)).rejects.toMatchObject({ code: "RUN_NOT_DONE" });
  expect(handle.state.lists["files"]?.by).toEqual(before);
  await driveToEnd({ context, caller: second }, run, () => ({ status: "completed" }));
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
  await expectSound(context, run);
});

test("what an undoing opens while the end is reported is worked on, and the run can be completed after it", async () => {
  engine = await withWorkflow(oldCalls, { "a.js": "old('y');\n", "b.js": "old('z');\n" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  await waitForBatch(context, { run, batch, waitMs: 10_000 });
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
  const complete = () =>
    completeChecklist(context, caller, run).then(
      ({ state }) => state.status,
      (error: unknown) => (error as { readonly code: string }).code,
    );
  const [first, undone, second] = await Promise.all([complete(), undoBatch(context, caller, { run, waitMs: 10_000 }), complete()]);
  expect(undone.record.undone).toBe(true);
  // Either the end came first, then nothing can be opened any more, or both reports of it are refused.
  const ended = first === "completed";
  expect(second).toBe(ended ? "completed" : "RUN_NOT_DONE");
  expect(await driveToEnd(engine, run, () => ({ status: "skipped", skipReason: "s" }))).toBe(ended ? 0 : 2);
  expect(await complete()).toBe("completed");
  await expectSound(context, run);
});
