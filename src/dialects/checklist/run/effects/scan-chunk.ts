import { type ScanSum, facetValues, sumOf } from "../run-rows.ts";
import type { EntryDefinition } from "../../definition/index.ts";
import type { ItemsChange, RunState } from "../../../../kernel/index.ts";
import type { FileScan } from "../../../../ports/index.ts";
import type { Item } from "../../../../program/index.ts";
import { openAgain } from "../called-again.ts";
import { scansAtOnce, type ChecklistRun, roundOf, type Job, type Perform } from "../checklist-run.ts";
import { fileRows, whyUnread, fixOf, instanceId, itemsOf } from "../file-rows.ts";
import { type EngineContext, done, type Rows } from "../../../../engine/index.ts";
import { scanRunFiles } from "../scan-run-files.ts";
import { forgetFindings, keptFindings } from "../tool-blob.ts";
import { joined } from "./apply-edits.ts";
import { fileChange } from "./file-effects.ts";
import { forgetInventory, keptInventory } from "../kept-inventory.ts";
import { withoutEdits } from "./run-tools.ts";
import { type JsonObject, counted, grouped } from "../../../../base/index.ts";

/** Files per chunk: one effect, one commit. Few enough that a crash costs little, many enough that commits do not count. */
const filesPerChunk = 250;

/** Scans the next files of the inventory and makes rows of them. */
export const performScanChunk: Perform = async (job) => {
  const { context, run, signal } = job;
  const files = await keptInventory(job);
  const before = sumOf(run.raw["scan"]);
  const slice = files.slice(before.cursor, before.cursor + filesPerChunk);
  const items: Item[] = [];
  const scans: FileScan[] = [];
  const scanned = scansAtOnce(run);
  const paths = slice.map((file) => file.path);
  let at = 0;
  const kept = await keptFindings(job);
  const findings = Object.fromEntries(paths.flatMap((path) => (kept[path] === undefined ? [] : [[path, kept[path].findings]])));
  for await (const seen of scanRunFiles(job, paths, { patterns: scanned, findings })) {
    const scan = kept[seen.path] === undefined || kept[seen.path]?.hash === seen.hash ? seen : withoutEdits(seen);
    items.push(...(await rowsFor(job, scan, { index: before.cursor + at, priority: slice[at]?.priority ?? 2, scanned })));
    scans.push(scan);
    at += 1;
  }
  if (signal.aborted) return undefined;
  const sum = {
    ...added(before, scans),
    cursor: before.cursor + slice.length,
    done: before.cursor + slice.length >= files.length,
    total: files.length,
  };
  if (sum.done) {
    forgetInventory(context);
    forgetFindings(context);
  }
  return done({ ...sum }, async (rows) => rowsChange(job, rows, { items, scans }));
};

/** A workflow that is called again knows its files: they are brought up to date, in a new round opened; the others are added. */
async function rowsChange(
  job: Job,
  rows: Rows,
  { items, scans }: { readonly items: readonly Item[]; readonly scans: readonly FileScan[] },
): Promise<ItemsChange> {
  const list = job.run.lists.files;
  const known = new Set<string>();
  const changes: ItemsChange[] = [];
  const opens = roundOf(job.run.raw)?.opens === true;
  // A list without rows, as at every first scan, need not be asked for each file.
  const some = job.run.main ? [] : await rows.select({ list, query: {}, limit: 1 });
  for (const scan of some.length === 0 ? [] : scans) {
    if ((await rows.read(list, scan.path)) === undefined) continue;
    known.add(scan.path);
    if (opens)
      changes.push(
        await openAgain(
          job,
          rows,
          scan,
          items.filter((item) => item.root === scan.path),
        ),
      );
    else if (whyUnread(scan) === undefined) changes.push((await fileChange(job, rows, scan)).change);
  }
  const fresh = items.filter((item) => !known.has(item.root));
  return joined([...changes, { add: fresh.length === 0 ? [] : [{ list, items: fresh }] }]);
}

