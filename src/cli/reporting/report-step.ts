import { cutText, defined, isWaymarkError, textOf, visibleText, WaymarkError, type Json } from "../../base/index.ts";
import {
  fieldsTaken,
  findReported,
  handOutId,
  progress,
  refused,
  tellGoneHolder,
  type DeniedClaim,
  type Reported,
  type ReportRequest,
  answer,
  type Answered,
  type RunHandle,
} from "../../engine/index.ts";
import { failure, usage } from "../codes.ts";
import type { Desk, Found, Outcome, Stepped, StepReport } from "../command-share.ts";
import { answerLine } from "../answer-line.ts";
import { decideLine, declineLine, doneLine, failLine, nextLine, quoted } from "../printed-lines.ts";
import { decideCommand, reportedBeforeText } from "../../views/index.ts";

/**
 * Reports a step on the command line, whatever it is: a step of any workflow, or a question, whose report is its answer under the rules
 * for answers. A report that was made before is known again and changes nothing.
 */
export async function reportStep(desk: Desk, report: StepReport): Promise<Stepped> {
  const { context, caller, shares } = desk;
  try {
    const handle = await context.runs.open(report.run);
    const own = await shares.of(handle.program.dialect);
    const found = await findReported(context, caller, handle, namedBy(report)).catch((error: unknown) => {
      // A dialect that records reports itself refuses it as well, and counts that for the measures of the run.
      if (own.report !== undefined && isWaymarkError(error)) return error;
      throw error;
    });
    if ("question" in found) return await answerFound(desk, report, found.question);
    const stepped = await own.report?.(desk, report, isWaymarkError(found) ? undefined : found);
    if (stepped !== undefined) return stepped;
    if (isWaymarkError(found)) throw found;
    return await recordPlain(desk, report, found);
  } catch (error) {
    throw inCommandLines(await tellGoneHolder(context, error, report), report);
  }
}

function namedBy({ run, task, action, step }: StepReport): ReportRequest {
  return { run, ...defined({ task, action, step }) };
}

async function answerFound(desk: Desk, report: StepReport, question: Question): Promise<Stepped> {
  const { run, outcome } = report;
  // A report cannot say which asking it is about: made again, it would answer the next one.
  if (outcome.as !== "done" || question.revision > 1)
    throw usage(
      `\`${question.step}\` asks a question, which is answered or declined: ${question.question} Nothing was changed.`,
      `Answer it: ${answerLine(run, question)}; or say why there is no answer: ${declineLine(run, question)}`,
    );
  await refusePersonOnly(desk, { run, question, answer: outcome.result ?? null });
  refuseUnseen(run, question);
  const request = { ...requestOf(report), action: question.id };
  const { reported, position } = await progress(desk.context, desk.caller, request).catch((error: unknown) => {
    throw (outcome.result ?? null) === null && isWaymarkError(error) && error.code === "ENGINE_BAD_VALUE"
      ? failure("CLI_NO_ANSWER", `${error.message} Nothing was changed.`, `Give the answer: ${answerLine(run, question)}`)
      : againInLines(error, run, question);
  });
  const name = nameOf(reported);
  const said = reported.recorded === "now" ? `Recorded the answer to \`${name}\`.` : beforeText(reported);
  return { recorded: reported.recorded, reported: name, said: [shownQuestion(question), said], position };
}

async function recordPlain({ context, caller }: Desk, report: StepReport, found: Found): Promise<Stepped> {
  const { outcome, run, task } = report;
  const taken = "action" in found ? await fieldsTaken(context, caller, { run, action: found.action.id }) : [];
  if (outcome.as === "skipped" && !("before" in found) && !taken.includes("skip_reason"))
    throw usage(
      "This step cannot be skipped. Nothing was changed.",
      `Do the step, or say why it cannot be done with \`waymark fail\`. It is shown by: ${nextLine(run, task)}`,
    );
  // `done` says that an entry is completed; the leaf of another step asks for its result.
  const said = taken.length > 0 && outcome.as === "done" ? { status: "success" as const } : {};
  const { reported, position, denied } = await progress(context, caller, { ...requestOf(report), ...said });
  const { recorded } = reported;
  const name = nameOf(reported);
  const plain = recorded === "now" ? `Recorded \`${name}\` as ${asText(outcome)}.` : beforeText(reported);
  const text = denied === undefined ? plain : deniedText(reported, denied);
  return { recorded, reported: name, said: [text], position };
}

/** A result that is not given is missing where a step returns something: the engine knows where, and what was written meanwhile. */
function requestOf(report: StepReport): ReportRequest {
  const { outcome, wait, usage: used } = report;
  const said = { ...namedBy(report), ...wait, ...defined({ usage: used }) };
  if (outcome.as === "skipped")
    return { ...said, status: "skipped", more: { skip_reason: outcome.reason, ...(outcome.identical ? { identical: true } : {}) } };
  if (outcome.as === "done") return { ...said, ...defined({ result: outcome.result }) };
  const { error, blockedUntil } = outcome;
  return { ...said, ...(blockedUntil === undefined ? { status: "failed" } : { blockedUntil }), ...defined({ error }) };
}

function asText(outcome: Outcome): string {
  if (outcome.as !== "failed" || outcome.blockedUntil === undefined) return outcome.as;
  return `blocked until ${new Date(outcome.blockedUntil).toISOString()}`;
}

/** A refusal of the engine with its next step as a line of the command line; anything else as it is. */
function inCommandLines(error: unknown, { run, task }: StepReport): unknown {
  const fix = isWaymarkError(error) ? fixOf(error, run, task) : undefined;
  if (!isWaymarkError(error) || fix === undefined) return error;
  const { code, message, details } = error;
  return new WaymarkError({ code, message, fix, details, cause: error });
}

