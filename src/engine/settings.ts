import type { RoleBinding } from "../ports/index.ts";
import type { Budget } from "../program/index.ts";

export interface VerifyCommand {
  readonly name: string;
  readonly command: string;
  /** The project named it: it runs only after a person has allowed it. */
  readonly fromProject: boolean;
}

/** Limits the engine obeys; the host's configuration fills them in. */
export interface Settings {
  /** How long a call waits for engine work before it answers "still working". */
  readonly callWaitMs: number;
  readonly commandTimeoutMs: number;
  readonly commandOutputBytes: number;
  /** Values in traces are cut at this many bytes, and only the last `traceEntries` are kept. */
  readonly valuePreviewBytes: number;
  readonly traceEntries: number;
  readonly leaseTtlMs: number;
  readonly leaseBeatMs: number;
  /** How long the end of an open turn's run, or its take-over, by another process may go unnoticed. */
  readonly turnLookMs: number;
  /** How long an agent keeps its part of a run without a call. */
  readonly agentIdleMs: number;
  /** The same for a person; a step that was not reported for as long looks stale. */
  readonly idleAfterMs: number;
  readonly commitRecords: number;
  /** Commands of the verification phase beside those of the workflow; a person configured them. */
  readonly verifyCommands: readonly VerifyCommand[];
  readonly budget: Budget;
  /** Who plays the roles of workflows, by role; names that a workflow does not have mean nothing to it. */
  readonly roles: Readonly<Record<string, ConfiguredRole>>;
}

export interface ConfiguredRole extends RoleBinding {
  /** The project says so: no agent is started for it before a person has allowed it. */
  readonly fromProject: boolean;
}

export const defaultSettings: Settings = {
  callWaitMs: 25_000,
  commandTimeoutMs: 600_000,
  commandOutputBytes: 4 * 1024 * 1024,
  valuePreviewBytes: 2048,
  traceEntries: 1000,
  leaseTtlMs: 30_000,
  leaseBeatMs: 10_000,
  turnLookMs: 500,
  agentIdleMs: 10 * 60_000,
  idleAfterMs: 30 * 60_000,
  commitRecords: 256,
  verifyCommands: [],
  budget: {},
  roles: {},
};
