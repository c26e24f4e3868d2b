import type { Caller } from "../engine/index.ts";
import type { AgentPool } from "./choose-agent.ts";
import type { DriveRequest, RunnerParts } from "./drive-request.ts";
import type { InterruptedSessions } from "./interrupted-sessions.ts";

/** What the steps of one driver share. */
export interface StepDriver {
  readonly parts: RunnerParts;
  readonly request: DriveRequest;
  readonly pool: AgentPool;
  readonly caller: Caller;
  readonly interrupted: InterruptedSessions;
  /** Accounts that refused their agent while this driver works, and why: the next step would fail in the same way. */
  readonly refused: Map<string, string>;
}
