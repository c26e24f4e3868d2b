import { afterEach, expect, test } from "vitest";
import { begin, driveToEnd, review, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import { completeChecklist } from "./complete-checklist.ts";
import { checklistRows, gatherFacts } from "./gather-facts.ts";
import { next, report } from "../../../../engine/index.ts";
import { reopenFailed } from "./retry-checklist.ts";
import { reportCheck } from "./check-report.ts";

let engine: TestEngine;
afterEach(() => engine.close());

test("a file that failed is open again with everything that was settled because of it, and nothing else is", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "2" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  await driveToEnd(engine, run, ({ file }) => (file === "a.js" ? { status: "failed", error: "no" } : { status: "completed" }));
  expect((await gatherFacts(context, run)).files).toMatchObject({ completed: 1, blocked: 1 });
  // The file, the entry that failed, and the one behind it.
  expect(await reopenFailed(context, caller, run)).toBe(3);
  await expectSound(context, run);
  const seen: string[] = [];
  await driveToEnd(engine, run, ({ file, item }) => (seen.push(`${file} ${item}`), { status: "completed" }));
  expect(seen).toEqual(["a.js analyze", "a.js review_complete"]);
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
  expect((await gatherFacts(context, run)).files).toMatchObject({ completed: 2, blocked: 0 });
});

const optional = review.replace('description: "Analyse it", required: true', 'description: "Analyse it", required: false');

test("an entry that failed in a file that was closed opens the file with it", async () => {
  engine = await withWorkflow(optional, { "a.js": "1" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  await driveToEnd(engine, run, ({ item }) => (item === "analyze" ? { status: "failed", error: "no" } : { status: "completed" }));
  expect((await gatherFacts(context, run)).files).toMatchObject({ completed: 1, blocked: 0 });
  expect(await reopenFailed(context, caller, run)).toBe(2);
  await expectSound(context, run);
  const seen: string[] = [];
  await driveToEnd(engine, run, ({ file, item }) => (seen.push(`${file} ${item}`), { status: "completed" }));
  expect(seen).toEqual(["a.js analyze"]);
});

test("an entry that failed in a file that is in hand is open again, and the file stays in hand", async () => {
  engine = await withWorkflow(optional, { "a.js": "1" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  await reportCheck(context, caller, { run, status: "failed", error: "no" });
  await next(context, caller, { run });
  expect(await reopenFailed(context, caller, run)).toBe(1);
  expect((await gatherFacts(context, run)).files).toMatchObject({ inProgress: 1, pending: 0 });
  await expectSound(context, run);
});

test("where nothing has failed there is nothing to try again", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  const { run } = await begin(engine, "review");
  await expect(reopenFailed(engine.context, engine.caller, run)).rejects.toMatchObject({ code: "NOTHING_TO_RETRY" });
});

test("a failure is a finding until it is tried again; what was found beside it stays", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "2" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const blocked = { severity: "error", category: "blocked", description: "The build is blocked." } as const;
  const found = async (): Promise<readonly unknown[]> => {
    const rows: unknown[] = [];
    for await (const { data } of checklistRows(context, await context.runs.open(run)).findings()) rows.push(data);
    return rows;
  };
  await driveToEnd(engine, run, ({ file }) =>
    file === "a.js" ? { status: "failed", error: "no model", findings: [blocked] } : { status: "completed" },
  );
  expect((await gatherFacts(context, run)).findings).toMatchObject({ total: 2, bySeverity: { error: 2 } });
  await reopenFailed(context, caller, run);
  expect((await gatherFacts(context, run)).findings).toMatchObject({ total: 1, bySeverity: { error: 1 } });
  expect(await found()).toEqual([{ file: "a.js", ...blocked }]);
  await driveToEnd(engine, run, () => ({ status: "failed", error: "no model" }));
  expect((await gatherFacts(context, run)).findings).toMatchObject({ total: 2 });
  await reopenFailed(context, caller, run);
  await driveToEnd(engine, run, () => ({ status: "completed" }));
  const { findings, behaviour } = await gatherFacts(context, run);
  expect(findings.total).toBe(1);
  expect(behaviour.findingsByTenth.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(await found()).toEqual([{ file: "a.js", ...blocked }]);
  await expectSound(context, run);
});

test("what is blocked until a time is waited for, and has no cause to fix", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const { standing } = await next(context, caller, { run });
  if (standing.kind !== "action") throw new Error(standing.kind);
  const until = (await context.store.now()) + 60_000;
  await report(context, caller, { run, action: standing.action.id, error: "The limit is reached.", blockedUntil: until });
  const { blocked } = await gatherFacts(context, run);
  expect(blocked).toMatchObject({ until, reason: "The limit is reached." });
  expect(blocked?.ways[0]).toBe("Wait for the time, and call workflow_next then");
});
