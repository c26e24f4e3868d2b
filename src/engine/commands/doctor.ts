import { canonicalJson, defined, isWaymarkError } from "../../base/index.ts";
import type { Event, RunState } from "../../kernel/index.ts";
import type { Store, StoreDescription } from "../../ports/index.ts";
import type { EngineContext } from "../context.ts";
import { recordsWith } from "../journal-records.ts";
import { isItemChange } from "../pending-items.ts";

export interface DoctorReport {
  readonly store: StoreDescription;
  readonly checked: number;
  /** Runs with a transcript, and entries of all of them. */
  readonly transcripts: { readonly runs: number; readonly entries: number };
  readonly problems: readonly Problem[];
}

interface Problem {
  readonly run?: string;
  readonly problem: string;
  /** What to do about it. Without one it may help to derive everything from the journal again. */
  readonly fix?: string;
}

/** Replays journals and compares: the state rebuilt from the first record must equal the one in use, counts must equal rows. */
export async function doctor(context: EngineContext, run?: string): Promise<DoctorReport> {
  const problems: Problem[] = (await context.store.verify()).map((problem) => ({ problem }));
  const rows = run === undefined ? await context.store.listRuns({}) : [];
  const ids = run === undefined ? rows.map((row) => row.id) : [run];
  const transcripts = { runs: 0, entries: 0 };
  for (const id of ids) {
    try {
      const entries = await countEntries(context.transcripts.read(id));
      transcripts.entries += entries;
      transcripts.runs += entries > 0 ? 1 : 0;
      problems.push(...(await checkRun(context, id)).map((problem) => ({ run: id, problem })));
    } catch (error) {
      const { message, fix } = isWaymarkError(error) ? error : { message: error instanceof Error ? error.message : String(error) };
      problems.push({ run: id, problem: message, ...defined({ fix }) });
    }
  }
  return { store: await context.store.describe(), checked: ids.length, transcripts, problems };
}

async function countEntries(entries: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of entries) count += 1;
  return count;
}

async function checkRun(context: EngineContext, id: string): Promise<string[]> {
  const handle = await context.runs.open(id);
  const found: string[] = [];
  const rebuilt = await context.runs.rebuild(id);
  if (rebuilt.position === handle.head && canonicalJson(rebuilt.state) !== canonicalJson(handle.state)) {
    found.push("The state rebuilt from the journal differs from the stored one. Drop its snapshots to use the journal.");
  }
  for (const [list, counts] of Object.entries(rebuilt.state.lists)) {
    if (!(await context.store.itemLists(id)).includes(list)) continue;
    const rows = await context.store.countItems(id, list, {});
    for (const [status, count] of Object.entries(rows.byStatus)) {
      const expected = counts.by[status as keyof typeof counts.by];
      if (expected !== count) found.push(`List \`${list}\` has ${count} ${status} rows where the journal counts ${expected}.`);
    }
    for (const { ids } of await countedAgain(context.store, id, rebuilt.state))
      found.push(`Items of list \`${list}\` wait for the wrong number of dependencies: ${ids.slice(0, 5).join(", ")}.`);
  }
  return found;
}

/** Rebuilds the item rows and the snapshot of a run from its journal alone. */
export async function rebuildRun(context: EngineContext, id: string): Promise<void> {
  await context.store.dropSnapshots(id);
  await context.store.dropItems(id);
  for await (const { decoded } of recordsWith(context, id)) {
    const changes = decoded.filter(isItemChange);
    if (changes.length > 0) await context.store.applyItems(id, changes);
  }
  context.runs.forget(id);
  // Journals written before reopened dependencies were recorded leave counts that are too low.
  await context.store.applyItems(id, await countedAgain(context.store, id, (await context.runs.open(id)).state));
}

/**
 * What brings rows that wait for the wrong number of dependencies in line with the statuses of those. A list in which a settled or
 * reopened item has not reached its dependants yet is left alone: its rows are right to lag behind.
 */
export async function countedAgain(
  store: Store,
  run: string,
  { lists, settled }: Pick<RunState, "lists" | "settled">,
): Promise<Extract<Event, { readonly type: "dependency_reopened" }>[]> {
  const found: Extract<Event, { readonly type: "dependency_reopened" }>[] = [];
  for (const [list, counts] of Object.entries(lists)) {
    if (!counts.hasDependencies || settled.some((notice) => notice.list === list)) continue;
    const rows = await store.selectItems(run, { list, query: {}, limit: Math.max(1, counts.total) });
    const done = new Set(rows.filter(({ status }) => status !== "pending" && status !== "in_progress").map(({ id }) => id));
    const open = rows.map(({ dependsOn = [] }) => new Set(dependsOn.filter((id) => !done.has(id))).size);
    const wrong = rows
      .map((row, at) => ({ ...row, open: open[at] ?? 0 }))
      .filter((row) => row.dependsOn !== undefined && row.waitsFor !== row.open);
    if (wrong.length === 0) continue;
    found.push({ type: "dependency_reopened", list, of: "", ids: wrong.map(({ id }) => id), waits: wrong.map((row) => row.open) });
  }
  return found;
}
