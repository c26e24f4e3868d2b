import { afterEach, expect, test } from "vitest";
import { begin, driveToEnd, oldCalls, review, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import { completeChecklist } from "./complete-checklist.ts";
import { gatherFacts } from "./gather-facts.ts";
import { next, progress } from "../../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch } from "./batch.ts";
import { reportCheck } from "./check-report.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const phasesOf = ({ phases }: Awaited<ReturnType<typeof gatherFacts>>): string[] => phases.map(({ id, status }) => `${id} ${status}`);

test("the facts of a migration follow it from the scan over a batch to its end", async () => {
  engine = await withWorkflow(oldCalls, { "a.js": "old('x');\nold(y);\n", "b.js": "quiet();\n" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "old-calls");
  const asked = await gatherFacts(context, run);
  expect(asked).toMatchObject({
    run,
    workflow: { type: "old-calls", name: "Old calls" },
    files: { total: 2, pending: 1, inProgress: 0, completed: 1, skipped: 0, blocked: 0, outOfScope: 0, withMatches: 1, changed: 0 },
    instances: { total: 2, pending: 2, inProgress: 0, completed: 0, skipped: 0, failed: 0, autoFixed: 0, byHand: 0, flagged: 0 },
    topics: { applied: 0, pending: 0, skipped: 0, failed: 0, suggested: 0, byAgent: 0 },
    findings: { total: 0, bySeverity: { critical: 0, error: 0, warning: 0, info: 0 } },
    changes: { total: 0, applied: 0, failed: 0, pending: 0, autoApplicable: 0 },
    batches: [],
    options: { scope: "workspace", path: "" },
  });
  expect(asked.instances?.open).toEqual({ auto: 1, review: 0, manual: 1 });
  expect(asked).not.toHaveProperty("verification");
  expect(asked).not.toHaveProperty("called");
  await progress(context, caller, { run, result: "apply_auto_first" });
  const { token = "" } = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const { batch } = await runBatch(context, caller, { run, token });
  await waitForBatch(context, { run, batch, waitMs: 20_000 });
  const fixed = await gatherFacts(context, run);
  expect(fixed).toMatchObject({
    files: { total: 2, pending: 1, completed: 1, changed: 1 },
    instances: { pending: 1, completed: 1, autoFixed: 1, byHand: 0, open: { auto: 0, review: 0, manual: 1 } },
  });
  expect(fixed.batches).toEqual([
    {
      id: batch,
      operation: "apply_fixes",
      at: expect.any(Number) as number,
      previewed: 1,
      modified: 1,
      failed: 0,
      leftOut: 0,
      files: 1,
      undone: false,
      remaining: 0,
    },
  ]);
  expect(phasesOf(fixed)).toContain("batch_auto in_progress");
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  await next(context, caller, { run });
  const inHand = await gatherFacts(context, run);
  expect(inHand).toMatchObject({ files: { inProgress: 1, completed: 1 }, instances: { inProgress: 1, pending: 0 } });
  expect(phasesOf(inHand)).toEqual([
    "inventory completed",
    "scan completed",
    "batch_auto completed",
    "manual_review in_progress",
    "verification pending",
    "summary pending",
  ]);
  expect(inHand.inHand).toEqual([
    { file: "a.js", holder: "tester", item: expect.any(String) as string, strand: expect.stringMatching(/^s\d+$/) as string },
  ]);
  await driveToEnd(engine, run, () => ({ status: "skipped", skipReason: "s" }));
  await completeChecklist(context, caller, run);
  const end = await gatherFacts(context, run);
  expect(end).toMatchObject({
    status: "completed",
    files: { total: 2, pending: 0, inProgress: 0, completed: 2 },
    instances: { total: 2, completed: 1, skipped: 1, open: { auto: 0, review: 0, manual: 0 } },
    verification: { compiled: false, commands: [], remaining: 0 },
  });
  expect(phasesOf(end).every((phase) => phase.endsWith(" completed"))).toBe(true);
  expect(end.endedAt).toBeGreaterThanOrEqual(end.createdAt);
});

test("findings, proposed changes and topics of a review are counted by their kinds", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "2" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  await reportCheck(context, caller, {
    run,
    status: "completed",
    findings: [
      { severity: "warning", description: "odd", line: 1 },
      { severity: "error", description: "bad", line: 1 },
      { severity: "warning", description: "odd too", line: 1 },
    ],
    changes: [
      { original_code: "1", proposed_code: "2", auto_applicable: true },
      { original_code: "1", proposed_code: "3" },
    ],
    topics: [
      { topic: "general/async-errors", relevance: 0.9 },
      { topic: "general/input-validation", relevance: 0.1 },
    ],
  });
  await next(context, caller, { run });
  const facts = await gatherFacts(context, run);
  expect(facts).toMatchObject({
    findings: { total: 3, bySeverity: { critical: 0, error: 1, warning: 2, info: 0 } },
    changes: { total: 2, applied: 0, failed: 0, pending: 2, autoApplicable: 1 },
    topics: { applied: 0, pending: 1, skipped: 0, failed: 0, byAgent: 1 },
    entries: { total: 4, by: { completed: 1 } },
  });
  expect(facts).not.toHaveProperty("instances");
  await reportCheck(context, caller, { run, status: "skipped", skipReason: "known" });
  expect((await gatherFacts(context, run)).topics).toMatchObject({ applied: 0, pending: 0, skipped: 1 });
});

test("the facts tell once what could not be found or read, and nothing where all was well", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "\0\0\0", "c.js": "\0\0" });
  const { context } = engine;
  const well = await begin(engine, "review", { scope: "files", path: "a.js" });
  expect(await gatherFacts(context, well.run)).not.toHaveProperty("problems");
  const one = await begin(engine, "review", { scope: "files", path: "a.js,b.js,gone.js,gone.js" });
  expect((await gatherFacts(context, one.run)).problems).toEqual([expect.stringContaining("gone.js"), "SCAN_BINARY: 1 file"]);
  const two = await begin(engine, "review", { scope: "files", path: "b.js,c.js" });
  expect((await gatherFacts(context, two.run)).problems).toEqual(["SCAN_BINARY: 2 files"]);
});
