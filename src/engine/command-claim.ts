import type { Effect } from "../kernel/index.ts";
import type { CommandClaim } from "../ports/index.ts";
import type { EngineContext } from "./context.ts";
import { effectLease } from "./lease-keys.ts";
import type { RunHandle } from "./run-cache.ts";

/**
 * What commands of an effect are run under: while this process has its lease, nobody else may begin them. One that was cancelled by another
 * process meanwhile does not begin.
 */
export function commandClaim({ store, host, runs }: EngineContext, handle: RunHandle, { id: effect }: Effect): CommandClaim {
  const { id: run } = handle;
  const isHeld = async (): Promise<boolean> => {
    await runs.refresh(handle);
    return handle.state.effects[effect] !== undefined && (await store.readLease(effectLease(run, effect)))?.owner === host.processId;
  };
  return { run, effect, isHeld };
}
