import type { Json, JsonObject } from "../base/index.ts";

/** A coding agent that works on one prompt at a time. */
export interface AgentProvider {
  readonly id: string;
  /** One prompt turn. The last event is `result`. Never throws: a failure is a result with stop `error`. */
  run(turn: Turn): AsyncGenerator<AgentEvent, void, undefined>;
  /** Ends its processes as a group; nothing survives. */
  close(): Promise<void>;
}

/** What an agent may do without asking. `commands` extends `edit` by these command lines. */
export interface AgentPermission {
  readonly level: "read" | "edit" | "all";
  readonly commands?: readonly string[];
}

/** A tool server that the agent may call. */
export interface McpHttp {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Turn {
  readonly prompt: string;
  readonly cwd: string;
  /** Continue this one. */
  readonly session?: string;
  readonly model?: string;
  readonly mcp?: readonly McpHttp[];
  readonly permission: AgentPermission;
  readonly tools?: { readonly allowed?: readonly string[]; readonly denied?: readonly string[] };
  readonly signal?: AbortSignal;
  readonly idleMs?: number;
  readonly limitMs?: number;
  readonly outputSchema?: JsonObject;
  readonly onRaw?: (direction: "in" | "out", message: unknown) => void;
}

export interface AgentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  readonly contextUsed?: number;
  readonly contextSize?: number;
  readonly costUsd?: number;
}

export type AgentEvent =
  | { readonly type: "session"; readonly sessionId: string; readonly resumed: "new" | "live" | "resumed" | "loaded" | "lost" }
  /** A delta. */
  | { readonly type: "text"; readonly text: string }
  /** A whole message of the assistant, flushed at the start of a tool and at the end of the turn: what logs and transcripts use. */
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "plan"; readonly items: readonly { readonly text: string; readonly status: string }[] }
  | { readonly type: "notice"; readonly level: "info" | "warn" | "error"; readonly text: string }
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
  | {
      readonly type: "result";
      readonly sessionId: string;
      readonly stop: "end" | "cancelled" | "refused" | "max_tokens" | "max_turns" | "error";
      /** The last whole message. */
      readonly text: string;
      readonly usage: AgentUsage;
      readonly denied: readonly string[];
      readonly error?: string;
      readonly errorKind?: "limit" | "auth" | "overloaded" | "transport" | "crash" | "timeout" | "refused" | "lost" | "unknown";
      /** When a limit is over, in milliseconds. */
      readonly resetAt?: number;
    };
