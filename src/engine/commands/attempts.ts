import { defined, isWaymarkError } from "../../base/index.ts";
import { mainScope, readHandOutId, type CarriedBudget } from "../../kernel/index.ts";
import type { Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { createRun, runId } from "../create-run.ts";
import type { RunHandle } from "../run-cache.ts";
import { findReported } from "./find-reported.ts";
import { next, type NextRequest, type Position } from "./next.ts";
import type { ReportRequest } from "./report-request.ts";

// A failed run may be begun once more, in a run of its own that is linked to it.

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

/** What agents used, and what nobody knows of it, counts for all attempts together, and so do the minutes. */
function carriedOf({ budget, startedAt }: RunHandle["state"]): CarriedBudget {
  const { used, since = startedAt, measured, unknown, killed, uncounted } = budget;
  return { used: { tokens: used.tokens, money: used.money }, since, ...defined({ measured, unknown, killed, uncounted }) };
}

/** No policy of a workflow takes it up: something must not be repeated, only a person can help, or a caller ended it. */
function isFinal(error: RunHandle["state"]["error"]): boolean {
  return error?.lost === true || error?.needsPerson === true || error?.code === byRequest;
}

function linkedRun({ host }: EngineContext, { id, state }: RunHandle): string {
  return runId(state.workflow, state.endedAt ?? state.startedAt, host.sha256(`retry of ${id}`).slice(0, 6));
}

/**
 * A failed run whose workflow asks for it is begun once more from its first step, in a run linked to it with the same
 * definition and inputs. The same failed run leads to the same new one, however often and by whomever it is asked for.
 * A run that was ended on request stays ended. Answers the new run, which its first caller holds.
 */
export async function beginAgain(context: EngineContext, caller: Caller, run: string): Promise<string | undefined> {
  const handle = await context.runs.open(run);
  const { state, program, row } = handle;
  const policy = program.parts[program.main]?.onFailure;
  if (state.status !== "failed" || isFinal(state.error)) return undefined;
  if (policy?.then !== "retry_run") return undefined;
  let tried = 0;
  for (let held = state; held.retryOf !== undefined; tried += 1) held = (await context.runs.open(held.retryOf)).state;
  if (tried >= policy.maxRuns) return undefined;
  const linked = linkedRun(context, handle);
  if ((await context.store.readRun(linked)) !== undefined) return linked;
  const inputs = state.scopes[mainScope]?.inputs ?? {};
  const pin = { program: row.program, sources: row.sources };
  try {
    await createRun(context, caller, {
      run: linked,
      program,
      pin,
      inputs,
      options: { ...state.options, uuid: context.host.uuid() },
      budget: state.budget.limits,
      retryOf: { run, seq: state.seq, carried: carriedOf(state) },
    });
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STORE_RUN_EXISTS") throw error;
  }
  return linked;
}

/** The same, for who works on the new run itself: where the caller is in it. */
export async function retryRun(
  context: EngineContext,
  caller: Caller,
  run: string,
  waiting: Pick<NextRequest, "waitMs" | "signal" | "onProgress"> = {},
): Promise<Position | undefined> {
  const linked = await beginAgain(context, caller, run);
  if (linked === undefined) return undefined;
  const position = await next(context, caller, { ...waiting, run: linked });
  // An attempt that fails at once is followed by the next one: a run that is shown as failed has none left.
  return (await retryRun(context, caller, linked, waiting)) ?? position;
}

/**
 * The report with the run that it is about. Who keeps the id of the run that it started may still name a run that failed and was begun
 * once more: what was reported there is known there, and what was handed out there ended there. Everything else is about the newest attempt.
 */
export async function attemptMeant(context: EngineContext, caller: Caller, request: ReportRequest): Promise<ReportRequest> {
  const handle = await context.runs.open(request.run);
  const again = await nextAttempt(context, handle);
  if (again === undefined) return request;
  const known = await findReported(context, caller, handle, request).then(
    (found) => "before" in found,
    () => false,
  );
  if (known) return request;
  const newer = await attemptMeant(context, caller, { ...request, run: again });
  if (!isIdWithin(handle, request)) return newer;
  // Attempts of earlier versions counted their ids from the beginning: what is found there is meant.
  const found = await findReported(context, caller, await context.runs.open(newer.run), newer).then(
    () => true,
    () => false,
  );
  return found ? newer : request;
}

/** Whether the report names a hand-out by an id that the run, or an attempt before it, has given. */
function isIdWithin({ state }: RunHandle, { action, step }: ReportRequest): boolean {
  const named = action ?? step ?? "";
  const minted = /^[ad](\d+)$/.exec(readHandOutId(named)?.id ?? named)?.[1];
  return minted !== undefined && Number(minted) <= state.seq;
}

/** The attempt that has, or had, a question of this id. Ids that a workflow gives its questions are the same in all attempts: they mean the run that is named. */
export async function attemptAsking(context: EngineContext, run: string, question: string | undefined): Promise<RunHandle> {
  const handle = await context.runs.open(run);
  const later = Number(/^d(\d+)$/.exec(question ?? "")?.[1]) > handle.state.seq;
  const again = later ? await nextAttempt(context, handle) : undefined;
  return again === undefined ? handle : attemptAsking(context, again, question);
}
