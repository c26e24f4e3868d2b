import { isObject, isWaymarkError, own, WaymarkError, type Json, type JsonObject } from "../../base/index.ts";
import { taskName, type Action, type Decision, type Strand, type Usage } from "../../kernel/index.ts";
import { taskAround } from "../../views/index.ts";
import { actorOf, type Caller } from "../caller.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { decide, type Draft } from "../decide.ts";
import { heldStrand, isOnRequest, isPulled } from "../pull.ts";
import type { Position } from "../position.ts";
import { resolveStrand } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import type { Taken } from "../runtime.ts";
import { answer } from "./answer.ts";
import { findReported, wordsOf } from "./find-reported.ts";
import { next, type NextRequest } from "./next.ts";
import { refusalIn, refusedBefore, refusedReport } from "./refused-report.ts";
import { storedResult, withStored } from "./stored-result.ts";

export interface ReportRequest extends Pick<NextRequest, "waitMs" | "signal" | "onProgress"> {
  readonly run: string;
  readonly task?: string;
  /** The action or step that is answered; with one open action it may be left out. */
  readonly action?: string;
  readonly step?: string;
  /** True: what is not named by its own id must have been shown to the caller and not be reported yet. */
  readonly shownOnly?: boolean;
  readonly status?: "success" | "failed" | "skipped";
  /** undefined: the result was written by a state update before. */
  readonly result?: Json;
  readonly error?: string;
  /** Values of the fields that the leaf of the step takes beside these. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The step cannot go on before this time (milliseconds); it is handed out again then, and `error` says why. */
  readonly blockedUntil?: number;
  readonly usage?: Usage;
}

export interface Reported {
  readonly recorded: "now" | "before";
  readonly action: string;
  readonly step: string;
  /** What the leaf has to say about it. */
  readonly said?: JsonObject;
}

/** Records the outcome of the open action. A report already made is answered with what was recorded, and changes nothing. */
export async function report(context: EngineContext, caller: Caller, request: ReportRequest): Promise<Reported> {
  context.evaluator.expect(request.run);
  const handle = await context.runs.open(request.run);
  const found = await findReported(context, caller, handle, request);
  if ("before" in found) return found.before;
  const reported =
    "question" in found
      ? await relayOnce(context, caller, { handle, question: found.question }, request)
      : await recordReport(context, caller, { handle, action: found.action }, request);
  context.handOuts.reported(caller, handle.id, reported.action);
  if (found.unnamed) context.handOuts.said(caller, handle.id, wordsOf(request), reported);
  return reported;
}

