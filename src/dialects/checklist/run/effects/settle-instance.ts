import { fieldOf, type JsonObject } from "../../../../base/index.ts";
import { done, storedRows, type Performed } from "../../../../engine/index.ts";
import type { ToolDefinition } from "../../definition/index.ts";
import type { Job, Perform } from "../checklist-run.ts";
import { whyUnread } from "../file-rows.ts";
import { convertedBy, suppressionOf } from "../reconcile.ts";
import { moveTo } from "../run-rows.ts";
import { scanRunFiles } from "../scan-run-files.ts";
import { awaitTool, mostLies, stillAfter } from "../tool-rows.ts";
import { toolsOf } from "../tools-of-run.ts";
import { fileChange, scanOne } from "./file-effects.ts";
import { lookAtAll, settleLook, waitingReports } from "./look-again.ts";
import { hashesOf, lookWith } from "./run-tools.ts";
import { fileRowsOf } from "./refresh.ts";

/** Reports that wait before the tools look in between. */
const mostWaiting = 25;

/** An agent said that it dealt with an instance: the file tells, and of what a tool reported the tool. */
export const performSettleInstance: Perform = async (job) => {
  const { item } = job.effect.args;
  const tool = toolsOf(job.run).find(({ id }) => id === fieldOf(item, "tool"));
  if (tool === undefined) return settleByFile(job);
  if (tool.perFile !== undefined) return settleByLook(job, tool);
  return (waitingReports(job) + 1) % mostWaiting === 0 ? settleWithOthers(job) : waits(job);
};

async function settleByFile(job: Job): Promise<Performed | undefined> {
  const { context, handle, effect } = job;
  const { item } = effect.args;
  const id = fieldOf(item, "id");
  const scan = await scanOne(job, fieldOf(item, "file"));
  if (scan === undefined) return undefined;
  const unread = whyUnread(scan);
  if (unread !== undefined) return unseen(unread);
  const options = { inHand: id, along: { group: fieldOf(item, "together") } };
  const { present } = await fileChange(job, storedRows(context, handle.id), scan, options);
  return done(
    verdict(job, present, (tries) => `It is still there after ${tries} reports that it was converted.`),
    async (rows) => {
      const { change } = await fileChange(job, rows, scan, options);
      const row = await rows.read(job.run.lists.files, id);
      if (present || row === undefined) return change;
      // The current row is marked as done by hand; its step settles it. A comment that settles the place converts nothing.
      const left = suppressionOf({ scan }, row);
      const marked = left === undefined ? convertedBy(row, "hand") : { label: "suppressed", reason: `suppressed in the file: ${left}` };
      return { ...change, moves: [...(change.moves ?? []), moveTo(row, row.status, marked)] };
    },
  );
}

function unseen(why: string): Performed {
  return done({ done: false, failed: true, reason: `What became of it cannot be seen: ${why}` });
}

function verdict({ effect }: Job, present: boolean, why: (tries: number) => string): JsonObject {
  if (!present) return { done: true };
  const { round } = effect.args;
  const tries = typeof round === "number" ? round : 1;
  return tries >= mostLies ? { done: false, failed: true, reason: why(tries) } : { done: false, failed: false };
}

/** The tool looks at the one file, so that its report is settled at once. */
async function settleByLook(job: Job, tool: ToolDefinition): Promise<Performed | undefined> {
  const file = fieldOf(job.effect.args["item"], "file");
  const before = await scanOne(job, file);
  if (before === undefined) return undefined;
  const unread = whyUnread(before);
  if (unread !== undefined) return unseen(unread);
  const seen = await lookWith(job, [tool], (path) => path === file, file);
  if (seen === undefined) return undefined;
  for await (const scan of scanRunFiles(job, [file], { findings: Object.fromEntries(seen.findings) })) {
    // It was changed while the tool looked: nothing is certain, so it waits like others.
    if (scan.hash !== before.hash) return waits(job);
    // A comment took it away: the look at everything says so with its reason, and it never counts as fixed.
    if (suppressionOf({ scan }, { data: job.effect.args["item"] ?? null }) !== undefined) return waits(job);
    return settledBy(job, { looked: new Set([tool.id]), scans: [scan], counts: seen.counts, waiting: new Set() });
  }
  return undefined;
}

/** Enough reports wait: the tools look at everything, and this report is settled with the others. */
async function settleWithOthers(job: Job): Promise<Performed | undefined> {
  const known = await fileRowsOf(storedRows(job.context, job.handle.id), job.run.lists.files);
  const hashes = await hashesOf(job, [...known.keys()]);
  const look = await lookAtAll(job, hashes);
  if (look === undefined) return undefined;
  const file = fieldOf(job.effect.args["item"], "file");
  return look.scans.some(({ path }) => path === file) ? settledBy(job, look) : waits(job, look);
}

type Look = NonNullable<Awaited<ReturnType<typeof lookAtAll>>>;

async function settledBy(job: Job, look: Look): Promise<Performed> {
  const { context, handle, run, effect } = job;
  const id = fieldOf(effect.args["item"], "id");
  const why = (tries: number): string => stillAfter(effect.args["item"], tries);
  const { present } = await settleLook(job, storedRows(context, handle.id), look, id);
  return done(verdict(job, present, why), async (rows) => {
    const { change } = await settleLook(job, rows, look, id);
    const row = await rows.read(run.lists.files, id);
    if (present || row === undefined) return change;
    return { ...change, moves: [...(change.moves ?? []), moveTo(row, row.status, { ...convertedBy(row, "hand"), reason: null })] };
  });
}

/** It counts as neither open nor done until the tool looks. `look`: what one said of other files. */
async function waits(job: Job, look?: Look): Promise<Performed> {
  const { run, effect } = job;
  const id = fieldOf(effect.args["item"], "id");
  return done({ done: true, waits: true }, async (rows) => {
    const row = await rows.read(run.lists.files, id);
    const { change = {} } = look === undefined ? {} : await settleLook(job, rows, look, id);
    return { ...change, moves: [...(change.moves ?? []), ...(row === undefined ? [] : [awaitTool(row, "hand")])] };
  });
}
