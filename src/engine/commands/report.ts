import { defined, isObject, type Json, own } from "../../base/index.ts";
import { type Action, type Decision, mainStrand, openRefs, readHandOutId, sameHolder, type Strand, taskName } from "../../kernel/index.ts";
import { storedResult } from "../../state/index.ts";
import { askUserText, decideCommand, type Standing, tasksBeside } from "../../views/index.ts";
import { noResult, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { commitOrThrow, wakeDue } from "../commit-inputs.ts";
import type { Draft } from "../draft.ts";
import { stampOf, type Caller } from "../caller.ts";
import { readLife } from "../holding.ts";
import { heldStrand, isPulled, openStrand, taskFacts } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import type { At, DeniedClaim, HandedOut, Taken } from "../runtime.ts";
import { answer, type AnswerRequest } from "./answer.ts";
import { byAuthorsId, findReported, wordsOf } from "./find-reported.ts";
import { otherReporter } from "./hand-out-records.ts";
import { refusingOnce } from "./refused-answer.ts";
import { refusalIn, refusedBefore, refusedReport } from "./refused-report.ts";
import type { Reported, ReportRequest } from "./report-request.ts";
import { reportKey } from "./settle-overtaken.ts";

export interface RecordedReport {
  readonly reported: Reported;
  /** What speaks against a report of success, once the engine has looked. */
  readonly denied?: (standing: Standing | undefined) => Promise<DeniedClaim | undefined>;
}

/** A report with the strand that it was about, as that was before; absent when it was made before. */
export interface ReportedStrand {
  readonly reported: Reported;
  readonly of?: Pick<RecordedReport, "denied"> & { readonly strand: Strand; readonly pulled: boolean };
}

/** Records the outcome of the open action. A report already made is answered with what was recorded, and changes nothing. */
export async function report(context: EngineContext, caller: Caller, request: ReportRequest): Promise<Reported> {
  return (await reportIn(context, caller, request)).reported;
}

/** The same, for who wants to continue in the strand that the report was about. */
export async function reportIn(context: EngineContext, caller: Caller, given: ReportRequest): Promise<ReportedStrand> {
  context.evaluator.expect(given.run);
  const handle = await context.runs.open(given.run);
  await wakeDue(context, handle);
  const request = await byAuthorsId(context, handle, given);
  const found = await findReported(context, caller, handle, request);
  if ("before" in found) return { reported: found.before };
  const strand = handle.state.strands["question" in found ? found.question.strand : found.action.strand];
  const pulled = strand !== undefined && isPulled(handle, strand);
  const { reported, ...denied }: RecordedReport =
    "question" in found
      ? { reported: await relay(context, caller, { handle, question: found.question }, request) }
      : await recordReport(context, caller, { handle, action: found.action }, request);
  context.handOuts.reported(caller, handle.id, reported.action);
  if (found.unnamed) context.handOuts.said(caller, handle.id, wordsOf(request), reported);
  return { reported, ...(reported.recorded === "before" || strand === undefined ? {} : { of: { strand, pulled, ...denied } }) };
}

/** Records a report of an open action as its leaf takes it. What is due was woken before the action was looked for. */
export async function recordReport(
  context: EngineContext,
  caller: Caller,
  { handle, action }: { readonly handle: RunHandle; readonly action: Action },
  request: Omit<ReportRequest, "run">,
): Promise<RecordedReport> {
  // Asked before the report is made: afterwards the action is gone.
  const { at: place, leaf } = context.leaves.ofAction(context, handle, action);
  const { denied } = leaf;
  const taken = await takenReport(context, { place, leaf }, { handle, action, caller }, request).catch(async (error: unknown) => {
    // What is wrong with a report matters to who may make it.
    throw (await heldByOther(context, handle, action, caller)) ?? error;
  });
  const { outcome, change, said, problems = [], with: beside = [] } = taken;
  await context.holding.takeReported(handle, action, caller);
  const strand = handle.state.strands[action.strand];
  const input = {
    type: "report" as const,
    action: action.id,
    holder: caller.holder,
    fence: strand?.fence ?? 0,
    outcome,
    write: request.result !== undefined || change !== undefined,
    ...(await stampOf(context, caller)),
    ...defined({
      usage: request.usage,
      settling: request.settling,
      session: request.session ?? caller.agentSession,
      denied: request.denied,
    }),
  };
  const decision = await commitOrThrow(context, handle, ...beside, {
    input: change === undefined ? input : async (draft: Draft) => ({ ...input, change: await change(draft) }),
    key: reportKey(action),
    ...taskFacts(handle, strand),
  });
  const refusal = decision.kind === "repeated" ? await refusalIn(context, decision.record) : undefined;
  if (refusal !== undefined)
    throw refusedBefore(handle, action.id, refusal) ?? refusedReport(handle, action, { code: refusal.code, problems: [refusal.message] });
  if (decision.kind === "accepted" && problems.length > 0)
    throw refusedReport(handle, action, { code: outcome.ok === false ? outcome.code : "", problems });
  const before = decision.kind === "repeated" ? { recorded: "before" as const, ...otherReporter(caller, decision.record) } : undefined;
  const reported: Reported = { ...(before ?? { recorded: "now" }), action: action.id, step: action.step, ...defined({ said }) };
  return denied === undefined ? { reported } : { reported, denied: (standing) => denied(place, action, standing) };
}

async function heldByOther(
  context: EngineContext,
  handle: RunHandle,
  { strand: id, step }: Action,
  caller: Caller,
): Promise<Error | undefined> {
  const strand = handle.state.strands[id];
  if (strand?.holder === undefined || sameHolder(strand.holder, caller.holder)) return undefined;
  if ((await readLife(context, handle.id, strand)).alive === undefined) return undefined;
  const { kind, name } = strand.holder;
  return refused(
    "HOLDER_LOST",
    `\`${step}\` is held by ${kind} \`${name}\`, not by you. Nothing was changed.`,
    "Leave it to its holder.",
    openRefs(handle.state),
  );
}

/** What a report comes to: in the leaf's judgement, else as for any step. */
async function takenReport(
  context: EngineContext,
  { place, leaf }: { readonly place: At<unknown>; readonly leaf: Partial<HandedOut<unknown>> },
  { handle, action, caller }: { readonly handle: RunHandle; readonly action: Action; readonly caller: Caller },
  request: Omit<ReportRequest, "run">,
): Promise<Taken> {
  if (request.blockedUntil !== undefined)
    return { outcome: { ok: "blocked", until: request.blockedUntil, reason: request.error ?? "the agent must wait", ...request.waiting } };
  if (request.needsPerson === true)
    return { outcome: { ok: false, code: "STEP_FAILED", message: whyFailed(action, request), needsPerson: true } };
  const stored = await resultStored(context, { handle, action, returns: leaf.returns === true }, request);
  // What is in the state already is not read as output once more.
  if (stored !== undefined && leaf.takesStored !== true) return { outcome: { ok: true, value: stored } };
  const result = request.result ?? stored;
  const taken = await leaf.take?.(place, action, {
    ...request,
    caller,
    ...defined({ result }),
    ...(stored === undefined ? {} : { stored: true }),
  });
  if (taken !== undefined) return taken;
  if (request.status === "failed") return { outcome: { ok: false, code: "STEP_FAILED", message: whyFailed(action, request) } };
  return { outcome: { ok: true, value: result ?? null } };
}

function whyFailed({ step }: Pick<Action, "step">, { error, result }: Omit<ReportRequest, "run">): string {
  return error ?? (typeof result === "string" ? result : `\`${step}\` was reported as failed.`);
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

/**
 * A person's answer carried by the agent. Without a result it is what the agent wrote to the question's path before. An answer that was
 * refused and is sent again word for word, with nothing asked for or stored since, is the same call: it costs no try.
 */
async function relay(
  context: EngineContext,
  caller: Caller,
  { handle, question }: { readonly handle: RunHandle; readonly question: Decision },
  request: ReportRequest,
): Promise<Reported> {
  const stored = request.result === undefined ? await storedResult(context.evaluator, handle, question) : undefined;
  const isNew = request.shownOnly !== true || stored !== undefined;
  const sent = { run: handle.id, id: question.id, said: wordsOf(request), isNew };
  const { recorded } = await refusingOnce(context, caller, sent, async () => {
    const given = answerIn(context, caller, { handle, question, stored }, request);
    return answer(context, caller, { run: handle.id, decision: question.id, ...given });
  });
  return { recorded, action: question.id, step: question.step };
}

/** What a report answers to a question; throws when that is nothing. */
function answerIn(
  context: EngineContext,
  caller: Caller,
  { handle, question, stored }: { readonly handle: RunHandle; readonly question: Decision; readonly stored: Json | undefined },
  request: ReportRequest,
): Omit<AnswerRequest, "run" | "decision"> {
  const relayed = caller.holder.kind !== "person";
  // Who says nothing tries nothing; every other try is kept when it is refused.
  if (relayed && question.answerBy === "person" && request.result === undefined && request.status !== "failed")
    throw refused(
      "DECISION_FOR_PERSON",
      `Only a person can answer \`${question.id}\`: ${question.question} Nothing was changed.`,
      askUserText(decideCommand(handle.id, question)),
      { decision: question.id, command_for_person: decideCommand(handle.id, question) },
    );
  if (request.status === "failed") return { answer: null, relayed, declined: whyFailed(question, request) };
  const value = request.result ?? stored;
  if (value === undefined)
    throw refused(
      "ENGINE_BAD_VALUE",
      `\`${question.step}\` asks a person: ${question.question} No answer was given.`,
      "Ask the person, then report their answer as the result.",
      { action_id: question.id, fill_in: { result: "the user's answer, exactly as given" } },
    );
  return {
    answer: isObject(value) && "answer" in value ? (value["answer"] ?? null) : value,
    relayed,
    unknown: request.shownOnly === true && stored === undefined && !context.handOuts.isKnown(caller, handle.id),
    ...(stored === undefined ? {} : { stored: true }),
  };
}

/**
 * What the holder of a step stored as its result, where the report brings none. undefined where the report is enough as it is. A step that
 * stores its result is not done without one: in the report, or written to its paths since it was handed out.
 */
async function resultStored(
  context: EngineContext,
  { handle, action, returns }: { readonly handle: RunHandle; readonly action: Action; readonly returns: boolean },
  request: Omit<ReportRequest, "run">,
): Promise<Json | undefined> {
  if (request.status === "failed" || request.result !== undefined || action.what === "state_update") return undefined;
  if (action.paths.length === 0 && (request.status !== undefined || !returns)) return undefined;
  const stored = await storedResult(context.evaluator, handle, action);
  if (stored !== undefined) return stored;
  const strand = handle.state.strands[action.strand];
  const task = strand?.task === undefined ? undefined : taskName(strand);
  throw noResult(action, { result: "what the step asks for" }, task);
}

/**
 * The step with tasks beside the caller's own work that a report names: its holder has read it and continues with that work. Nothing is
 * recorded, for the step ends with its tasks. undefined when the report is about something else, or nothing but the tasks is left.
 */
export async function tasksTaken(
  context: EngineContext,
  caller: Caller,
  { run, task, action, step, status }: Pick<ReportRequest, "run" | "task" | "action" | "step" | "status">,
): Promise<Action | undefined> {
  const named = action ?? step;
  if (named === undefined || (status !== undefined && status !== "success")) return undefined;
  const { state } = await context.runs.open(run);
  const strand = openStrand(state, task) ?? mainStrand;
  if (state.status !== "running" || state.strands[strand]?.waits?.on === "strands") return undefined;
  const id = readHandOutId(named)?.id ?? named;
  const groups = tasksBeside(state, strand).map((group) => group.action);
  const byName = groups.filter((each) => each.step === named && context.handOuts.isShown(caller, run, each.id));
  const found = groups.find((each) => each.id === id) ?? (byName.length === 1 ? byName[0] : undefined);
  if (found !== undefined) context.handOuts.tookTasks(caller, run, found.id);
  return found;
}
