import type { Caller } from "../engine/index.ts";
import type { AgentPool } from "./choose-agent.ts";
import type { DriveRequest, RunnerParts } from "./drive-request.ts";
import type { InterruptedSessions } from "./interrupted-sessions.ts";
import type { Refusal } from "./refusal.ts";

/** What the steps of one driver share. */
export interface StepDriver {
  readonly parts: RunnerParts;
  readonly request: DriveRequest;
  readonly pool: AgentPool;
  readonly caller: Caller;
  readonly interrupted: InterruptedSessions;
  /** Accounts, and agents with their model, that could do nothing while this driver works, and how driving ends: the next step would fail in the same way. */
  readonly refused: Map<string, Refusal>;
  /** Agents that took work while this driver works. */
  readonly working: Set<string>;
  /** What people have seen of what they see once. */
  readonly told: Set<string>;
}
