import type { Json, JsonObject } from "../base/index.ts";
import type { Ask, BlockId, Budget, Item, ItemStatus, Tier } from "../program/index.ts";
import type { Blocked, Frame, RunError } from "./frame.ts";

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
  /** Which strand holds which item tree of a declared list (`list/root`), and how many of its items it works on. */
  readonly held: Readonly<Record<string, { readonly strand: string; readonly items: number }>>;
  /** Items that settled or were reopened, and whose dependants have not been counted again since. */
  readonly settled: readonly Notice[];
  readonly counters: Readonly<Record<string, number>>;
  readonly budget: BudgetState;
  readonly notes: readonly Note[];
  readonly mark?: Mark;
  /** Why nothing new begins. */
  readonly closing?: string;
}

export type RunStatus = "running" | "completed" | "failed" | "cancelled";

export interface RunOptions {
  /** Sub-agent tasks run one after another in the parent's strand. */
  readonly serial: boolean;
  /** Kinds of effect the engine cannot do for this run; leaves with `orAgent` go to the agent at once. */
  readonly unable: readonly string[];
  /** The user's seal that the workflow was bundled or their own when the run began. */
  readonly own?: string;
  /** Absolute path of the folder that the run works on, where that is not the workspace: a worktree of its own. */
  readonly folder?: string;
  /** Name of the computer that has it. Runs of earlier versions have none. */
  readonly computer?: string;
  /** The run's name for the world outside: folders, logs, other programs. Runs of earlier versions have none. */
  readonly uuid?: string;
  /** The chat that started it: ids of its conversation and of the codebase, and what the person asked for. */
  readonly chat?: { readonly conversation: string; readonly codebase: string; readonly message: string };
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
  /** What answers to questions that only a person may answer wrote here. */
  readonly ofPerson?: readonly PersonsValue[];
}

/** The question that a person answered, its text cut. */
export interface Answered {
  readonly decision: string;
  readonly question: string;
}

/** A place in the state that a person's own answer was written to. */
export interface PersonsValue extends Answered {
  readonly tier: Tier;
  readonly keys: readonly string[];
}

export interface Holder {
  readonly kind: "agent" | "worker" | "person";
  readonly name: string;
  /** Tells two connections of one client apart. */
  readonly session: string;
  /** Name of its computer. */
  readonly computer?: string;
  /** Of one of several workers of the same runner, for who watches them. */
  readonly number?: number;
  /** Options of the command that drives, as they are typed: for the line that does so again. */
  readonly flags?: readonly string[];
}

/** A conversation with a coding agent, as the agent names it. */
export interface AgentSession {
  readonly agent: string;
  readonly id: string;
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
  /** The last one that a step of it was done in. */
  readonly session?: AgentSession;
  readonly error?: RunError;
  /** What is open in it has not been shown to its holder yet, who may mean what was open before. */
  readonly unshown?: true;
  readonly blocked?: Blocked;
}

/** A call that is under way: two calls of one workflow have the same blocks inside, but not the same scope. */
export interface OpenCall {
  readonly block: BlockId;
  readonly scope: string;
}

/** What a strand must know of its item to settle it. `attempts`: which try this is. */
export type TakenItem = Pick<Item, "list" | "id" | "facets" | "root" | "attempts">;

export type Wait = { readonly on: "action" | "effect" | "timer" | "decision"; readonly id: string } | { readonly on: "strands" };

/** A leaf that is open. */
interface OpenLeaf {
  readonly id: string;
  readonly strand: string;
  readonly block: BlockId;
  /** The id an agent sees. */
  readonly step: string;
  readonly what: string;
  readonly args: JsonObject;
  readonly openedAt: number;
  /** What templates in its arguments were replaced by, for an agent. */
  readonly replaced?: JsonObject;
}

/** The writes that follow the result of a hand-out, as the engine shows them; never stored. */
interface ShownWrites {
  /** Without what its holder wrote already. */
  readonly writes?: readonly JsonObject[];
  /** Places of those in all of its writes. */
  readonly left?: readonly number[];
}

