import { afterEach, expect, test } from "vitest";
import { begin, driveToEnd, review, withWorkflow } from "../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../test/support/test-engine.ts";
import { next } from "../index.ts";

let engine: TestEngine;
afterEach(() => engine.close());

test.each([
  [{ "a.js": "1" }, "1 file failed, and none is left that could pass."],
  [{ "a.js": "1", "b.js": "2" }, "2 files failed, and none is left that could pass."],
])("a run of which every file failed says how many there are: %o", async (files, reason) => {
  engine = await withWorkflow(review, files);
  const { run } = await begin(engine, "review");
  await driveToEnd(engine, run, () => ({ status: "failed", error: "no" }));
  const { standing } = await next(engine.context, engine.caller, { run });
  expect(standing).toMatchObject({ kind: "blocked", code: "FILES_FAILED", reason });
});
