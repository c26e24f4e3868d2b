import { inPages, isOpen, moveTo, passedOver, reopenedFile } from "../run-rows.ts";
import { isObject, type Json, type JsonObject } from "../../../../base/index.ts";
import type { ItemMove, ItemsChange } from "../../../../kernel/index.ts";
import type { FileScan, Inventory } from "../../../../ports/index.ts";
import type { Item } from "../../../../program/index.ts";
import { calledRuns, type Job, type Perform } from "../checklist-run.ts";
import { notRead, whyUnread, givenUp, isLeft } from "../file-rows.ts";
import { joined } from "./apply-edits.ts";
import { done, storedRows, type Rows } from "../../../../engine/index.ts";
import { fileChange, settleBelow, whyPassedOver } from "./file-effects.ts";
import { takeInventory } from "./inventory.ts";
import { scanRunFiles } from "../scan-run-files.ts";
import { rowsFor } from "./scan-chunk.ts";

/** Rows of files are read in pages of this many. */
const page = 2_000;

/**
 * The files as they are now against the rows: what appeared becomes a row, what vanished is settled, what changed is scanned
 * again. `open` says whether that left anything to do.
 */
export const performRefresh: Perform = async (job) => {
  const { handle, effect } = job;
  const own = await refreshed(job);
  if (own === undefined) return undefined;
  const all = [own];
  for (const run of effect.args["called"] === true ? calledRuns(handle).filter((each) => each.begun) : []) {
    const called = await refreshed({ ...job, run });
    if (called === undefined) return undefined;
    all.push(called);
  }
  const open = all.reduce((sum, each) => sum + each.open, 0);
  return done({ ...own.seen, open }, async (rows) => joined(await Promise.all(all.map((each) => each.change(rows)))));
};

interface Refreshed {
  readonly open: number;
  readonly seen: JsonObject;
  readonly change: (rows: Rows) => Promise<ItemsChange>;
}

/** One workflow's rows against the files; undefined when it was stopped. */
async function refreshed(job: Job): Promise<Refreshed | undefined> {
  const { context, handle, run, signal } = job;
  const known = await fileRowsOf(storedRows(context, handle.id), run.lists.files);
  const inventory = await takeInventory(context, run, { signal, known: known.keys() });
  const priorities = inScope(inventory, known, run.options["max_files"]);
  const fresh: FileScan[] = [];
  const changed: FileScan[] = [];
  const paths = [...priorities.keys()];
  for await (const scan of scanRunFiles(job, paths)) {
    const row = known.get(scan.path);
    if (row === undefined) fresh.push(scan);
    else if (isNews(row, scan)) changed.push(scan);
  }
  if (signal.aborted) return undefined;
  const gone = [...known.values()].filter((row) => !priorities.has(row.id) && row.status !== "skipped" && row.status !== "failed");
  const items: Item[] = [];
  for (const [at, scan] of fresh.entries())
    items.push(...(await rowsFor(job, scan, { index: known.size + at, priority: priorities.get(scan.path) ?? 2, scanned: true })));
  const left = [...known.values()].filter((row) => row.status === "completed" && row.facets["done"] === passedOver);
  const stored = await changesOf(job, storedRows(context, handle.id), { changed, gone, left });
  const counts = handle.state.lists[run.lists.files]?.by;
  const open =
    (counts?.pending ?? 0) +
    (counts?.in_progress ?? 0) +
    items.filter((item) => item.status === "pending").length +
    stored.opened -
    stored.closed;
  const out = inventory.files.length + inventory.outOfScope.length - priorities.size;
  return {
    open,
    seen: { appeared: fresh.length, changed: changed.length, vanished: gone.length, out_of_scope: out },
    change: async (rows) => {
      const { change } = await changesOf(job, rows, { changed, gone, left });
      return { ...change, add: [...(change.add ?? []), ...(items.length === 0 ? [] : [{ list: run.lists.files, items }])] };
    },
  };
}

