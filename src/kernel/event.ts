import type { Json, JsonObject } from "../base/index.ts";
import type { BlockId, Budget, Item, ItemQuery, ItemStatus, Tier, WriteOperation } from "../program/index.ts";
import type { Blocked, Frame, RunError, StoredWrite } from "./frame.ts";
import type {
  CarriedBudget,
  Action,
  AgentSession,
  Answered,
  Counted,
  Decision,
  Effect,
  Holder,
  Mark,
  Note,
  Reserved,
  RunState,
  RunStatus,
  Scope,
  Strand,
  TakenItem,
  Timer,
  Wait,
} from "./run-state.ts";

export const eventVersion = 1;

/** What changes in the maps of a frame, by map and key. */
export type FramePut = Readonly<Record<string, JsonObject>>;

export interface Update {
  readonly tier: Tier;
  readonly keys: readonly string[];
  readonly op: WriteOperation;
  readonly value: Json;
}

/** A change of one item row. `from` and `facets` let counts follow without reading the row. */
export interface ItemMove
  extends Pick<Item, "list" | "id" | "facets" | "root" | "label" | "result">, Partial<Pick<Item, "data" | "attempts">> {
  readonly from: ItemStatus;
  readonly to: ItemStatus;
  /** Facets it has from now on, when they change. */
  readonly newFacets?: Item["facets"];
  /** Strand that begins or ends its work on it; only for declared lists, whose trees are held. */
  readonly strand?: string;
  readonly reason?: string | null;
  readonly blockedUntil?: number | null;
  /** It was settled and is open again: what depends on it is counted again before the next item is chosen. */
  readonly reopens?: true;
  /** What depends on it and is settled stays so. */
  readonly alone?: true;
}

/** Items `ids` depend on the item `of`. */
interface Dependants {
  readonly list: string;
  readonly of: string;
  readonly ids: readonly string[];
}

/**
 * What happened. `apply` replays these alone, so each says everything it changes; nothing is derived from the program.
 * Times are those of the record that carries the event.
 */