function fixOf({ code, details }: WaymarkError, run: string, task: string | undefined): string | undefined {
  const id = details["action_id"];
  const named = typeof id === "string" ? { run, action: id, ...defined({ task }) } : undefined;
  if (code === "ENGINE_NO_RESULT")
    return named && `Give its result: ${doneLine(named, "the result")}; or say why it failed: ${failLine(named)}`;
  const isOver =
    ["ENGINE_WRONG_STEP", "ENGINE_NO_ACTION", "RUN_NOT_DONE"].includes(code) ||
    (code === "HOLDER_LOST" && details["holder_gone"] === true) ||
    (code === "ENGINE_OFF_COURSE" && details["kind"] === "no_action");
  return isOver ? `See what is open: ${nextLine(run, task)}` : undefined;
}

/** A hand-out as replies name it: the author's id comes again in every round, this one does not. Of one that is over the id may be all that is known. */
export function nameOf({ step, action }: Pick<Reported, "step" | "action">): string {
  return step === action ? action : handOutId(step, action);
}

export function beforeText(reported: Pick<Reported, "step" | "action" | "by">): string {
  return reportedBeforeText(nameOf(reported), reported.by);
}

/** What became of a report that the file contradicts: an instance that is still there is not converted, even when the report says so. */
export function deniedText(reported: Pick<Reported, "step" | "action">, { became, reason }: DeniedClaim): string {
  const why = became === "failed" ? `it is set aside as failed: ${reason}` : "the instance is still there, so it stays open.";
  return `Recorded your report on \`${nameOf(reported)}\`, but ${why}`;
}

export type Question = RunHandle["state"]["decisions"][string];

interface GivenAnswer {
  readonly run: string;
  readonly question: Question;
  readonly answer: Json;
}

/** Without a terminal an answer to a question for a person is refused; the journal keeps the attempt. */
async function refusePersonOnly({ session, context, caller }: Desk, { run, question, answer: given }: GivenAnswer): Promise<void> {
  if (session.world.isTerminal || question.answerBy !== "person") return;
  // The engine refuses it as well, and keeps the attempt.
  await answer(context, caller, { run, decision: question.id, answer: given, relayed: true }).catch((error: unknown) => {
    if (!isWaymarkError(error)) throw error;
  });
  throw failure(
    "CLI_PERSON_ONLY",
    `Only a person at a terminal can answer \`${question.id}\`: ${question.question} Here stdin or stdout is not a terminal. No answer was counted.`,
    `A person runs this in a terminal: ${decideCommand(run, question)}`,
  );
}

/** Characters of a question that one screen shows. */
const screenful = 1000;

/** The question that an answer on the command line is printed with, as far as one screen shows it. */
export function shownQuestion({ question }: Pick<Question, "question">): string {
  return cutText(question, screenful);
}

/** An answer that comes with its command counts only for what is printed with it as a whole. */
export function refuseUnseen(run: string, { id, question, answerBy }: Question): void {
  if (answerBy !== "person" || visibleText(question).length <= screenful) return;
  throw failure(
    "CLI_NOT_SHOWN",
    `\`${id}\` asks a person, and its question has ${question.length} characters: it is answered where all of it is shown. No answer was counted.`,
    `Run this in a terminal; it shows the question, then asks: waymark decide ${run} ${id}`,
  );
}

/** Records an answer; `unseen`: this command did not show the question. Only stdin and stdout on a terminal make it a person's own; without one it is recorded as relayed, or refused. */
export async function answerQuestion(
  desk: Desk,
  request: GivenAnswer & { readonly declined?: string; readonly reason?: string; readonly revision?: number; readonly unseen?: true },
): Promise<Answered> {
  const { run, question, answer: given, declined, reason, revision = question.revision } = request;
  await refusePersonOnly(desk, request);
  if (request.unseen === true) refuseUnseen(run, question);
  const relayed = !desk.session.world.isTerminal;
  const asked = { run, decision: question.id, revision, answer: given, relayed, ...defined({ declined, reason }) };
  return answer(desk.context, desk.caller, asked).catch(async (error: unknown) => {
    const held = (await desk.context.runs.open(run)).state.decisions[question.id];
    if (isWaymarkError(error) && error.code === "DECISION_REVISED" && held !== undefined) throw revised(run, held, asked);
    throw againInLines(error, run, question);
  });
}

interface Uncounted {
  readonly answer: Json;
  readonly declined?: string;
  readonly reason?: string;
}

/** An answer was for an earlier asking than the one that is open. */
export function revised(run: string, question: Question, { answer: given, declined, reason }: Uncounted): WaymarkError {
  const { id, revision } = question;
  const why = reason === undefined || reason === "" ? "" : ` --reason ${quoted(reason)}`;
  const line = declined === undefined ? `${decideLine(run, question, textOf(given))}${why}` : declineLine(run, question);
  return refused(
    "DECISION_REVISED",
    `The question \`${id}\` has changed since it was shown: revision ${revision} of it is open, and your answer is for another one. Nothing was changed. It asks now: ${shownQuestion(question)}`,
    `If that is your answer to it too, run: ${line}`,
    { decision: id, revision },
  );
}

/** A wrong answer to a question that stays open, with the lines that answer it. */
function againInLines(error: unknown, run: string, question: Question): unknown {
  if (!isWaymarkError(error) || error.code !== "ANSWER_REFUSED" || error.details["closed"] === true) return error;
  const { code, message, details } = error;
  const lines = (question.options ?? []).map(({ value }) => decideLine(run, question, value));
  const few = lines.length === 0 || lines.length > 3 ? [answerLine(run, question)] : lines;
  return new WaymarkError({ code, message, fix: `Answer again: ${few.join(", or ")}`, details, cause: error });
}
