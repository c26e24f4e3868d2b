import { afterEach, expect, test } from "vitest";
import { begin, oldCalls, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";
import { previewBatch, runBatch, type BatchRequest } from "./commands/batch.ts";
import { progress } from "../../../engine/index.ts";
import { stepName } from "./plan-batch.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function migration(files: Readonly<Record<string, string>>) {
  const opened = await withWorkflow(oldCalls, files);
  engine = opened;
  const { context, caller } = opened;
  const { run } = await begin(opened, "old-calls");
  const preview = (filter: BatchRequest["filter"], more: Partial<BatchRequest> = {}) =>
    previewBatch(context, caller, { run, operation: "apply_fixes", filter, ...more });
  return { run, context, caller, preview, engine: opened };
}

test("a plan has every certain rewrite in order, and says of the others why they are left out", async () => {
  const { preview } = await migration({ "a.js": "old('x'); old(y);\nold('z');\n" });
  const { plan, leftOut, token } = await preview({});
  expect(plan).toMatchObject({
    operation: "apply_fixes",
    instances: 2,
    byType: { text: 2 },
    files: [
      {
        path: "a.js",
        items: [
          { line: 1, type: "text", before: "old('x')", after: "fresh('x')" },
          { line: 2, type: "text", before: "old('z')", after: "fresh('z')" },
        ],
      },
    ],
  });
  expect(plan).not.toHaveProperty("workflow");
  expect(plan).not.toHaveProperty("reason");
  expect(leftOut).toEqual([{ file: "a.js", line: 1, reason: expect.any(String) as string }]);
  expect(token).toContain("-2-");
});

test("every part of a filter narrows what a batch is about", async () => {
  const { preview } = await migration({ "a.js": "old('x');\nold(y);\n", "sub/b.js": "old('z');\n" });
  const about = async (filter: BatchRequest["filter"]): Promise<string[]> => {
    const { plan } = await preview(filter, { operation: "flag_for_review", reason: "r" });
    return plan.files.flatMap(({ path, items }) => items.map(({ line, before }) => `${path}:${line} ${before}`));
  };
  expect(await about({})).toEqual(["a.js:1 old('x')", "a.js:2 old(y)", "sub/b.js:1 old('z')"]);
  expect(await about({ auto_fixable_only: true })).toEqual(["a.js:1 old('x')", "sub/b.js:1 old('z')"]);
  expect(await about({ auto_fixable_only: false, file_patterns: ["a.*"] })).toEqual(["a.js:1 old('x')", "a.js:2 old(y)"]);
  expect(await about({ instance_types: ["other"] })).toEqual(["a.js:2 old(y)"]);
  expect(await about({ instance_types: ["text"], file_patterns: ["sub/**"] })).toEqual(["sub/b.js:1 old('z')"]);
  expect(await about({ status: "failed" })).toEqual([]);
});

test("what is gone, flagged or in somebody's hands is left out", async () => {
  const { run, context, caller, preview, ...rest } = await migration({
    "a.js": "old('x');\n",
    "b.js": "old('y');\n",
    "c.js": "old('z');\n",
  });
  const { token = "" } = await preview({ file_patterns: ["b.js"] }, { operation: "flag_for_review", reason: "odd" });
  await runBatch(context, caller, { run, token });
  await progress(context, caller, { run, result: "review_by_file" });
  await rest.engine.write("c.js", "quiet();\n");
  const { plan, leftOut } = await preview({ status: "pending" });
  expect(plan.instances).toBe(0);
  expect(leftOut.toSorted((a, b) => (a.file < b.file ? -1 : 1))).toEqual([
    { file: "b.js", line: 1, reason: "It is flagged for review." },
    { file: "c.js", line: 1, reason: "It is no longer there." },
  ]);
  expect((await preview({ status: "in_progress" })).leftOut).toEqual([{ file: "a.js", line: 1, reason: "An agent is working on it." }]);
});

test("a filter that names what the run does not have is told what it has", async () => {
  const { preview } = await migration({ "a.js": "old('x');\nold(y);\n" });
  const note = async (filter: BatchRequest["filter"]) => (await preview({ file_patterns: ["none"], ...filter })).note;
  expect(await note({ instance_types: ["odd", "text", "strange"] })).toMatch(
    /^There is no type `odd`, `strange` here; there are (text, other|other, text)\.$/,
  );
  expect(await note({ guide: "g" })).toBe("There is no guide `g` here.");
  expect(await note({ version_step: "23->24", guide: "g" })).toBe("There is no guide `g` here. There is no version step `BC23-BC24` here.");
  expect(await note({ instance_types: ["text"] })).toBeUndefined();
});

test("where the scan found nothing a preview says so", async () => {
  const { preview } = await migration({ "a.js": "quiet();\n" });
  expect((await preview({ instance_types: ["text"] })).note).toBe("The scan found no instances at all.");
});

test("a version step may be written in several ways", () => {
  expect(["BC23→BC24", "23->24", "BC23-24", "23.5 to 24.0", "BC23", "next"].map(stepName)).toEqual([
    "BC23-BC24",
    "BC23-BC24",
    "BC23-BC24",
    "BC23-BC24",
    "BC23",
    "next",
  ]);
});
