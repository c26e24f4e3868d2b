import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { answer, next, progress } from "../../../engine/index.ts";
import { checklistOf } from "./checklist-run.ts";
import { checklistRows, gatherFacts } from "./commands/gather-facts.ts";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
import { reopenFailed } from "./commands/retry-checklist.ts";
import { reportCheck } from "./commands/check-report.ts";
import { undoBatch } from "./commands/undo.ts";
import { checklistReport, sessionJson, sharedSession, statusReply } from "../views/index.ts";
import { begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";

/** Finds calls of old() and asks nobody which way to go; it has no batch of its own in its phases. */
const audit = oldCalls.replace("type: old-calls", "type: audit").replace(/^ {2}- \{ id: batch_auto.*\n/m, "");
const calling = review.replace("completion_rules:", "sub_workflows: [audit]\ncompletion_rules:");
const called = { ".waymark/workflows/audit.workflow.yaml": audit };

let engine: TestEngine;
afterEach(() => engine.close());

async function open(files: Readonly<Record<string, string>>, text = calling): Promise<string> {
  engine = await withWorkflow(text, { ...files, ...called });
  return (await begin(engine, "review")).run;
}

/** Both of the run's own entries for every file. */
async function ownFiles(run: string, count: number): Promise<void> {
  for (let entry = 0; entry < count * 2; entry += 1) {
    await next(engine.context, engine.caller, { run });
    await reportCheck(engine.context, engine.caller, { run, status: "completed", result: "read" });
  }
  await next(engine.context, engine.caller, { run });
}

async function text(parts: AsyncIterable<string>): Promise<string> {
  let all = "";
  for await (const part of parts) all += part;
  return all;
}

describe("files and instances of a called workflow", () => {
  test("are counted in status, report, measures, session and status bar, before it begins, while it is at work and at the end", async () => {
    const run = await open({ "a.js": "old('1');\nold(x);\n", "b.js": "1\n" });
    const { context, caller } = engine;
    const before = await gatherFacts(context, run);
    expect(before.called).toMatchObject([{ type: "audit", status: "pending", files: { total: 0 } }]);
    await ownFiles(run, 2);
    const facts = await gatherFacts(context, run);
    expect(facts.files).toMatchObject({ total: 2, completed: 2 });
    expect(facts.called).toMatchObject([
      { type: "audit", status: "in_progress", files: { total: 2, completed: 1, inProgress: 1 }, instances: { total: 2, inProgress: 1 } },
    ]);
    expect(facts.phases.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "pending"]);
    expect(facts.inHand).toMatchObject([{ file: "a.js" }]);
    const status = statusReply(facts);
    expect(status.data).toMatchObject({
      progress: { files_total: 2, files_completed: 2, percent_complete: 66.7 },
      called_workflows: [{ workflow_type: "audit", status: "in_progress", files_total: 2, files_completed: 1, instances_remaining: 2 }],
    });
    expect(status.text).toContain("Called: audit 1/2 files, 2 instances left");
    expect(sharedSession(facts)).toMatchObject({ filesTotal: 4, filesCompleted: 3, currentFile: "a.js" });
    await expect(completeChecklist(context, caller, run)).rejects.toMatchObject({ code: "RUN_NOT_DONE", details: { open: 4 } });
    await reportCheck(context, caller, { run, status: "skipped", skipReason: "it is generated" });
    await driveToEnd(engine, run, () => ({ status: "failed", error: "nobody knows how" }));
    await completeChecklist(context, caller, run);
    const end = await gatherFacts(context, run);
    expect(end.called).toMatchObject([{ status: "completed", instances: { skipped: 1, failed: 1, pending: 0 } }]);
    const rows = checklistRows(context, await context.runs.open(run));
    const report = await text(checklistReport(end, rows, { format: "markdown" }));
    expect(report).toContain("it is generated");
    expect(report).toContain("nobody knows how");
    expect(report).toMatch(/\| audit +\| completed/);
    const session = JSON.parse(await text(sessionJson(end, rows))) as { called_workflows: unknown };
    expect(session.called_workflows).toMatchObject([{ workflow_type: "audit", file_inventory: [{ path: "a.js" }, { path: "b.js" }] }]);
  });

  test("that failed are open again after a retry, also when the run only waits for its end", async () => {
    const run = await open({ "a.js": "old(x);\n", "b.js": "1\n" });
    const { context, caller } = engine;
    await ownFiles(run, 2);
    await reportCheck(context, caller, { run, status: "failed", error: "not now" });
    expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
    expect(await reopenFailed(context, caller, run)).toBeGreaterThan(0);
    expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "check", file: "a.js" });
    await expectSound(context, run);
    await driveToEnd(engine, run, () => ({ status: "skipped", skipReason: "s" }));
    expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
  });

  test("a file that appears or changes while the run waits for its end is gone through by the called workflow too", async () => {
    const run = await open({ "a.js": "1\n" });
    const { context, caller } = engine;
    await ownFiles(run, 1);
    expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "complete_workflow" });
    await writeFile(join(engine.folder, "a.js"), "old(x);\n");
    await writeFile(join(engine.folder, "b.js"), "old(y);\n");
    await expect(completeChecklist(context, caller, run)).rejects.toMatchObject({ code: "RUN_NOT_DONE" });
    const seen: string[] = [];
    await driveToEnd(engine, run, ({ file, item, type }) => {
      seen.push(`${file} ${type === "other" ? "instance" : item}`);
      return type === "other" ? { status: "skipped", skipReason: "s" } : { status: "completed" };
    });
    expect(seen).toEqual(expect.arrayContaining(["a.js instance", "b.js instance", "b.js analyze"]));
    await expectSound(context, run);
    expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
    expect((await gatherFacts(context, run)).called).toMatchObject([{ files: { total: 2 }, instances: { total: 2, skipped: 2 } }]);
  });
});

