import { existsSync } from "node:fs";
import { canonicalJson, isObject } from "../../src/base/index.ts";
import { checklistOf, gatherFacts } from "../../src/dialects/checklist/run/index.ts";
import { doctor, rebuildRun } from "../../src/engine/index.ts";
import type { Item } from "../../src/program/index.ts";
import type { PatternSpec } from "../../src/ports/index.ts";
import type { DriftWorld } from "./drift-world.ts";

export interface Account {
  readonly files: number;
  /** Completed, skipped with a reason, or failed with one. */
  readonly accounted: number;
  readonly open: number;
}

const settled = new Set(["completed", "skipped", "failed"]);

/** Counts of the kernel against the rows, as they are at one head of the journal. */
export async function checkCounts(world: DriftWorld): Promise<void> {
  const { context } = world.observer;
  for (let tries = 0; tries < 20; tries += 1) {
    const handle = await context.runs.open(world.run);
    const { head } = handle;
    // Lists that a step fills for itself have counts and no rows.
    const kept = await context.store.itemLists(world.run);
    const counted = Object.entries(handle.state.lists).filter(([list]) => kept.includes(list));
    const rows = await Promise.all(counted.map(([list]) => context.store.countItems(world.run, list, {})));
    const files = await context.store.countItems(world.run, "files", { facets: { kind: "file" } });
    const kernel = handle.state.lists["files"]?.facets["kind=file"];
    await context.runs.refresh(handle);
    if (handle.head !== head) continue;
    for (const [at, [list, counts]] of counted.entries())
      if (canonicalJson(counts.by) !== canonicalJson(rows[at]?.byStatus))
        world.complain(`the kernel counts ${JSON.stringify(counts.by)} in ${list}, the rows are ${JSON.stringify(rows[at]?.byStatus)}`);
    if (kernel !== undefined && canonicalJson(kernel) !== canonicalJson(files.byStatus))
      world.complain(`the kernel counts files ${JSON.stringify(kernel)}, the rows are ${JSON.stringify(files.byStatus)}`);
    return;
  }
}

/** Every file of the run at its end, and whatever does not add up. */
export async function account(world: DriftWorld, blocked: boolean): Promise<Account> {
  const rows = await allRows(world);
  const files = rows.filter((row) => row.facets["kind"] === "file");
  const ids = new Set(files.map((row) => row.id));
  const known = new Set([...world.initial, ...[...world.ever].filter((path) => existsSync(world.place(path)))]);
  if (!blocked) for (const path of known) if (!ids.has(path)) world.complain(`${path} has no row`);
  for (const path of world.initial) if (!ids.has(path)) world.complain(`${path} of the inventory has no row`);
  for (const { id } of files) if (!world.ever.has(id)) world.complain(`${id} has a row and never was a file`);
  const accounted = files.filter((row) => row.status === "completed" || (settled.has(row.status) && hasReason(row))).length;
  const open = files.filter((row) => !settled.has(row.status)).length;
  for (const row of rows) {
    if ((row.status === "skipped" || row.status === "failed") && !hasReason(row))
      world.complain(`${row.id} is ${row.status} with the reason ${JSON.stringify(row.reason)}`);
    if (!blocked && !settled.has(row.status)) world.complain(`${row.id} is ${row.status} at the end`);
  }
  await checkFacts(world, files, open);
  if (!blocked) await checkTruth(world, rows);
  await checkReplay(world, rows);
  return { files: files.length, accounted: blocked ? files.length : accounted, open };
}

function hasReason({ reason = "" }: Item): boolean {
  return !["", "null", "undefined"].includes(reason.trim());
}

/** What status and report say is what the rows are. */
async function checkFacts(world: DriftWorld, files: readonly Item[], open: number): Promise<void> {
  const facts = await gatherFacts(world.observer.context, world.run);
  const { total, pending, inProgress, completed, skipped, blocked } = facts.files;
  const said = { total, open: pending + inProgress, completed, skipped, blocked };
  const count = (status: string): number => files.filter((row) => row.status === status).length;
  const are = { total: files.length, open, completed: count("completed"), skipped: count("skipped"), blocked: count("failed") };
  if (canonicalJson(said) !== canonicalJson(are))
    world.complain(`the report says ${JSON.stringify(said)}, the rows are ${JSON.stringify(are)}`);
  if (facts.behaviour.refused !== world.offCourse)
    world.complain(`${world.offCourse} reports were refused and ${facts.behaviour.refused} are counted`);
}

/** Nothing counts as converted that is still in a file: every call that is left belongs to a row that says so. */
async function checkTruth(world: DriftWorld, rows: readonly Item[]): Promise<void> {
  const { context, folder } = world.observer;
  const run = checklistOf(await context.runs.open(world.run));
  const patterns = (run?.definition.patterns.patterns ?? []) as unknown as readonly PatternSpec[];
  if (world.workflow.name !== "old-calls") return;
  const paths = [...world.ever].filter((path) => existsSync(world.place(path)));
  for await (const scan of context.workspace.scan({ root: folder, paths, rules: { patterns } })) {
    const left = new Map<string, number>();
    for (const { text } of scan.instances) left.set(text, (left.get(text) ?? 0) + 1);
    for (const [text, count] of left) {
      const owned = rows.filter(
        (row) => row.parent === scan.path && isObject(row.data) && row.data["text"] === text && row.status !== "completed",
      ).length;
      if (owned < count) world.complain(`${scan.path} holds \`${text}\` ${count} times, and ${owned} rows say so`);
    }
  }
}

/** The journal alone gives the same state and the same rows. */
async function checkReplay(world: DriftWorld, rows: readonly Item[]): Promise<void> {
  const { context } = world.observer;
  for (const { problem } of (await doctor(context, world.run)).problems) world.complain(`doctor: ${problem}`);
  await rebuildRun(context, world.run);
  const again = await allRows(world);
  if (canonicalJson(again) === canonicalJson(rows)) return;
  const before = new Map(rows.map((row) => [row.id, row]));
  const other = again.find((row) => canonicalJson(row) !== canonicalJson(before.get(row.id)));
  world.complain(`rows rebuilt from the journal differ, first ${JSON.stringify(other)} was ${JSON.stringify(before.get(other?.id ?? ""))}`);
}

async function allRows({ observer, run }: DriftWorld): Promise<readonly Item[]> {
  return observer.context.store.selectItems(run, { list: "files", query: {}, limit: 100_000 });
}
