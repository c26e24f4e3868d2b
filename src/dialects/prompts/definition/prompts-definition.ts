import type { Json, JsonObject } from "../../../base/index.ts";
import type { InputSpec } from "../../../program/index.ts";
import type { GraphNode } from "./graph-definition.ts";

/** A chain as its file says it, kept with every run of it. */
export interface PromptsDefinition {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly provider?: string;
  readonly model?: string;
  readonly permission?: JsonObject;
  /** In order, as they are numbered. Of a loop: its one prompt. Of a graph: none. */
  readonly steps: readonly PromptStep[];
  readonly loop?: { readonly until: string; readonly maxIterations: number; readonly freshContext: boolean };
  /** Of a graph, as they are written. */
  readonly nodes?: readonly GraphNode[];
  /** Of a graph: what its texts name as `$INPUTS.<name>`. */
  readonly inputs?: Readonly<Record<string, InputSpec>>;
  /** The node whose output is the workflow's; without it the last one. */
  readonly returns?: string;
}

export interface PromptStep {
  /** As the author calls it. */
  readonly name: string;
  /** Its block in the program. */
  readonly block: string;
  readonly context: "fresh" | "last";
  /** The block of the `parallel` entry that it is a member of, where that has others. */
  readonly beside?: string;
  readonly onLostContext?: string;
  /** The text of its prompt file; absent of a step that runs a workflow. */
  readonly prompt?: string;
  readonly workflow?: { readonly name: string; readonly inputs: Readonly<Record<string, Json>> };
  /** Relative to the folder for artifacts. */
  readonly artifacts?: readonly string[];
  readonly permission?: JsonObject;
  readonly provider?: string;
  readonly model?: string;
  readonly tools?: { readonly allowed?: readonly string[]; readonly denied?: readonly string[] };
  readonly idleMs?: number;
  readonly retry?: { readonly times: number; readonly delayMs: number; readonly on: "transient" | "all" };
}

/** Where a run leaves its artifacts, relative to the folder that it works on. */
export function artifactsFolder(uuid: string): string {
  return `.archon/artifacts/${uuid}`;
}

/** Where runs of a workflow keep what they share, each workflow in a folder of its name. */
export const stateFolder = ".archon/state";

/** Where logs of runs are. */
export const logsFolder = ".archon/logs";
