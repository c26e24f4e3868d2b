import type { Json, JsonObject } from "../base/index.ts";

/** A coding agent that takes one prompt at a time in a session. */
export interface AgentProvider {
  readonly id: string;
  /** One turn. The last event is `result`. Never throws: a failure is a result with the stop `error`. */
  run(turn: Turn): AsyncGenerator<AgentEvent, void, undefined>;
  /** Ends its processes with everything they started. */
  close(): Promise<void>;
}

/** What an agent may do without asking. `commands` extends `edit` by these command lines, each with any further plain arguments. */
export interface AgentPermission {
  readonly level: "read" | "edit" | "all";
  readonly commands?: readonly string[];
}

/** Who does the steps of a role. What is absent is decided as for any other step. */
export interface RoleBinding {
  readonly agent?: string;
  /** A model of that agent. */
  readonly model?: string;
  readonly permission?: AgentPermission;
}

/** An MCP server that the agent is given, on this computer. */
export interface McpHttp {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Turn {
  readonly prompt: string;
  /** Absolute. Files outside of it are refused. */
  readonly cwd: string;
  /** Continue this one; when that is not possible the turn ends as `lost` and nothing is prompted. */
  readonly session?: string;
  /** The turn is made in a fork of the session, which stays as it is; where the agent has no forks, in the session itself, with a notice. */
  readonly fork?: true;
  readonly model?: string;
  readonly mcp?: readonly McpHttp[];
  readonly permission: AgentPermission;
  /** Files, relative to `cwd`, that the agent may write at every level: what its step must leave. */
  readonly leaves?: readonly string[];
  /** By name or kind. Only `allowed` ones may be used, where given; `denied` ones never. Tools of `mcp` are always allowed. */
  readonly tools?: { readonly allowed?: readonly string[]; readonly denied?: readonly string[] };
  readonly signal?: AbortSignal;
  /** Milliseconds without a sign of the agent after which the turn ends. */
  readonly idleMs?: number;
  /** Milliseconds after which the turn ends in any case; no limit without it. */
  readonly limitMs?: number;
  /** The agent is asked to end with JSON that fits. Whether it does is for the caller to check. */
  readonly outputSchema?: JsonObject;
  /** Every message of the wire, for logs. */
  readonly onRaw?: (direction: "in" | "out", message: unknown) => void;
}

/** Of one turn, as far as the agent reports it. */
export interface AgentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  readonly contextUsed?: number;
  readonly contextSize?: number;
  readonly costUsd?: number;
}

export type AgentStop = "end" | "cancelled" | "refused" | "max_tokens" | "max_turns" | "error";

/**
 * `limit`: the account's limit, until `resetAt`; `auth`: not logged in; both stay until a person acts. `overloaded`, `transport`: try
 * again. `crash`: the process ended. `timeout`: it was silent or too slow. `refused`: the agent or Waymark refused. `lost`: the session
 * could not be continued.
 */
export type AgentErrorKind = "limit" | "auth" | "setup" | "overloaded" | "transport" | "crash" | "timeout" | "refused" | "lost" | "unknown";

export interface AgentResult {
  readonly type: "result";
  /** Empty when no session was opened. */
  readonly sessionId: string;
  readonly stop: AgentStop;
  /** The last whole message. */
  readonly text: string;
  readonly usage: AgentUsage;
  /** What the agent asked for and was not allowed. */
  readonly denied: readonly string[];
  readonly error?: string;
  readonly errorKind?: AgentErrorKind;
  /** Milliseconds since 1970 at which a limit ends, where the agent says so. */
  readonly resetAt?: number;
}

export type AgentEvent =
  | { readonly type: "session"; readonly sessionId: string; readonly resumed: "new" | "live" | "resumed" | "loaded" | "forked" | "lost" }
  /** A part of a message, as it arrives. */
  | { readonly type: "text"; readonly text: string }
  /** A whole message, given before a tool begins and at the end of the turn: what logs and transcripts use. */
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "plan"; readonly items: readonly { readonly text: string; readonly status: string }[] }
  /** `once`: it is about how the agent works here and not about this turn, so people see it once. */
  | { readonly type: "notice"; readonly level: "info" | "warn" | "error"; readonly text: string; readonly once?: true }
  | {
      readonly type: "tool";
      readonly id: string;
      readonly name: string;
      readonly kind?: string;
      readonly status: "pending" | "running" | "done" | "failed";
      readonly input?: Json;
      readonly output?: Json;
    }
  | { readonly type: "permission"; readonly tool: string; readonly decision: "allow" | "deny" | "cancel" }
  | { readonly type: "usage"; readonly usage: AgentUsage }
  | AgentResult;

