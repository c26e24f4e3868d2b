import type { AgentEvent } from "../ports/index.ts";

export type TurnResult = Extract<AgentEvent, { readonly type: "result" }>;

/** What a turn came to, before the engine has looked at what it left. */
export type Verdict =
  | { readonly kind: "ended" }
  /** Cancelled by who drives. */
  | { readonly kind: "interrupted" }
  /** The same may work a moment later; at once where an agent that died is started again. */
  | { readonly kind: "again"; readonly why: string; readonly atOnce: boolean; readonly overloaded?: true }
  /** The provider takes no more for now. */
  | { readonly kind: "limit"; readonly why: string; readonly until?: number }
  /** `needs`: a person has to log the agent in, or to change how it is set up; until then the same fails in the same way. */
  | { readonly kind: "failed"; readonly why: string; readonly needs?: "login" | "setup" };

const passing: ReadonlySet<string> = new Set(["overloaded", "transport", "crash"]);

/** `end` alone is not success: only without a sign of failure does the turn count as ended. */
export function judgeTurn({ stop, error = "", errorKind, resetAt }: TurnResult): Verdict {
  if (errorKind === "limit") {
    const why = error === "" ? "The agent's provider has reached its limit." : error;
    return { kind: "limit", why, ...(resetAt === undefined ? {} : { until: resetAt }) };
  }
  if (errorKind === "auth") return { kind: "failed", why: error === "" ? "The agent is not logged in." : error, needs: "login" };
  if (errorKind === "setup")
    return { kind: "failed", why: error === "" ? "The agent cannot work as it is set up." : error, needs: "setup" };
  if (errorKind !== undefined && passing.has(errorKind)) {
    const why = error === "" ? `The agent failed (${errorKind}).` : error;
    return { kind: "again", why, atOnce: errorKind === "crash", ...(errorKind === "overloaded" ? { overloaded: true } : {}) };
  }
  switch (stop) {
    case "end":
      return errorKind === undefined && error === ""
        ? { kind: "ended" }
        : { kind: "failed", why: error === "" ? String(errorKind) : error };
    case "cancelled":
      return { kind: "interrupted" };
    case "refused":
      return { kind: "failed", why: error === "" ? "The agent refused to do it." : error };
    case "max_tokens":
      return { kind: "failed", why: "The agent's answer reached its limit of tokens before the step was done." };
    case "max_turns":
      return { kind: "failed", why: "The agent reached its limit of requests before the step was done." };
    case "error":
      return { kind: "failed", why: error === "" ? "The agent failed without saying why." : error };
  }
}

/** An agent whose events end without a result has failed. */
export const silentEnd: TurnResult = {
  type: "result",
  sessionId: "",
  stop: "error",
  text: "",
  usage: {},
  denied: [],
  error: "The agent's events ended without a result.",
  errorKind: "unknown",
};
