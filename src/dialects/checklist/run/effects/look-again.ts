import type { JsonObject } from "../../../../base/index.ts";
import { done, storedRows, type Rows } from "../../../../engine/index.ts";
import type { ItemsChange } from "../../../../kernel/index.ts";
import type { FileScan } from "../../../../ports/index.ts";
import { isObject } from "../../../../base/index.ts";
import type { Job, Perform } from "../checklist-run.ts";
import { countsOf, inPages, isOpen, reopenedFile } from "../run-rows.ts";
import { countPlaced } from "../count-placed.ts";
import type { ToolCounts } from "../run-tool.ts";
import { scanRunFiles } from "../scan-run-files.ts";
import { isWaiting } from "../tool-rows.ts";
import { toolsOf } from "../tools-of-run.ts";
import { joined } from "./apply-edits.ts";
import { fileChange } from "./file-effects.ts";
import { fileRowsOf } from "./refresh.ts";
import { digestOf, hashesOf, lookWith } from "./run-tools.ts";

/**
 * When nothing else is open: the tools settle what waits for them, and find what the edits of the round brought. Without a report that waits
 * and without a change in any file their last look still holds.
 */
export const performLookAgain: Perform = async (job) => {
  const { handle, run } = job;
  const waiting = waitingReports(job);
  const known = await fileRowsOf(storedRows(job.context, handle.id), run.lists.files);
  const hashes = await hashesOf(job, [...known.keys()]);
  if (job.signal.aborted) return undefined;
  const content = digestOf(job, hashes);
  const before = lastLook(job);
  if (waiting === 0 && before.content === content) return done({ ...before, open: 0 });
  const look = await lookAtAll(job, hashes);
  if (look === undefined) return undefined;
  const { opened } = await settleLook(job, storedRows(job.context, handle.id), look);
  const value = { counts: look.counts.map((each) => ({ ...each })), content, open: opened };
  return done(value, async (rows) => (await settleLook(job, rows, look)).change);
};

/** How many reports wait for a look. */
export function waitingReports({ handle, run }: Pick<Job, "handle" | "run">): number {
  return countsOf(handle.state, run.lists.files)("verify=waiting").completed;
}

function lastLook({ run: { raw } }: Pick<Job, "run">): JsonObject {
  const { looked, tools } = raw;
  const { counts = [], content = "" } = isObject(looked) ? looked : isObject(tools) ? tools : {};
  return { counts, content };
}

/** What the tools said of files whose content did not change meanwhile. */
export interface Look {
  readonly looked: ReadonlySet<string>;
  readonly scans: readonly FileScan[];
  readonly counts: readonly ToolCounts[];
  /** Reports that were there when the look began: later ones wait for the next. */
  readonly waiting: ReadonlySet<string>;
}

/** All tools look at everything; undefined when it was stopped. `hashes`: what the files of the run hold. */
export async function lookAtAll(job: Job, hashes: ReadonlyMap<string, string | undefined>): Promise<Look | undefined> {
  const { context, handle, run } = job;
  const tools = toolsOf(run);
  const list = run.lists.files;
  const rows = storedRows(context, handle.id);
  const waiting = new Set<string>();
  const concerned = new Set<string>();
  for (const { id: tool } of tools)
    for await (const row of inPages((part) => rows.select({ list, query: { facets: { tool } }, ...part }), page)) {
      if (isWaiting(row)) waiting.add(row.id);
      if (row.parent !== undefined && (isWaiting(row) || isOpen(row) || row.status === "failed")) concerned.add(row.parent);
    }
  const seen = await lookWith(job, tools, (path) => hashes.has(path));
  if (seen === undefined) return undefined;
  const findings = Object.fromEntries(seen.findings);
  const paths = [...new Set([...concerned, ...seen.findings.keys()])];
  const all: FileScan[] = [];
  for await (const scan of scanRunFiles(job, paths, { findings })) all.push(scan);
  if (job.signal.aborted) return undefined;
  const scans = all.filter(({ path, hash }) => hash !== undefined && hash === hashes.get(path));
  return { looked: new Set(tools.map(({ id }) => id)), scans, counts: countPlaced(seen.counts, all), waiting };
}

const page = 2_000;

/** Rows as a look left them. `inHand`: the one that an agent reports on at this moment; its step settles it. */
export async function settleLook(
  job: Pick<Job, "context" | "run">,
  rows: Rows,
  { looked, scans, waiting }: Look,
  inHand?: string,
): Promise<{ readonly change: ItemsChange; readonly opened: number; readonly present: boolean }> {
  const changes: ItemsChange[] = [];
  let [opened, present] = [0, false];
  for (const scan of scans) {
    const result = await fileChange(job, rows, scan, { looked, awaited: waiting, ...(inHand === undefined ? {} : { inHand }) });
    const { change, file, added, reopened } = result;
    present ||= result.present;
    opened += added + reopened;
    changes.push(change);
    if (added + reopened > 0) changes.push({ moves: reopenedFile(file, "a tool reports something in it") });
  }
  return { change: joined(changes), opened, present };
}
