import { mainStrand } from "../../kernel/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import type { EngineContext } from "../context.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import type { RunHandle } from "../run-cache.ts";
import { nextAttempt, refuseTriedAgain } from "./attempts.ts";
import { next, type NextRequest, type Position } from "./next.ts";

type Waiting = Pick<NextRequest, "waitMs" | "signal" | "onProgress" | "looks">;

/** Only a person's own word takes a run from a holder that is alive: at a terminal, or with the person token. */
function isPersonsWord({ holder, surface }: Caller): boolean {
  return holder.kind === "person" && (surface === "cli-terminal" || surface === "http");
}

/**
 * Takes a run up again: the caller becomes the holder of what is free, and at a person's word of what another one alive holds. A failed run is
 * retried when its workflow says so, but never when it failed because something was interrupted that must not be repeated.
 */
export async function resume(
  context: EngineContext,
  caller: Caller,
  request: Waiting & { readonly run: string; readonly task?: string },
): Promise<Position> {
  const handle = await context.runs.open(request.run);
  const policy = handle.program.parts[handle.program.main]?.onResume;
  const lost = handle.state.error?.lost === true;
  const again = await nextAttempt(context, handle);
  if (again !== undefined) return resume(context, caller, { ...request, run: again });
  if (handle.state.status === "failed" && !lost && policy?.retryFailedSteps !== false) {
    return retry(context, caller, {
      ...request,
      resetCounts: policy?.resetErrorCounts === true,
      fromStart: policy?.skipCompletedSteps === false,
    });
  }
  return next(context, caller, { ...request, takeOver: isPersonsWord(caller), waitForOthers: false });
}

/** Refuses to touch what another one alive holds, unless a person says so. */
async function refuseHeld(context: EngineContext, caller: Caller, handle: RunHandle): Promise<void> {
  const main = handle.state.strands[mainStrand];
  // Nobody works on a run that is over for good.
  const over = handle.state.status === "cancelled" || handle.state.status === "completed";
  if (main !== undefined && !over && !isPersonsWord(caller)) await context.holding.refuseHeld(handle, main, caller);
}

export async function retry(
  context: EngineContext,
  caller: Caller,
  request: Waiting & { readonly run: string; readonly resetCounts?: boolean; readonly fromStart?: boolean },
): Promise<Position> {
  const { resetCounts = false, fromStart = false } = request;
  const handle = await context.runs.open(request.run);
  await refuseTriedAgain(context, handle);
  await refuseHeld(context, caller, handle);
  // Who retries what waits for a limit says that it is over: the next turn shows whether it is.
  const pools = new Set(Object.values(handle.state.strands).flatMap(({ blocked }) => blocked?.pool ?? []));
  await commitOrThrow(context, handle, { type: "retry", resetCounts, fromStart, ...(await stampOf(context, caller)) });
  for (const pool of pools) await context.store.freePool(pool);
  return next(context, caller, { ...request, takeOver: isPersonsWord(caller), waitForOthers: false });
}

/**
 * Continues a run that stopped. What failed in work that it calls is open again while the run goes through that work; refused when there is
 * nothing else to try again and the run has passed it.
 */
export async function retryWithCalled(
  context: EngineContext,
  caller: Caller,
  request: Parameters<typeof retry>[2],
): Promise<{ readonly opened: number; readonly position: Position }> {
  const handle = await context.runs.open(request.run);
  await refuseHeld(context, caller, handle);
  let opened = 0;
  let passed: Error | undefined;
  for (const runtime of context.leaves.called(handle.program)) {
    const found = await runtime.reopen?.(context, caller, handle);
    opened += found?.opened ?? 0;
    passed ??= found?.passed;
  }
  if (!isStopped(handle) && opened > 0) return { opened, position: await next(context, caller, request) };
  if (!isStopped(handle) && passed !== undefined) throw passed;
  return { opened, position: await retry(context, caller, request) };
}

/** Whether the run failed, or a part of it failed or is blocked. */
export function isStopped({ state }: RunHandle): boolean {
  return (
    state.status === "failed" || Object.values(state.strands).some((strand) => strand.status === "blocked" || strand.status === "failed")
  );
}
