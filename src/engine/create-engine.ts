import { createEvaluator } from "../state/index.ts";
import type { Host, Sandbox, Store, Workspace } from "../ports/index.ts";
import type { Dialect } from "../source/index.ts";
import type { Knowledge } from "../knowledge/index.ts";
import { knowledgeGuides } from "./checklist/knowledge-guides.ts";
import { coreLeaves } from "./core-leaves/core-leaves.ts";
import { Catalog } from "./catalog.ts";
import type { EngineContext } from "./context.ts";
import { HandOuts } from "./hand-outs.ts";
import { Holding } from "./holding.ts";
import { EffectPerformer } from "./perform-effects.ts";
import { LeafTable } from "./leaf-table.ts";
import { RunCache } from "./run-cache.ts";
import { runtimes } from "./runtimes.ts";
import { defaultSettings, type Settings } from "./settings.ts";
import { Timers } from "./timers.ts";
import { Traces } from "./traces.ts";

export interface EngineParts {
  readonly store: Store;
  readonly host: Host;
  readonly sandbox: Sandbox;
  readonly workspace: Workspace;
  readonly knowledge: Knowledge;
  readonly settings?: Partial<Settings>;
  /** Command lines of the project's tool servers; part of what a permission covers. */
  readonly servers?: readonly string[];
  /** The ways to write a workflow; loaded with the first one. */
  readonly dialects?: () => Promise<readonly Dialect[]>;
  /** Told after every change of a run that this process sees. Must return at once. */
  readonly onMoved?: (run: string) => void;
}

const allDialects: NonNullable<EngineParts["dialects"]> = async () => (await import("../dialects/index.ts")).dialects;

/** Puts the engine together. Nothing is read or started before the first command. */
export function createEngine({
  store,
  host,
  sandbox,
  workspace,
  knowledge,
  settings,
  servers = [],
  dialects = allDialects,
  onMoved,
}: EngineParts): EngineContext {
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
    clock,
    host,
    sandbox,
    workspace,
    knowledge,
    guides: knowledgeGuides(knowledge),
    settings: effective,
    evaluator,
    traces,
    leaves,
    catalog: new Catalog({ host, servers, leaves, dialects }),
    runs: new RunCache(store, onMoved),
    effects: new EffectPerformer(() => context),
    timers: new Timers(() => context),
    holding: new Holding(() => context),
    handOuts: new HandOuts(),
  };
  return context;
}

/** Waits for the effects that this process performs, and begins no others: for a process that ends when its command is done. */
export async function finishEffects({ effects }: EngineContext, stop: () => AbortSignal): Promise<void> {
  await effects.finish(stop);
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
