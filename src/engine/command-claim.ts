import type { Effect } from "../kernel/index.ts";
import type { CommandClaim } from "../ports/index.ts";
import type { EngineContext } from "./context.ts";
import { effectLease } from "./perform-effects.ts";
import type { RunHandle } from "./run-cache.ts";

/** What commands of an effect are run under: while this process has its lease, nobody else may begin them. */
export function commandClaim({ store, host }: EngineContext, { id: run }: RunHandle, { id: effect }: Effect): CommandClaim {
  return { run, effect, isHeld: async () => (await store.readLease(effectLease(run, effect)))?.owner === host.processId };
}
