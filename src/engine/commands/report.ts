import { isObject, isWaymarkError, own, WaymarkError, type Json } from "../../base/index.ts";
import { isUnshown, mainStrand, openRefs, type Action, type Decision, type Outcome, type Strand, type Usage } from "../../kernel/index.ts";
import { actorOf, type Caller } from "../caller.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { decide } from "../decide.ts";
import { parseOutput } from "../parse-output.ts";
import { heldStrand, isPulled } from "../pull.ts";
import type { Position } from "../position.ts";
import { resolveStrand } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import type { Judged } from "../machine/judge-report.ts";
import { answer } from "./answer.ts";
import { next, type NextRequest } from "./next.ts";

export interface ReportRequest extends Pick<NextRequest, "waitMs" | "signal" | "onProgress"> {
  readonly run: string;
  readonly task?: string;
  /** The action or step that is answered; with one open action it may be left out. */
  readonly action?: string;
  readonly step?: string;
  readonly status?: "success" | "failed";
  /** undefined: the result was written by a state update before. */
  readonly result?: Json;
  readonly error?: string;
  /** The step cannot go on before this time (milliseconds); it is handed out again then, and `error` says why. */
  readonly blockedUntil?: number;
  readonly usage?: Usage;
}

export interface Reported {
  readonly recorded: "now" | "before";
  readonly action: string;
  readonly step: string;
}

