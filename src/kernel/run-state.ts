import type { Json, JsonObject } from "../base/index.ts";
import type { Mark, Note } from "./notes.ts";
import type { BlockId, Budget, Item, ItemQuery, ItemStatus } from "../program/index.ts";
import type { StoredWrite } from "./stored-writes.ts";

/** Everything the kernel remembers of a run. Plain JSON; rebuilt exactly by `apply` over the journal. */
export interface RunState {
  readonly id: string;
  readonly workflow: string;
  /** Hash of the pinned program. */
  readonly program: string;
  readonly startedAt: number;
  readonly status: RunStatus;
  readonly error?: RunError;
  readonly endedAt?: number;
  readonly retryOf?: string;
  readonly options: RunOptions;
  /** Source of every id minted in this run. */
  readonly seq: number;
  readonly scopes: Readonly<Record<string, Scope>>;
  readonly strands: Readonly<Record<string, Strand>>;
  readonly actions: Readonly<Record<string, Action>>;
  readonly effects: Readonly<Record<string, Effect>>;
  readonly timers: Readonly<Record<string, Timer>>;
  readonly decisions: Readonly<Record<string, Decision>>;
  readonly lists: Readonly<Record<string, ListCounts>>;
  /** Which strand holds which item tree of a declared list (`list/root`), and how many of its items it has in hand. */
  readonly held: Readonly<Record<string, { readonly strand: string; readonly items: number }>>;
  /** Items that settled or were reopened, and whose dependants have not been counted again since. */
  readonly settled: readonly Notice[];
  readonly counters: Readonly<Record<string, number>>;
  readonly budget: BudgetState;
  readonly notes: readonly Note[];
  readonly mark?: Mark;
}

export type RunStatus = "running" | "completed" | "failed" | "cancelled";

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly block?: BlockId;
  readonly stack?: string;
  /** Something was interrupted that must not be repeated: no policy tries it again, only a `retry` does. */
  readonly lost?: true;
}

export interface RunOptions {
  /** Sub-agent tasks run one after another in the parent's strand. */
  readonly serial: boolean;
  /** Kinds of effect the engine cannot do for this run; leaves with `orAgent` go to the agent at once. */
  readonly unable: readonly string[];
}

/** Variables of one part in one call. `computed` is derived by readers and never stored. */
export interface Scope {
  readonly part: string;
  readonly raw: JsonObject;
  readonly state: JsonObject;
  readonly inputs: JsonObject;
  /** Computed fields that are evaluated once. */
  readonly fixed: JsonObject;
  /** Grows with every write; what `expected_version` is compared with. */
  readonly version: number;
  /** Finished calls: name to scope id, readable as if they were fields. */
  readonly calls: Readonly<Record<string, string>>;
  readonly parent?: string;
}

export interface Holder {
  readonly kind: "agent" | "worker" | "person";
  readonly name: string;
  /** Tells two connections of one client apart. */
  readonly session: string;
}

export interface Strand {
  readonly id: string;
  readonly status: "ready" | "waiting" | "blocked" | "done" | "failed" | "cancelled";
  readonly scope: string;
  readonly frames: readonly Frame[];
  readonly waits?: Wait;
  readonly parent?: string;
  /** A work that nobody waits for: the items and rounds that it was begun in. */
  readonly of?: readonly string[];
  /** And the calls, outermost first. */
  readonly calls?: readonly OpenCall[];
  /** Seed task id for strands of a `work` block. */
  readonly task?: string;
  readonly entry?: string;
  /** An entry for whose end all other strands wait. */
  readonly pauses?: true;
  readonly item?: TakenItem;
  readonly holder?: Holder;
  /** Grows with every claim; a holder with an older number is refused. */
  readonly fence: number;
  /** The action reported last, so that a repeated report is recognised by its step id too. */
  readonly last?: { readonly action: string; readonly step: string };
  readonly error?: RunError;
  /** What is open in it has not been shown to its driver yet, who may mean what was open before. */
  readonly unshown?: true;
  readonly blocked?: { readonly code: string; readonly reason: string; readonly until?: number };
}