describe("a batch over a called workflow", () => {
  test("is about the workflow at work unless another is named, and is undone in its own lists", async () => {
    const run = await open({ "a.js": "old('1');\n", "b.js": "old('2');\nold(x);\n" });
    const { context, caller } = engine;
    const preview = (filter = {}): ReturnType<typeof previewBatch> =>
      previewBatch(context, caller, { run, operation: "apply_fixes", filter });
    await expect(preview({ workflow: "audit" })).rejects.toMatchObject({ code: "ENGINE_BAD_VALUE", message: /has not begun/ });
    await expect(preview({ workflow: "adit" })).rejects.toMatchObject({ fix: "Its workflows are `review`, `audit`." });
    await ownFiles(run, 2);
    expect((await preview({ workflow: "review" })).plan.instances).toBe(0);
    const { plan, token = "", leftOut } = await preview();
    // The one of a.js is in the caller's own hands.
    expect([plan.workflow, plan.instances, plan.files[0]?.path]).toEqual(["audit", 1, "b.js"]);
    expect(leftOut).toMatchObject([{ file: "b.js", line: 2 }]);
    const { batch } = await runBatch(context, caller, { run, token });
    expect(await waitForBatch(context, { run, batch, waitMs: 10_000 })).toMatchObject({ modified: 1, failed: 0, left_out: 0 });
    expect(await readFile(join(engine.folder, "b.js"), "utf8")).toBe("fresh('2');\nold(x);\n");
    await expectSound(context, run);
    expect((await gatherFacts(context, run)).called).toMatchObject([{ instances: { autoFixed: 1, completed: 1 } }]);
    await undoBatch(context, caller, { run, waitMs: 10_000 });
    expect(await readFile(join(engine.folder, "b.js"), "utf8")).toBe("old('2');\nold(x);\n");
    await expectSound(context, run);
    expect((await gatherFacts(context, run)).called).toMatchObject([{ instances: { autoFixed: 0, completed: 0 } }]);
    await driveToEnd(engine, run, () => ({ status: "skipped", skipReason: "s" }));
    expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
    await expectSound(context, run);
  });

  test("skips and flags are made in its lists", async () => {
    const run = await open({ "a.js": "1\n", "b.js": "old(x);\n", "c.js": "old(y);\n" });
    const { context, caller } = engine;
    await ownFiles(run, 3);
    const filter = { file_patterns: ["c.js"] };
    const { token = "" } = await previewBatch(context, caller, { run, operation: "skip_instances", filter, reason: "c is old" });
    await runBatch(context, caller, { run, token });
    expect((await gatherFacts(context, run)).called).toMatchObject([{ instances: { skipped: 1 } }]);
    await expectSound(context, run);
  });
});

test("the list of files is read once for a scan, however many chunks it has", async () => {
  const files = Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`f${at}.js`, "1"]));
  engine = await withWorkflow(review, files);
  const read = vi.spyOn(engine.context.store, "readBlob");
  const { run } = await begin(engine, "review");
  expect((await gatherFacts(engine.context, run)).files.total).toBe(1_100);
  const inventory = checklistOf(await engine.context.runs.open(run))?.raw["inventory"] as { readonly files: string };
  expect(read.mock.calls.filter(([hash]) => hash === inventory.files)).toHaveLength(1);
  read.mockRestore();
});

