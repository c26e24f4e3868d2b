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

async function isOpen({ store, runs }: EngineContext, { run, effect }: CommandKey): Promise<boolean> {
  return (await store.readRun(run)) !== undefined && (await runs.open(run)).state.effects[effect] !== undefined;
}
