import type { Diagnostic, Json, JsonObject } from "../base/index.ts";
import type { Action, Decision, Effect, Input, ItemsChange, Outcome } from "../kernel/index.ts";
import type { SourceFile } from "../ports/index.ts";
import type { OpenTask, Shown, Standing } from "../views/index.ts";
import type { DoBlock, Expr, Program } from "../program/index.ts";
import type { Caller } from "./caller.ts";
import type { EngineContext } from "./context.ts";
import type { Draft, Performed } from "./draft.ts";
import type { RunHandle } from "./run-cache.ts";

/** A scope of a run, with the definition of the part that it runs. */
export interface At<D> {
  readonly engine: EngineContext;
  readonly handle: RunHandle;
  readonly scope: string;
  readonly definition: D;
  /** Absolute path of the folder that the run works on. */
  readonly folder: string;
}

/** What a dialect teaches the engine about the parts that it lowers. */
export interface Runtime<D> {
  /** The definition that lowering kept in the configuration of a part: the only cast from a pinned program. */
  decode(config: JsonObject): D;
  /** Every `what` of its programs that is not a core leaf. A program with another one is refused when it is loaded. */
  readonly leaves: Leaves<D>;
  /** Problems that only a run would meet, with their places. */
  problems?(definition: D, files: readonly SourceFile[]): Promise<readonly Diagnostic[]>;
  /** Throws them before a run begins; asked of the run's own workflow and of everything that it calls. */
  check?(definition: D): Promise<void>;
  /** Throws the refusal of a start before anything has begun. */
  start?(engine: EngineContext, definition: D, inputs: JsonObject): Promise<void>;
  /** The answer that counts where a person gave it in other words; throws for one that cannot be used. */
  answer?(at: At<D>, question: Decision, given: Json): Promise<Json>;
  /** Why a question is not open any more, where it was closed without an answer. */
  whyClosed?(at: At<D>, decision: string): Promise<string | undefined>;
  /** Opens again what failed in its parts that the run calls. `passed`: why what failed in one that the run has passed stays as it is. */
  reopen?(engine: EngineContext, caller: Caller, handle: RunHandle): Promise<{ readonly opened: number; readonly passed?: Error }>;
  /** Throws when no step that a note could wait for has this name. */
  checkAudience?(at: At<D>, target: string): Promise<void>;
  /** Names of its state that only it reads: neither agents nor people have use for them. */
  readonly hides?: ReadonlySet<string>;
  /** Why agents may not write its state. */
  readonly fixedState?: { readonly code: string; readonly why: string };
  /** Code under which its leaves record a report that does not count. */
  readonly refusal?: string;
  /** Its gates are a person's alone: answers are sealed, so that the store cannot make one up, and refused attempts to end it are kept. */
  readonly guarded?: true;
}

export type Leaf = EffectLeaf<unknown> | ActionLeaf<unknown> | KernelLeaf;

/** Everything that programs can ask for, by dialect. */
export interface DialectTable {
  /** Codes under which reports that do not count are recorded. */
  readonly refusals: readonly string[];
  find(dialect: string, what: string): Leaf | undefined;
  /** The leaf of an open action, with the scope that it is open in. */
  ofAction(
    engine: EngineContext,
    handle: RunHandle,
    action: Action,
  ): { readonly at: At<unknown>; readonly leaf: Partial<HandedOut<unknown>> };
  /** The leaf of an open effect or action, by the part that its strand is in. */
  ofOpen(of: Of, open: Pick<Effect, "strand" | "what">): Leaf | undefined;
  /** Whether a jump is under way: what is open now is about to be taken back. */
  isMoving(of: Of): boolean;
  at(engine: EngineContext, handle: RunHandle, scope: string): At<unknown>;
  /** What the dialect of a scope teaches; undefined of one that needs nothing but the core leaves. */
  runtimeOf(of: Of, scope?: string): Runtime<unknown> | undefined;
  /** What the dialects of the workflows that a program calls teach, each once. */
  called(program: Program): readonly Runtime<unknown>[];
  /** The state of a scope without what its dialect keeps for itself. */
  shownState(of: Of, scope: string, flat: JsonObject): JsonObject;
  /** Lets dialects refuse a start before anything has begun. */
  start(engine: EngineContext, program: Program, inputs: JsonObject): Promise<void>;
  /** Problems of a loaded workflow, and of what it calls, that only a run would meet. */
  problems(program: Program, files: readonly SourceFile[]): Promise<readonly Diagnostic[]>;
  /** Every leaf of a program with its block, in the order of the blocks. Throws for one that nobody knows. */
  inProgram(program: Program): readonly { readonly leaf: Leaf; readonly block: DoBlock }[];
}