test("a filter that names what is not there is answered with what there is", async () => {
  engine = await withWorkflow(oldCalls, { "a.js": "old('1');\n" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "old-calls");
  const note = async (filter: object): Promise<string | undefined> =>
    (await previewBatch(context, caller, { run, operation: "apply_fixes", filter })).note;
  expect(await note({ instance_types: ["texts"] })).toBe("There is no type `texts` here; there are text.");
  expect(await note({ guide: "g", version_step: "23->24" })).toBe("There is no guide `g` here. There is no version step `BC23-BC24` here.");
  expect(await note({ file_patterns: ["nowhere/**"] })).toBeUndefined();
});

describe("facts follow the files", () => {
  test("out of scope is counted again when files appear and vanish", async () => {
    engine = await withWorkflow(review, { "a.js": "1", "b.js": "2", "c.js": "3" });
    const { context, caller } = engine;
    const { run } = await begin(engine, "review", { options: { max_files: 2 } });
    expect((await gatherFacts(context, run)).files).toMatchObject({ total: 2, outOfScope: 1 });
    await writeFile(join(engine.folder, "d.js"), "4");
    await writeFile(join(engine.folder, "e.js"), "5");
    await rm(join(engine.folder, "c.js"));
    await driveToEnd(engine, run, () => ({ status: "completed" }));
    expect((await gatherFacts(context, run)).files).toMatchObject({ total: 2, outOfScope: 2 });
    await rm(join(engine.folder, "d.js"));
    await rm(join(engine.folder, "e.js"));
    await completeChecklist(context, caller, run);
    expect((await gatherFacts(context, run)).files).toMatchObject({ total: 2, outOfScope: 0 });
  });

  test("files that changed are counted, whoever changed them, and no longer when they are as they were", async () => {
    engine = await withWorkflow(oldCalls, { "a.js": "old('1');\n", "b.js": "old(x);\n", "c.js": "1\n" });
    const { context, caller } = engine;
    const { run } = await begin(engine, "old-calls");
    await progress(context, caller, { run, result: "apply_auto_first" });
    const { token = "" } = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
    const { batch } = await runBatch(context, caller, { run, token });
    await waitForBatch(context, { run, batch, waitMs: 10_000 });
    expect((await gatherFacts(context, run)).files.changed).toBe(1);
    await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
    await next(context, caller, { run });
    await writeFile(join(engine.folder, "b.js"), "fresh(x);\n");
    await reportCheck(context, caller, { run, status: "completed", result: "read" });
    await driveToEnd(engine, run, () => ({ status: "completed" }));
    const facts = await gatherFacts(context, run);
    expect(facts.files.changed).toBe(2);
    expect(facts.verification).toMatchObject({ compiled: false, rescanned: 2, remaining: 0 });
    const rows = checklistRows(context, await context.runs.open(run));
    expect(await text(checklistReport(facts, rows, { format: "markdown" }))).toMatch(/2 files were changed and nothing was compiled/);
    await expectSound(context, run);
    await undoBatch(context, caller, { run, waitMs: 10_000 });
    expect((await gatherFacts(context, run)).files.changed).toBe(1);
    await expectSound(context, run);
  });

  test("a run that waits for a person's answer is paused, and goes on with it", async () => {
    engine = await withWorkflow(review.replace("id: topics, name: Topics,", "id: topics, name: Topics, hard_stop: true,"), { "a.js": "1" });
    const { context, caller } = engine;
    const { run } = await begin(engine, "review");
    expect((await gatherFacts(context, run)).paused).toBe(false);
    await reportCheck(context, caller, { run, status: "completed", result: "read" });
    const { standing } = await next(context, caller, { run });
    const facts = await gatherFacts(context, run);
    expect([standing.kind, facts.paused, sharedSession(facts).status]).toEqual(["question", true, "paused"]);
    const person = { ...caller, holder: { kind: "person" as const, name: "ada", session: "ada" }, surface: "cli-terminal" };
    const decision = standing.kind === "question" ? standing.decision.id : "";
    await answer(context, person, { run, decision, answer: "go_on", relayed: false });
    await next(context, caller, { run });
    expect((await gatherFacts(context, run)).paused).toBe(false);
  });
});