/** Records the outcome of the open action. A report already made is answered with what was recorded, and changes nothing. */
export async function report(context: EngineContext, caller: Caller, request: ReportRequest): Promise<Reported> {
  context.evaluator.expect(request.run);
  const handle = await context.runs.open(request.run);
  const target = await resolveStrand(context, handle, request.task ?? heldStrand(handle, caller));
  const found = target.kind === "strand" ? findAction(handle, target.strand, request) : undefined;
  if (found === undefined) {
    const strand = target.kind === "strand" ? target.strand : mainStrand;
    const known = await alreadyReported(context, handle, strand, request);
    if (known !== undefined) return known;
    throw lostHolder(handle, caller, strand) ?? nothingOpen(handle, request, strand);
  }
  refuseUnnamed(handle, "question" in found ? found.question : found.action, request);
  if ("question" in found) return relay(context, caller, { handle, question: found.question }, request);
  const { action } = found;
  const strand = handle.state.strands[action.strand];
  const judged = await judgedReport(context, handle, action, request);
  const outcome = judged?.outcome ?? outcomeOf(action, request);
  const at = await context.store.now();
  const decision = await decide(context, handle, [
    ...(judged?.with ?? []).map((input) => ({ input })),
    {
      input: {
        type: "report",
        action: action.id,
        holder: caller.holder,
        fence: strand?.fence ?? 0,
        outcome,
        at,
        by: actorOf(caller),
        write: request.result !== undefined,
        ...(request.usage === undefined ? {} : { usage: request.usage }),
      },
      key: `report:${action.id}`,
    },
  ]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  if (judged !== undefined && judged.problems.length > 0) throw refusedReport(handle, action, judged.problems);
  return { recorded: decision.kind === "repeated" ? "before" : "now", action: action.id, step: action.step };
}

/** Reports of a machine's roles are judged before they count; loaded with the first of them. */
async function judgedReport(
  context: EngineContext,
  handle: RunHandle,
  action: Action,
  request: ReportRequest,
): Promise<Judged | undefined> {
  if (action.what !== "role" || request.status === "failed" || request.blockedUntil !== undefined) return undefined;
  const { judgeReport } = await import("../machine/judge-report.ts");
  return judgeReport(context, handle, action, request.result ?? null);
}

function refusedReport(handle: RunHandle, action: Action, problems: readonly string[]): Error {
  const again = Object.values(handle.state.actions).some(({ step }) => step === action.step);
  return refused(
    "MACHINE_REPORT_REFUSED",
    `The report of \`${action.step}\` does not count:\n${problems.map((problem) => `- ${problem}`).join("\n")}`,
    again
      ? "Mend all of it, ask for the next step (it is the same dispatch again), and report."
      : "This was the last try: a person has to decide how it goes on.",
    { problems: [...problems] },
  );
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
  const reported = await report(context, caller, request);
  try {
    return { reported, position: await after(context, caller, { handle, strand, onRequest }, request) };
  } catch (error) {
    throw isWaymarkError(error) ? recordedAll(error, reported) : error;
  }
}

/** Where the reporter stands once the report is in. */
async function after(
  context: EngineContext,
  caller: Caller,
  { handle, strand, onRequest }: { readonly handle: RunHandle; readonly strand: Strand | undefined; readonly onRequest: boolean },
  request: ReportRequest,
): Promise<Position> {
  if (strand === undefined || onRequest) return next(context, caller, withoutTask(request));
  const position = handle.state.strands[strand.id] === undefined ? undefined : await next(context, caller, { ...request, task: strand.id });
  // What ran beside the main strand is over: its holder goes on there.
  const over = position === undefined || (position.standing.kind === "ended" && handle.state.status === "running");
  if (strand.entry !== undefined && over) return next(context, caller, withoutTask(request));
  return position ?? endedTask(context, handle, strand);
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
  const { state } = handle;
  const named =
    request.action === undefined ? undefined : (own(state.actions, request.action) ?? own(state.decisions, request.action))?.strand;
  const target =
    named === undefined
      ? await resolveStrand(context, handle, request.task ?? heldStrand(handle, caller))
      : { kind: "strand" as const, strand: named };
  const strand = target.kind === "strand" ? state.strands[target.strand] : undefined;
  return strand?.task === undefined && strand?.entry === undefined ? undefined : strand;
}

function withoutTask({ task: _task, ...request }: ReportRequest): ReportRequest {
  return request;
}

async function endedTask(context: EngineContext, handle: RunHandle, { task = "", item }: Strand): Promise<Position> {
  const { id: run, program, state, head } = handle;
  const row = item === undefined ? undefined : await context.store.readItem(run, item.list, item.id);
  const status = row?.status === "completed" || row?.status === "skipped" ? row.status : "failed";
  return { run, program, state, head, strand: task, standing: { kind: "task_ended", task, status } };
}

type Found = { readonly action: Action } | { readonly question: Decision };

function findAction(handle: RunHandle, strandId: string, request: ReportRequest): Found | undefined {
  const { state } = handle;
  if (request.action !== undefined) {
    const action = own(state.actions, request.action);
    if (action !== undefined) return { action };
    const question = own(state.decisions, request.action);
    return question?.status === "pending" ? { question } : undefined;
  }
  const strand = state.strands[strandId];
  const mine = Object.values(state.actions).filter((action) => action.strand === strandId);
  const named = request.step === undefined ? mine : mine.filter((action) => action.step === request.step);
  const only = named.find((action) => strand?.waits?.on === "action" && action.id === strand.waits.id) ?? named[0];
  if (only !== undefined) return { action: only };
  const asked = strand?.waits?.on === "decision" ? state.decisions[strand.waits.id] : undefined;
  if (asked?.status === "pending" && (request.step === undefined || request.step === asked.step)) return { question: asked };
  if (request.step !== undefined) {
    const elsewhere = Object.values(state.actions).filter((action) => action.step === request.step);
    if (elsewhere.length === 1 && elsewhere[0] !== undefined) return { action: elsewhere[0] };
  }
  return undefined;
}

/** After an answer that closed its question the reporter may still mean that one: what is open now has to be named. */
function refuseUnnamed({ id: run, state }: RunHandle, open: Action | Decision, { action, step }: ReportRequest): void {
  if (action !== undefined || step !== undefined || !isUnshown(state, open.strand)) return;
  throw refused(
    "ENGINE_WRONG_STEP",
    `Run \`${run}\` went on to \`${open.step}\` after the last answer was refused, and this report does not say that it is about that step. Nothing was changed.`,
    `Ask for the next step, and report it with its action id \`${open.id}\`.`,
    { open_steps: [open.step], action_id: open.id },
  );
}

/** A repeat is recognised by the action's id, or by the step id that the strand reported last. */
async function alreadyReported(
  context: EngineContext,
  handle: RunHandle,
  strand: string,
  request: ReportRequest,
): Promise<Reported | undefined> {
  if (request.action !== undefined) {
    for (const key of [`report:${request.action}`, `answer:${request.action}:1`]) {
      const record = await context.store.findRecord(handle.id, key);
      if (record !== undefined) return { recorded: "before", action: request.action, step: request.step ?? request.action };
    }
  }
  const last = handle.state.strands[strand]?.last;
  return last === undefined || last.step !== request.step ? undefined : { recorded: "before", action: last.action, step: last.step };
}

/** An action that was taken over has another id now; whoever had it must not be told to do it again. */
function lostHolder(handle: RunHandle, caller: Caller, strand: string): Error | undefined {
  const holder = handle.state.status === "running" ? handle.state.strands[strand]?.holder : undefined;
  if (holder === undefined || (holder.session === caller.holder.session && holder.name === caller.holder.name)) return undefined;
  return refused(
    "HOLDER_LOST",
    `This report came too late: this part of run \`${handle.id}\` is now held by ${holder.kind} \`${holder.name}\`. Nothing was changed.`,
    "Resume the run to take it over, or leave it to the new holder.",
    openRefs(handle.state),
  );
}

function nothingOpen(handle: RunHandle, request: ReportRequest, strand: string): Error {
  const open = Object.values(handle.state.actions)
    .filter((action) => action.strand === strand)
    .map((action) => action.step);
  const asked = request.step ?? request.action;
  if (open.length > 0) {
    return refused(
      "ENGINE_WRONG_STEP",
      `\`${asked ?? ""}\` is not open in run \`${handle.id}\`; open is \`${open[0] ?? ""}\`. Nothing was changed.`,
      `Do \`${open[0] ?? ""}\` and report it.`,
      { open_steps: open },
    );
  }
  return refused(
    "ENGINE_NO_ACTION",
    `Nothing is open to report on in run \`${handle.id}\`${asked === undefined ? "" : ` under \`${asked}\``}. Nothing was changed.`,
    "Ask for the next step.",
    { status: handle.state.status },
  );
}

function outcomeOf(action: Action, request: ReportRequest): Outcome {
  if (request.blockedUntil !== undefined)
    return { ok: "blocked", until: request.blockedUntil, reason: request.error ?? "whoever does it must wait" };
  if (request.status === "failed") {
    return {
      ok: false,
      code: "STEP_FAILED",
      message: request.error ?? (typeof request.result === "string" ? request.result : `\`${action.step}\` was reported as failed.`),
    };
  }
  const result = request.result ?? null;
  if (action.what === "check") return checkOutcome(result);
  const format = action.args["output_format"];
  if (action.what === "agent_shell_command" && typeof result === "string" && typeof format === "string")
    return parseOutput(result, format, action.step);
  return { ok: true, value: result };
}

