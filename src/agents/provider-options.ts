import type { Children } from "../ports/index.ts";
import type { AgentSpec } from "./agent-spec.ts";
import type { AgentTime } from "./stream-turn.ts";

/** What every provider is made from. */
export interface ProviderOptions {
  readonly spec: AgentSpec;
  readonly children: Children;
  readonly time: AgentTime;
  /** Where processes that serve several sessions are started. */
  readonly workspace: string;
  /** Of this process; the agent gets what its settings name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that its driver adds to what the agent sees. */
  readonly more?: Readonly<Record<string, string>>;
  /** Waymark's own. */
  readonly version: string;
}