/** One atomic thing handed to a holder; open until it is reported. */
export interface Action extends OpenLeaf, ShownWrites {
  /** Full paths its result will be written to, already rendered. */
  readonly paths: readonly string[];
  /** Notes delivered with it. */
  readonly notes?: readonly string[];
  /** How often it was taken over. */
  readonly taken: number;
  /** The number of its strand's last holder, when nobody held the strand as it was opened: the next one does not take it over. */
  readonly fence?: number;
}

export interface Effect extends OpenLeaf {
  readonly timeoutMs?: number;
  readonly attempt: number;
}

export interface Timer {
  readonly id: string;
  readonly strand: string;
  readonly due: number;
  readonly why: "retry" | "wait" | "timeout" | "blocked";
  /** `timeout`: the frame it guards. */
  readonly depth?: number;
}

/** A question. A holder that takes the strand over has all `attempts` of it again. */
export interface Decision extends Omit<Ask, "decision">, ShownWrites {
  readonly id: string;
  /** The well-known id that it was meant to have and another strand has. */ readonly name?: string;
  readonly revision: number;
  readonly strand: string;
  readonly block?: BlockId;
  readonly step: string;
  /** `asked`: by who does the step, and not by the workflow. */ readonly kind: "input" | "gate" | "budget" | "lost" | "asked";
  readonly question: string;
  readonly attemptsLeft?: number;
  readonly status: "pending" | "answered" | "cancelled" | "skipped";
  readonly answer?: Json;
  readonly answeredBy?: Holder & { readonly relayed: boolean; readonly surface: string };
  readonly openedAt: number;
  readonly paths: readonly string[];
  /** Its answer counts only with a seal. Earlier versions do not ask for one. */ readonly sealed?: true;
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
  /** Of one that was reopened: what depends on it and is settled stays so. */ readonly alone?: true;
}

export const mainStrand = "main";
export const mainScope = "run";

/** What a budget counts by what agents report of their turns. */
export type Counted = "tokens" | "money";

/** A turn that has begun, until what it used is recorded. `session`: of the driver that began it. */
export interface Reserved {
  readonly strand: string;
  readonly session: string;
  readonly at: number;
  readonly tokens: number;
  readonly money: number;
}

export interface BudgetState {
  readonly limits: Budget;
  /** What is known to be used. */
  readonly used: { readonly steps: number; readonly tokens: number; readonly money: number };
  /** From when its minutes count, where that is not the start of the run: a run that tries another one again has its minutes too. */
  readonly since?: number;
  /** The open question to raise it. */
  readonly decision?: string;
  /** Turns under way, by action. */
  readonly reserved?: Readonly<Record<string, Reserved>>;
  /** Turns whose use is known, and what they used together: what the next one may use. */
  readonly measured?: Readonly<Partial<Record<Counted, { readonly turns: number; readonly sum: number }>>>;
  /** A turn used what nobody knows, and no person has said yet that the run continues. */
  readonly unknown?: readonly Counted[];
  /** That turn was killed. */
  readonly killed?: true;
  /** A person lets the run continue although not every turn says what it used. */
  readonly uncounted?: readonly Counted[];
}

/** What a run that tries another one again takes over: the budget is that of all attempts. Steps are counted in each. */
export type CarriedBudget = Pick<BudgetState, "measured" | "unknown" | "killed" | "uncounted"> & {
  readonly used: Readonly<Record<Counted, number>>;
  readonly since: number;
};

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly from: Holder;
  readonly target?: string;
  /** Only for steps of this strand. */
  readonly strand?: string;
  readonly at: number;
}

export interface Mark {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
  readonly at: number;
  readonly statePath?: string;
}

/** A value that was made just now and that nobody else has seen yet. */
export type Fresh<T> = { -readonly [K in keyof T]: T[K] };
