import { defined } from "../../base/index.ts";
import { mainStrand, taskName } from "../../kernel/index.ts";
import type { RunFilter, RunRow } from "../../ports/index.ts";
import { holderPlace, type RunLine, type Standing, standingOf } from "../../views/index.ts";
import type { EngineContext } from "../context.ts";
import { strandLease } from "../lease-keys.ts";
import { isAlive } from "../lease-life.ts";
import type { RunHandle } from "../run-cache.ts";

export interface RunOverview extends Pick<RunRow, "id" | "workflow" | "status" | "createdAt" | "updatedAt"> {
  readonly line: RunLine;
}

/** Runs of this workspace, newest first, without loading them. */
export async function runs(context: EngineContext, filter: RunFilter): Promise<readonly RunOverview[]> {
  const rows = await context.store.listRuns(filter);
  return rows.map(({ id, workflow, status: now, createdAt, updatedAt, line: text }) => {
    const line = JSON.parse(text) as RunLine;
    return { id, workflow, status: now, createdAt, updatedAt, line };
  });
}

/** Whether the holder of each run is alive or gone; a run whose holder gave it back has none. */
export async function runHolders(context: EngineContext, found: readonly RunOverview[]): Promise<ReadonlyMap<string, "alive" | "gone">> {
  const now = await context.store.now();
  const held = found.filter(({ status: state, line }) => state === "running" && line.holder !== undefined);
  const leases = await Promise.all(held.map(({ id }) => context.store.readLease(strandLease(id, mainStrand))));
  const known = held.map(({ id }, at) => [id, leases[at]] as const).filter(([, lease]) => lease !== undefined);
  return new Map(known.map(([id, lease]) => [id, isAlive(context, lease, now) ? "alive" : "gone"]));
}

export interface StrandStatus {
  readonly strand: string;
  readonly task?: string;
  readonly standing: Standing;
  /** Absent also where it gave the strand back. */
  readonly holder?: string;
  /** Its computer and process, where they are known. */
  readonly holderAt?: string;
  readonly alive: boolean;
  readonly stale: boolean;
}

/** One run with every open strand: who drives it, whether that process is alive, whether it makes progress. */
export async function status(
  context: EngineContext,
  run: string,
): Promise<{ readonly handle: RunHandle; readonly strands: readonly StrandStatus[]; readonly now: number }> {
  const handle = await context.runs.open(run);
  const { state } = handle;
  const now = await context.store.now();
  const leases = new Map((await context.store.readLeases(strandLease(handle.id, ""))).map((lease) => [lease.key, lease]));
  const strands = Object.values(state.strands).map((strand) => {
    const standing = standingOf(state, strand.id, handle.program);
    const lease = leases.get(strandLease(handle.id, strand.id));
    const alive = isAlive(context, lease, now);
    const stale =
      standing.kind === "action" && strand.holder !== undefined && now - standing.action.openedAt > context.settings.idleAfterMs;
    return {
      strand: strand.id,
      standing,
      alive,
      stale,
      ...(strand.task === undefined ? {} : { task: taskName(strand) }),
      ...(strand.holder === undefined || lease === undefined
        ? {}
        : { holder: strand.holder.name, ...defined({ holderAt: holderPlace(strand.holder) }) }),
    };
  });
  return { handle, strands, now };
}
