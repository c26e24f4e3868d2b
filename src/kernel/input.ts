import type { Json, JsonObject } from "../base/index.ts";
import type { Ask, Budget, Expr, Item, ItemQuery, ItemStatus } from "../program/index.ts";
import type { EventOf, ItemMove, Update } from "./event.ts";
import type { Blocked, RunError } from "./frame.ts";
import type { AgentSession, CarriedBudget, Counted, Holder, RunOptions, Scope } from "./run-state.ts";

/** Who caused an input, named by the surface it came through and never by its payload. */
export interface Actor extends Omit<Holder, "kind" | "flags"> {
  readonly kind: Holder["kind"] | "engine";
  readonly surface: string;
}

export type Outcome =
  | { readonly ok: true; readonly value: Json }
  | ({ readonly ok: false } & Pick<RunError, "code" | "message" | "stack" | "final" | "needsPerson">)
  | { readonly ok: "cannot" }
  | { readonly ok: "lost" }
  /** Nothing is wrong with the step; its holder can continue only then (a provider's limit). */
  | ({ readonly ok: "blocked"; readonly until: number; readonly reason: string } & Waiting)
  /** Nothing was done: a person has to allow it first. */
  | { readonly ok: "denied"; readonly code: string; readonly reason: string };

/** `idle`: nothing was done since the time for which the step waited before. `pool`: the account pool that is at its limit. */
export interface Waiting extends Pick<Blocked, "pool" | "role" | "fixed"> {
  readonly idle?: true;
}

/** What happens to item rows together with an input; its maker has read the rows at the head it is decided against. */
export interface ItemsChange {
  readonly add?: readonly { readonly list: string; readonly items: readonly Item[] }[];
  readonly moves?: readonly ItemMove[];
  readonly sweeps?: readonly Omit<EventOf<"items_swept">, "type">[];
  /** Run counters to raise. */
  readonly count?: Readonly<Record<string, number>>;
}

/** Usage as reported by the agent that holds the strand. */
export interface Usage {
  readonly tokens?: number;
  readonly money?: number;
}

/** The end of a turn for which something was reserved, by the session of the driver that began it. */
export interface Settling {
  readonly settles?: string;
  /** What the turn used of these, nobody knows. */
  readonly unknown?: readonly Counted[];
  /** Its driver was killed before the turn was over. */
  readonly killed?: true;
}

/** What the kernel is given from outside. Every input carries the time it was accepted. */
export type Input = { readonly at: number; readonly by: Actor } & (
  | {
      readonly type: "start";
      readonly id: string;
      readonly program: string;
      readonly inputs: JsonObject;
      readonly defaults: Pick<Scope, "raw" | "state" | "fixed">;
      readonly options: RunOptions;
      readonly budget?: Budget;
      readonly retryOf?: string;
      readonly countsFrom?: number;
      readonly carried?: CarriedBudget;
    }
  | { readonly type: "advance"; readonly strand: string; readonly given?: Given }
  | {
      readonly type: "report";
      readonly action: string;
      readonly holder: Holder;
      readonly fence: number;
      readonly outcome: Outcome;
      readonly write: boolean;
      readonly usage?: Usage;
      readonly settling?: Settling;
      readonly change?: ItemsChange;
      readonly session?: AgentSession;
      /** What the agent wanted to do and was not allowed. */ readonly denied?: readonly string[];
    }
  /** A driver is about to give the action to an agent for a turn: reserves what the turn may use. */
  | { readonly type: "begin"; readonly action: string; readonly holder: Holder; readonly fence: number }
  /** Who holds an action cannot finish it without a person's word. */
  | {
      readonly type: "ask";
      readonly action: string;
      readonly holder: Holder;
      readonly fence: number;
      readonly question: string;
      readonly options?: Ask["options"];
    }
  /** What a turn of a driven agent used and was not allowed, where its report could not say so. */
  | {
      readonly type: "used";
      readonly action: string;
      readonly usage?: Usage;
      readonly denied?: readonly string[];
      readonly settling?: Settling;
    }
  | {
      readonly type: "outcome";
      readonly effect: string;
      readonly outcome: Outcome;
      readonly change?: ItemsChange;
      /** What follows, a call or a step that asks after a loss, was begun before under this name: whether it is done again is asked first. */
      readonly doubt?: string;
      readonly warnings?: readonly Warning[];
    }
  /** Rows change without any step: work is reopened, skipped on request, or counted. */
  | { readonly type: "items"; readonly change: ItemsChange; readonly reason: string }
  /** An agent that holds no strand asks for one of a `pull` work. */
  | { readonly type: "pull"; readonly strand: string }
  /** The items a strand works on go back, and it begins again with the first open item of its outermost work. */
  | { readonly type: "rewind"; readonly strand: string; readonly reason: string }
  /** What a command started is not wanted any more: its strand ends, and what it asks is closed with the reason. */
  | { readonly type: "cancel"; readonly strand: string; readonly reason: string }
  | { readonly type: "woke"; readonly timer: string }
  /** What a strand was denied is allowed now. */
  | { readonly type: "allowed"; readonly strand: string }
  | {
      readonly type: "set";
      readonly scope: string;
      /** Whose open step the write is for, when the writer says so. */ readonly strand?: string;
      /** The hand-out that it is for, when the writer says so: nothing is written once that is not open for the writer. */
      readonly handOut?: string;
      /** Hand-outs that the writer was shown, where that is known: a write can be the result of one of these only. */
      readonly shown?: readonly string[];
      readonly updates: readonly Update[];
      readonly expectedVersion?: number;
      /** Must hold a strand of the run; absent when a person writes. */ readonly holder?: Holder;
    }
  | {
      readonly type: "claim";
      readonly strand: string;
      readonly holder: Holder;
      /** The open action that the holder brings the outcome of: it is not handed out again, so it stays as it is. */ readonly keeps?: string;
    }
  | { readonly type: "release"; readonly strand: string; readonly fence: number; readonly why: "lost" | "given_back" | "taken_over" }
  | {
      readonly type: "answer";
      readonly decision: string;
      readonly revision: number;
      readonly answer: Json;
      readonly valid: boolean;
      readonly relayed: boolean;
      /** The answer is what the holder wrote to the paths of the question. */ readonly stored?: true;
      /** Why there will be no answer: the step fails. */ readonly declined?: string;
      /** Why the answer is what it is, where the question takes a reason. */ readonly reason?: string;
      /** Number of the holder that left while the question was open: it sees nothing of what follows. */ readonly left?: number;
    }
  | { readonly type: "entry"; readonly name: string; readonly args: JsonObject }
  | { readonly type: "note"; readonly text: string; readonly target?: string }
  /** An attempt that was refused elsewhere, for the record. */
  | (Warning & { readonly type: "refusal"; readonly what: string })
  | { readonly type: "mark"; readonly step: string; readonly reason: string; readonly statePath?: string }
  | {
      readonly type: "retry";
      readonly strand?: string;
      readonly resetCounts: boolean;
      /** The main strand begins at its first step again, with the state as it is. */ readonly fromStart?: boolean;
    }
  | { readonly type: "limits"; readonly budget: Budget }
  | { readonly type: "end"; readonly status: "completed" | "failed" | "cancelled"; readonly reason?: string }
);
export type InputOf<T extends Input["type"]> = Extract<Input, { readonly type: T }>;

