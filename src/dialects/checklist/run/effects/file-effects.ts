import { isOpen, moveTo, passedOver } from "../run-rows.ts";
import { counted, fieldOf, isObject } from "../../../../base/index.ts";
import type { ItemMove, ItemsChange } from "../../../../kernel/index.ts";
import type { FileScan, Finding } from "../../../../ports/index.ts";
import type { Item } from "../../../../program/index.ts";
import type { Job, Perform } from "../checklist-run.ts";
import { everySkipped, fileData, matchOf, suppressedIn, whyUnread, instanceId, itemsOf } from "../file-rows.ts";
import { reconcile, type Reconciled, type Reconciling } from "../reconcile.ts";
import { relocateRows } from "../relocate-rows.ts";
import { scanRunFiles } from "../scan-run-files.ts";
import { isWaiting, toolOfRow } from "../tool-rows.ts";
import { done, storedRows, type Rows } from "../../../../engine/index.ts";

/** A file is handed out: is it still there, and is it still what was scanned? */
export const performLook: Perform = async (job) => {
  const { run, effect } = job;
  const path = fieldOf(effect.args["item"], "path");
  const scan = await scanOne(job, path);
  if (scan === undefined) return undefined;
  const reason = whyUnread(scan);
  if (reason !== undefined) {
    return done({ gone: true, reason }, (rows) => settleBelow(rows, run.lists.files, path, reason));
  }
  return done({ gone: false, instances: scan.instances.length }, async (rows) => (await fileChange(job, rows, scan)).change);
};

/** What the engine can prove itself: nothing below the file is open, and nothing there failed. */
export const performCheckEntry: Perform = async ({ context, handle, effect, run }) => {
  const item = effect.args["item"];
  const rows = await storedRows(context, handle.id).below(run.lists.files, fieldOf(item, "file"));
  const open = rows.filter((row) => row.facets["kind"] === "instance" && row.status === "pending");
  const still = `${counted(open.length, "instance")} of ${fieldOf(item, "file")} ${open.length === 1 ? "is" : "are"} still open.`;
  const failed = failedInstances(rows);
  const reason = [...(open.length === 0 ? [] : [still]), ...failed].join(" ");
  return done(reason === "" ? { ok: true } : { ok: false, reason });
};

const reasonsShown = 3;

/** How many instances of a file failed and why, as one sentence; none when none did. */
function failedInstances(rows: readonly Item[]): readonly string[] {
  const failed = rows.filter((row) => row.status === "failed" && row.facets["kind"] === "instance");
  if (failed.length === 0) return [];
  const reasons = [...new Set(failed.map((row) => row.reason ?? "it failed"))];
  const more = reasons.length > reasonsShown ? ` and ${reasons.length - reasonsShown} more reasons` : "";
  return [`${counted(failed.length, "instance")} failed: ${reasons.slice(0, reasonsShown).join(" ")}${more}`];
}

/**
 * A file whose required entries or whose instances failed is blocked with their reasons: it is not done, and a retry opens it again. One
 * of which every entry was skipped is marked: nobody looked at it.
 */
export const performCloseFile: Perform = async ({ context, handle, effect, run }) => {
  const path = fieldOf(effect.args["item"], "path");
  const { reason } = closing(await storedRows(context, handle.id).below(run.lists.files, path));
  return done(reason === "" ? { blocked: false } : { blocked: true, reason }, async (rows) => {
    const below = await rows.below(run.lists.files, path);
    const file = await rows.read(run.lists.files, path);
    const { proved } = closing(below);
    return { moves: [...proved.map((row) => moveTo(row, "completed", { reason: null })), ...passedOverMark(file, below)] };
  });
};

/** Its step settles the file; what is true of it is in the mark until then, and in its status with the next look at all files. */
function passedOverMark(file: Item | undefined, below: readonly Item[]): readonly ItemMove[] {
  if (file === undefined) return [];
  const { done: before, ...facets } = file.facets;
  const left = whyPassedOver(below) !== undefined;
  if (left === (before === passedOver)) return [];
  return [moveTo(file, file.status, { newFacets: left ? { ...facets, done: passedOver } : facets })];
}

/** Why a file cannot be closed as done, and proofs that failed in an earlier round and hold by now. */
function closing(rows: readonly Item[]): { readonly reason: string; readonly proved: readonly Item[] } {
  const failed = rows.filter((row) => row.status === "failed" && row.facets["kind"] !== "instance");
  const unproved = rows.some((row) => row.facets["kind"] === "instance" && (row.status === "failed" || row.status === "pending"));
  const proved = unproved ? [] : failed.filter(isProof);
  const entries = failed.filter((row) => (!isObject(row.data) || row.data["required"] !== false) && !proved.includes(row));
  const reason = [...new Set([...failedInstances(rows), ...entries.map((row) => row.reason ?? "it failed")])].join(" ");
  return { reason, proved };
}

/**
 * Why every entry of a file was skipped, of its rows; undefined when one was not. Instances that were skipped were looked at one by one,
 * so they alone do not make a file skipped.
 */
