import { readHandOutId } from "../../kernel/index.ts";
import type { Caller } from "../caller.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import { findReported } from "./find-reported.ts";
import { nextAttempt } from "./lifecycle.ts";
import type { ReportRequest } from "./report-request.ts";

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
