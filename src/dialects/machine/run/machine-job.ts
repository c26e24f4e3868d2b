import type { Effect } from "../../../kernel/index.ts";
import type { EngineContext, Performed, RunHandle } from "../../../engine/index.ts";
import type { MachineRun } from "./machine-run.ts";
import type { Syncing } from "./sync-session.ts";

/** An effect of a machine in somebody's hands. */
export interface MachineJob {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly effect: Effect;
  readonly run: MachineRun;
  readonly signal: AbortSignal;
}

/** undefined when it was stopped before its end. */
export type PerformMachine = (job: MachineJob) => Promise<Performed | undefined>;

export function syncing({ context, handle, run }: Pick<MachineJob, "context" | "handle" | "run">): Syncing {
  return { context, run, id: handle.id };
}

export async function timeOf({ store }: EngineContext): Promise<string> {
  return new Date(await store.now()).toISOString();
}
