import { mainStrand, readyStrands } from "../kernel/index.ts";
import { standingOf, type Standing } from "../views/index.ts";
import { actorOf, type Caller } from "./caller.ts";
import { commitInputs } from "./commit-inputs.ts";
import type { EngineContext } from "./context.ts";
import { sharesOut } from "./resolve-strand.ts";
import type { RunHandle } from "./run-cache.ts";

/** Waits until this process sees the run change, at most so long, and not after the signal: another process may change it without a sign. Then brings the run up to date. */
export async function waitForChange({ host, runs }: EngineContext, handle: RunHandle, ms: number, stop?: AbortSignal): Promise<void> {
  const { head } = handle;
  const seen = new AbortController();
  const until = stop === undefined ? seen.signal : AbortSignal.any([stop, seen.signal]);
  try {
    await Promise.race([handle.changed, host.alarms.wait(ms, until)]);
  } finally {
    // Without a reason, an error with its stack would be made as one.
    seen.abort("seen");
  }
  // What this process saw is in the handle already.
  if (handle.head === head) await runs.refresh(handle);
}

/** Whether the engine itself works on what the main strand waits for. */
function isBusy(handle: RunHandle): boolean {
  return sharesOut(handle) && Object.keys(handle.state.effects).length > 0;
}

type Watching = { readonly strand?: string; readonly waitMs?: number; readonly signal?: AbortSignal };

/** Where a strand comes to when the engine has done its work, without a caller taking hold of it. A time that must pass is not waited for. */
export async function watchStrand(
  context: EngineContext,
  caller: Caller,
  handle: RunHandle,
  { strand = mainStrand, waitMs = context.settings.callWaitMs, signal }: Watching = {},
): Promise<Standing> {
  const deadline = (await context.store.now()) + waitMs;
  for (;;) {
    const at = await context.store.now();
    if (readyStrands(handle.state).length > 0)
      await commitInputs(context, handle, [{ input: { type: "advance", strand, at, by: actorOf(caller) } }]);
    context.effects.startOpen(handle);
    const standing = standingOf(handle.state, strand);
    const rests = (standing.kind !== "working" || standing.until !== undefined) && !(standing.kind === "joining" && isBusy(handle));
    if (rests || at > deadline || signal?.aborted === true) return standing;
    await waitForChange(context, handle, 200);
  }
}
