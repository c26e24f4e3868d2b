import { isObject, own } from "../../base/index.ts";
import type { Action, Decision, Strand } from "../../kernel/index.ts";
import { decideCommand, type Standing } from "../../views/index.ts";
import { actorOf, type Caller } from "../caller.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { decide } from "../decide.ts";
import type { Draft } from "../draft.ts";
import { heldStrand, isPulled } from "../pull.ts";
import { openStrand } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import type { DeniedClaim, Taken } from "../runtime.ts";
import { answer } from "./answer.ts";
import { byAuthorsId, findReported, wordsOf } from "./find-reported.ts";
import { refusingOnce } from "./refused-answer.ts";
import { refusalIn, refusedBefore, refusedReport } from "./refused-report.ts";
import type { Reported, ReportRequest } from "./report-request.ts";
import { resultStored, storedResult } from "./stored-result.ts";
import { taskFacts } from "./task-facts.ts";

/** A report with the strand that it was about, as that was before; absent when it was made before. */
export interface ReportedStrand {
  readonly reported: Reported;
  readonly of?: {
    readonly strand: Strand;
    readonly pulled: boolean;
    /** What speaks against the report, once the engine has looked. */
    readonly denied?: (standing: Standing) => Promise<DeniedClaim | undefined>;
  };
}

/** Records the outcome of the open action. A report already made is answered with what was recorded, and changes nothing. */
export async function report(context: EngineContext, caller: Caller, request: ReportRequest): Promise<Reported> {
  return (await reportIn(context, caller, request)).reported;
}

/** The same, for who wants to continue in the strand that the report was about. */
export async function reportIn(context: EngineContext, caller: Caller, given: ReportRequest): Promise<ReportedStrand> {
  context.evaluator.expect(given.run);
  const handle = await context.runs.open(given.run);
  const request = await byAuthorsId(context, handle, given);
  const found = await findReported(context, caller, handle, request);
  if ("before" in found) return { reported: found.before };
  const strand = handle.state.strands["question" in found ? found.question.strand : found.action.strand];
  const denied = "action" in found ? deniedBy(context, handle, found.action) : undefined;
  const of = strand === undefined ? {} : { of: { strand, pulled: isPulled(handle, strand), ...(denied === undefined ? {} : { denied }) } };
  const reported =
    "question" in found
      ? await relayOnce(context, caller, { handle, question: found.question }, request)
      : await recordReport(context, caller, { handle, action: found.action }, request);
  context.handOuts.reported(caller, handle.id, reported.action);
  if (found.unnamed) context.handOuts.said(caller, handle.id, wordsOf(request), reported);
  return { reported, ...(reported.recorded === "before" ? {} : of) };
}

/** Asked before the report is made: afterwards the action is gone. */
function deniedBy(context: EngineContext, handle: RunHandle, action: Action): NonNullable<ReportedStrand["of"]>["denied"] {
  const { at, leaf } = context.leaves.ofAction(context, handle, action);
  const { denied } = leaf;
  return denied === undefined ? undefined : (standing) => denied(at, action, standing);
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
      ...taskFacts(handle, strand),
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
  const stored = await resultStored(context, { handle, action, returns: leaf.returns === true }, request);
  // What is in the state already is not read as output once more.
  if (stored !== undefined) return { outcome: { ok: true, value: stored } };
  const taken = await leaf.take?.(at, action, { ...request, caller });
  if (taken !== undefined) return taken;
  if (request.status === "failed") {
    const said = typeof request.result === "string" ? request.result : `\`${action.step}\` was reported as failed.`;
    return { outcome: { ok: false, code: "STEP_FAILED", message: request.error ?? said } };
  }
  return { outcome: { ok: true, value: request.result ?? null } };
}

/** Fields that a report of the action may carry beside result, status and error; the caller's open one when none is named. */
export async function fieldsTaken(
  context: EngineContext,
  caller: Caller,
  request: Pick<ReportRequest, "run" | "task" | "action" | "step">,
): Promise<readonly string[]> {
  const handle = await context.runs.open(request.run);
  const named = request.action === undefined ? undefined : own(handle.state.actions, request.action);
  const strand = reportingStrand(handle, caller, request);
  const waits = strand?.waits?.on === "action" ? handle.state.actions[strand.waits.id] : undefined;
  const action = named ?? waits;
  return action === undefined ? [] : (context.leaves.ofAction(context, handle, action).leaf.fields ?? []);
}

/** The open strand that a report is about, as far as it names one or the caller holds one. */
export function reportingStrand(
  handle: RunHandle,
  caller: Caller,
  { action, task }: Pick<ReportRequest, "task" | "action">,
): Strand | undefined {
  const { state } = handle;
  const named = action === undefined ? undefined : (own(state.actions, action) ?? own(state.decisions, action))?.strand;
  const held = task === undefined ? heldStrand(handle, caller) : undefined;
  return state.strands[named ?? held ?? openStrand(state, task) ?? ""];
}

/** An answer that was refused and is sent again word for word, with nothing asked for or stored since, is the same call: it costs no try. */
async function relayOnce(
  context: EngineContext,
  caller: Caller,
  asked: { readonly handle: RunHandle; readonly question: Decision },
  request: ReportRequest,
): Promise<Reported> {
  const stored = request.result === undefined ? await storedResult(context, asked.handle, asked.question) : undefined;
  const isNew = request.shownOnly !== true || stored !== undefined;
  const sent = { run: request.run, id: asked.question.id, said: wordsOf(request), isNew };
  return refusingOnce(context, caller, sent, () => relay(context, caller, asked, request));
}

/** A person's answer carried by the agent. Without a result it is what the agent wrote to the question's path before. */
async function relay(
  context: EngineContext,
  caller: Caller,
  { handle, question }: { readonly handle: RunHandle; readonly question: Decision },
  request: ReportRequest,
): Promise<Reported> {
  const relayed = caller.holder.kind !== "person";
  // Who says nothing tries nothing; every other try is kept when it is refused.
  if (relayed && question.answerBy === "person" && request.result === undefined && request.status !== "failed")
    throw refused(
      "DECISION_FOR_PERSON",
      `Only a person can answer \`${question.id}\`: ${question.question} Nothing was changed.`,
      `Ask the person to run: ${decideCommand(handle.id, question)}`,
      { decision: question.id, command_for_person: decideCommand(handle.id, question) },
    );
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
    unknown: request.shownOnly === true && stored === undefined && !context.handOuts.isKnown(caller, handle.id),
    ...(stored === undefined ? {} : { stored: true }),
  });
  return { recorded: done.recorded, action: question.id, step: question.step };
}
