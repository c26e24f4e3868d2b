/** What docs/checklists.md shows works as it stands there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gatherFacts, previewBatch } from "../../src/dialects/checklist/run/index.ts";
import { begin, withWorkflow } from "../support/checklist-sample.ts";
import type { TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

test("the first checklist of the page is valid and finds, classifies and fixes what it says", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/checklists.md"), "utf8");
  const [, text = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  engine = await withWorkflow(text, {
    "test/a.ts": "await sleep(0);\nawait sleep(100); // sleep(5)\nawait sleep(time);\nasleep(0);\n",
    "src/b.ts": "sleep(0);\n",
  });
  const { context, caller } = engine;
  const loaded = await context.catalog.load("no-sleep");
  expect(loaded.diagnostics).toEqual([]);
  const { run } = await begin(engine, "no-sleep");
  expect(await gatherFacts(context, run)).toMatchObject({
    files: { total: 1, withMatches: 1 },
    instances: { total: 2, open: { auto: 1, manual: 1 } },
  });
  const { plan } = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: { auto_fixable_only: true } });
  expect(plan.files.map(({ path, items }) => [path, items.map(({ before, after }) => `${before} -> ${after}`)])).toEqual([
    ["test/a.ts", ["sleep(0) -> yieldOnce(0)"]],
  ]);
});
