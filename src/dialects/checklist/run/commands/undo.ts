import type { Actor, Input } from "../../../../kernel/index.ts";
import {
  actorOf,
  type Caller,
  fromRejected,
  refused,
  type EngineContext,
  commitInputs,
  type Draft,
  rowsOf,
  waitForChange,
} from "../../../../engine/index.ts";
import { batchList, filesPerBatchChunk, readPlan, type BatchRecord } from "../batch-plan.ts";
import { requireChecklist, runOfPlan, type InRun } from "../checklist-run.ts";
import { returnToFiles } from "./retry-checklist.ts";
import { undoChange, undoFiles, writtenFiles } from "../effects/undo-edits.ts";
import { busy, editing, waitForBatch } from "./batch.ts";
import { batches } from "./gather-facts.ts";

export interface Undone {
  readonly batch: string;
  readonly record: BatchRecord;
  /** Files that were restored; those that the batch never wrote are not among them. */
  readonly restored: readonly string[];
  /** The undoing came to its end, whether or not every file could be restored. */
  readonly finished: boolean;
}

/** Restores what a batch changed, the last one that was not undone unless another is named. Also after the run has ended. */
export async function undoBatch(
  context: EngineContext,
  caller: Caller,
  request: { readonly run: string; readonly batch?: string; readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<Undone> {
  const handle = await context.runs.open(request.run);
  requireChecklist(handle);
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
  if (found.record.undone) return { batch: found.id, record: found.record, restored: [], finished: true };
  const written = await writtenPaths({ context, handle }, found.record);
  const by = actorOf(caller);
  if (handle.state.status === "running") {
    const before = await beginUndo({ context, handle }, found.id, { by, ...request }).catch(async (error: unknown) => {
      // It ended in between, perhaps in another process.
      await context.runs.refresh(handle);
      if (handle.state.status === "running") throw error;
      return undefined;
    });
    if (before === undefined) return undoBatch(context, caller, request);
    if (before.undone) return { batch: found.id, record: before, restored: [], finished: true };
    const record = await waitForBatch(context, { ...request, batch: found.id, undoRuns: (before.undo_runs ?? 0) + 1 });
    await returnToFiles(context, caller, handle);
    const finished = (record.undo_runs ?? 0) > (before.undo_runs ?? 0);
    return { batch: found.id, record, restored: finished ? restoredOf(written, record) : [], finished };
  }
  await undoEnded({ context, handle }, found, by);
  const record = await waitForBatch(context, { ...request, batch: found.id, waitMs: 0 });
  return { batch: found.id, record, restored: restoredOf(written, record), finished: true };
}

type OpenedRun = Pick<InRun, "context" | "handle">;

async function writtenPaths({ context, handle }: OpenedRun, record: BatchRecord): Promise<readonly string[]> {
  const plan = await readPlan(context, record.plan);
  return (await writtenFiles({ context, handle, run: runOfPlan(handle, plan) }, record, plan)).map((file) => file.path);
}

function restoredOf(written: readonly string[], { not_restored: left = [] }: BatchRecord): readonly string[] {
  const kept = new Set(left.map(({ file }) => file));
  return written.filter((file) => !kept.has(file));
}

/** Opens the undoing when nothing else is at work on the files; answers the batch as it was just before. */
async function beginUndo(
  { context, handle }: OpenedRun,
  batch: string,
  { by, waitMs, signal }: { readonly by: Actor; readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<BatchRecord> {
  const deadline = (await context.store.now()) + waitMs;
  for (;;) {
    const at = await context.store.now();
    let before: BatchRecord | undefined;
    const input = async (draft: Draft): Promise<Input> => {
      const row = await rowsOf(context, handle.id, draft).read(batchList, batch);
      before = row?.data as unknown as BatchRecord | undefined;
      if (editing(draft.state) !== undefined) throw busy(handle);
      return before === undefined || before.undone
        ? { type: "items", change: {}, reason: "it was undone before", at, by }
        : { type: "entry", name: "undo", args: { plan: before.plan, batch }, at, by };
    };
    try {
      const decision = await commitInputs(context, handle, [{ input }]);
      if (decision.kind === "rejected") throw fromRejected(decision.rejected);
      if (before !== undefined) return before;
    } catch (error) {
      const left = deadline - at;
      if (editing(handle.state) === undefined || left <= 0 || signal?.aborted === true) throw error;
      context.effects.startOpen(handle);
      await waitForChange(context, handle, Math.min(left, 200));
    }
  }
}

/** Nothing runs in a run that has ended: its files are restored here, and what that settles is recorded. */
async function undoEnded(
  { context, handle }: OpenedRun,
  found: { readonly id: string; readonly record: BatchRecord },
  by: Actor,
): Promise<void> {
  const plan = await readPlan(context, found.record.plan);
  const run = runOfPlan(handle, plan);
  for (let from = 0; from < plan.files.length || from === 0; from += filesPerBatchChunk) {
    const files = plan.files.slice(from, from + filesPerBatchChunk);
    const undone = await undoFiles({ context, run }, await writtenFiles({ context, handle, run }, found.record, { ...plan, files }));
    if (undone === undefined) break;
    const last = from + filesPerBatchChunk >= plan.files.length;
    await commitInputs(context, handle, [
      {
        input: async (draft) => {
          const chunk = { batch: found.id, undone, first: from === 0, last };
          const change = await undoChange({ context, run }, rowsOf(context, handle.id, draft), chunk);
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