export async function rowsFor(
  { context, run }: Pick<Job, "context" | "run">,
  scan: FileScan,
  { index, priority, scanned }: { readonly index: number; readonly priority: number; readonly scanned: boolean },
): Promise<Item[]> {
  const { definition, stages, lists } = run;
  return fileRows({
    definition,
    stages,
    list: lists.files,
    scan,
    priority,
    index,
    scanned,
    entries: await entriesFor(context, run, scan.path),
    ids: itemsOf(definition, scan).map((instance) => instanceId(context, scan.path, instance, instance.ordinal)),
  });
}

/** Entries of the checklist whose conditions hold for the file. */
export async function entriesFor(context: EngineContext, { definition }: ChecklistRun, path: string): Promise<readonly EntryDefinition[]> {
  const named: EntryDefinition[] = [];
  for (const entry of definition.checklist) {
    if (entry.type === "pattern_instance") continue;
    const fits = entry.filePattern === undefined ? undefined : await context.workspace.matcher([entry.filePattern]);
    if (fits === undefined || fits(path)) named.push(entry);
  }
  if (named.every((entry) => entry.contentPattern === undefined)) return named;
  const read = await context.workspace.readText(context.host.workspace, path);
  return named.filter(
    (entry) => entry.contentPattern === undefined || (read !== undefined && new RegExp(entry.contentPattern, "m").test(read.text)),
  );
}

function added(before: ScanSum, scans: readonly FileScan[]): ScanSum {
  const fixes = { ...before.files_by_fix };
  const steps = { ...before.files_by_step };
  const problems = { ...before.problems };
  const raise = (counts: Record<string, number>, key: string): void => {
    counts[key] = (counts[key] ?? 0) + 1;
  };
  for (const { instances, problems: found } of scans) {
    for (const fix of new Set(instances.filter(({ nothing }) => nothing === undefined).map(fixOf))) raise(fixes, fix);
    for (const step of new Set(instances.flatMap((each) => each.step ?? []))) raise(steps, step);
    for (const { code } of found) raise(problems, code);
  }
  return {
    ...before,
    with_matches: before.with_matches + scans.filter((scan) => scan.instances.length > 0).length,
    instances: before.instances + scans.reduce((sum, scan) => sum + scan.instances.length, 0),
    files_by_fix: fixes,
    files_by_step: steps,
    problems,
  };
}

/** What the scan brought, in numbers and as the question that is put to a person. */
export const performSummarise: Perform = async ({ handle, run }) => done(analysisOf(handle.state, run) as unknown as JsonObject);

export interface Analysis extends Readonly<Record<"instances" | "auto" | "review" | "manual" | "files", number>> {
  /** Precise types and version steps, in the order in which they are worked on. */
  readonly types: readonly string[];
  readonly steps: readonly string[];
  readonly question: string;
}

export function analysisOf(state: RunState, { definition, lists, raw }: ChecklistRun): Analysis {
  const facets = state.lists[lists.files]?.facets ?? {};
  // What an earlier call of the workflow settled is not a part of the question.
  const total = (key: string): number => (facets[key]?.pending ?? 0) + (facets[key]?.in_progress ?? 0);
  const values = (facet: string): string[] => facetValues(state, lists.files, facet);
  const instances = total("kind=instance");
  const auto = total("fix=auto");
  const { with_matches: files } = sumOf(raw["scan"]);
  const found = `${counted(instances, "instance")} found in ${counted(files, "file")}`;
  const open = `${found}; ${grouped(auto)} can be fixed by the engine.`;
  const inSequence = definition.versionUpgrade?.inSequence !== false;
  const advice = definition.approach?.advice === undefined ? "" : ` ${definition.approach.advice}`;
  return {
    instances,
    auto,
    review: total("fix=review"),
    manual: total("fix=manual"),
    files,
    types: values("type").toSorted((a, b) => total(`type=${b}`) - total(`type=${a}`) || (a < b ? -1 : 1)),
    // One version after the other; where the workflow does not ask for that, the step with the most instances first.
    steps: values("step").toSorted((a, b) => (inSequence ? 0 : total(`step=${b}`) - total(`step=${a}`)) || (a < b ? -1 : 1)),
    question: `${open}${advice} Which way?`,
  };
}
