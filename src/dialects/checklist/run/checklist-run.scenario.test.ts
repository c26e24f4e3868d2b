import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gatherFacts } from "./commands/gather-facts.ts";
import { next, progress, start } from "../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
import { reportCheck } from "./commands/check-report.ts";
import { undoBatch } from "./commands/undo.ts";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";

const root = join(import.meta.dirname, "../../../..");
let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function sample(name: string, workflow: string): Promise<TestEngine> {
  const text = await readFile(join(root, "workflows", `${workflow}.workflow.yaml`), "utf8");
  const opened = await openTestEngine({ [`.waymark/workflows/${workflow}.workflow.yaml`]: text });
  await cp(join(root, "examples", name), opened.folder, { recursive: true });
  engine = opened;
  return opened;
}

/** Every byte of the sample's files, by path. */
async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(folder, "src"), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) found[join(entry.parentPath, entry.name)] = (await readFile(join(entry.parentPath, entry.name))).toString("hex");
  return found;
}

test("an error migration from the scan to the end", async () => {
  const { context, caller, folder } = await sample("sample-al-app", "error-to-errorinfo-migration");
  const before = await contents(folder);
  const position = await start(context, caller, { workflow: "error-to-errorinfo-migration" });
  const run = position.run;
  expect(position.standing).toMatchObject({ kind: "question", decision: { step: "approach" } });
  const facts = await gatherFacts(context, run);
  const { position: after } = await progress(context, caller, { run, result: "apply_auto_first" });
  expect(after.standing).toMatchObject({ kind: "action", action: { what: "batch_apply" } });
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: { auto_fixable_only: true } });
  expect(preview.plan.instances).toBe(facts.instances?.open.auto);
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  const record = await waitForBatch(context, { run, batch, waitMs: 20_000 });
  expect(record).toMatchObject({ done: true, modified: preview.plan.instances, failed: 0, left_out: 0, remaining: 0 });
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  let seen = 0;
  for (;;) {
    const { standing } = await next(context, caller, { run });
    if (standing.kind !== "action" || standing.action.what !== "check") {
      break;
    }
    seen += 1;
    await reportCheck(context, caller, { run, status: "skipped", skipReason: "left as it is" });
  }
  const later = await gatherFacts(context, run);
  expect(later.files).toMatchObject({ total: 41, completed: 41 });
  expect(later.instances).toMatchObject({ total: 57, completed: preview.plan.instances, autoFixed: preview.plan.instances });
  // The others are the empty ones, which the engine settled.
  expect([later.instances?.skipped, later.instances?.settled]).toEqual([seen + 2, 2]);
  const ended = await completeChecklist(context, caller, run);
  expect(ended.state.status).toBe("completed");
  const undone = await undoBatch(context, caller, { run, waitMs: 10_000 });
  expect(undone.record).toMatchObject({ undone: true, restored: record.files_modified, not_restored: [] });
  expect(await contents(folder)).toEqual(before);
});
