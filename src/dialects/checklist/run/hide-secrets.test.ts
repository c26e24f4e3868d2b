import { afterEach, expect, test } from "vitest";
import { begin, oldCalls, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";
import { next, progress } from "../../../engine/index.ts";
import { describeCheck } from "./describe-check.ts";
import { previewBatch } from "./commands/batch.ts";
import { diffBatch } from "./plan-batch.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const secret = "hunter2hunter2hunter2";
const withSecrets = oldCalls.replace(
  "    - id: old-call\n",
  `    - id: password\n      regex: "password = '(?<secret>[^']+)'"\n      secret: true\n      severity: critical\n    - id: old-call\n`,
);
const file = `const password = '${secret}';\nold('x');\nold(y); // ${secret}\n`;

test("a secret is in no hand-out, no preview, no difference and no row, also beside another instance", async () => {
  engine = await withWorkflow(withSecrets, { "a.js": file });
  const { context, caller } = engine;
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  const said: unknown[] = [];
  for (let entry = 0; entry < 3; entry += 1) {
    const { standing } = await next(context, caller, { run });
    if (standing.kind !== "action") break;
    said.push(standing.shown, await describeCheck(context, await context.runs.open(run), standing.action));
    await progress(context, caller, { run, action: standing.action.id, result: { status: "skipped", skip_reason: "as it is" } });
  }
  expect(JSON.stringify(said)).toContain("const password = 'hunt***");
  const { run: batched } = await begin(engine, "old-calls");
  const preview = await previewBatch(context, caller, { run: batched, operation: "apply_fixes", filter: {} });
  const diff = await diffBatch(context, batched, preview.plan);
  expect(diff).toContain("+fresh('x')");
  expect(diff).toContain("password = 'hunt***'");
  const rows = await context.store.selectItems(batched, { list: "files", query: {}, limit: 100 });
  expect(rows.filter(({ facets }) => facets["pattern"] === "password")).toHaveLength(1);
  expect(JSON.stringify([said, preview, diff, rows])).not.toContain(secret);
});
