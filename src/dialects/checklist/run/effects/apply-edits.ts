import { moveTo, reopenedFile } from "../run-rows.ts";
import { textOf, type JsonObject } from "../../../../base/index.ts";
import type { ItemMove, ItemsChange } from "../../../../kernel/index.ts";
import type { EditOutcome, FileScan } from "../../../../ports/index.ts";
import type { Item } from "../../../../program/index.ts";
import { rulesOf, runOfPlan, heldReason, isHeld } from "../checklist-run.ts";
import {
  batchList,
  filesPerBatchChunk,
  mostFailuresKept,
  readPlan,
  type BatchPlan,
  type BatchRecord,
  type PlannedFile,
} from "../batch-plan.ts";
import { done, storedRows, type Rows } from "../../../../engine/index.ts";
import type { Job, Perform } from "./job.ts";
import { fileChange } from "./file-effects.ts";

/** One chunk of a batch: files are written, all of them scanned again, and their rows settled by what the second scan found. */
export const performApplyEdits: Perform = async (given) => {
  const { context, effect, handle, signal } = given;
  const plan = await readPlan(context, textOf(effect.args["plan"]));
  const run = runOfPlan(handle, plan);
  const job: Job = { ...given, run };
  const chunk = Number(effect.args["chunk"] ?? 1);
  const slice = plan.files.slice((chunk - 1) * filesPerBatchChunk, chunk * filesPerBatchChunk);
  const last = chunk * filesPerBatchChunk >= plan.files.length;
  const held = slice.filter((file) => isHeld(handle, file.path));
  const settled = await settledSince(job, plan, slice);
  const free = slice.filter((file) => !held.includes(file) && !settled.has(file.path) && file.edit !== undefined);
  const outcomes = await context.workspace.applyEdits(
    context.host.workspace,
    free.flatMap((file) => file.edit ?? []),
    signal,
  );
  if (signal.aborted && outcomes.length < free.length) return undefined;
  const results = new Map<string, EditOutcome>(outcomes.map((outcome) => [outcome.path, outcome]));
  // Files that could not be written are scanned too: what is left in them is what is left of the batch.
  const edited = slice.filter((file) => file.edit !== undefined);
  const scans = new Map<string, FileScan>();
  const request = { root: context.host.workspace, paths: edited.map((file) => file.path), rules: rulesOf(run) };
  for await (const scan of context.workspace.scan(request)) scans.set(scan.path, scan);
  const out = new Map([...settled, ...held.map((file) => [file.path, heldReason] as const)]);
  const part: ChunkResult = { slice, results, scans, out };
  return done({ done: last }, (rows) => settleChunk(job, rows, { plan, part, last }));
};

/** Files in which something that was previewed has been settled or flagged meanwhile: what was decided then counts. */
async function settledSince({ context, handle, run }: Job, plan: BatchPlan, slice: readonly PlannedFile[]): Promise<Map<string, string>> {
  const rows = storedRows(context, handle.id);
  const list = plan.operation === "apply_changes" ? run.lists.changes : run.lists.files;
  const found = new Map<string, string>();
  for (const { path, items } of slice) {
    for (const { id, line } of items) {
      const row = await rows.read(list, id);
      const open = row?.status === "pending" || row?.status === "failed" || row?.status === "in_progress";
      if (open && row.facets["flag"] !== "yes") continue;
      found.set(path, `Line ${line} was ${open ? "flagged" : (row?.status ?? "removed")} since the preview.`);
      break;
    }
  }
  return found;
}

interface ChunkResult {
  readonly slice: readonly PlannedFile[];
  readonly results: ReadonlyMap<string, EditOutcome>;
  readonly scans: ReadonlyMap<string, FileScan>;
  /** Files that were left out, with the reason. */
  readonly out: ReadonlyMap<string, string>;
}

interface Chunk {
  readonly plan: BatchPlan;
  readonly part: ChunkResult;
  readonly last: boolean;
}

