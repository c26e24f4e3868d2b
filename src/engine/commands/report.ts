import { isObject, type Json, own } from "../../base/index.ts";
import {
  type Action,
  type Decision,
  mainStrand,
  matchStored,
  readHandOutId,
  storesAnswer,
  type Strand,
  taskName,
} from "../../kernel/index.ts";
import type { WriteOperation } from "../../program/index.ts";
import { decideCommand, type Standing, tasksBeside } from "../../views/index.ts";
import { fromRejected, noResult, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { decide } from "../decide.ts";
import type { Draft } from "../draft.ts";
import { actorOf, type Caller } from "../caller.ts";
import { heldStrand, isPulled, openStrand, taskFacts } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import type { DeniedClaim, Taken } from "../runtime.ts";
import { answer } from "./answer.ts";
import { byAuthorsId, findReported, wordsOf } from "./find-reported.ts";
import { refusingOnce } from "./refused-answer.ts";
import { refusalIn, refusedBefore, refusedReport } from "./refused-report.ts";
import type { Reported, ReportRequest } from "./report-request.ts";

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
  if (refusal !== undefined)
    throw refusedBefore(handle, action.id, refusal) ?? refusedReport(handle, action, { code: refusal.code, problems: [refusal.message] });
  if (decision.kind === "accepted" && problems.length > 0)
    throw refusedReport(handle, action, { code: outcome.ok === false ? outcome.code : "", problems });
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

/** Operations whose value is not what the state holds then. */
const numeric: ReadonlySet<WriteOperation> = new Set<WriteOperation>(["increment", "decrement", "multiply"]);

/**
 * What the holder of a step stored as its result, where the report brings none. undefined where the report is enough as it is. A step that
 * stores its result is not done without one: in the report, or written to its paths since it was handed out.
 */
export async function resultStored(
  context: EngineContext,
  { handle, action, returns }: { readonly handle: RunHandle; readonly action: Action; readonly returns: boolean },
  request: Omit<ReportRequest, "run">,
): Promise<Json | undefined> {
  if (request.status === "failed" || request.result !== undefined || action.what === "state_update") return undefined;
  if (action.paths.length === 0 && (request.status !== undefined || !returns)) return undefined;
  const stored = await storedResult(context, handle, action);
  if (stored !== undefined) return stored;
  const strand = handle.state.strands[action.strand];
  const task = strand?.task === undefined ? undefined : taskName(strand);
  throw noResult(action, { result: "what the step asks for" }, task);
}

/** What the holder wrote for the first write of an open step since it was handed out; undefined unless it made all of them. A null is a result, but not an answer. */
export async function storedResult(context: EngineContext, handle: RunHandle, open: Action | Decision): Promise<Json | undefined> {
  const strand = handle.state.strands[open.strand];
  const frame = strand?.frames.at(-1);
  const block = open.block === undefined ? undefined : handle.program.blocks[open.block];
  const [path] = open.paths;
  if (path === undefined || frame?.kind !== "do" || block?.kind !== "do") return undefined;
  if ("question" in open && !storesAnswer(open, block)) return undefined;
  const wanted = open.paths.map((each, at) => ({ path: each, op: block.writes[at]?.op ?? ("set" as const) }));
  const made = matchStored(wanted, frame.stored ?? []);
  if (!wanted.every((each, at) => made[at] !== undefined || frame.written?.includes(each.path))) return undefined;
  const last = frame.stored?.findLast((each) => each.path === path);
  const value = last === undefined || numeric.has(last.op) ? await readPath(context, handle, strand?.scope ?? "run", path) : last.value;
  return value === null && "question" in open ? undefined : value;
}

async function readPath({ evaluator }: EngineContext, { id, program, state }: RunHandle, scope: string, path: string): Promise<Json> {
  return (await evaluator.read(program, id, state.scopes, scope, [path]))[path] ?? null;
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
  if (found !== undefined) context.handOuts.wentOn(caller, run, found.id);
  return found;
}
