import { canonicalJson } from "../../base/index.ts";
import type { Event } from "../../kernel/index.ts";
import { countedAgain } from "../count-dependencies.ts";
import type { EngineContext } from "../context.ts";
import { isItemChange } from "../draft.ts";
import { decodeJournal } from "../journal-codec.ts";

export interface DoctorReport {
  readonly store: { readonly kind: string; readonly location: string; readonly schema: number; readonly engine: string };
  readonly checked: number;
  readonly problems: readonly { readonly run?: string; readonly problem: string }[];
}

/** Replays journals and compares: the state rebuilt from the first record must equal the one in use, counts must equal rows. */
export async function doctor(context: EngineContext, run?: string): Promise<DoctorReport> {
  const problems: { run?: string; problem: string }[] = (await context.store.verify()).map((problem) => ({ problem }));
  const rows = run === undefined ? await context.store.listRuns({}) : [];
  const ids = run === undefined ? rows.map((row) => row.id) : [run];
  for (const id of ids) {
    try {
      problems.push(...(await checkRun(context, id)).map((problem) => ({ run: id, problem })));
    } catch (error) {
      problems.push({ run: id, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  return { store: await context.store.describe(), checked: ids.length, problems };
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
  for (let after = 0; ;) {
    const records = await context.store.readRecords(id, after, 200);
    for (const record of records) {
      after = record.position;
      const events = await decodeJournal<readonly Event[]>(context.store, record.events);
      const changes = events.filter(isItemChange);
      if (changes.length > 0) await context.store.applyItems(id, changes);
    }
    if (records.length < 200) break;
  }
  context.runs.forget(id);
  // Journals written before reopened dependencies were recorded leave counts that are too low.
  await context.store.applyItems(id, await countedAgain(context.store, id, (await context.runs.open(id)).state));
}

export async function removeRun(context: EngineContext, id: string): Promise<void> {
  await context.runs.open(id);
  await context.store.removeRun(id);
  forget(context, id);
}

function forget(context: EngineContext, id: string): void {
  context.runs.forget(id);
  context.evaluator.forget(id);
  context.traces.forget(id);
}

/** Removes ended runs that were last touched before the given time, and blobs nothing refers to. */
export async function prune(
  context: EngineContext,
  before: number,
  dryRun: boolean,
): Promise<{ readonly runs: readonly string[]; readonly blobs: number; readonly bytes: number }> {
  const rows = await context.store.listRuns({ status: ["completed", "failed", "cancelled"], updatedBefore: before });
  if (dryRun) return { runs: rows.map((row) => row.id), blobs: 0, bytes: 0 };
  const removed: string[] = [];
  for (const { id, head } of rows) {
    // A run that is taken up again at this moment stays.
    if (!(await context.store.removeRun(id, head))) continue;
    forget(context, id);
    removed.push(id);
  }
  const collected = await context.store.collectBlobs();
  return { runs: removed, blobs: collected.removed, bytes: collected.bytes };
}
