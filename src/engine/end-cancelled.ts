import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";

/**
 * Ends the commands of the run's effects that are not open any more, also those that another process runs: a step that is done again does not begin while its
 * cancelled command is still at work. False when the signal aborted first.
 */
export async function endCancelled({ host, runs }: EngineContext, handle: RunHandle, signal: AbortSignal): Promise<boolean> {
  const begun = await host.commands.begun(handle.id);
  if (begun.length === 0) return true;
  // An effect that another process opened is known only afterwards.
  await runs.refresh(handle);
  const over = begun.filter(({ effect }) => handle.state.effects[effect] === undefined);
  return (await Promise.all(over.map((key) => host.commands.settle(key, "end", signal)))).every(Boolean);
}
