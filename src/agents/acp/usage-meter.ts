import { defined } from "../../base/index.ts";
import type { AgentUsage } from "../../ports/index.ts";
import type { UsageScope } from "../agent-spec.ts";

/**
 * Turns what an agent counts into what one turn used. Numbers of the whole session are compared with those of the turn before; a session
 * that another process began has none, so its first turn has no such numbers.
 */
export class UsageMeter {
  readonly #scope: UsageScope;
  #before: AgentUsage | undefined;

  constructor(scope: UsageScope, isNew: boolean) {
    this.#scope = scope;
    this.#before = isNew ? { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0 } : undefined;
  }

  /** To be called once at the end of each turn. */
  turn(reported: AgentUsage): AgentUsage {
    const used = this.soFar(reported);
    this.#before = { ...this.#before, ...reported };
    return used;
  }

  /** What the turn that is under way used until now. */
  soFar(reported: AgentUsage): AgentUsage {
    const before = this.#before;
    const of = (key: keyof AgentUsage, scope: "turn" | "session" | "call" | "none"): number | undefined => {
      const [now, then] = [reported[key], before?.[key]];
      if (now === undefined || scope === "none" || scope === "call") return undefined;
      return scope === "turn" ? now : then === undefined ? undefined : Math.max(0, now - then);
    };
    const { tokens, cost } = this.#scope;
    return defined({
      inputTokens: of("inputTokens", tokens),
      outputTokens: of("outputTokens", tokens),
      cachedTokens: of("cachedTokens", tokens),
      costUsd: of("costUsd", cost),
    });
  }
}
