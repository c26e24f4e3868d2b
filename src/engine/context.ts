import type { Evaluator } from "../state/index.ts";
import type { Host, Sandbox, Store, Workspace } from "../ports/index.ts";
import type { Knowledge } from "../knowledge/index.ts";
import type { GuideSource } from "./checklist/guide-source.ts";
import type { HandOuts } from "./hand-outs.ts";
import type { EffectPerformer } from "./perform-effects.ts";
import type { RunCache } from "./run-cache.ts";
import type { LeafTable } from "./leaf-table.ts";
import type { Settings } from "./settings.ts";
import type { Catalog } from "./catalog.ts";
import type { Traces } from "./traces.ts";
import type { Holding } from "./holding.ts";
import type { Timers } from "./timers.ts";

export type Runs = Pick<RunCache, keyof RunCache>;

/** What every command of the engine works with. */
export interface EngineContext {
  readonly store: Store;
  readonly host: Host;
  readonly sandbox: Sandbox;
  /** Files that checklists work on, and what is known about them. */
  readonly workspace: Workspace;
  readonly guides: GuideSource;
  readonly knowledge: Knowledge;
  readonly settings: Settings;
  readonly evaluator: Evaluator;
  /** Everything that programs can ask for, by dialect. */
  readonly leaves: LeafTable;
  readonly catalog: Catalog;
  readonly runs: Runs;
  readonly effects: EffectPerformer;
  readonly timers: Timers;
  readonly holding: Holding;
  readonly handOuts: HandOuts;
  readonly traces: Traces;
  /** The store's time when it was last asked; only for the times of traces. */
  readonly clock: { at: number };
}
