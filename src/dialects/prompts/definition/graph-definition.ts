import type { Json, JsonObject } from "../../../base/index.ts";
import type { Said } from "./graph/order.ts";
import type { PromptStep } from "./prompts-definition.ts";

export const triggerRules = ["all_success", "one_success", "none_failed_min_one_success", "all_done"] as const;

/** What must have become of the nodes that a node waits for. Each rule is asked only when all of them are settled. */
export type TriggerRule = (typeof triggerRules)[number];

/** What a text names. `written` is without the dollar: `classify.output.kind`, `INPUTS.base`, `ARTIFACTS_DIR`. */
export type GraphRef =
  | { readonly written: string; readonly node: string; readonly field?: string }
  /** `LOOP_PREV.<node>.output`: of a node of the same group, in the round before; empty in the first round. */
  | { readonly written: string; readonly previous: string; readonly field?: string }
  | { readonly written: string; readonly input: string }
  | { readonly written: string; readonly variable: string };

/** A text as it is written, and what it names, each once. */
export interface GraphText {
  readonly text: string;
  readonly refs: readonly GraphRef[];
}

export const comparisonSigns = ["==", "!=", ">=", "<=", ">", "<"] as const;

export interface Comparison {
  readonly ref: GraphRef;
  readonly op: (typeof comparisonSigns)[number];
  /** Without its quotes. */
  readonly literal: string;
}

/** Holds when every comparison of one of the lists holds: `&&` binds tighter than `||`, and there are no parentheses. */
export interface GraphCondition {
  readonly text: string;
  readonly anyOf: readonly (readonly Comparison[])[];
}

/** What ends the rounds of a loop: at least one of `until`, `untilBash` and `untilField`. */
export interface LoopEnd {
  /** The signal in an answer. */
  readonly until?: string;
  /** A command that succeeds. */
  readonly untilBash?: GraphText;
  /** A flag of the result that is true. */
  readonly untilField?: string;
  readonly maxIterations: number;
  readonly freshContext: boolean;
  /** An interactive loop asks a person between rounds. */
  readonly gate?: GraphText;
  /** Of an interactive loop: the signal ends it without asking. */
  readonly signalCompletes?: boolean;
}

/** An input of a called workflow: a text in which references are filled in, or a value as it is. */
export type CallInput = { readonly text: GraphText } | { readonly value: Json };

export type NodeWork =
  /** `command` is the name of the file that the prompt is from. */
  | { readonly kind: "prompt"; readonly prompt: GraphText; readonly command?: string }
  | { readonly kind: "shell"; readonly command: GraphText }
  | {
      readonly kind: "script";
      /** Of a named script the text of its file, without references. */
      readonly code: GraphText;
      readonly runtime: "bun" | "uv";
      /** Path of a named script. */
      readonly file?: string;
      readonly deps: readonly string[];
    }
  | ({ readonly kind: "loop"; readonly prompt: GraphText; readonly command?: string } & LoopEnd)
  /** `said`: whose session the next round continues; without it each round begins fresh. */
  | ({ readonly kind: "group"; readonly nodes: readonly GraphNode[]; readonly said?: Said } & LoopEnd)
  | {
      readonly kind: "approval";
      readonly message: GraphText;
      readonly captureResponse: boolean;
      readonly decisions?: readonly { readonly id: string; readonly label?: string }[];
      /** What a rejection begins, at least one of both; `reopens` are nodes above it that run again. */
      readonly onReject?: { readonly prompt?: GraphText; readonly reopens: readonly string[]; readonly maxAttempts: number };
    }
  | { readonly kind: "cancel"; readonly reason: GraphText }
  | {
      readonly kind: "call";
      readonly workflow: string;
      /** It is put in here (`include`) instead of being run for itself (`workflow`). */
      readonly include: boolean;
      readonly inputs: Readonly<Record<string, CallInput>>;
      /** Each call works in a worktree of its own, and what it changed is brought into the folder of the run. */
      readonly apart?: true;
      readonly fanOut?: {
        /** A reference to a list, or a list as JSON. */
        readonly items: GraphText;
        /** The input that an item is given as. */
        readonly as: string;
        /** Whether the item is what the workflow is asked for too, as text. */
        readonly asked: boolean;
        readonly maxParallel: number;
        readonly join: "all_done" | "all_success";
      };
    };

/** A round of the group with this key ended in the session of the first of these nodes, the nearest first, that has one. */
export interface RoundBefore {
  readonly group: string;
  readonly of: readonly string[];
}

/**
 * Where a node's conversation begins. `last`: in the session of the first of these nodes, the nearest first, that has one, else in the one
 * that the `round` before of its group ended with, else fresh. `fork`: in a copy of the session of one node.
 */
export type NodeContext =
  | { readonly kind: "fresh" }
  | { readonly kind: "last"; readonly of: readonly string[]; readonly round?: RoundBefore }
  | { readonly kind: "fork"; readonly of: string };

export interface GraphNode extends Pick<
  PromptStep,
  "onLostContext" | "idleMs" | "retry" | "permission" | "provider" | "model" | "tools" | "artifacts"
> {
  readonly id: string;
  /** Unique in the program: the id, inside a group `<group>/<id>`. */
  readonly block: string;
  /** Ids of nodes of the same graph, or of the same group. */
  readonly dependsOn: readonly string[];
  readonly rule: TriggerRule;
  readonly when?: GraphCondition;
  /** It runs again when a run that failed is taken up. */
  readonly alwaysRun: boolean;
  /** Of ids of the same graph, or of the same group. */
  readonly context: NodeContext;
  /** JSON Schema of its output. */
  readonly returns?: JsonObject;
  readonly timeoutMs?: number;
  /** Of shell and script nodes: what becomes of one that was interrupted. */
  readonly whenLost?: "retry" | "ask" | "fail";
  readonly does: NodeWork;
}
