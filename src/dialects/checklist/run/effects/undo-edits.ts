import { isOpen, moveTo } from "../run-rows.ts";
import type { JsonObject } from "../../../../base/index.ts";
import type { ItemMove, ItemsChange } from "../../../../kernel/index.ts";
import type { FileScan } from "../../../../ports/index.ts";
import { batchList, chunkOf, mostFailuresKept, type BatchPlan, type BatchRecord, type PlannedFile } from "../batch-plan.ts";
import type { ChecklistRun, InRun, Job, Perform } from "../checklist-run.ts";
import { done, storedRows, type Rows } from "../../../../engine/index.ts";
import { joined } from "./apply-edits.ts";
import { fileChange, isProof, scanAll } from "./file-effects.ts";

/** One chunk of an undoing: every file that still holds what the batch wrote gets back what it held before. */
export const performUndoEdits: Perform = async (job) => {
  const { context, handle, signal } = job;
  const { plan, run, slice, batch, first, last } = await chunkOf(job);
  const row = await storedRows(context, handle.id).read(batchList, batch);
  const record = row?.data as unknown as BatchRecord | undefined;
  // What an interrupted undoing restored is not recorded: it does not count as restored before.
  const known = record === undefined || !job.again ? record : { ...record, undo_runs: 0 };
  const files = known === undefined ? slice : await writtenFiles({ context, run, handle }, known, { ...plan, files: slice });
  const undone = await undoFiles({ context, run }, files, signal);
  if (undone === undefined) return undefined;
  return done({ done: last }, (rows) => undoChange({ context, run }, rows, { batch, undone, first, last }));
};

/**
 * Files of a plan that the batch wrote, so that only these are restored. One that failed or was left out counts only if it holds what
 * was planned all the same: its writing could not be made durable, or was cut off after it. One that an earlier undoing restored is not
 * restored again.
 */
export async function writtenFiles(
  { context, run, handle }: InRun,
  { failures, undo_runs: before = 0 }: BatchRecord,
  plan: BatchPlan,
): Promise<readonly PlannedFile[]> {
  const named = new Set(failures.map(({ file }) => file));
  const list = plan.operation === "apply_changes" ? run.lists.changes : run.lists.files;
  const rows = storedRows(context, handle.id);
  const written: PlannedFile[] = [];
  for (const file of plan.files) {
    // Beyond the failures that are kept only the rows tell: a file that was written has settled ones.
    const doubtful = named.has(file.path) || (failures.length >= mostFailuresKept && !(await hasCompleted(rows, list, file)));
    const now = doubtful || before > 0 ? (await context.workspace.read(context.host.workspace, file.path))?.hash : undefined;
    if (doubtful ? now !== undefined && now === file.edit?.after : before === 0 || now !== file.edit?.before) written.push(file);
  }
  return written;
}

async function hasCompleted(rows: Rows, list: string, { items }: PlannedFile): Promise<boolean> {
  for (const { id } of items) if ((await rows.read(list, id))?.status === "completed") return true;
  return false;
}

export interface UndoneFiles {
  readonly files: readonly PlannedFile[];
  readonly scans: ReadonlyMap<string, FileScan>;
  readonly refused: readonly { readonly file: string; readonly error: string }[];
}

/** undefined when it was stopped. */
export async function undoFiles(
  { context, run }: Pick<Job, "context" | "run">,
  files: readonly PlannedFile[],
  signal?: AbortSignal,
): Promise<UndoneFiles | undefined> {
  const outcomes = await context.workspace.undoEdits(
    context.host.workspace,
    files.flatMap((file) => file.edit ?? []),
    signal,
  );
  if (signal?.aborted === true && outcomes.length < files.length) return undefined;
  const restored = outcomes.filter((outcome) => outcome.status === "done").map((outcome) => outcome.path);
  const refused = outcomes.flatMap((outcome) => (outcome.status === "failed" ? [{ file: outcome.path, error: outcome.reason }] : []));
  return { files, scans: await scanAll({ context, run }, restored), refused };
}

interface UndoneChunk {
  readonly batch: string;
  readonly undone: UndoneFiles;
  readonly first: boolean;
  readonly last: boolean;
}

/** What was fixed is open again. */
export async function undoChange(
  job: Pick<Job, "context" | "run">,
  rows: Rows,
  { batch, undone, first, last }: UndoneChunk,
): Promise<ItemsChange> {
  const changes: ItemsChange[] = [];
  for (const [path, scan] of undone.scans) {
    const { change, file, reopened, added } = await fileChange(job, rows, scan, { reopen: true });
    const planned = undone.files.find((each) => each.path === path);
    changes.push(change, await reopenChanges(job.run, rows, planned));
    if (file !== undefined && reopened + added > 0 && !isOpen(file)) changes.push(await reopenFile(job.run, rows, file.id));
  }
  const row = await rows.read(batchList, batch);
  if (row === undefined) return joined(changes);
  const before = row.data as unknown as BatchRecord;
  const refused = [...(first ? [] : (before.not_restored ?? [])), ...undone.refused].slice(0, mostFailuresKept);
  const data: BatchRecord = {
    ...before,
    undone: last ? refused.length === 0 : before.undone,
    undo_runs: (before.undo_runs ?? 0) + (last ? 1 : 0),
    restored: (first ? 0 : (before.restored ?? 0)) + undone.scans.size,
    not_restored: refused,
  };
  return joined([...changes, { moves: [moveTo(row, row.status, { data: data as unknown as JsonObject })] }]);
}

const reason = "a batch was undone";

async function reopenFile({ lists }: ChecklistRun, rows: Rows, path: string): Promise<ItemsChange> {
  const file = await rows.read(lists.files, path);
  const proofs = (await rows.below(lists.files, path)).filter((row) => row.status === "completed" && isProof(row));
  return { moves: [...proofs, ...(file === undefined ? [] : [file])].map((row) => moveTo(row, "pending", { reason })) };
}

async function reopenChanges({ lists }: ChecklistRun, rows: Rows, file: PlannedFile | undefined): Promise<ItemsChange> {
  const moves: ItemMove[] = [];
  for (const { id } of file?.items ?? []) {
    const row = await rows.read(lists.changes, id);
    if (row?.status === "completed") moves.push(moveTo(row, "pending", { reason }));
  }
  return { moves };
}