/** Records a report as the leaf of its action takes it. */
export async function recordReport(
  context: EngineContext,
  caller: Caller,
  { handle, action }: { readonly handle: RunHandle; readonly action: Action },
  request: Omit<ReportRequest, "run">,
): Promise<Reported> {
  const strand = handle.state.strands[action.strand];
  const taken = await takenReport(context, caller, { handle, action }, request);
  const { outcome, change, problems = [] } = taken;
  const at = await context.store.now();
  const input = {
    type: "report" as const,
    action: action.id,
    holder: caller.holder,
    fence: strand?.fence ?? 0,
    outcome,
    at,
    by: actorOf(caller),
    write: request.result !== undefined || change !== undefined,
    ...(request.usage === undefined ? {} : { usage: request.usage }),
  };
  const decision = await decide(context, handle, [
    ...(taken.with ?? []).map((each) => ({ input: each })),
    {
      input: change === undefined ? input : async (draft: Draft) => ({ ...input, change: await change(draft) }),
      key: `report:${action.id}`,
      ...(strand?.task === undefined || isPulled(handle, strand)
        ? {}
        : { facts: { task: taskName(handle.state, strand), strand: strand.id } }),
    },
  ]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  const refusal = decision.kind === "repeated" ? await refusalIn(context, decision.record) : undefined;
  if (refusal !== undefined) throw refusedBefore(handle, action.id, refusal) ?? refusedReport(handle, action, [refusal.message]);
  if (decision.kind === "accepted" && problems.length > 0) throw refusedReport(handle, action, problems);
  return {
    recorded: decision.kind === "repeated" ? "before" : "now",
    action: action.id,
    step: action.step,
    ...(taken.said === undefined ? {} : { said: taken.said }),
  };
}

/** What a report comes to: in the leaf's judgement, else as for any step. */
async function takenReport(
  context: EngineContext,
  caller: Caller,
  { handle, action }: { readonly handle: RunHandle; readonly action: Action },
  request: Omit<ReportRequest, "run">,
): Promise<Taken> {
  if (request.blockedUntil !== undefined)
    return { outcome: { ok: "blocked", until: request.blockedUntil, reason: request.error ?? "the agent must wait" } };
  const { at, leaf } = context.leaves.ofAction(context, handle, action);
  const resolved = await withStored(context, { handle, action, returns: leaf.returns === true }, request);
  const taken = await leaf.take?.(at, action, { ...resolved, caller });
  if (taken !== undefined) return taken;
  if (resolved.status === "failed") {
    const said = typeof resolved.result === "string" ? resolved.result : `\`${action.step}\` was reported as failed.`;
    return { outcome: { ok: false, code: "STEP_FAILED", message: resolved.error ?? said } };
  }
  return { outcome: { ok: true, value: resolved.result ?? null } };
}

/** Fields that a report of the action may carry beside result, status and error; the caller's open one when none is named. */
export async function fieldsTaken(
  context: EngineContext,
  caller: Caller,
  request: Pick<ReportRequest, "run" | "task" | "action" | "step">,
): Promise<readonly string[]> {
  const handle = await context.runs.open(request.run);
  const named = request.action === undefined ? undefined : own(handle.state.actions, request.action);
  const strand = await reportingStrand(context, handle, caller, request);
  const waits = strand?.waits?.on === "action" ? handle.state.actions[strand.waits.id] : undefined;
  const action = named ?? waits;
  return action === undefined ? [] : (context.leaves.ofAction(context, handle, action).leaf.fields ?? []);
}

/** Reports and gives the next action of the same strand in one call. */
export async function progress(
  context: EngineContext,
  caller: Caller,
  request: ReportRequest,
): Promise<{ readonly reported: Reported; readonly position: Position }> {
  const handle = await context.runs.open(request.run);
  const strand = await reportingTask(context, handle, caller, request);
  const onRequest = strand !== undefined && isPulled(handle, strand);
  const task = strand?.task === undefined ? undefined : taskName(handle.state, strand);
  const reported = await report(context, caller, request);
  try {
    if (reported.recorded === "before" && (strand === undefined || (task !== undefined && !onRequest)))
      return { reported, position: await repeated(context, caller, { handle, reported }, request) };
    return { reported, position: await after(context, caller, { handle, strand, onRequest, task }, request) };
  } catch (error) {
    throw isWaymarkError(error) ? recordedAll(error, reported) : error;
  }
}

/** Where a reporter stands that says again what it reported: a sub-agent in its own task, or at that task's end. */
async function repeated(
  context: EngineContext,
  caller: Caller,
  { handle, reported }: { readonly handle: RunHandle; readonly reported: Reported },
  request: ReportRequest,
): Promise<Position> {
  const facts = (await context.store.findRecord(handle.id, `report:${reported.action}`))?.facts;
  const known = facts === undefined ? {} : (JSON.parse(facts) as { readonly task?: string; readonly strand?: string });
  const task = request.task ?? known.task;
  if (task === undefined || (known.task === undefined && (await isOnRequest(context, handle, task))))
    return next(context, caller, following(request));
  const open = known.strand === undefined || handle.state.strands[known.strand] !== undefined;
  const target = await resolveStrand(context, handle, open ? (known.strand ?? task) : task);
  if (open && target.kind === "strand") return next(context, caller, { ...following(request), task: target.strand });
  const { id: run, program, state, head } = handle;
  return {
    run,
    program,
    state,
    head,
    strand: task,
    standing:
      target.kind === "ended_task"
        ? { kind: "task_ended", task, status: target.status, within: taskAround(state, target.list) }
        : { kind: "task_ended", task, status: "completed" },
  };
}

/** The strand that reports, and what its task was called before the report ended it. */
interface Reporting {
  readonly handle: RunHandle;
  readonly strand: Strand | undefined;
  readonly onRequest: boolean;
  readonly task: string | undefined;
}

/** Where the reporter stands once the report is in. */
async function after(
  context: EngineContext,
  caller: Caller,
  { handle, strand, onRequest, task }: Reporting,
  request: ReportRequest,
): Promise<Position> {
  if (strand === undefined || onRequest) return next(context, caller, following(request));
  const position =
    handle.state.strands[strand.id] === undefined ? undefined : await next(context, caller, { ...request, task: strand.id, follows: true });
  // What ran beside the main strand is over: its holder goes on there.
  const over = position === undefined || (position.standing.kind === "ended" && handle.state.status === "running");
  if (strand.entry !== undefined && over) return next(context, caller, following(request));
  return position ?? endedTask(context, handle, strand, task ?? "");
}

/** The report counts though what follows it was refused, for instance because another holder was quicker: the refusal must say so. */
function recordedAll(error: WaymarkError, { recorded, action, step }: Reported): WaymarkError {
  return new WaymarkError({
    code: error.code,
    message: `The report of \`${step}\` is recorded. What follows was refused: ${error.message}`,
    ...(error.fix === undefined ? {} : { fix: error.fix }),
    details: { ...error.details, reported: { recorded, action, step } },
    cause: error,
  });
}

/** The task whose step is reported; undefined for the main strand. A later task of the same name is another strand. */
async function reportingTask(
  context: EngineContext,
  handle: RunHandle,
  caller: Caller,
  request: ReportRequest,
): Promise<Strand | undefined> {
  const strand = await reportingStrand(context, handle, caller, request);
  return strand?.task === undefined && strand?.entry === undefined ? undefined : strand;
}

/** The strand that a report is about, as far as it names one or the caller holds one. */
export async function reportingStrand(
  context: EngineContext,
  handle: RunHandle,
  caller: Caller,
  request: Pick<ReportRequest, "task" | "action">,
): Promise<Strand | undefined> {
  const { state } = handle;
  const named =
    request.action === undefined ? undefined : (own(state.actions, request.action) ?? own(state.decisions, request.action))?.strand;
  const target =
    named === undefined
      ? await resolveStrand(context, handle, request.task ?? heldStrand(handle, caller))
      : { kind: "strand" as const, strand: named };
  return target.kind === "strand" ? state.strands[target.strand] : undefined;
}

function following({ run, waitMs, signal, onProgress }: ReportRequest): NextRequest {
  return {
    run,
    follows: true,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
}

async function endedTask(context: EngineContext, handle: RunHandle, { item }: Strand, task: string): Promise<Position> {
  const { id: run, program, state, head } = handle;
  const row = item === undefined ? undefined : await context.store.readItem(run, item.list, item.id);
  const status = row?.status === "completed" || row?.status === "skipped" ? row.status : "failed";
  const within = item === undefined ? undefined : taskAround(state, item.list);
  return { run, program, state, head, strand: task, standing: { kind: "task_ended", task, status, within } };
}

/** An answer that was refused and is sent again word for word, with nothing asked for since, is the same call: it costs no try. */
async function relayOnce(
  context: EngineContext,
  caller: Caller,
  asked: { readonly handle: RunHandle; readonly question: Decision },
  request: ReportRequest,
): Promise<Reported> {
  const said = JSON.stringify([asked.question.id, wordsOf(request)]);
  const before = request.shownOnly === true ? context.handOuts.refusedBefore(caller, request.run, said) : undefined;
  if (before !== undefined) throw before as Error;
  return relay(context, caller, asked, request).catch((error: unknown) => {
    if (isWaymarkError(error) && error.code === "ANSWER_REFUSED") context.handOuts.refused(caller, request.run, said, error);
    throw error;
  });
}

/** A person's answer carried by the agent. Without a result it is what the agent wrote to the question's path before. */
async function relay(
  context: EngineContext,
  caller: Caller,
  { handle, question }: { readonly handle: RunHandle; readonly question: Decision },
  request: ReportRequest,
): Promise<Reported> {
  const relayed = caller.holder.kind !== "person";
  if (request.status === "failed") {
    const declined =
      request.error ?? (typeof request.result === "string" ? request.result : `\`${question.step}\` was reported as failed.`);
    const done = await answer(context, caller, { run: handle.id, decision: question.id, answer: null, relayed, declined });
    return { recorded: done.recorded, action: question.id, step: question.step };
  }
  const stored = request.result === undefined ? await storedResult(context, handle, question) : undefined;
  const value = request.result ?? stored;
  if (value === undefined)
    throw refused(
      "ENGINE_BAD_VALUE",
      `\`${question.step}\` asks a person: ${question.question} No answer was given.`,
      "Ask the person, then report their answer as the result.",
      { action_id: question.id, fill_in: { result: "the user's answer, exactly as given" } },
    );
  const plain = isObject(value) && "answer" in value ? (value["answer"] ?? null) : value;
  const done = await answer(context, caller, {
    run: handle.id,
    decision: question.id,
    answer: plain,
    relayed,
    ...(stored === undefined ? {} : { stored: true }),
  });
  return { recorded: done.recorded, action: question.id, step: question.step };
}