/** Files of the run that are there, and those that appeared, as far as there is room for them, with their priorities. */
function inScope({ files, outOfScope }: Inventory, known: ReadonlyMap<string, Item>, most: Json | undefined): ReadonlyMap<string, number> {
  const room = typeof most === "number" && most >= 0 ? Math.max(0, Math.floor(most) - known.size) : Number.POSITIVE_INFINITY;
  const appeared = files.filter((file) => !known.has(file.path)).slice(0, room);
  const kept = [...files, ...outOfScope].filter((file) => known.has(file.path));
  return new Map([...kept, ...appeared].map((file) => [file.path, file.priority]));
}

/** Another content than the row knows of, or one that can be read again. What cannot be read is settled when it is handed out. */
function isNews(row: Item, scan: FileScan): boolean {
  if (whyUnread(scan) !== undefined) return false;
  if (row.status === "skipped" && !isLeft(row)) return row.label !== givenUp;
  return isObject(row.data) && row.data["hash"] !== scan.hash;
}

interface Seen {
  readonly changed: readonly FileScan[];
  readonly gone: readonly Item[];
  /** Marked as passed over, but not skipped yet. */
  readonly left: readonly Item[];
}

async function changesOf(
  job: Job,
  rows: Rows,
  { changed, gone, left }: Seen,
): Promise<{ readonly change: ItemsChange; readonly opened: number; readonly closed: number }> {
  const add: NonNullable<ItemsChange["add"]>[number][] = [];
  const moves: ItemMove[] = [];
  let [opened, closed] = [0, 0];
  for (const scan of changed) {
    const { change, file, added, reopened } = await fileChange(job, rows, scan);
    const back = file?.status === "skipped" && !isLeft(file) ? await backAgain(rows, file) : [];
    const reopens = added + reopened > 0 || back.length > 0 ? reopenedFile(file, "it changed") : [];
    const all = joined([change, { moves: [...back, ...reopens] }]);
    add.push(...(all.add ?? []));
    moves.push(...(all.moves ?? []));
    closed += (all.moves ?? []).filter((move) => move.from === "pending" && move.to !== "pending").length;
    opened += added + (all.moves ?? []).filter((move) => move.from !== "pending" && move.to === "pending").length;
  }
  for (const file of await settledAbove(rows, job.run.lists.files, new Set(moves.map((move) => move.id)))) {
    moves.push(...reopenedFile(file, "something below it is open"));
    opened += 1;
  }
  for (const row of gone) {
    const reason = "The file is gone.";
    const below = await settleBelow(rows, row.list, row.id, reason);
    closed += (below.moves ?? []).length + (row.status === "pending" ? 1 : 0);
    moves.push(...(below.moves ?? []), moveTo(row, "skipped", { reason }));
  }
  const moved = new Set(moves.map(({ id }) => id));
  for (const row of left.filter(({ id }) => !moved.has(id))) {
    const reason = whyPassedOver(await rows.below(row.list, row.id));
    if (reason !== undefined) moves.push(moveTo(row, "skipped", { reason }));
  }
  return { change: { add, moves }, opened, closed };
}

/** A file can be read again: what was settled because it could not be is open again. */
async function backAgain(rows: Rows, file: Item): Promise<readonly ItemMove[]> {
  const reason = "the file is back";
  const lost = (row: Item): boolean => row.status === "skipped" && (row.reason === file.reason || (row.reason ?? "").startsWith(notRead));
  const below = (await rows.below(file.list, file.id)).filter(lost);
  return [...below, file].map((row) => moveTo(row, "pending", { reason }));
}

/** Files that count as settled while something below them is open. */
async function settledAbove(rows: Rows, list: string, moved: ReadonlySet<string>): Promise<readonly Item[]> {
  const parents = new Set<string>();
  for await (const { id, parent } of inPages((part) => rows.select({ list, query: { status: "pending" }, ...part }), page))
    if (parent !== undefined && !moved.has(id) && !moved.has(parent)) parents.add(parent);
  const files: Item[] = [];
  for (const id of parents) {
    const file = await rows.read(list, id);
    if (file !== undefined && !isOpen(file)) files.push(file);
  }
  return files;
}

export async function fileRowsOf(rows: Rows, list: string): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  for await (const row of inPages((part) => rows.select({ list, query: { facets: { kind: "file" } }, ...part }), page))
    found.set(row.id, row);
  return found;
}
