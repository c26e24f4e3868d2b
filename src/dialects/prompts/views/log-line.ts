import type { Json, JsonObject } from "../../../base/index.ts";
import type { Event } from "../../../kernel/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";

type Step = "step_start" | "step_complete" | "step_error";
type Node = "node_start" | "node_complete" | "node_error" | "node_skipped" | "node_usage";

/** One line of a run's log, in the fields of the seed. */
export interface LogLine {
  readonly type:
    | "workflow_start"
    | "workflow_resume"
    | "workflow_complete"
    | "workflow_error"
    | Step
    | Node
    | "assistant"
    | "tool"
    | "notice";
  readonly workflow_id: string;
  readonly workflow_name?: string;
  /** The step; of a graph the node, one of a group behind the group. */
  readonly step?: string;
  readonly step_index?: number;
  /** Of a graph: the round of a loop that the line is about, and how many there were. */
  readonly iteration?: number;
  readonly iterations?: number;
  /** Of a graph: which try it is, from the second one on. */
  readonly attempt?: number;
  readonly duration_ms?: number;
  /** What agents used as far as they said so; absent where nobody knows. */
  readonly tokens?: number;
  readonly cost_usd?: number;
  readonly content?: string;
  readonly tool_name?: string;
  readonly tool_input?: JsonObject;
  readonly error?: string;
  /** Why a node was skipped, or is done again. */
  readonly reason?: string;
  readonly ts: string;
}

/** A record of the journal, as far as the log reads it. */
export interface LoggedRecord {
  readonly at: number;
  readonly events: readonly Event[];
}

/** Something that an agent said or did, as far as the log reads it. */
export interface LoggedSaying {
  readonly at: number;
  readonly action: string;
  readonly event: {
    readonly type: string;
    readonly text?: string;
    readonly once?: boolean;
    readonly id?: string;
    readonly name?: string;
    readonly input?: Json;
    readonly status?: string;
  };
}

/** What of a run its lines are made with. */
export interface LoggedRun {
  readonly uuid: string;
  readonly definition: PromptsDefinition;
  readonly message: string;
}

/** A line without what all of them have, and when it happened. */
export type Dated = Omit<LogLine, "workflow_id" | "ts"> & { readonly at: number };
