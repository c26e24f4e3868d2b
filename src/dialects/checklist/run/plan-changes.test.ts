import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { begin, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";
import { diffBatch } from "./plan-batch.ts";
import { next } from "../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
import { reportCheck } from "./commands/check-report.ts";

let engine: TestEngine;
afterEach(() => engine.close());

interface Wish {
  readonly original_code?: string;
  readonly proposed_code: string;
  readonly line_start?: number;
  readonly auto_applicable?: boolean;
}

/** A review whose first file was looked at with these proposals, and is in nobody's hands any more. */
async function proposed(text: string, changes: readonly Wish[]): Promise<string> {
  engine = await withWorkflow(review, { "a.js": text, "b.js": "b" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const whole = changes.map((change) => ({ auto_applicable: true, ...change }));
  await reportCheck(context, caller, { run, status: "completed", changes: whole });
  await reportCheck(context, caller, { run, status: "completed" });
  await next(context, caller, { run });
  return run;
}

const preview = (run: string) => previewBatch(engine.context, engine.caller, { run, operation: "apply_changes", filter: {} });
const leftOut = async (run: string): Promise<string[]> =>
  (await preview(run)).leftOut.map(({ file, line, reason }) => `${file}:${line} ${reason}`);

async function applied(run: string): Promise<string> {
  const { token = "" } = await preview(run);
  const { batch } = await runBatch(engine.context, engine.caller, { run, token });
  expect(await waitForBatch(engine.context, { run, batch, waitMs: 20_000 })).toMatchObject({ done: true, failed: 0 });
  return readFile(join(engine.folder, "a.js"), "utf8");
}

test("proposed changes are applied at the code they replace, whatever its line endings", async () => {
  const run = await proposed("one();\r\ntwo();\r\nthree();\r\n", [
    { original_code: "three();", proposed_code: "3();" },
    { original_code: "one();\ntwo();", proposed_code: "1();\n2();" },
  ]);
  expect(await leftOut(run)).toEqual([]);
  expect(await applied(run)).toBe("1();\r\n2();\r\n3();\r\n");
});

test("code that is there more than once is replaced at the line that is named, else left out", async () => {
  const run = await proposed("x();\ny();\nx();\n", [{ original_code: "x();", proposed_code: "z();", line_start: 3 }]);
  expect(await applied(run)).toBe("x();\ny();\nz();\n");
  await engine.close();
  const other = await proposed("x();\ny();\nx();\n", [{ original_code: "x();", proposed_code: "z();", line_start: 2 }]);
  expect(await leftOut(other)).toEqual(["a.js:2 The code it replaces is there 2 times, and not once at line 2."]);
});

test("code that is there once is replaced wherever it is", async () => {
  expect(await applied(await proposed("x();\ny();\n", [{ original_code: "y();", proposed_code: "z();", line_start: 1 }]))).toBe(
    "x();\nz();\n",
  );
});

test("what is not there, says nothing or touches another change is left out with the reason; only what is marked safe is planned", async () => {
  const run = await proposed("one(two());\n", [
    { original_code: "one(two())", proposed_code: "1" },
    { original_code: "two()", proposed_code: "2" },
    { original_code: "gone()", proposed_code: "3", line_start: 7 },
    { original_code: ";", proposed_code: "", auto_applicable: false },
  ]);
  expect(await leftOut(run)).toEqual(["a.js:0 It touches another proposed change.", "a.js:7 The code it replaces is not there any more."]);
  expect(await applied(run)).toBe("1;\n");
});

test("changes that stand side by side do not touch each other", async () => {
  const run = await proposed("ab\n", [
    { original_code: "a", proposed_code: "1" },
    { original_code: "b", proposed_code: "2" },
  ]);
  expect(await applied(run)).toBe("12\n");
});

test("changes of a file that is gone are left out", async () => {
  const run = await proposed("a();\n", [{ original_code: "a();", proposed_code: "b();", line_start: 1 }]);
  await rm(join(engine.folder, "a.js"));
  expect(await leftOut(run)).toEqual(["a.js:1 The file is gone."]);
});

test("changes of a file that somebody has in hand wait until it is free", async () => {
  engine = await withWorkflow(review, { "a.js": "a();\n" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const changes = [{ original_code: "a();", proposed_code: "b();", auto_applicable: true, line_start: 1 }];
  await reportCheck(context, caller, { run, status: "completed", changes: changes });
  await next(context, caller, { run });
  expect(await leftOut(run)).toEqual(["a.js:1 An agent is working on it."]);
});

test("the difference of a batch shows every edit, also behind characters of several bytes", async () => {
  const run = await proposed("\u00e9\u00e9 = one();\n\u4e16 = two();\n", [
    { original_code: "two()", proposed_code: "2" },
    { original_code: "one()", proposed_code: "1" },
  ]);
  const { plan } = await preview(run);
  const diff = (await diffBatch(engine.context, run, plan)).split("\n");
  expect(diff.slice(0, 2)).toEqual(["--- a/a.js", "+++ b/a.js"]);
  expect(diff.filter((line) => /^[-+][^-+]/.test(line)).toSorted()).toEqual(
    ["-\u00e9\u00e9 = one();", "-\u4e16 = two();", "+\u00e9\u00e9 = 1;", "+\u4e16 = 2;"].toSorted(),
  );
  await engine.write("a.js", "other\n");
  expect(await diffBatch(engine.context, run, plan)).toBe("--- a/a.js\n+++ b/a.js\n(changed while the difference was made)\n");
  expect(await diffBatch(engine.context, run, { ...plan, files: [] })).toBe("");
});