/** A call that is under way: two calls of one workflow have the same blocks inside, but not the same scope. */
export interface OpenCall {
  readonly block: BlockId;
  readonly scope: string;
}

/** What a strand must know of its item to settle it. `attempts`: which try this is. */
export type TakenItem = Pick<Item, "list" | "id" | "facets" | "root" | "attempts">;

export type Wait = { readonly on: "action" | "effect" | "timer" | "decision"; readonly id: string } | { readonly on: "strands" };

export interface Limits {
  readonly timeoutMs?: number;
  readonly times?: number;
  readonly parallel?: number;
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
  /** Name of a step that may have been done before: the call that is or follows it asks first. */ readonly doubt?: string;
}
/** Where a strand stands inside one block; the strand's frames are its stack, outermost first. */
export type Frame =
  | (FrameBase & { readonly kind: "seq"; readonly at: number })
  | (FrameBase & {
      readonly kind: "choose";
      readonly branch: number | null;
      /** The choice is made again: if it is this branch as before, the strand goes on where it stood in it. */
      readonly before?: { readonly branch: number; readonly frames: readonly Frame[] };
    })
  | (FrameBase & { readonly kind: "repeat"; readonly round: number; readonly inside: boolean })
  | (FrameBase & WorkFrame)
  | (FrameBase & { readonly kind: "machine"; readonly state: string; readonly inside: boolean })
  | (FrameBase & {
      readonly kind: "call";
      readonly phase: "inputs" | "inside" | "complete";
      /** The question about it, while it is in doubt. */ readonly ref?: string;
      readonly inputs?: JsonObject;
      readonly scope?: string;
      readonly outer?: string;
    })
  | (FrameBase & {
      readonly kind: "do";
      readonly phase: "args" | "open" | "writes" | "skip";
      readonly name?: string;
      readonly ref?: string;
      /** The step, when it was given up while it may have been under way: its policy decides before it is opened again. */
      readonly interrupted?: string;
      readonly result?: Json;
      /** Its result is already a stand-in: a second failure goes further out. */ readonly rescued?: true;
      readonly paths?: readonly string[];
      /** What its holder wrote to its paths since it was handed out. */ readonly stored?: readonly StoredWrite[];
      /** The state's version at the hand-out, and after what its holder stored, for as long as nobody else wrote. */ readonly version?: number;
      /** In journals without `stored`: its holder wrote to its paths, to all of them or to those in `written`. */ readonly wrote?: true;
      readonly written?: readonly string[];
    })
  | (FrameBase & { readonly kind: "leave" })
  | (FrameBase & RescueFrame);

/** `of` is the index of the frame that is rescued; -1 for the run's own on_failure. */
interface RescueFrame {
  readonly kind: "rescue";
  readonly of: number;
  readonly error: RunError;
  readonly phase: "writes" | "body" | "end";
  /** Another strand failed: nothing is wrong where this one is. */
  readonly elsewhere?: true;
  /** Scope to go back to: the failure happened in a call inside the rescued block. */
  readonly inner?: string;
}

export interface WorkFrame {
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
  /** The `parallel_tasks` action handed to the parent's agent. */
  readonly action?: string;
  /** Where the tasks stand that were stopped because another one failed, or that failed themselves, by item. */
  readonly kept?: Readonly<Record<string, KeptTask>>;
}

/** Where a task stood when it was stopped or failed. */
export interface KeptTask {
  readonly scope: string;
  readonly frames: readonly Frame[];
  readonly blocked?: NonNullable<Strand["blocked"]>;
  /** Only in runs of older versions, which kept it here: the interrupted step that a person is asked about. */
  readonly lost?: string;
  /** It failed there, for good or in tasks of its own. Who tries it again decides where it continues. */ readonly failed?: true;
  /** It failed there, and a retry of the run lets it continue there. */ readonly retried?: true;
}

