import type { Effect } from "../../../../kernel/index.ts";
import type { ChecklistRun } from "../checklist-run.ts";
import type { EngineContext, RunHandle, Performed } from "../../../../engine/index.ts";

/** An effect of a checklist that is being performed. */
export interface Job {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly effect: Effect;
  readonly scope: string;
  readonly run: ChecklistRun;
  readonly signal: AbortSignal;
}

/** undefined when it was stopped before its end. */
export type Perform = (job: Job) => Promise<Performed | undefined>;
