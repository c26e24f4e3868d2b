import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  completeChecklist,
  previewBatch,
  reopenFailed,
  reportCheck,
  runBatch,
  undoBatch,
  waitForBatch,
  type BatchRequest,
} from "../../../src/dialects/checklist/run/index.ts";
import { next, progress, start, type Caller } from "../../../src/engine/index.ts";
import type { ComposedEngine } from "../../crash/compose-engine.ts";
import { oldCalls } from "../../support/checklist-sample.ts";

/** A checklist with two agents, batches of every kind, an undoing, a file that fails, a retry and its end. */
export async function checklistCase(engine: ComposedEngine): Promise<string> {
  const { context, folder } = engine;
  const caller = engine.caller("golden");
  const second = engine.caller("second");
  await engine.define("old-calls", oldCalls);
  const files = { "a.js": "old('1'); old(x);\n", "b.js": "old('2');\n", "c.js": "old(y);\nold(y);\n", "d.js": "nothing\n" };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const { run } = await start(context, caller, { workflow: "old-calls" });
  await progress(context, caller, { run, result: "apply_auto_first" });
  await batch({ operation: "apply_fixes", filter: { auto_fixable_only: true } });
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  await next(context, caller, { run });
  await next(context, second, { run });
  await reportCheck(context, second, { run, status: "completed", result: "read" });
  await reportCheck(context, caller, { run, status: "failed", error: "it cannot be done" });
  await batch({ operation: "flag_for_review", filter: { status: "failed" }, reason: "look again" });
  await undoBatch(context, caller, { run, waitMs: 10_000 });
  await writeFile(join(folder, "e.js"), "old('5');\n");
  await batch({ operation: "skip_instances", filter: { file_patterns: ["b.js"] }, reason: "it stays" });
  await drive(second, { status: "skipped", skipReason: "not now" }, 2);
  await drive(caller, { status: "failed", error: "no" });
  await reopenFailed(context, caller, run);
  await drive(caller, { status: "skipped", skipReason: "not now" });
  await completeChecklist(context, caller, run);
  return run;

  async function batch(request: Omit<BatchRequest, "run">): Promise<void> {
    const { token = "" } = await previewBatch(context, caller, { run, ...request });
    const { batch: id } = await runBatch(context, caller, { run, token });
    await waitForBatch(context, { run, batch: id, waitMs: 10_000 });
  }

  async function drive(
    who: Caller,
    report: { readonly status: "skipped" | "failed"; readonly skipReason?: string; readonly error?: string },
    most = 50,
  ): Promise<void> {
    for (let reports = 0; reports < most; reports += 1) {
      const { standing } = await next(context, who, { run });
      if (standing.kind !== "action" || standing.action.what !== "check") return;
      await reportCheck(context, who, { run, ...report });
    }
  }
}
