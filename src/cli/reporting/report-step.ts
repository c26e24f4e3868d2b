import { defined, isWaymarkError, WaymarkError } from "../../base/index.ts";
import { fieldsTaken, findReported, progress, tellGoneHolder, type ReportRequest } from "../../engine/index.ts";
import { refusePersonOnly, type Question } from "../answer-question.ts";
import { failure, usage } from "../codes.ts";
import type { Desk } from "../command-share.ts";
import { decideLine, declineLine, doneLine, failLine, nextLine } from "../printed-lines.ts";
import { beforeText, deniedText, nameOf, type Found, type Outcome, type Stepped, type StepReport } from "./step-report.ts";

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
      `Answer it: ${decideLine(run, question)}; or say why there is no answer: ${declineLine(run, question)}`,
    );
  await refusePersonOnly(desk, { run, question, answer: outcome.result ?? null });
  const request = { ...requestOf(report), action: question.id };
  const { reported, position } = await progress(desk.context, desk.caller, request).catch((error: unknown) => {
    throw (outcome.result ?? null) === null && isWaymarkError(error) && error.code === "ENGINE_BAD_VALUE"
      ? failure("CLI_NO_ANSWER", `${error.message} Nothing was changed.`, `Give the answer: ${decideLine(run, question)}`)
      : error;
  });
  const name = nameOf(reported);
  const said = reported.recorded === "now" ? `Recorded the answer to \`${name}\`.` : beforeText(reported);
  return { recorded: reported.recorded, reported: name, said: [said], position };
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
  const seeOpen = `See what is open: ${nextLine(run, task)}`;
  switch (code) {
    case "ENGINE_NO_RESULT":
      return named && `Give its result: ${doneLine(named, "the result")}; or say why it failed: ${failLine(named)}`;
    case "ENGINE_WRONG_STEP":
    case "ENGINE_NO_ACTION":
    case "RUN_NOT_DONE":
      return seeOpen;
    case "HOLDER_LOST":
      return details["holder_gone"] === true ? seeOpen : undefined;
    case "ENGINE_OFF_COURSE":
      return details["kind"] === "no_action" ? seeOpen : undefined;
    default:
      return undefined;
  }
}
