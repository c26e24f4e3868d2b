import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { next, progress, rebuildRun, type Caller } from "../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch, type BatchRequest } from "./commands/batch.ts";
import { reopenFailed } from "./commands/retry-checklist.ts";
import { reportCheck } from "./commands/check-report.ts";
import { undoBatch } from "./commands/undo.ts";
import { another, begin, driveToEnd, inHand, oldCalls, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

const names = ["a.js", "b.js", "c.js", "d.js", "e.js"];
const texts = ["old('1');\n", "old(y);\nold('2'); old('2');\n", "x\n", "fresh('1');\n", "old(\"z\", old('q'));\nold(y);\n", "\0\0\u0001"];
const expected = new Set([
  "ENGINE_OFF_COURSE",
  "ENGINE_NO_BATCH",
  "ENGINE_TOKEN_DEAD",
  "ENGINE_TOKEN_UNKNOWN",
  "NOTHING_TO_RETRY",
  "RUN_ENDED",
  "RUN_NOT_DONE",
  "STRAND_HELD",
]);

async function refusedOnly(done: Promise<unknown>): Promise<void> {
  await done.catch((error: unknown) => {
    if (!expected.has((error as { readonly code?: string }).code ?? "")) throw error;
  });
}

type Act = { readonly kind: string; readonly who: number; readonly file: number; readonly text: number };

async function play(opened: TestEngine, run: string, callers: readonly Caller[], act: Act): Promise<void> {
  const { context, folder } = opened;
  const caller = callers[act.who] ?? opened.caller;
  const path = join(folder, names[act.file] ?? "a.js");
  const report = { completed: {}, skipped: { skipReason: "s" }, failed: { error: "e" } };
  const batch = async (operation: BatchRequest["operation"], filter: BatchRequest["filter"] = {}): Promise<void> => {
    const { token } = await previewBatch(context, caller, { run, operation, filter, reason: "r" });
    if (token === undefined) return;
    const { batch: id } = await runBatch(context, caller, { run, token });
    const record = await waitForBatch(context, { run, batch: id, waitMs: 10_000 });
    expect(record.modified + record.failed + record.left_out).toBe(record.previewed);
  };
  switch (act.kind) {
    case "write":
      return writeFile(path, texts[act.text] ?? "");
    case "remove":
      return rm(path, { force: true });
    case "fix":
      return batch("apply_fixes");
    case "skip":
      return batch("skip_instances", { file_patterns: [names[act.file] ?? ""] });
    case "flag":
      return batch("flag_for_review", act.text % 2 === 0 ? { status: "failed" } : { file_patterns: [names[act.file] ?? ""] });
    case "undo":
      return void (await undoBatch(context, caller, { run, waitMs: 10_000 }));
    case "retry":
      return void (await reopenFailed(context, caller, run));
    case "complete":
      return void (await completeChecklist(context, caller, run, 50));
    default: {
      const hand = inHand(await next(context, caller, { run, waitMs: 300 }));
      if (hand.what !== "check") return;
      const status = act.kind as keyof typeof report;
      const identical = act.text % 2 === 0 ? { identical: true } : {};
      const changes = act.text === 1 ? { changes: [{ original_code: "old(y);", proposed_code: "old('w');", auto_applicable: true }] } : {};
      await reportCheck(context, caller, { run, status, ...report[status], ...identical, ...changes });
    }
  }
}

const acts = ["completed", "completed", "completed", "skipped", "failed", "write", "write", "remove"];
const anyAct = fc.record({
  kind: fc.constantFrom(...acts, "fix", "skip", "flag", "undo", "retry", "complete"),
  who: fc.nat({ max: 2 }),
  file: fc.nat({ max: 4 }),
  text: fc.nat({ max: 5 }),
});

test("whatever agents, batches and editors do, nothing is lost, counted twice or settled over open work", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyAct, { minLength: 15, maxLength: 40 }),
      fc.constantFrom("review_by_file", "review_by_type"),
      async (moves, way) => {
        const opened = await withWorkflow(oldCalls, Object.fromEntries(names.slice(0, 4).map((name, at) => [name, texts[at] ?? ""])));
        engine = opened;
        const { context, caller } = opened;
        const { run } = await begin(opened, "old-calls");
        await progress(context, caller, { run, result: way });
        const callers = [caller, another(opened, "second"), another(opened, "third")];
        for (const act of moves) {
          const { state } = await context.runs.open(run);
          if (state.status !== "running") break;
          await refusedOnly(play(opened, run, callers, act));
          await expectSound(context, run);
        }
        const handle = await context.runs.open(run);
        const skip = () => ({ status: "skipped" as const, skipReason: "s" });
        for (let round = 0; handle.state.status === "running" && round < 20; round += 1) {
          for (const each of callers) await refusedOnly(driveToEnd({ context, caller: each }, run, skip));
          for (const each of callers) await refusedOnly(completeChecklist(context, each, run));
          if (Object.values(handle.state.strands).some((strand) => strand.status === "blocked"))
            await refusedOnly(reopenFailed(context, caller, run));
        }
        expect(handle.state.status).toBe("completed");
        await expectSound(context, run);
        const before = await context.store.selectItems(run, { list: "files", query: {}, limit: 10_000 });
        expect(before.filter((row) => row.status === "pending" || row.status === "in_progress")).toEqual([]);
        await rebuildRun(context, run);
        expect(await context.store.selectItems(run, { list: "files", query: {}, limit: 10_000 })).toEqual(before);
        await opened.close();
        engine = undefined;
      },
    ),
    { numRuns: Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 6), endOnFailure: true },
  );
}, 120_000);
