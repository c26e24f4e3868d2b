import type { CommandKey } from "../ports/index.ts";
import type { EngineContext } from "./context.ts";

/**
 * Sees to commands that processes that died left running: those of effects that are over are ended, and those of open ones when their
 * time is over, in case nobody takes the effect up.
 */
export async function endAbandoned(context: EngineContext, signal: AbortSignal): Promise<void> {
  const { commands } = context.host;
  const keys = await commands.settleDead(signal);
  await Promise.all(keys.map(async (key) => commands.settle(key, (await isOpen(context, key)) ? "await" : "end", signal)));
}

/** How long processes that do not end, as with a broken disk, keep a step from being handed out. */
const longestEndMs = 10_000;

/** Ends the agents that drivers that died left running. Nobody has their step, or reports it, while they work on it. */
export async function endLeftAgents({ host }: Pick<EngineContext, "host">): Promise<void> {
  const stop = new AbortController();
  const turnOff = host.alarms.after(longestEndMs, () => stop.abort());
  try {
    await host.commands.settleDead(stop.signal);
  } finally {
    turnOff();
  }
}

async function isOpen({ store, runs }: EngineContext, { run, effect }: CommandKey): Promise<boolean> {
  return (await store.readRun(run)) !== undefined && (await runs.open(run)).state.effects[effect] !== undefined;
}