/** Who tries again what failed: a retry of the run continues at the step that failed, a policy of the workflow begins at the first one. */
export type TriedBy = "person" | "policy";

/** One atomic thing handed to a holder; open until it is reported. */
export interface Action {
  readonly id: string;
  readonly strand: string;
  readonly block: BlockId;
  /** The id an agent sees. */
  readonly step: string;
  readonly what: string;
  readonly args: JsonObject;
  /** Full paths its result will be written to, already rendered. */
  readonly paths: readonly string[];
  /** What follows its result, as the engine shows it, without what its holder wrote already; never stored. */
  readonly writes?: readonly JsonObject[];
  /** Places of the writes that are left in all of its writes, as the engine shows it; never stored. */
  readonly left?: readonly number[];
  readonly replaced?: JsonObject;
  readonly expression?: string;
  readonly openedAt: number;
  /** Notes delivered with it. */
  readonly notes?: readonly string[];
  /** How often it was taken over. */
  readonly taken: number;
  /** The number of its strand's last holder, when nobody held the strand as it was opened: the next one does not take it over. */
  readonly fence?: number;
}

export interface Effect {
  readonly id: string;
  readonly strand: string;
  readonly block: BlockId;
  readonly step: string;
  readonly what: string;
  readonly args: JsonObject;
  readonly openedAt: number;
  readonly timeoutMs?: number;
  readonly attempt: number;
  /** For an agent that may be given it instead. */
  readonly replaced?: JsonObject;
}

export interface Timer {
  readonly id: string;
  readonly strand: string;
  readonly due: number;
  readonly why: "retry" | "wait" | "timeout" | "blocked";
  /** `timeout`: the frame it guards. */
  readonly depth?: number;
}

export interface Decision {
  readonly id: string;
  /** The well-known id that it was meant to have and another strand has. */ readonly name?: string;
  readonly revision: number;
  readonly strand: string;
  readonly block?: BlockId;
  readonly step: string;
  readonly kind: "input" | "gate" | "budget" | "lost" | "jump";
  readonly question: string;
  readonly answerBy: "relay" | "person";
  readonly options?: readonly { readonly value: string; readonly label?: string }[];
  readonly pattern?: string;
  readonly patternMessage?: string;
  readonly attemptsLeft?: number;
  /** How many there were when it was asked: whoever takes the strand over begins with these again. */
  readonly attempts?: number;
  readonly status: "pending" | "answered" | "cancelled" | "skipped";
  readonly answer?: Json;
  readonly answeredBy?: Holder & { readonly relayed: boolean; readonly surface: string };
  readonly openedAt: number;
  readonly writes?: readonly JsonObject[];
  readonly left?: readonly number[];
  readonly paths: readonly string[];
  /** Content hashes the answer is bound to, by name. */
  readonly binds?: Readonly<Record<string, string>>;
}

/** Counts by status, in all and per declared facet value (`facet=value`). */
export interface ListCounts {
  readonly total: number;
  readonly by: Readonly<Record<ItemStatus, number>>;
  readonly facets: Readonly<Record<string, Readonly<Record<ItemStatus, number>>>>;
  readonly hasDependencies: boolean;
}

export interface Notice {
  readonly list: string;
  /** An item, or `wholeList`. */ readonly id: string;
  readonly reopened?: true;
}

/** Stands for the id of an item where any of the list may have settled or been reopened. */
export const wholeList = "";

/** Key of a held tree in `RunState.held`. */
export function treeKey(list: string, root: string): string {
  return `${list}/${root}`;
}

export interface BudgetState {
  readonly limits: Budget;
  readonly used: { readonly steps: number; readonly tokens: number; readonly money: number };
  /** The open question to raise it. */
  readonly decision?: string;
}

export type { Mark, Note };