export function whyPassedOver(rows: readonly Item[]): string | undefined {
  const byAgents = rows.filter(({ data }) => fieldOf(data, "by") !== "engine");
  const entries = byAgents.filter(({ facets }) => facets["kind"] !== "instance");
  if (entries.length === 0 || byAgents.some(({ status }) => status !== "skipped")) return undefined;
  const reasons = [...new Set(entries.map((row) => row.reason ?? "without a reason"))];
  const more = reasons.length > reasonsShown ? ` and ${reasons.length - reasonsShown} more reasons` : "";
  return `${everySkipped}: ${reasons.slice(0, reasonsShown).join("; ")}${more}`;
}

/** An entry that the engine itself proves by looking at the instances. */
export function isProof({ data }: Item): boolean {
  return isObject(data) && data["by"] === "engine" && data["type"] === "validation";
}

/** A run in which every file failed cannot pass its required phases: it waits until someone fixes, skips or ends it. */
export const performGateFiles: Perform = async ({ handle, run }) => {
  const files = handle.state.lists[run.lists.files]?.facets["kind=file"];
  const { failed = 0, completed = 0, skipped = 0, pending = 0 } = files ?? {};
  // A person who lets a blocked run continue may have opened files.
  if (failed === 0 || completed + skipped + pending > 0) return done({ failed, open: pending });
  const message = `${counted(failed, "file")} failed, and none is left that could pass.`;
  return { outcome: { ok: false, code: "FILES_FAILED", message } };
};

/** One file scanned again; undefined when the engine is closing. */
export async function scanOne(job: Pick<Job, "context" | "run" | "signal">, path: string): Promise<FileScan | undefined> {
  for await (const scan of scanRunFiles(job, [path])) return job.signal.aborted ? undefined : scan;
  return undefined;
}

/** Files scanned again, by path. */
export async function scanAll(
  { context, run }: Pick<Job, "context" | "run">,
  paths: readonly string[],
  findings: Readonly<Record<string, readonly Finding[]>> = {},
): Promise<Map<string, FileScan>> {
  const scans = new Map<string, FileScan>();
  for await (const scan of scanRunFiles({ context, run }, paths, { findings })) scans.set(scan.path, scan);
  return scans;
}

type Options = Pick<Reconciling, "converted" | "inHand" | "along" | "reopen" | "again" | "looked" | "awaited">;

/** What a new scan of a file changes in its rows. The file's own row learns its new content. */
export async function fileChange(
  { context, run }: Pick<Job, "context" | "run">,
  rows: Rows,
  scan: FileScan,
  options: Options = {},
): Promise<Omit<Reconciled, "change"> & { readonly change: ItemsChange; readonly file: Item | undefined }> {
  const { definition, lists } = run;
  const file = await rows.read(lists.files, scan.path);
  const below = (await rows.below(lists.files, scan.path)).filter((row) => row.facets["kind"] === "instance");
  const result = reconcile({
    definition,
    list: lists.files,
    scan: { ...scan, instances: itemsOf(definition, scan) },
    order: file?.order ?? "1",
    rows: below,
    id: (instance, ordinal) => instanceId(context, scan.path, instance, ordinal),
    ...(await movedRows(context, scan, { file, below })),
    ...options,
  });
  const known = isObject(file?.data) ? file.data : {};
  if (file === undefined || (known["hash"] === scan.hash && known["scanned"] === true)) return { ...result, file };
  const priority = known["priority"];
  const { first = known["hash"] } = known;
  const data = { ...fileData(scan, typeof priority === "number" ? priority : 2, true), ...(first === undefined ? {} : { first }) };
  const move = moveTo(file, file.status, { data });
  const changed = first === undefined || first === scan.hash ? "no" : "yes";
  // A file that had matches keeps the mark when they are converted.
  const match = file.facets["match"] === "yes" ? "yes" : matchOf(scan);
  const { suppressed: before, ...facets } = file.facets;
  const now = suppressedIn(scan);
  const same = (facets["changed"] ?? "no") === changed && facets["match"] === match && before === now.suppressed;
  const marked = same ? move : { ...move, newFacets: { ...facets, match, changed, ...now } };
  return { ...result, change: { ...result.change, moves: [...result.change.moves, marked] }, file };
}

/** Rows of tools in a file that changed: the text says where they are now. */
async function movedRows(
  { workspace, host }: Job["context"],
  { path, hash }: FileScan,
  { file, below }: { readonly file: Item | undefined; readonly below: readonly Item[] },
): Promise<Pick<Reconciling, "moved">> {
  const ofTools = below.filter((row) => toolOfRow(row) !== undefined && (isOpen(row) || isWaiting(row)));
  if (ofTools.length === 0 || (isObject(file?.data) && file.data["hash"] === hash)) return {};
  const read = await workspace.readText(host.workspace, path);
  return read === undefined ? {} : { moved: relocateRows(read.text, ofTools) };
}

/** Everything open below a file is settled with one reason. */
export async function settleBelow(rows: Rows, list: string, path: string, reason: string): Promise<ItemsChange> {
  const open = (await rows.below(list, path)).filter((row) => row.status === "pending");
  return { moves: open.map((row) => moveTo(row, "skipped", { reason })) };
}
