import type { JsonObject } from "../../../base/index.ts";

/**
 * A bot with every default filled in: ordered behaviours, each with its ordered actions. What `check` accepts and `lower` turns
 * into a program; kept in the configuration of the program's part. No action name means anything to Waymark.
 */
export interface BotDefinition {
  readonly name: string;
  readonly description: string;
  readonly instructions: readonly string[];
  /** In order. */
  readonly behaviours: readonly BehaviourDefinition[];
  /** Actions outside of any sequence, by behaviour they may be called in; the same for all unless a behaviour brings its own. */
  readonly independent: readonly ActionDefinition[];
  /** Who says that an action is done: a person on a surface of their own, or an agent that relays it. */
  readonly doneBy: "person" | "relay";
  /** Name of the action that chooses the project area, when the bot has one (`initialize_project`, or `"chooses_project_area": true`). */
  readonly choosesArea?: string;
  /** Keys that Waymark does not act on, by file, as written. */
  readonly kept: JsonObject;
}

export interface BehaviourDefinition {
  readonly name: string;
  readonly description: string;
  readonly instructions: readonly string[];
  /** Workflow actions in the order in which they are done. */
  readonly actions: readonly ActionDefinition[];
  readonly triggers: readonly TriggerDefinition[];
  /** `skip`: passed over, with the reason "setting"; `combine`: continues without a round trip. */
  readonly setting: "manual" | "skip" | "combine";
}

export interface ActionDefinition {
  readonly name: string;
  readonly description: string;
  /** Base instructions first, then those of the behaviour. */
  readonly instructions: readonly string[];
  readonly workflow: boolean;
  readonly order: number | null;
  /** As effective: null ends the behaviour. */
  readonly next: string | null;
  /** Continues without a person's word. */
  readonly autoProgress: boolean;
  readonly setting: "manual" | "skip" | "combine";
  readonly triggers: readonly TriggerDefinition[];
  /** A workflow that is run as this action. */
  readonly calls?: string;
  /** Inputs for it. */
  readonly inputs: JsonObject;
  /** File it comes from. */
  readonly file: string;
}

export interface TriggerDefinition {
  readonly patterns: readonly string[];
  readonly priority: number;
}