export type Event =
  | (Pick<RunState, "id" | "workflow" | "program" | "options" | "retryOf"> & {
      readonly type: "started";
      readonly at: number;
      readonly limits: Budget;
      /** Ids are counted from here on, so that none of them is one of the run that this one tries again. */
      readonly countsFrom?: number;
      readonly carried?: CarriedBudget;
    })
  | (Omit<Scope, "version" | "calls" | "ofPerson"> & {
      readonly type: "scope_opened";
      readonly scope: string;
      /** Scopes that end because nothing refers to them any more. */ readonly gone?: readonly string[];
    })
  /** `gone`: scopes that end because nothing refers to them any more; without it, the one that had the name before. */
  | {
      readonly type: "scope_closed";
      readonly scope: string;
      readonly into: string;
      readonly as: string;
      readonly gone?: readonly string[];
    }
  | (Pick<Strand, "scope" | "parent" | "of" | "calls" | "task" | "entry" | "pauses"> & {
      readonly type: "strand_opened";
      readonly strand: string;
      /** Earlier versions do not say which try it is. */ readonly item?: Omit<TakenItem, "attempts"> & { readonly attempts?: number };
    })
  | { readonly type: "strand_ended"; readonly strand: string; readonly status: "done" | "failed" | "cancelled"; readonly error?: RunError }
  | { readonly type: "entered"; readonly strand: string; readonly frame: Frame; readonly scope?: string }
  | {
      readonly type: "moved";
      readonly strand: string;
      readonly patch: JsonObject;
      /** Added to the lists of these names, so that a long list is not written again. */ readonly push?: JsonObject;
      /** Keys of the maps of these names, likewise; a null removes the key, and the last one the map. */ readonly put?: FramePut;
      readonly scope?: string;
    }
  | {
      readonly type: "left";
      readonly strand: string;
      readonly block: BlockId;
      readonly how: "done" | "failed" | "skipped";
      readonly leaf?: true;
      readonly scope?: string;
    }
  | { readonly type: "waiting"; readonly strand: string; readonly on: Wait }
  | { readonly type: "ready"; readonly strand: string }
  | (Blocked & { readonly type: "blocked"; readonly strand: string })
  | { readonly type: "failed"; readonly strand: string; readonly block: BlockId; readonly error: RunError; readonly handled: string }
  /** `answered`: the updates are what a person answered to this question, and belong to the person. */
  | { readonly type: "wrote"; readonly scope: string; readonly updates: readonly Update[]; readonly answered?: Answered }
  /** What a holder stored by itself does not count, and is taken back. */
  | { readonly type: "put_back"; readonly scope: string; readonly stored: readonly StoredWrite[] }
  | { readonly type: "action_opened"; readonly action: Action }
  | {
      readonly type: "action_closed";
      readonly action: string;
      readonly how: "reported" | "failed" | "joined" | "cancelled" | "taken_over";
      readonly result?: Json;
      /** Of a step that was done by a driven agent: its conversation, and what it wanted to do and was not allowed. */
      readonly session?: AgentSession;
      readonly denied?: readonly string[];
    }
  | { readonly type: "effect_opened"; readonly effect: Effect }
  | {
      readonly type: "effect_closed";
      readonly effect: string;
      readonly how: "done" | "failed" | "handed_over" | "cancelled";
      readonly result?: Json;
    }
  | { readonly type: "timer_set"; readonly timer: Timer }
  | { readonly type: "timer_gone"; readonly timer: string }
  | { readonly type: "decision_opened"; readonly decision: Decision }
  | { readonly type: "answer_refused"; readonly decision: string; readonly reason: string }
  /** Another holder works on the strand now: wrong answers given before do not count against it. */
  | { readonly type: "attempts_restored"; readonly decision: string }
  /** An attempt that was not allowed. Nothing changed; it is kept for the record. */
  | { readonly type: "refused"; readonly what: string; readonly code: string; readonly message: string }
  | {
      readonly type: "decision_closed";
      readonly decision: string;
      readonly status: "answered" | "cancelled" | "skipped";
      readonly answer?: Json;
      readonly by?: Decision["answeredBy"];
      readonly reason?: string;
    }
  | { readonly type: "claimed"; readonly strand: string; readonly holder: Holder; readonly fence: number }
  | { readonly type: "released"; readonly strand: string; readonly why: "lost" | "given_back" | "taken_over" }
  | { readonly type: "items_added"; readonly list: string; readonly items: readonly Item[] }
  | { readonly type: "item_moved"; readonly move: ItemMove }
  | {
      readonly type: "items_swept";
      readonly list: string;
      readonly query: ItemQuery;
      readonly from: ItemStatus;
      readonly to: ItemStatus;
      readonly reason: string;
      readonly count: number;
      readonly facets: Readonly<Record<string, number>>;
    }
  | { readonly type: "list_closed"; readonly list: string; readonly into: string }
  /** `waits`: how many dependencies of each of `ids` are open now; without it each of them has one less than before. */
  | (Dependants & { readonly type: "dependency_settled"; readonly waits?: readonly number[] })
  | (Dependants & { readonly type: "dependency_reopened"; readonly waits: readonly number[] })
  | { readonly type: "hidden"; readonly strand: string; readonly unshown: boolean }
  | { readonly type: "counted"; readonly key: string; readonly by: number }
  /** `action`: spent in a turn whose report could not say so, with what its agent wanted to do and was not allowed. */
  | {
      readonly type: "spent";
      readonly steps?: number;
      readonly tokens?: number;
      readonly money?: number;
      readonly action?: string;
      readonly denied?: readonly string[];
      /** The action whose turn is over: its reservation ends. */ readonly settles?: string;
      /** What that turn used of these, nobody knows. */ readonly unknown?: readonly Counted[];
      /** The turn was killed. */ readonly killed?: true;
    }
  | ({ readonly type: "turn_begun"; readonly action: string } & Reserved)
  /** `uncounted`: the run continues although turns do not say what they use of these. */
  | { readonly type: "budget_set"; readonly limits: Budget; readonly decision?: string; readonly uncounted?: readonly Counted[] }
  /** Nothing new begins; when what is under way has ended, so does the run. */
  | { readonly type: "closing"; readonly reason: string }
  | { readonly type: "noted"; readonly note: Note }
  | { readonly type: "note_delivered"; readonly note: string; readonly with: string }
  | { readonly type: "marked"; readonly mark: Mark }
  | { readonly type: "warned"; readonly code: string; readonly message: string; readonly strand?: string; readonly block?: BlockId }
  | { readonly type: "ended"; readonly status: Exclude<RunStatus, "running">; readonly error?: RunError; readonly at: number }
  | { readonly type: "reopened"; readonly why: string };

export type EventType = Event["type"];
export type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>;
