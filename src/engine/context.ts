import type { Action, Strand } from "../kernel/index.ts";
import type { Evaluator, Traces } from "../state/index.ts";
import type { Host, Sandbox, Store, Transcripts, Workspace } from "../ports/index.ts";
import type { Knowledge } from "../knowledge/index.ts";
import type { HandOuts, Caller } from "./caller.ts";
import type { RunCache, RunHandle } from "./run-cache.ts";
import type { LeafTable } from "./runtime.ts";
import type { Settings } from "./settings.ts";
import type { Catalog } from "./catalog.ts";

export type Runs = Pick<RunCache, keyof RunCache>;

/** Performs the open effects of the runs that this process works on. */
export interface Effects {
  /** What this process performs now. */
  readonly running: { readonly size: number; has(key: string): boolean };
  /** Starts what is open and stops what is not wanted any more. */
  startOpen(handle: RunHandle): void;
  /** What is open begins no more, of one run or of all, until the answer is called. What is running comes to its end. */
  hold(run?: string): () => void;
  /** Waits for what is running, of one run or of all, unless the signal says to stop. */
  settle(stop: () => AbortSignal, run?: string): Promise<void>;
  close(): Promise<void>;
}

/** Wakes strands whose time has come. */
export interface Timers {
  /** Alarms that are set. */
  readonly alarms: { readonly size: number };
  /** Sets the alarm of a run to its first timer. */
  setAlarm(handle: RunHandle): void;
  /** Wakes what is due by now. */
  wakeDue(handle: RunHandle): Promise<void>;
  close(): Promise<void>;
}

/** Who drives which strand. */
export interface Holders {
  /** Makes the caller the holder of the strand, or rejects with STRAND_HELD. */
  take(handle: RunHandle, strand: string, caller: Caller, takeOver: boolean): Promise<void>;
  /**
   * Makes the caller the holder of the strand of an open action that it reports, unless another one alive holds it. The action stays as it
   * is: what is reported under its id counts until it is handed out again.
   */
  takeReported(handle: RunHandle, action: Action, caller: Caller): Promise<void>;
  /** Rejects with STRAND_HELD as `take` would, and takes nothing. */
  refuseHeld(handle: RunHandle, strand: Strand, caller: Caller): Promise<void>;
  takeNew(run: string, strand: string, caller: Caller): Promise<void>;
  /** Gives back what the owner holds, or of one run only. */
  release(owner: string, run?: string): Promise<void>;
  /** A sign of life of a caller: what it holds in this process is kept for as long as it may be idle. */
  called(caller: Caller): Promise<void>;
  /** Beats for everything the owner holds; for as long as this process lives unless a time is given. */
  beatFor(owner: string, until?: number): void;
  close(): void;
}

/** What every command of the engine works with. */
export interface EngineContext {
  readonly store: Store;
  /** What agents did in runs. */
  readonly transcripts: Transcripts;
  readonly host: Host;
  readonly sandbox: Sandbox;
  /** The files that runs work on. */
  readonly workspace: Workspace;
  readonly knowledge: Knowledge;
  readonly settings: Settings;
  readonly evaluator: Evaluator;
  /** Everything that programs can ask for, by dialect. */
  readonly leaves: LeafTable;
  readonly catalog: Catalog;
  readonly runs: Runs;
  readonly effects: Effects;
  readonly timers: Timers;
  readonly holding: Holders;
  readonly handOuts: HandOuts;
  readonly traces: Traces;
  /** What other programs are shown of runs is as it was last committed. A reply that acknowledges something waits for it. */
  readonly caughtUp: () => Promise<void>;
  /** The store's time when it was last asked; only for the times of traces. */
  readonly clock: { at: number };
}
