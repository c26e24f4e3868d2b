import type { Json, JsonObject } from "../base/index.ts";
import type { BlockId, Item, ItemQuery, WriteOperation } from "../program/index.ts";
import type { Answered } from "./run-state.ts";

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly block?: BlockId;
  readonly stack?: string;
  /** Something was interrupted that must not be repeated: no policy tries it again, only a `retry` does. */ readonly lost?: true;
  /** Only a person can change what it failed for (credentials): no policy tries it again, only a `retry` does. */ readonly needsPerson?: true;
  /** Another try of the same step would fail in the same way: its own `retry` is not used. */ readonly final?: true;
}

/** Why a strand is blocked, and until when if that is known. */
export interface Blocked {
  readonly code: string;
  readonly reason: string;
  readonly until?: number;
  /** A person has to allow the step first; then the input `allowed` lets the strand continue. */ readonly denied?: true;
  /** The account pool that is at its limit. */ readonly pool?: string;
  /** The role whose agent is the one that waits. */ readonly role?: string;
  /** The step itself names that agent. */ readonly fixed?: true;
}

export interface Limits {
  readonly timeoutMs?: number;
  readonly times?: number;
  readonly parallel?: number;
}

/** One write of the holder of an open step to one of the step's paths, since the step was handed out. */
export interface StoredWrite {
  readonly path: string;
  readonly op: WriteOperation;
  readonly value: Json;
  /** What was there before, absent when nothing was: the value; of `append` the number of entries, of `merge` the values of its keys. */
  readonly was?: Json;
}

interface FrameBase {
  readonly block: BlockId;
  readonly locals?: JsonObject;
  /** Retries spent by this block's rescue. */
  readonly tries?: number;
  /** Values of the block's limits that are expressions. */
  readonly limits?: Limits;
  readonly enteredAt?: number;
  /** Something in it was interrupted and must not be repeated without a `retry`. */ readonly lost?: true;
  /** Name of a step that may have been done before: the call that is or follows it, or the step after it, asks first. */ readonly doubt?: string;
}

/** A strand's place inside one block; the strand's frames are its stack, outermost first. */
export type Frame =
  | (FrameBase & { readonly kind: "seq"; readonly at: number })
  | (FrameBase & {
      readonly kind: "choose";
      readonly branch: number | null;
      /** The choice is made again: if it is this branch as before, the strand continues where it was in it. */
      readonly before?: { readonly branch: number; readonly frames: readonly Frame[] };
    })
  | RepeatFrame
  | (FrameBase & { readonly kind: "machine"; readonly state: string; readonly inside: boolean })
  | (FrameBase & { readonly kind: "leave" })
  | WorkFrame
  | CallFrame
  | LeafFrame
  | RescueFrame;

export type FrameOf<K extends Frame["kind"]> = Extract<Frame, { readonly kind: K }>;

export interface CallFrame extends FrameBase {
  readonly kind: "call";
  readonly phase: "inputs" | "inside" | "complete";
  /** The question about it, while it is in doubt. */ readonly ref?: string;
  readonly inputs?: JsonObject;
  readonly scope?: string;
  readonly outer?: string;
}

export interface LeafFrame extends FrameBase {
  readonly kind: "do";
  readonly phase: "args" | "open" | "writes" | "skip";
  readonly name?: string;
  readonly ref?: string;
  /** The step, when it was given up while it may have been under way: its policy decides before it is opened again. */
  readonly interrupted?: string;
  readonly result?: Json;
  /** Its result is what a person answered to this question. */ readonly answered?: Answered;
  /** Its result is already a replacement: a second failure goes further out. */ readonly rescued?: true;
  readonly paths?: readonly string[];
  /** What its holder wrote to its paths since it was handed out. */ readonly stored?: readonly StoredWrite[];
  /** The state's version at the hand-out, and after what its holder stored, for as long as nobody else wrote. */ readonly version?: number;
  /** In journals without `stored`: its holder wrote to its paths, to all of them or to those in `written`. */ readonly wrote?: true;
  readonly written?: readonly string[];
  /** How often in a row it came back to wait for a time with nothing done. */ readonly idle?: number;
}

/** `of` is the index of the frame that is rescued; -1 for the run's own on_failure. */
export interface RescueFrame extends FrameBase {
  readonly kind: "rescue";
  readonly of: number;
  readonly error: RunError;
  readonly phase: "writes" | "body" | "end";
  /** Another strand failed: nothing is wrong where this one is. */
  readonly elsewhere?: true;
  /** Scope to go back to: the failure happened in a call inside the rescued block. */
  readonly inner?: string;
}

interface RepeatFrame extends FrameBase {
  readonly kind: "repeat";
  readonly round: number;
  readonly inside: boolean;
  /** How many rounds there may be, where a person allowed more than the block does. */
  readonly most?: number;
}

export interface WorkFrame extends FrameBase {
  readonly kind: "work";
  /** `inputs`: the inputs of the task for `next` are being evaluated. */
  readonly phase: "fill" | "where" | "inputs" | "run" | "drain";
  /** Evaluated parts of the query. */
  readonly where?: ItemQuery;
  /** `pull`: how many strands are asked for. */
  readonly wanted?: number;
  readonly next?: Item;
  readonly list: string;
  readonly mode: "each" | "strands";
  /** `each`: the item whose body is running. */
  readonly item?: Item;
  /** What that body sees of it, beside what the block was entered with. */
  readonly names?: JsonObject;
  /** `strands`: open strands. */
  readonly open: readonly string[];
  readonly total: number;
  /** Items that failed for good. */
  readonly failed: readonly string[];
  /** `strands`: a task that is done holds something that was lost. Only what begins all tasks again would repeat it. */
  readonly passed?: true;
  /** Why the first of them failed. */
  readonly why?: string;
  /** Items that are to be opened again, with what depends on them unless it says `alone`. */
  readonly reopening?: readonly Reopening[];
  /** The `parallel_tasks` action handed to the parent's agent. */
  readonly action?: string;
  /** Places of the tasks that were stopped because another one failed, or that failed themselves, by item. */
  readonly kept?: Readonly<Record<string, KeptTask>>;
}

export interface Reopening {
  readonly ids: readonly string[];
  readonly reason: string;
  readonly alone?: true;
}

/** The place at which a task was stopped or failed. */
export interface KeptTask {
  readonly scope: string;
  readonly frames: readonly Frame[];
  readonly blocked?: Blocked;
  /** Only in runs of older versions, which kept it here: the interrupted step that a person is asked about. */ readonly lost?: string;
  /** It failed there, for good or in tasks of its own. Who tries it again decides where it continues. */ readonly failed?: true;
  /** It failed there, and a retry of the run lets it continue there. */ readonly retried?: true;
}

/** Who tries again what failed: a retry of the run continues at the step that failed, a policy of the workflow begins at the first one. */
export type TriedBy = "person" | "policy";