export type AgentProtocol = "acp" | "claude-cli" | "script";

/** An agent as a configuration file describes it. What is absent comes from the known agent of the same name, or is a default. */
export interface AgentSettings {
  readonly protocol?: AgentProtocol;
  /** The program and its arguments. */
  readonly command?: readonly string[];
  /** Further variables: `NAME` is passed on from this process, `NAME=value` is set. */
  readonly env?: readonly string[];
  /** The agent's own mode for all levels of permission, or for each. */
  readonly mode?: string | Readonly<Partial<Record<AgentPermission["level"], string>>>;
  readonly model?: string;
  /** Its models by the names that workflows have for them, such as `small`. */
  readonly models?: Readonly<Record<string, string>>;
  /** What it may do where the workflow does not say. */
  readonly permission?: AgentPermission["level"];
  /** The account whose limits it has; agents that name the same one share them. Without it it has one of its own, on this computer alone. */
  readonly account?: string;
  /** The method of `authenticate` that is called before the first session. */
  readonly auth?: string;
  /** How a session is continued in a new process. */
  readonly resume?: "resume" | "load" | "none";
  /** The file of a `script` agent, relative to the workspace. */
  readonly file?: string;
}

/** One agent that could be used. */
export interface AgentInfo {
  readonly name: string;
  readonly title: string;
  readonly from: "known" | "user" | "project";
  readonly protocol: AgentProtocol;
  /** What would be started; empty when nothing is found. */
  readonly command: readonly string[];
  readonly found: boolean;
  /** Why a configured agent is not found, and what to do. */
  readonly problem?: string;
  /** How to install it; absent for agents that Waymark does not know. */
  readonly install?: string;
  /** The agent's own mode for each level of permission, where it has one. */
  readonly modes: Readonly<Partial<Record<AgentPermission["level"], string>>>;
  readonly model?: string;
  readonly models?: Readonly<Record<string, string>>;
  readonly permission?: AgentPermission["level"];
  /** The account pool whose limits it has. */
  readonly account: string;
  readonly resume: "resume" | "load" | "none";
  /** Whether a version of this agent was tried out; never for those that only a configuration names. */
  readonly tried: boolean;
  /** False for an agent of the project that a person has to allow first; said by `list` only. */
  readonly allowed?: boolean;
}

/** What an agent says of itself when it is started. */
export interface AgentProbe {
  readonly answers: boolean;
  readonly version?: string;
  readonly modes: readonly string[];
  readonly models: readonly string[];
  /** Why it does not answer, or why its modes and models are unknown. */
  readonly problem?: string;
}

export interface Agents {
  /** Known and configured ones, by name. */
  list(): Promise<readonly AgentInfo[]>;
  /**
   * Refuses an unknown name with the nearest one, one that is not installed with its install line, a script that cannot be used, and one that
   * the project configures and nobody allowed.
   */
  resolve(name: string): Promise<AgentInfo>;
  /** Starts the agent, asks what it is, and ends it. Never rejects for what the agent does. */
  probe(name: string): Promise<AgentProbe>;
  /** The caller closes it. Refuses what `resolve` refuses. */
  open(name: string): Promise<AgentProvider>;
}

/** A program to start in a process group of its own. */
export interface ChildRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Child {
  /** What it writes to its standard output, as text. To be read once. */
  readonly output: AsyncIterable<string>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Rejects when it does not read any more. */
  write(text: string): Promise<void>;
  endInput(): void;
  /** The last part of its error output. */
  errors(): string;
  /** Ends the whole group, politely first; resolves when nothing of it runs. */
  end(): Promise<void>;
}

export interface Children {
  /** Rejects with the system's reason when the program cannot be started. */
  start(request: ChildRequest): Promise<Child>;
}
