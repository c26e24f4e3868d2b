import { textOf, type JsonObject } from "../../../base/index.ts";
import type { FileEdit } from "../../../ports/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { runOfPlan, type ChecklistRun, type Job } from "./checklist-run.ts";

/** What a batch will do, file by file, bound to what the files held when it was shown. It is in a blob. */
export interface BatchPlan {
  readonly operation: BatchOperation;
  readonly filter: JsonObject;
  /** Hash of the rules and the version of the scanner. */
  readonly rules: string;
  readonly files: readonly PlannedFile[];
  readonly instances: number;
  readonly byType: Readonly<Record<string, number>>;
  /** Of skips and flags: why. */
  readonly reason?: string;
  /** The workflow whose instances these are, when it is one that the run calls. */
  readonly workflow?: string;
  /** What the filter means as well, and the plan leaves out; absent when there is nothing of the kind. */
  readonly leftOut?: LeftOutSummary;
}

/** An instance that the filter means and that is not planned. */
export interface LeftOut {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

export interface LeftOutSummary {
  readonly instances: number;
  /** Counts of the most frequent reasons. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly first: readonly LeftOut[];
}

export type BatchOperation = "apply_fixes" | "skip_instances" | "flag_for_review" | "apply_changes";

export interface PlannedFile {
  readonly path: string;
  /** Absent for operations that edit nothing. */
  readonly edit?: FileEdit;
  /** Of operations that edit nothing: hash of the file when it was shown; absent when it could not be read. */
  readonly content?: string;
  readonly items: readonly PlannedItem[];
}

export interface PlannedItem {
  readonly id: string;
  readonly line: number;
  readonly type: string;
  /** The name that clients know, where the type has another. */
  readonly seed?: string;
  readonly before: string;
  readonly after: string;
}

type BatchCounts = Readonly<
  Record<"previewed" | "files" | "modified" | "failed" | "left_out" | "files_modified" | "files_failed" | "remaining", number>
>;

/** What a batch has done so far; kept in its row. */
export interface BatchRecord extends BatchCounts {
  readonly operation: BatchOperation;
  readonly plan: string;
  readonly at: number;
  readonly failures: readonly { readonly file: string; readonly line: number; readonly error: string }[];
  /** Not among what was previewed, and so in none of the counts. */
  readonly left_out_beforehand?: LeftOutSummary;
  readonly undone: boolean;
  readonly done: boolean;
  /** How often it was undone, in full or in part. */
  readonly undo_runs?: number;
  /** Of the last undoing: files restored, and those that changed since. */
  readonly restored?: number;
  readonly not_restored?: readonly { readonly file: string; readonly error: string }[];
}

/** A batch that has done nothing yet. */
export function newRecord(operation: BatchOperation, plan: string, at: number): BatchRecord {
  const counts = { previewed: 0, files: 0, modified: 0, failed: 0, left_out: 0, files_modified: 0, files_failed: 0, remaining: 0 };
  return { operation, plan, at, ...counts, failures: [], undone: false, done: false };
}

export const batchList = "batches";
/** Files per chunk of a batch: one effect, one commit. */
export const filesPerBatchChunk = 100;
export const mostFailuresKept = 500;

const reasonsNamed = 4;
const placesNamed = 3;

/** undefined when nothing is left out. */
export function summariseLeftOut(leftOut: readonly LeftOut[]): LeftOutSummary | undefined {
  if (leftOut.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const { reason } of leftOut) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, reasonsNamed);
  return { instances: leftOut.length, reasons: Object.fromEntries(reasons), first: leftOut.slice(0, placesNamed) };
}

/** The files of a batch that one effect is about; `last`: none come after them. */
export interface Chunk {
  readonly plan: BatchPlan;
  readonly run: ChecklistRun;
  readonly slice: readonly PlannedFile[];
  readonly batch: string;
  readonly first: boolean;
  readonly last: boolean;
}

export async function chunkOf({ context, handle, effect: { args } }: Job): Promise<Chunk> {
  const plan = await readPlan(context, textOf(args["plan"]));
  const chunk = Number(args["chunk"] ?? 1);
  const end = chunk * filesPerBatchChunk;
  const slice = plan.files.slice(end - filesPerBatchChunk, end);
  return { plan, run: runOfPlan(handle, plan), slice, batch: textOf(args["batch"]), first: chunk === 1, last: end >= plan.files.length };
}

export async function readPlan({ store }: EngineContext, hash: string): Promise<BatchPlan> {
  const bytes = await store.readBlob(hash);
  if (bytes === undefined) throw new Error(`The plan ${hash} of a batch is missing from the store.`);
  return JSON.parse(new TextDecoder().decode(bytes)) as BatchPlan;
}
