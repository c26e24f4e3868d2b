import { mainStrand, taskName } from "../../kernel/index.ts";
import type { RunFilter, RunRow } from "../../ports/index.ts";
import { type RunLine, type Standing, standingOf } from "../../views/index.ts";
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

/** Those of the runs whose holder is not alive. */
export async function runsLeft(context: EngineContext, found: readonly RunOverview[]): Promise<ReadonlySet<string>> {
  const now = await context.store.now();
  const held = found.filter(({ status: state, line }) => state === "running" && line.holder !== undefined);
  const leases = await Promise.all(held.map(({ id }) => context.store.readLease(strandLease(id, mainStrand))));
  return new Set(held.flatMap(({ id }, at) => (isAlive(context, leases[at], now) ? [] : [id])));
}

export interface StrandStatus {
  readonly strand: string;
  readonly task?: string;
  readonly standing: Standing;
  readonly holder?: string;
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
      ...(strand.holder === undefined ? {} : { holder: strand.holder.name }),
    };
  });
  return { handle, strands, now };
}
