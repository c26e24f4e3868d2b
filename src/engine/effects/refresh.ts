import { isObject } from "../../base/index.ts";
import type { ItemMove, ItemsChange } from "../../kernel/index.ts";
import type { FileScan } from "../../ports/index.ts";
import type { Item } from "../../program/index.ts";
import { rulesOf } from "../checklist/checklist-run.ts";
import { done, storedRows, type Job, type Perform, type Rows } from "./effect.ts";
import { fileChange, settleBelow } from "./file-effects.ts";
import { takeInventory } from "./inventory.ts";
import { rowsFor } from "./scan-chunk.ts";

/** Rows of files are read in pages of this many. */
const page = 2_000;

/**
 * The files as they are now against the rows: what appeared becomes a row, what vanished is settled, what changed is scanned
 * again. `open` says whether that left anything to do.
 */
export const performRefresh: Perform = async (job) => {
  const { context, handle, run, signal } = job;
  const inventory = await takeInventory(context, run, signal);
  const known = await fileRowsOf(storedRows(context, handle.id), run.lists.files);
  const listed = new Set(inventory.files.map((file) => file.path));
  const fresh: FileScan[] = [];
  const changed: FileScan[] = [];
  const paths = inventory.files.map((file) => file.path);
  for await (const scan of context.workspace.scan({ root: context.host.workspace, paths, rules: rulesOf(run), signal })) {
    const row = known.get(scan.path);
    if (row === undefined) fresh.push(scan);
    else if (isObject(row.data) && row.data["hash"] !== scan.hash && row.status !== "skipped") changed.push(scan);
  }
  if (signal.aborted) return undefined;
  const gone = [...known.values()].filter((row) => !listed.has(row.id) && row.status !== "skipped" && row.status !== "failed");
  const items = (
    await Promise.all(fresh.map((scan, at) => rowsFor(job, scan, { index: known.size + at, priority: 2, scanned: true })))
  ).flat();
  const stored = await changesOf(job, storedRows(context, handle.id), { changed, gone });
  const counts = handle.state.lists[run.lists.files]?.by;
  const open =
    (counts?.pending ?? 0) +
    (counts?.in_progress ?? 0) +
    items.filter((item) => item.status === "pending").length +
    stored.opened -
    stored.closed;
  return done({ open, appeared: fresh.length, changed: changed.length, vanished: gone.length }, async (rows) => {
    const { change } = await changesOf(job, rows, { changed, gone });
    return { ...change, add: [...(change.add ?? []), ...(items.length === 0 ? [] : [{ list: run.lists.files, items }])] };
  });
};

interface Seen {
  readonly changed: readonly FileScan[];
  readonly gone: readonly Item[];
}

async function changesOf(
  job: Job,
  rows: Rows,
  { changed, gone }: Seen,
): Promise<{ readonly change: ItemsChange; readonly opened: number; readonly closed: number }> {
  const add: NonNullable<ItemsChange["add"]>[number][] = [];
  const moves: ItemMove[] = [];
  let [opened, closed] = [0, 0];
  for (const scan of changed) {
    const { change, file, added } = await fileChange(job, rows, scan);
    add.push(...(change.add ?? []));
    const settled = (change.moves ?? []).filter((move) => move.from === "pending" && move.to !== "pending").length;
    closed += settled;
    opened += added;
    const reopens = added > 0 && file !== undefined && (file.status === "completed" || file.status === "failed");
    for (const move of change.moves ?? [])
      moves.push(reopens && move.id === file.id ? { ...move, to: "pending", reason: "it changed" } : move);
    if (reopens) opened += 1;
  }
  for (const row of gone) {
    const reason = "The file is gone.";
    const below = await settleBelow(rows, row.list, row.id, reason);
    closed += (below.moves ?? []).length + (row.status === "pending" ? 1 : 0);
    moves.push(...(below.moves ?? []));
    moves.push({ list: row.list, id: row.id, from: row.status, to: "skipped", facets: row.facets, root: row.root, reason });
  }
  return { change: { add, moves }, opened, closed };
}

export async function fileRowsOf(rows: Rows, list: string): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  let after: string | undefined;
  for (;;) {
    const part = await rows.select({ list, query: { facets: { kind: "file" } }, limit: page, ...(after === undefined ? {} : { after }) });
    for (const row of part) found.set(row.id, row);
    const last = part.at(-1);
    if (last === undefined || part.length < page) return found;
    after = last.order;
  }
}