/**
 * What a strand needs before it can continue; a pure function of the state, so it is never journaled. The engine answers by
 * an `advance` input with `given`, before anything is committed.
 */
export type Need =
  | {
      readonly type: "evaluate";
      readonly strand: string;
      readonly exprs: Readonly<Record<string, Expr>>;
      readonly scope: string;
      readonly locals: JsonObject;
      /** A scope whose names come first. */ readonly front?: string;
      /** Conditions of which the first that holds counts: those behind it are not evaluated. */ readonly first?: boolean;
      /** Part of a write: fields that may refuse it are checked. */ readonly write?: boolean;
      /** The scope as it was at the hand-out, where the holder of the step wrote to it since: expressions are evaluated in this one. */
      readonly handedOut?: Scope;
    }
  | {
      readonly type: "select";
      readonly strand: string;
      readonly list: string;
      readonly query: ItemQuery;
      readonly limit: number;
      readonly notRoots: readonly string[];
    }
  | { readonly type: "dependants"; readonly strand: string; readonly list: string; readonly id: string }
  /** Rows as they are. */
  | { readonly type: "rows"; readonly strand: string; readonly list: string; readonly ids: readonly string[] }
  | { readonly type: "defaults"; readonly strand: string; readonly part: string; readonly inputs: JsonObject };

export type Statuses = Readonly<Record<string, ItemStatus>>;

/** The answer to a need. Warnings become journaled events. */
export type Given =
  | {
      readonly type: "values";
      readonly values: Readonly<Record<string, Json>>;
      readonly replaced?: JsonObject;
      /** Of a write with `handedOut`: the expressions whose value depends on the state. */ readonly reads?: readonly string[];
      readonly warnings?: readonly Warning[];
    }
  | (Warning & {
      readonly type: "error";
      /** The same step would fail in the same way again. */ readonly final?: true;
      readonly warnings?: readonly Warning[];
    })
  /** `above`: how the items stand that these depend on, by the two ids. */
  | { readonly type: "items"; readonly items: readonly Item[]; readonly above?: Readonly<Record<string, Statuses>> }
  /**
   * Items that depend on the one asked about, and how many dependencies of each are open now. About the whole list: items that wait for
   * another number than that. `statuses`: how they stand themselves.
   */
  | {
      readonly type: "dependants";
      readonly ids: readonly string[];
      readonly waits: readonly number[];
      readonly statuses?: readonly ItemStatus[];
    }
  | (Pick<Scope, "raw" | "state" | "fixed"> & { readonly type: "scope" });

export interface Warning {
  readonly code: string;
  readonly message: string;
}

export interface Rejected extends Warning {
  readonly fix?: string;
  readonly details?: JsonObject;
}