type Of = Pick<RunHandle, "program" | "state">;

export type Leaves<D> = Readonly<Record<string, EffectLeaf<D> | ActionLeaf<D> | KernelLeaf>>;

/** Something that a leaf starts, as a person reads it before allowing it. */
export interface Run {
  readonly kind: "command" | "tool";
  readonly text: string;
}

/** Arguments of a block, before they are evaluated. */
export type LeafArgs = Readonly<Record<string, Expr>>;

/** What the engine does in the world. With `show` it can be handed to an agent where the engine cannot do it. */
export interface EffectLeaf<D> extends Partial<HandedOut<D>> {
  /** undefined when it was stopped before its end. */
  perform(job: EffectJob<D>): Promise<Performed | Settle | undefined>;
  /** What `allow` shows and a permission covers. Required: an empty list is a statement. */
  runs(args: LeafArgs): readonly Run[];
  /** While it is open nothing is handed out: what is open now is about to be taken back. */
  readonly moves?: true;
}

/** What is handed to an agent. */
export interface ActionLeaf<D> extends HandedOut<D> {
  /** What the engine itself starts for it; what an agent runs in its own client is allowed there. */
  runs(args: LeafArgs): readonly Run[];
  readonly perform?: never;
}

/** What the kernel does by itself, or asks of a person. */
export interface KernelLeaf {
  runs(args: LeafArgs): readonly Run[];
  readonly perform?: never;
  readonly show?: never;
}

/** How an open action is shown and its report is taken, on every surface. */
export interface HandedOut<D> {
  /** What to do, with what, and what the report must bring: its only wording. */
  show(at: At<D>, open: OpenAction): Shown | Promise<Shown>;
  /** True: it brings something back, also where nothing stores it. */
  readonly returns?: true;
  /** Fields that a report may carry beside result, status and error. */
  readonly fields?: readonly string[];
  /** Judges a report; throws what is wrong with it. undefined: the result counts as given. Runs nothing. */
  take?(at: At<D>, action: Action, report: GivenReport): Promise<Taken | undefined>;
  /** What speaks against a report of success, once the engine has looked; `standing` is where the reporter is then. */
  denied?(at: At<D>, action: Action, standing: Standing | undefined): Promise<DeniedClaim | undefined>;
}

/** A report says that an item is done, and the engine finds otherwise: the item is open again, or failed after too many such reports. */
export interface DeniedClaim {
  readonly became: "open" | "failed";
  readonly item: JsonObject;
  readonly reason: string;
}

export interface OpenAction {
  readonly action: Action;
  /** Of an action that hands out tasks: those that are open. */
  readonly tasks?: readonly OpenTask[];
}

/** A report as its leaf gets it. */
export interface GivenReport {
  readonly caller: Caller;
  readonly status?: "success" | "failed" | "skipped";
  readonly result?: Json;
  readonly error?: string;
  /** Values of the leaf's own fields. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface Taken {
  readonly outcome: Outcome;
  /** Decided together with the report. */
  readonly with?: readonly Input[];
  /** Changes of worklists that come with it. */
  readonly change?: (draft: Draft) => Promise<ItemsChange>;
  /** Why it does not count though it is recorded as a try; nothing when it counts. */
  readonly problems?: readonly string[];
  /** What the reply says beside what follows. */
  readonly said?: JsonObject;
}

export interface EffectJob<D> extends At<D> {
  readonly effect: Effect;
  readonly signal: AbortSignal;
  /** Another process began it and is gone. */
  readonly again: boolean;
}

/** Keeps what an effect left behind and says how it ended. Called again while the store cannot be written to. */
export type Settle = () => Promise<Performed>;

/** The `runs` of a leaf that starts nothing. */
export const nothing = (): readonly Run[] => [];

/** What the kernel does by itself. */
export const kernelLeaf: KernelLeaf = { runs: nothing };
