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

/** `caller` holds the strands whose steps are given. Workers of one runner read its transcripts together. */
export function openAgentSteps(
  parts: RunnerParts,
  request: DriveRequest,
  caller: Caller,
  interrupted: InterruptedSessions = readInterrupted(parts),
): AgentSteps {
  const pool = new AgentPool(parts.agents);
  const driver: StepDriver = { parts, request, pool, caller, interrupted };
  return {
    give: async (position) => (position.standing.kind === "action" ? doStep(driver, position, position.standing) : undefined),
    close: () => pool.close(),
  };
}

export function readInterrupted({ context }: Pick<RunnerParts, "context">): InterruptedSessions {
  return new InterruptedSessions(context.transcripts, (run, action) => isReported(context, run, action));
}
