import type { Json, JsonObject, Place } from "../base/index.ts";
import type { Block, BlockId, Expr } from "./block.ts";
import type { WorklistSpec } from "./worklist.ts";

export const programVersion = 1;

/** What every dialect is lowered to, and the only thing the kernel runs. Plain JSON: canonical, versioned, hashed by its text. */
export interface Program {
  readonly version: typeof programVersion;
  /** Name of the workflow, e.g. `standards:fix`. */
  readonly name: string;
  /** Of the main part; parts that it calls may be of others. */
  readonly dialect: string;
  /** Key of the part that runs first. */
  readonly main: string;
  /** One part per workflow: the main one and every one that is called. */
  readonly parts: Readonly<Record<string, Part>>;
  /** All blocks of all parts; ids are unique in the program. */
  readonly blocks: Readonly<Record<BlockId, Block>>;
  /** Where blocks came from, for errors and `explain`. */
  readonly places: Readonly<Record<BlockId, Place>>;
}

/** What a part says about its state. */
export type DeclaredState = Pick<Part, "defaults" | "fields" | "computed">;

/** One workflow: its inputs, its state and its body. Each call of it gets a scope of its own. */
export interface Part {
  readonly name: string;
  /** The dialect it was lowered from: whose leaves its blocks name, and who reads its configuration. Stored, so it never changes. */
  readonly dialect: string;
  readonly description: string;
  readonly version: string;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  readonly config: JsonObject;
  /** Initial state by tier; string leaves may be templates, evaluated once. */
  readonly defaults: Readonly<Record<Tier, JsonObject>>;
  /** Declared types of writable fields, for checks and `info`. */
  readonly fields: Readonly<Record<Tier, Readonly<Record<string, string>>>>;
  readonly computed: readonly ComputedField[];
  readonly root: BlockId;
  readonly entries: Readonly<Record<string, Entry>>;
  readonly worklists: readonly WorklistSpec[];
  /** Conditions that must hold before the run may complete. */
  readonly rules: readonly { readonly id: string; readonly when: Expr; readonly message: string }[];
  readonly tracking: Tracking;
  readonly onFailure?: OnFailure;
  readonly onResume: ResumePolicy;
  /** Steps offered when the driving agent's context is nearly full. */
  readonly onHighContext?: { readonly reason: string; readonly message: string };
  readonly budget?: Budget;
}

export type Tier = "raw" | "state";

export interface InputSpec {
  readonly type: "string" | "number" | "boolean" | "object" | "array" | "any";
  readonly required: boolean;
  readonly default?: Json;
  readonly description?: string;
  /** Masked in views, logs and exports. */
  readonly secret?: boolean;
  readonly validation?: {
    readonly pattern?: string;
    readonly enum?: readonly Json[];
    readonly min?: number;
    readonly max?: number;
    readonly message?: string;
  };
}

export interface ComputedField {
  readonly name: string;
  /** Full paths (`raw.x`, `computed.y`, `inputs.z`); one path gives `input` that value, several give a list. */
  readonly from: readonly string[];
  readonly single: boolean;
  readonly transform: string;
  readonly onError: "use_fallback" | "propagate" | "ignore";
  readonly fallback: Json;
  readonly validate?: string;
  /** Evaluated once at start; `from` is empty. */
  readonly fixed?: boolean;
}

/** A block that a command starts as a strand of its own, beside `main`. */
export interface Entry {
  readonly root: BlockId;
  readonly by: "anyone" | "holder" | "person";
  /** What `main` does meanwhile. */
  readonly main: "goes_on" | "waits";
}

/** State paths that the kernel keeps up to date as leaves end; absent ones are not tracked. */
export interface Tracking {
  readonly completed?: string;
  readonly failed?: string;
  readonly retries?: string;
  readonly lastError?: string;
  readonly errors?: { readonly path: string; readonly stacks: boolean };
}

/** What an unhandled failure of the main strand does after `body` has run. */
export interface OnFailure {
  readonly body?: BlockId;
  readonly then: "fail" | "retry_run";
  readonly checkpoint: boolean;
  /** How often `retry_run` may start a linked run. */
  readonly maxRuns: number;
}

export interface ResumePolicy {
  readonly retryFailedSteps: boolean;
  readonly skipCompletedSteps: boolean;
  readonly resetErrorCounts: boolean;
  /** Parts of the state a resuming agent is given, and those it is spared. */
  readonly load: readonly string[];
  readonly exclude: readonly string[];
}

export interface Budget {
  readonly steps?: number;
  readonly minutes?: number;
  readonly tokens?: number;
  readonly money?: number;
}