/** An entry of a checklist that is reported like any step: a skip has its reason there too. */
function checkOutcome(result: Json): Outcome {
  const held = isObject(result) ? result : {};
  const text = (name: string): string => (typeof held[name] === "string" ? held[name].trim() : "");
  const status = text("status") === "skipped" || text("status") === "failed" ? text("status") : "completed";
  if (status === "skipped" && text("skip_reason") === "")
    throw refused("ENGINE_OFF_COURSE", "A skip needs its reason. Nothing was recorded.", "Repeat the report with skip_reason.", {
      kind: "skip",
    });
  const error = text("error") === "" ? "It was reported as failed." : text("error");
  return { ok: true, value: { status, skip_reason: text("skip_reason"), error: status === "failed" ? error : "" } };
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
  let value = request.result;
  if (value === undefined && question.paths[0] !== undefined) {
    const strand = handle.state.strands[question.strand];
    const read = await context.evaluator.read(handle.program, handle.id, handle.state.scopes, strand?.scope ?? "run", [question.paths[0]]);
    value = read[question.paths[0]] ?? undefined;
  }
  if (value === undefined)
    throw refused(
      "ENGINE_BAD_VALUE",
      `\`${question.step}\` asks a person: ${question.question} No answer was given.`,
      "Ask the person, then report their answer as the result.",
      {},
    );
  const plain = isObject(value) && "answer" in value ? (value["answer"] ?? null) : value;
  const done = await answer(context, caller, { run: handle.id, decision: question.id, answer: plain, relayed });
  return { recorded: done.recorded, action: question.id, step: question.step };
}
