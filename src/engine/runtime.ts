import type { Json, JsonObject } from "../base/index.ts";
import type { Action, Effect, Input, ItemsChange, Outcome } from "../kernel/index.ts";
import type { OpenTask } from "../views/index.ts";
import type { Expr } from "../program/index.ts";
import type { Shown } from "../views/index.ts";
import type { Caller } from "./caller.ts";
import type { EngineContext } from "./context.ts";
import type { Draft } from "./decide.ts";
import type { Performed } from "./effects/effect.ts";
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
  /** Throws the refusal of a start before anything has begun. */
  start?(engine: EngineContext, definition: D, inputs: JsonObject): Promise<void>;
}

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
  /** What the reporter is told beside what follows. */
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
