import { isWaymarkError } from "../../base/index.ts";
import { checklistOf, isInChecklist } from "../../dialects/checklist/run/index.ts";
import { fieldsTaken, findReported, progress, tellGoneHolder, type ReportRequest } from "../../engine/index.ts";
import { refusePersonOnly, type Question } from "../answer-question.ts";
import { failure, usage } from "../codes.ts";
import { decideLine, declineLine, nextLine } from "../printed-lines.ts";
import { recordEntry } from "./record-entry.ts";
import { beforeText, deniedText, nameOf, type Found, type Outcome, type Reporter, type Stepped, type StepReport } from "./step-report.ts";
import { wordRefusal } from "./word-refusal.ts";

/**
 * Reports a step on the command line, whatever it is: a step of a workflow, an entry of a checklist, a bot's action, or a question,
 * whose report is its answer under the rules for answers. A report that was made before is known again and changes nothing.
 */
export async function reportStep(reporter: Reporter, report: StepReport): Promise<Stepped> {
  const { run } = report;
  try {
    const handle = await reporter.context.runs.open(run);
    const checklist = checklistOf(handle) !== undefined;
    const found = await findReported(reporter.context, reporter.caller, handle, namedBy(report)).catch((error: unknown) => {
      // The report of a checklist refuses it as well, and counts that for the measures of the run.
      if (checklist && isWaymarkError(error)) return undefined;
      throw error;
    });
    if (found !== undefined && "question" in found) return await answerFound(reporter, report, found.question);
    const called = found !== undefined && "action" in found && !isInChecklist(handle, found.action.strand);
    return await ((checklist && !called) || found === undefined
      ? recordEntry(reporter, report, found)
      : recordPlain(reporter, report, found));
  } catch (error) {
    throw wordRefusal(await tellGoneHolder(reporter.context, error, report), report);
  }
}

function namedBy({ run, task, action, step }: StepReport): ReportRequest {
  return {
    run,
    ...(task === undefined ? {} : { task }),
    ...(action === undefined ? {} : { action }),
    ...(step === undefined ? {} : { step }),
  };
}

async function answerFound(reporter: Reporter, report: StepReport, question: Question): Promise<Stepped> {
  const { run, outcome } = report;
  // A report cannot say which asking it is about: made again, it would answer the next one.
  if (outcome.as !== "done" || question.revision > 1)
    throw usage(
      `\`${question.step}\` asks a question, which is answered or declined: ${question.question} Nothing was changed.`,
      `Answer it: ${decideLine(run, question)}; or say why there is no answer: ${declineLine(run, question)}`,
    );
  await refusePersonOnly(reporter.session, reporter.context, { run, question, answer: outcome.result ?? null });
  const request = { ...requestOf(report, outcome), action: question.id };
  const { reported, position } = await progress(reporter.context, reporter.caller, request).catch((error: unknown) => {
    throw (outcome.result ?? null) === null && isWaymarkError(error) && error.code === "ENGINE_BAD_VALUE"
      ? failure("CLI_NO_ANSWER", `${error.message} Nothing was changed.`, `Give the answer: ${decideLine(run, question)}`)
      : error;
  });
  const name = nameOf(reported);
  const said = reported.recorded === "now" ? `Recorded the answer to \`${name}\`.` : beforeText(reported);
  return { recorded: reported.recorded, reported: name, said: [said], position };
}

async function recordPlain(reporter: Reporter, report: StepReport, found: Found): Promise<Stepped> {
  const { outcome, run, task } = report;
  const taken = "action" in found ? await fieldsTaken(reporter.context, reporter.caller, { run, action: found.action.id }) : [];
  if (outcome.as === "skipped" && !("before" in found) && !taken.includes("skip_reason"))
    throw usage(
      "Only entries of a checklist can be skipped. Nothing was changed.",
      `Do the step, or say why it cannot be done with \`waymark fail\`. It is shown by: ${nextLine(run, task)}`,
    );
  // Who runs `done` says that an entry is completed; the leaf of another step asks for its result.
  const said = taken.length > 0 && outcome.as === "done" ? { status: "success" as const } : {};
  const { reported, position, denied } = await progress(reporter.context, reporter.caller, { ...requestOf(report, outcome), ...said });
  const { recorded } = reported;
  const name = nameOf(reported);
  const plain = recorded === "now" ? `Recorded \`${name}\` as ${asText(outcome)}.` : beforeText(reported);
  const text = denied === undefined ? plain : deniedText(reported, denied);
  return { recorded, reported: name, said: [text], position };
}

/** A result that is not given is missing where a step returns something: the engine knows where, and what was written meanwhile. */
function requestOf(report: StepReport, outcome: Outcome): ReportRequest {
  const said = { ...namedBy(report), ...report.wait, ...(report.usage === undefined ? {} : { usage: report.usage }) };
  if (outcome.as === "skipped")
    return { ...said, status: "skipped", more: { skip_reason: outcome.reason, ...(outcome.identical ? { identical: true } : {}) } };
  if (outcome.as === "done") return outcome.result === undefined ? said : { ...said, result: outcome.result };
  const { error, blockedUntil } = outcome;
  return {
    ...said,
    ...(blockedUntil === undefined ? { status: "failed" } : { blockedUntil }),
    ...(error === undefined ? {} : { error }),
  };
}

function asText(outcome: Outcome): string {
  if (outcome.as !== "failed" || outcome.blockedUntil === undefined) return outcome.as;
  return `blocked until ${new Date(outcome.blockedUntil).toISOString()}`;
}
