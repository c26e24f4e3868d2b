import { strandLease } from "../lease-keys.ts";
import { isAlive } from "../lease-life.ts";
import type { EngineContext } from "../context.ts";

/** Owners of the leases of living processes that drive parts of a run; also of one that cannot be read any more. */
export async function driversOf({ store, host }: EngineContext, id: string): Promise<readonly string[]> {
  const now = await store.now();
  const leases = await store.readLeases(strandLease(id, ""));
  return leases.filter((lease) => isAlive({ host }, lease, now) && driverOwner.test(lease.owner)).map(({ owner }) => owner);
}

/** As drivers are called: `work`, `drive` and `run`, with agents or by hand. */
const driverOwner = /^p\d+-.*-(?:d\d+|hand)$/;

export async function removeRun(context: EngineContext, id: string): Promise<void> {
  await context.runs.row(id);
  await context.store.removeRun(id);
  await forget(context, id);
}

/** After the run itself: until then it may be taken up again. */
async function forget(context: EngineContext, id: string): Promise<void> {
  await context.transcripts.remove(id);
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
    await forget(context, id);
    removed.push(id);
  }
  const collected = await context.store.collectBlobs();
  return { runs: removed, blobs: collected.removed, bytes: collected.bytes };
}
