import type { AgentPermission, AgentProtocol } from "../ports/index.ts";

/** Everything that differs between agents, as data. */
export interface AgentSpec {
  readonly name: string;
  readonly protocol: AgentProtocol;
  /** The program and its arguments; for a script its file. */
  readonly command: readonly string[];
  /** Variables: `NAME` is passed on from this process, `NAME=value` is set. */
  readonly env: readonly string[];
  readonly auth?: string;
  readonly model?: string;
  /** The mode in which the agent asks before it does what the level leaves open. */
  readonly modes: Readonly<Partial<Record<AgentPermission["level"], string>>>;
  /** Vendor extensions that the client declares. */
  readonly clientMeta?: Readonly<Record<string, unknown>>;
  readonly usage: UsageScope;
  /** The strongest way to continue a session in a new process. */
  readonly resume: "resume" | "load" | "none";
  /** Text that begins so is a notice of the agent's program, not of its model. */
  readonly textFilters: readonly string[];
}

/**
 * What reported numbers count: this turn, the whole session so far, or only the last call of the model. Only those of turns and
 * sessions can be given as usage of a turn.
 */
export interface UsageScope {
  readonly tokens: "turn" | "session" | "call" | "none";
  readonly cost: "turn" | "session" | "none";
}
