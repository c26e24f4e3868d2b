import type { Actor } from "../../kernel/index.ts";
import { actorOf, type Caller } from "../caller.ts";
import { filesPerBatchChunk, readPlan, type BatchRecord } from "../checklist/batch-plan.ts";
import { requireChecklist, type ChecklistRun } from "../checklist/checklist-run.ts";
import { revive } from "../checklist/revive.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { decide } from "../decide.ts";
import { rowsOf } from "../effects/effect.ts";
import { undoChange, undoFiles } from "../effects/undo-edits.ts";
import type { RunHandle } from "../run-cache.ts";
import { batches, waitForBatch } from "./batch.ts";

export interface Undone {
  readonly batch: string;
  readonly record: BatchRecord;
}

/** Restores what a batch changed, the last one that was not undone unless another is named. Also after the run has ended. */
export async function undoBatch(
  context: EngineContext,
  caller: Caller,
  request: { readonly run: string; readonly batch?: string; readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<Undone> {
  const handle = await context.runs.open(request.run);
  const run = requireChecklist(handle);
  const all = await batches(context, handle.id);
  const edited = all.filter(({ record }) => record.operation === "apply_fixes" || record.operation === "apply_changes");
  const found =
    request.batch === undefined ? edited.findLast(({ record }) => !record.undone) : edited.find(({ id }) => id === request.batch);
  if (found === undefined)
    throw refused(
      "ENGINE_NO_BATCH",
      request.batch === undefined
        ? `Run \`${handle.id}\` has no batch that could be undone.`
        : `Run \`${handle.id}\` has no batch \`${request.batch}\` that edited files.`,
      all.length === 0
        ? "Nothing was changed by a batch in this run."
        : `Its batches: ${all.map(({ id, record }) => `${id} ${record.operation}${record.undone ? " (undone)" : ""}`).join(", ")}.`,
      {},
    );
  if (found.record.undone) return { batch: found.id, record: found.record };
  const by = actorOf(caller);
  if (handle.state.status === "running") {
    const at = await context.store.now();
    const args = { plan: found.record.plan, batch: found.id };
    const decision = await decide(context, handle, [
      { input: { type: "entry", name: "undo", args, at, by }, key: `undo:${found.id}:${handle.head}` },
    ]);
    if (decision.kind === "rejected") throw fromRejected(decision.rejected);
    const record = await waitForBatch(context, { ...request, batch: found.id, undoRuns: (found.record.undo_runs ?? 0) + 1 });
    await revive(context, caller, handle, run);
    return { batch: found.id, record };
  }
  await undoEnded({ context, handle, run }, found, by);
  return {
    batch: found.id,
    record: await waitForBatch(context, { ...request, batch: found.id, undoRuns: (found.record.undo_runs ?? 0) + 1 }),
  };
}

/** Nothing runs in a run that has ended: its files are restored here, and what that settles is recorded. */
async function undoEnded(
  { context, handle, run }: { readonly context: EngineContext; readonly handle: RunHandle; readonly run: ChecklistRun },
  found: { readonly id: string; readonly record: BatchRecord },
  by: Actor,
): Promise<void> {
  const plan = await readPlan(context, found.record.plan);
  for (let from = 0; from < plan.files.length || from === 0; from += filesPerBatchChunk) {
    const undone = await undoFiles(context, run, plan.files.slice(from, from + filesPerBatchChunk));
    if (undone === undefined) break;
    const last = from + filesPerBatchChunk >= plan.files.length;
    await decide(context, handle, [
      {
        input: async (draft) => {
          const change = await undoChange({ context, run }, rowsOf(context, handle.id, draft), {
            batch: found.id,
            undone,
            first: from === 0,
            last,
          });
          // Nothing can be opened in a run that has ended: what was restored is settled as such.
          const moves = (change.moves ?? []).map((move) =>
            move.to === "pending" ? { ...move, to: "skipped" as const, reason: "a batch was undone" } : move,
          );
          return { type: "items", change: { moves }, reason: "a batch was undone", at: await context.store.now(), by };
        },
      },
    ]);
  }
}
