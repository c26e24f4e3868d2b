import { isWaymarkError, type JsonObject } from "../../base/index.ts";
import { mainScope, mainStrand, type Mark } from "../../kernel/index.ts";
import { maskSecrets } from "../../views/index.ts";
import type { Budget } from "../../program/index.ts";
import { actorOf, type Caller } from "../caller.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { createRun, runId } from "../create-run.ts";
import { decide } from "../decide.ts";
import type { Request } from "../draft.ts";
import { keepRefusal } from "../keep-refusal.ts";
import type { Position } from "../position.ts";
import type { RunHandle } from "../run-cache.ts";
import { next, type NextRequest } from "./next.ts";

type Waiting = Pick<NextRequest, "waitMs" | "signal" | "onProgress">;

async function command(context: EngineContext, run: string, request: (at: number) => Request): Promise<RunHandle> {
  const handle = await context.runs.open(run);
  const decision = await decide(context, handle, [request(await context.store.now())]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  return handle;
}

/**
 * Takes a run up again, by request: the caller becomes its holder even when the last one is still alive. A failed run is
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
  return next(context, caller, { ...request, takeOver: true });
}

export async function retry(
  context: EngineContext,
  caller: Caller,
  request: Waiting & { readonly run: string; readonly resetCounts?: boolean; readonly fromStart?: boolean },
): Promise<Position> {
  const { resetCounts = false, fromStart = false } = request;
  await refuseTriedAgain(context, await context.runs.open(request.run));
  await command(context, request.run, (at) => ({ input: { type: "retry", resetCounts, fromStart, at, by: actorOf(caller) } }));
  return next(context, caller, { ...request, takeOver: true });
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

export async function end(
  context: EngineContext,
  caller: Caller,
  request: { readonly run: string; readonly status: "completed" | "failed" | "cancelled"; readonly reason?: string },
): Promise<{ readonly status: string; readonly final: JsonObject }> {
  const opened = await context.runs.open(request.run);
  const keep = async (error: unknown): Promise<never> => {
    if (isWaymarkError(error) && error.code === "RUN_NOT_DONE" && context.leaves.runtimeOf(opened)?.guarded === true)
      await keepRefusal(context, caller, opened, { what: `end as ${request.status}`, code: error.code, message: error.message });
    throw error;
  };
  const handle = await command(context, request.run, (at) => ({
    input: {
      type: "end",
      status: request.status,
      at,
      by: actorOf(caller),
      ...(request.reason === undefined ? {} : { reason: request.reason }),
    },
  })).catch(keep);
  const final = context.leaves.shownState(
    handle,
    mainScope,
    await context.evaluator.flat(handle.program, handle.id, handle.state.scopes, mainScope),
  );
  return { status: handle.state.status, final: maskSecrets(final, handle.program, handle.state) };
}

/** Keeps what a person said for a run. One whose dialect knows who could read it refuses what is for nobody. */
export async function note(
  context: EngineContext,
  caller: Caller,
  request: { readonly run: string; readonly text: string; readonly target?: string },
): Promise<void> {
  if (request.target !== undefined) await checkTarget(context, await context.runs.open(request.run), request.target);
  await command(context, request.run, (at) => ({
    input: {
      type: "note",
      text: request.text,
      at,
      by: actorOf(caller),
      ...(request.target === undefined ? {} : { target: request.target }),
    },
  }));
}

async function checkTarget(context: EngineContext, handle: RunHandle, target: string): Promise<void> {
  await context.leaves.runtimeOf(handle)?.checkAudience?.(context.leaves.at(context, handle, mainScope), target);
}

export async function setLimits(
  context: EngineContext,
  caller: Caller,
  request: { readonly run: string; readonly budget: Budget },
): Promise<void> {
  await command(context, request.run, (at) => ({ input: { type: "limits", budget: request.budget, at, by: actorOf(caller) } }));
}

/** Names the place the run is at and writes its state to a file for people and for the next conversation. */
export async function checkpoint(
  context: EngineContext,
  caller: Caller,
  request: { readonly run: string; readonly step?: string; readonly reason: string },
): Promise<{ readonly mark: Mark; readonly statePath: string; readonly handle: RunHandle }> {
  const handle = await context.runs.open(request.run);
  const { program, state } = handle;
  const flat = await context.evaluator.flat(program, handle.id, state.scopes, mainScope);
  const step = request.step ?? state.strands[mainStrand]?.frames.at(-1)?.block ?? "";
  const content = maskSecrets(
    { run_id: handle.id, workflow: state.workflow, status: state.status, step, reason: request.reason, position: handle.head, state: flat },
    program,
    state,
  );
  const statePath = await context.host.views.write(`checkpoints/${handle.id}-${handle.head}.json`, `${JSON.stringify(content, null, 2)}\n`);
  await command(context, request.run, (at) => ({
    input: { type: "mark", step, reason: request.reason, statePath, at, by: actorOf(caller) },
  }));
  const mark = handle.state.mark;
  if (mark === undefined) throw new Error("A checkpoint was recorded but is not in the state.");
  return { mark, statePath, handle };
}

/** Why runs fail that only a request may take up again: a caller ended them. */
const byRequest = "RUN_FAILED_BY_REQUEST";

/** The run in which a failed one was begun once more; undefined when there is none. */
export async function nextAttempt(context: EngineContext, handle: RunHandle): Promise<string | undefined> {
  if (handle.state.status !== "failed") return undefined;
  const linked = linkedRun(context, handle);
  return (await context.store.readRun(linked)) === undefined ? undefined : linked;
}

/** Nothing more is done in a run that was begun once more: the new one is named. */
export async function refuseTriedAgain(context: EngineContext, handle: RunHandle): Promise<void> {
  const again = await nextAttempt(context, handle);
  if (again === undefined) return;
  throw refused(
    "RUN_ENDED",
    `Run \`${handle.id}\` failed and was started again as run \`${again}\`. Nothing was changed.`,
    `Continue with run \`${again}\`.`,
    { next_run: again },
  );
}

function linkedRun({ host }: EngineContext, { id, state }: RunHandle): string {
  return runId(state.workflow, state.endedAt ?? state.startedAt, host.sha256(`retry of ${id}`).slice(0, 6));
}

/**
 * A failed run whose workflow asks for it is begun once more from its first step, in a run linked to it with the same
 * definition and inputs. The same failed run leads to the same new one, however often and by whomever it is asked for.
 * A run that was ended on request stays ended.
 */
export async function retryRun(context: EngineContext, caller: Caller, run: string, waiting: Waiting = {}): Promise<Position | undefined> {
  const handle = await context.runs.open(run);
  const { state, program, row } = handle;
  const policy = program.parts[program.main]?.onFailure;
  if (state.status !== "failed" || state.error?.lost === true || state.error?.code === byRequest) return undefined;
  if (policy?.then !== "retry_run") return undefined;
  let tried = 0;
  for (let held = state; held.retryOf !== undefined; tried += 1) held = (await context.runs.open(held.retryOf)).state;
  if (tried >= policy.maxRuns) return undefined;
  const linked = linkedRun(context, handle);
  if ((await context.store.readRun(linked)) === undefined) {
    const inputs = state.scopes[mainScope]?.inputs ?? {};
    const pin = { program: row.program, sources: row.sources };
    try {
      await createRun(context, caller, {
        run: linked,
        program,
        pin,
        inputs,
        options: state.options,
        budget: state.budget.limits,
        retryOf: { run, seq: state.seq },
      });
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "STORE_RUN_EXISTS") throw error;
    }
  }
  const position = await next(context, caller, { ...waiting, run: linked });
  // An attempt that fails at once is followed by the next one: a run that is shown as failed has none left.
  return (await retryRun(context, caller, linked, waiting)) ?? position;
}
