import { defined } from "../base/index.ts";
import type { Dialect } from "../source/index.ts";
import { createEvaluator, Traces } from "../state/index.ts";
import { Catalog } from "./catalog.ts";
import type { EngineContext } from "./context.ts";
import { coreLeaves } from "./core-leaves/core-leaves.ts";
import { HandOuts } from "./caller.ts";
import { Holding } from "./holding.ts";
import { EffectPerformer } from "./perform-effects.ts";
import { RunCache, type Following } from "./run-cache.ts";
import { LeafTable, type RuntimeLoaders } from "./runtime.ts";
import { defaultSettings, type Settings } from "./settings.ts";
import { checkSeal } from "./seal.ts";
import { RunTimers } from "./timers.ts";

type Ports = Pick<EngineContext, "store" | "transcripts" | "host" | "sandbox" | "workspace" | "knowledge">;

export interface EngineParts extends Following, Ports {
  /** What each dialect teaches the engine, by its name. */
  readonly runtimes: RuntimeLoaders;
  readonly settings?: Partial<Settings>;
  /** Command lines of the project's tool servers; part of what a permission covers. */
  readonly servers?: readonly string[];
  readonly caughtUp?: EngineContext["caughtUp"];
  /** Names of the coding agents that the configuration adds. */
  readonly agents?: readonly string[];
  /** The ways to write a workflow; loaded with the first one. */
  readonly dialects: () => Promise<readonly Dialect[]>;
}

const nobodyIsShown = async (): Promise<void> => undefined;

/** Puts the engine together. Nothing is read or started before the first command. */
export function createEngine(parts: EngineParts): EngineContext {
  const { store, transcripts, host, sandbox, workspace, knowledge, dialects, runtimes, settings, servers = [] } = parts;
  const { onMoved, followed, caughtUp = nobodyIsShown } = parts;
  const effective: Settings = { ...defaultSettings, ...settings };
  const traces = new Traces(effective);
  const clock = { at: 0 };
  const evaluator = createEvaluator({
    runner: sandbox,
    onTrace: (trace) => traces.add({ ...trace, at: clock.at }),
  });
  const leaves = new LeafTable(runtimes, coreLeaves);
  const context: EngineContext = {
    store,
    transcripts,
    clock,
    host,
    sandbox,
    workspace,
    knowledge,
    settings: effective,
    evaluator,
    traces,
    leaves,
    catalog: new Catalog({ host, servers, leaves, dialects, ...defined({ agents: parts.agents }) }),
    runs: new RunCache(store, {
      prepare: (program) => leaves.load(program),
      check: (run, record, event) => checkSeal({ host, leaves }, run, record, event),
      ...defined({ onMoved, followed }),
    }),
    effects: new EffectPerformer(() => context),
    timers: new RunTimers(() => context),
    holding: new Holding(() => context),
    handOuts: new HandOuts(),
    caughtUp,
  };
  return context;
}

/** Waits for the effects that this process performs, and begins no others: for a process that ends when its command is done. */
export async function finishEffects({ effects }: EngineContext, stop: () => AbortSignal): Promise<void> {
  effects.hold();
  await effects.settle(stop);
}

/** Stops effects, timers and heartbeats, writes what is pending, and closes what the engine was given. */
export async function closeEngine(context: EngineContext): Promise<void> {
  context.holding.close();
  await context.timers.close();
  await context.effects.close();
  await context.runs.settle();
  await context.host.tools.close();
  await context.workspace.close();
  await context.sandbox.close();
  await context.store.close();
}