async function settleChunk(job: Job, rows: Rows, { plan, part, last }: Chunk): Promise<ItemsChange> {
  const { effect } = job;
  const batch = textOf(effect.args["batch"]);
  const row = await rows.read(batchList, batch);
  const before = row?.data as unknown as BatchRecord | undefined;
  if (row === undefined || before === undefined) return {};
  const tally = { modified: 0, failed: 0, left_out: 0, files_modified: 0, files_failed: 0, remaining: 0 };
  const failures = [...before.failures];
  const changes: ItemsChange[] = [];
  const types = new Set(Object.keys(plan.byType));
  for (const file of part.slice) {
    const outcome = part.results.get(file.path);
    const scan = part.scans.get(file.path);
    tally.remaining += leftIn(scan, types);
    if (outcome?.status === "done" && scan !== undefined) {
      const converted = new Set(file.items.map((item) => item.id));
      const settled =
        plan.operation === "apply_changes" ? await appliedChange(job, rows, scan, converted) : await fixedFile(job, rows, scan, converted);
      changes.push(settled);
      tally.modified += file.items.length;
      tally.files_modified += 1;
      continue;
    }
    const fixed = outcome?.status === "failed" && (outcome.code === "read_only" || outcome.code === "failed");
    const error = part.out.get(file.path) ?? (outcome?.status === "failed" ? outcome.reason : "It was not written.");
    for (const { line } of file.items) if (failures.length < mostFailuresKept) failures.push({ file: file.path, line, error });
    if (fixed) {
      tally.failed += file.items.length;
      tally.files_failed += 1;
      changes.push(await failedFile(job, rows, file, error));
    } else tally.left_out += file.items.length;
  }
  const data: BatchRecord = {
    ...before,
    modified: before.modified + tally.modified,
    failed: before.failed + tally.failed,
    left_out: before.left_out + tally.left_out,
    files_modified: before.files_modified + tally.files_modified,
    files_failed: before.files_failed + tally.files_failed,
    remaining: before.remaining + tally.remaining,
    failures,
    done: last,
  };
  const move = moveTo(row, last ? "completed" : row.status, { data: data as unknown as JsonObject });
  return joined([...changes, { moves: [move] }]);
}

/** What a second scan of a file still found of the batch's kinds. */
function leftIn(scan: FileScan | undefined, types: ReadonlySet<string>): number {
  return scan?.instances.filter((instance) => instance.auto && types.has(instance.type)).length ?? 0;
}

/** Instances of the file that are gone are fixed; with nothing open below it the file is done too. */
async function fixedFile(job: Job, rows: Rows, scan: FileScan, converted: ReadonlySet<string>): Promise<ItemsChange> {
  const { change, file, open } = await fileChange(job, rows, scan, { converted, by: "auto", all: true });
  if (open > 0) return joined([change, { moves: reopenedFile(file, "a fix opened it") }]);
  if (file === undefined) return change;
  return joined([change, await closed(job, rows, file, change)]);
}

/** A file with only the engine's own entries left is completed, unless an agent works on it or something else failed in it. */
async function closed({ run }: Job, rows: Rows, file: Item, change: ItemsChange): Promise<ItemsChange> {
  const settled = new Set((change.moves ?? []).filter((move) => move.to !== move.from && move.to !== "pending").map((move) => move.id));
  const below = (await rows.below(run.lists.files, file.id)).filter(
    (row) => (row.status === "pending" || row.status === "failed") && !settled.has(row.id),
  );
  const provable = below.every(
    (row) => (row.data as JsonObject)["by"] === "engine" && (row.status === "pending" || (row.data as JsonObject)["type"] === "validation"),
  );
  if (!provable || (file.status !== "pending" && file.status !== "failed")) return {};
  return { moves: [...below, file].map((row) => moveTo(row, "completed", row.status === "failed" ? { reason: null } : {})) };
}

async function failedFile({ run }: Job, rows: Rows, file: PlannedFile, reason: string): Promise<ItemsChange> {
  const moves: ItemMove[] = [];
  for (const { id } of file.items) {
    const row = await rows.read(run.lists.files, id);
    if (row?.status === "pending") moves.push(moveTo(row, "failed", { reason }));
  }
  return { moves };
}

/** Proposed changes were written: their rows are done, and instances of the file are reconciled. */
async function appliedChange(job: Job, rows: Rows, scan: FileScan, applied: ReadonlySet<string>): Promise<ItemsChange> {
  const { change, file, added, reopened } = await fileChange(job, rows, scan);
  const moves: ItemMove[] = added + reopened > 0 ? reopenedFile(file, "a change that was applied opened it") : [];
  for (const id of applied) {
    const row = await rows.read(job.run.lists.changes, id);
    if (row?.status === "pending") moves.push(moveTo(row, "completed", { label: "applied" }));
  }
  return joined([change, { moves }]);
}

/** Several changes as one. A row that two of them move is moved once, by the later one. */
export function joined(changes: readonly ItemsChange[]): ItemsChange {
  const moves = new Map<string, ItemMove>();
  for (const move of changes.flatMap((change) => change.moves ?? [])) {
    const key = `${move.list}\0${move.id}`;
    const earlier = moves.get(key);
    moves.set(key, earlier === undefined ? move : { ...earlier, ...move, from: earlier.from, facets: earlier.facets });
  }
  return { add: changes.flatMap((change) => change.add ?? []), moves: [...moves.values()] };
}
