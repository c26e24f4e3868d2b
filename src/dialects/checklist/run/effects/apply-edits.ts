import { moveTo, reopenedFile } from "../run-rows.ts";
import { fieldOf, type JsonObject } from "../../../../base/index.ts";
import type { ItemMove, ItemsChange } from "../../../../kernel/index.ts";
import type { EditOutcome, FileScan, Finding } from "../../../../ports/index.ts";
import type { Item } from "../../../../program/index.ts";
import { heldReason, isHeld, type Job, type Perform } from "../checklist-run.ts";
import { batchList, chunkOf, mostFailuresKept, type Chunk, type BatchPlan, type BatchRecord, type PlannedFile } from "../batch-plan.ts";
import { done, storedRows, type Rows } from "../../../../engine/index.ts";
import { toolOfRow } from "../tool-rows.ts";
import { toolsOf } from "../tools-of-run.ts";
import { fileChange, isProof, scanAll } from "./file-effects.ts";
import { lookWith } from "./run-tools.ts";

/** One chunk of a batch: files are written, all of them scanned again, and their rows settled by what the second scan found. */
export const performApplyEdits: Perform = async (given) => {
  const { context, handle, signal } = given;
  const chunk = await chunkOf(given);
  const { plan, run, slice } = chunk;
  const job: Job = { ...given, run };
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
  const edited = slice.filter((file) => file.edit !== undefined).map((file) => file.path);
  const seen = await lookAtWritten(job, plan, results);
  if (seen === undefined) return undefined;
  const scans = await scanAll(job, edited, Object.fromEntries(seen.findings));
  const out = new Map([...settled, ...held.map((file) => [file.path, heldReason] as const)]);
  return done({ done: chunk.last }, (rows) => settleChunk(job, rows, { ...chunk, results, scans, out, looked: seen.looked }));
};

interface Seen {
  readonly looked: ReadonlySet<string>;
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
}

/** The tools whose edits were written look again: only they say what was fixed. undefined when it was stopped. */
async function lookAtWritten(job: Job, { files }: BatchPlan, results: ReadonlyMap<string, EditOutcome>): Promise<Seen | undefined> {
  const written = files.filter(({ path }) => results.get(path)?.status === "done");
  const rows = storedRows(job.context, job.handle.id);
  const ids = new Set<string>();
  for (const { items } of written)
    for (const { id } of items) ids.add(toolOfRow((await rows.read(job.run.lists.files, id)) ?? { data: null }) ?? "");
  const tools = toolsOf(job.run).filter(({ id }) => ids.has(id));
  const paths = new Set(written.map(({ path }) => path));
  const seen = await lookWith(job, tools, (path) => paths.has(path));
  return seen === undefined ? undefined : { looked: new Set(tools.map(({ id }) => id)), findings: seen.findings };
}

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

interface ChunkResult extends Chunk {
  readonly results: ReadonlyMap<string, EditOutcome>;
  readonly scans: ReadonlyMap<string, FileScan>;
  /** Files that were left out, with the reason. */
  readonly out: ReadonlyMap<string, string>;
  /** Tools that looked at what was written. */
  readonly looked: ReadonlySet<string>;
}

async function settleChunk(job: Job, rows: Rows, part: ChunkResult): Promise<ItemsChange> {
  const { plan, batch, last } = part;
  const row = await rows.read(batchList, batch);
  const before = row?.data as unknown as BatchRecord | undefined;
  if (row === undefined || before === undefined) return {};
  const types = new Set(Object.keys(plan.byType));
  // What the second scan still found of the batch's kinds.
  const left = [...part.scans.values()].flatMap(({ instances }) => instances.filter(({ auto, type }) => auto && types.has(type)));
  const ends: FileEnd[] = [];
  for (const file of part.slice) ends.push(await settlePlanned(job, rows, part, file));
  const sum = (of: (end: FileEnd) => number): number => ends.reduce((total, end) => total + of(end), 0);
  const data: BatchRecord = {
    ...before,
    modified: before.modified + sum((end) => end.modified),
    failed: before.failed + sum((end) => end.failed),
    left_out: before.left_out + sum((end) => end.leftOut),
    files_modified: before.files_modified + sum(({ written }) => (written ? 1 : 0)),
    files_failed: before.files_failed + sum(({ written, failed }) => (!written && failed > 0 ? 1 : 0)),
    remaining: before.remaining + left.length,
    failures: [...before.failures, ...ends.flatMap((end) => end.failures)].slice(0, mostFailuresKept),
    done: last,
  };
  const move = moveTo(row, last ? "completed" : row.status, { data: data as unknown as JsonObject });
  return joined([...ends.map(({ change }) => change), { moves: [move] }]);
}

/** What became of one planned file: each of its items was modified, failed or left out. */
interface FileEnd extends Readonly<Record<"modified" | "failed" | "leftOut", number>> {
  readonly written: boolean;
  readonly failures: BatchRecord["failures"];
  readonly change: ItemsChange;
}

async function settlePlanned(job: Job, rows: Rows, part: ChunkResult, file: PlannedFile): Promise<FileEnd> {
  const { path, items } = file;
  const outcome = part.results.get(path);
  const scan = part.scans.get(path);
  if (outcome?.status === "done" && scan !== undefined) {
    const converted = new Set(items.map((item) => item.id));
    // One that changed since it was written was not seen by the tools as it is.
    const looked = scan.hash === file.edit?.after ? part.looked : new Set<string>();
    const settle = part.plan.operation === "apply_changes" ? appliedChange : fixedFile;
    const change = await settle(job, rows, scan, { converted, looked });
    const still = stillThere(file, change);
    const failures = still.map(({ line, error }) => ({ file: path, line, error }));
    return { modified: items.length - still.length, failed: still.length, leftOut: 0, written: true, failures, change };
  }
  const broke = outcome?.status === "failed" && (outcome.code === "read_only" || outcome.code === "failed");
  const error = part.out.get(path) ?? (outcome?.status === "failed" ? outcome.reason : "It was not written.");
  const failures = items.map(({ line }) => ({ file: path, line, error }));
  const [failed, leftOut] = broke ? [items.length, 0] : [0, items.length];
  return { modified: 0, failed, leftOut, written: false, failures, change: broke ? await failedFile(job, rows, file, error) : {} };
}

/** Those of a written file that their tool still reports, with what it says. */
function stillThere({ items }: PlannedFile, { moves = [] }: ItemsChange): readonly { readonly line: number; readonly error: string }[] {
  const open = new Map(moves.flatMap(({ id, to, reason }) => (to === "pending" ? [[id, reason ?? "It is still there."]] : [])));
  return items.flatMap(({ id, line }) => (open.has(id) ? [{ line, error: open.get(id) ?? "" }] : []));
}

interface Settling {
  readonly converted: ReadonlySet<string>;
  readonly looked: ReadonlySet<string>;
}

/** Previewed instances are fixed; with nothing open below it the file is done too. */
async function fixedFile(job: Job, rows: Rows, scan: FileScan, { converted, looked }: Settling): Promise<ItemsChange> {
  const { change, file, open } = await fileChange(job, rows, scan, { converted, looked });
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
  const provable = below.every((row) => isProof(row) || (row.status === "pending" && fieldOf(row.data, "by") === "engine"));
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
async function appliedChange(job: Job, rows: Rows, scan: FileScan, { converted: applied }: Settling): Promise<ItemsChange> {
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
