import { isReported, type Caller, type Position } from "../engine/index.ts";
import { AgentPool } from "./choose-agent.ts";
import { doStep } from "./do-step.ts";
import type { DriveEnd, DriveRequest, RunnerParts } from "./drive-request.ts";
import { InterruptedSessions } from "./interrupted-sessions.ts";
import type { StepDriver } from "./step-driver.ts";

/** Gives single steps to agents, for a driver that goes through the run itself. */
export interface AgentSteps {
  /** Lets an agent do the action that the position shows, and reports it. Answers where driving ends there; undefined when the run continues. */
  give(position: Position): Promise<DriveEnd | undefined>;
  close(): Promise<void>;
}

/** What the workers of one runner know together. */
export type SharedByWorkers = Pick<StepDriver, "interrupted" | "refused" | "working" | "told">;

/** `caller` holds the strands whose steps are given. */
export function openAgentSteps(
  parts: RunnerParts,
  request: DriveRequest,
  caller: Caller,
  shared: SharedByWorkers = shareByWorkers(parts),
): AgentSteps {
  const pool = new AgentPool(parts.agents);
  const driver: StepDriver = { parts, request, pool, caller, ...shared };
  return {
    give: async (position) => (position.standing.kind === "action" ? doStep(driver, position, position.standing) : undefined),
    close: () => pool.close(),
  };
}

export function shareByWorkers({ context }: Pick<RunnerParts, "context">): SharedByWorkers {
  const interrupted = new InterruptedSessions(context.transcripts, (run, action) => isReported(context, run, action));
  return { interrupted, refused: new Map(), working: new Set(), told: new Set() };
}
