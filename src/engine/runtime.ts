import type { JsonObject } from "../base/index.ts";
import type { Effect } from "../kernel/index.ts";
import type { Expr } from "../program/index.ts";
import type { EngineContext } from "./context.ts";
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
}

export type Leaves<D> = Readonly<Record<string, EffectLeaf<D> | ActionLeaf>>;

/** Something that a leaf starts, as a person reads it before allowing it. */
export interface Run {
  readonly kind: "command" | "tool";
  readonly text: string;
}

/** Arguments of a block, before they are evaluated. */
export type LeafArgs = Readonly<Record<string, Expr>>;

/** What the engine does in the world. */
export interface EffectLeaf<D> {
  /** undefined when it was stopped before its end. */
  perform(job: EffectJob<D>): Promise<Performed | Settle | undefined>;
  /** What `allow` shows and a permission covers. Required: an empty list is a statement. */
  runs(args: LeafArgs): readonly Run[];
  /** While it is open nothing is handed out: what is open now is about to be taken back. */
  readonly moves?: true;
}

/** What is handed to an agent, asked of a person, or done by the kernel itself. */
export interface ActionLeaf {
  /** What the engine itself starts for it; what an agent runs in its own client is allowed there. */
  runs(args: LeafArgs): readonly Run[];
  readonly perform?: never;
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

/** An action that starts nothing. */
export const plainAction: ActionLeaf = { runs: nothing };
