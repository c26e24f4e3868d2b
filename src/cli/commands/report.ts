import type { Json } from "../../base/index.ts";
import { checklistOf, next, progress, status, type Caller, type EngineContext, type ReportRequest } from "../../engine/index.ts";
import { answerQuestion, openQuestion } from "../answer-question.ts";
import { cliCaller } from "../cli-caller.ts";
import { badValue, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { showMoved, waiting } from "../drive.ts";
import { jsonOrText, parseCount, parseMoment } from "../parse-values.ts";
import type { Session } from "../session.ts";
import { reportEntry, writeReport, type CheckOptions, type WrittenReport } from "./report-checklist.ts";

interface ReportOptions extends CheckOptions, WrittenReport {
  readonly result?: string;
  readonly text?: string;
  readonly resultFile?: string;
  readonly blockedUntil?: string;
  readonly step?: string;
  readonly task?: string;
  readonly tokens?: string;
  readonly money?: string;
}

/** Options that say how a report is written; every other but `--wait` says what was done. */
const writing: readonly string[] = ["format", "out", "wait"];

export async function reportCommand(given: Given): Promise<number> {
  const {
    session,
    args: [run = ""],
  } = given;
  const options: ReportOptions = given.options;
  const says = Object.keys(options).some((name) => !writing.includes(name));
  const writes = options.format !== undefined || options.out !== undefined;
  if (writes && says) throw usage("`--format` and `--out` write a report of the run; they cannot be combined with what was done.");
  const until = options.blockedUntil === undefined ? undefined : parseMoment(options.blockedUntil, "--blocked-until");
  const failed = until === undefined && (options.failed === true || options.error !== undefined);
  const result = await resultOf(session, options, failed);
  const request: ReportRequest = {
    run,
    ...waiting(session, options),
    status: failed ? "failed" : "success",
    ...(result === undefined ? {} : { result }),
    ...(options.error === undefined ? {} : { error: options.error }),
    ...(until === undefined ? {} : { blockedUntil: until }),
    ...(options.step === undefined ? {} : { step: options.step }),
    ...(options.action === undefined ? {} : { action: options.action }),
    ...(options.task === undefined ? {} : { task: options.task }),
    ...usageOf(options),
  };
  return session.withEngine(async (context) => {
    const caller = cliCaller(session.world, context);
    const checklist = checklistOf((await status(context, run)).handle) !== undefined;
    if (writes || (checklist && !says)) return writeReport(session, context, run, options);
    const question = await openQuestion(context, request);
    if (question !== undefined) return answerInstead(session, { context, caller }, request, question);
    if (checklist) {
      refuseOther(options);
      return reportEntry(session, { context, caller, run }, options, result);
    }
    if (options.skip !== undefined || options.identical === true)
      throw usage("Only entries of a checklist can be skipped.", "Say why it failed with `--error <message>`.");
    const { reported, position } = await progress(context, caller, await withoutResult(context, request));
    session.out.line(
      reported.recorded === "now"
        ? `Recorded \`${reported.step}\` as ${until !== undefined ? `blocked until ${new Date(until).toISOString()}` : failed ? "failed" : "done"}.`
        : `\`${reported.step}\` was reported before; nothing was changed.`,
    );
    return showMoved(session, context, caller, position);
  });
}

/** What means nothing for an entry of a checklist is not silently passed over. */
function refuseOther(options: ReportOptions): void {
  const other = (["text", "blockedUntil", "step", "task", "tokens", "money"] as const).find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw usage(
      `\`--${other.replace(/[A-Z]/g, (mark) => `-${mark.toLowerCase()}`)}\` means nothing for an entry of a checklist.`,
      "Leave it out.",
    );
}

/** The open step is a question: a report of it is an answer, under the rules for answers. */
async function answerInstead(
  session: Session,
  { context, caller }: { readonly context: EngineContext; readonly caller: Caller },
  request: ReportRequest,
  question: NonNullable<Awaited<ReturnType<typeof openQuestion>>>,
): Promise<number> {
  if (request.status === "failed")
    throw usage(`\`${question.step}\` asks a question, which cannot fail.`, `Answer it: waymark decide ${request.run} ${question.id}`);
  if (request.result === undefined || request.result === null)
    throw usage(
      `\`${question.step}\` asks: ${question.question}`,
      `Give the answer with \`--result\`, or run: waymark decide ${request.run} ${question.id}`,
    );
  await answerQuestion(session, context, { run: request.run, question, answer: request.result });
  return showMoved(session, context, caller, await next(context, caller, request));
}

/** Values handed out for writing are written by the report; any other step without a result had it written by `waymark state`. */
async function withoutResult(context: EngineContext, request: ReportRequest): Promise<ReportRequest> {
  if (request.status === "failed" || request.result !== undefined) return request;
  const { handle } = await status(context, request.run);
  const open = Object.values(handle.state.actions).filter(
    (action) => request.action === action.id || request.step === action.step || (request.action ?? request.step) === undefined,
  );
  return open.some((action) => action.what === "state_update") ? { ...request, result: null } : request;
}

async function resultOf(session: Session, options: ReportOptions, failed: boolean): Promise<Json | undefined> {
  const ways = [options.result, options.text, options.resultFile].filter((way) => way !== undefined);
  if (ways.length > 1) throw usage("Only one of `--result`, `--text` and `--result-file` can be given.");
  if (failed && ways.length > 0) throw usage("A failed step has no result.", "Say why with `--error <message>`, or leave `--failed` out.");
  if (options.result !== undefined) return jsonOrText(options.result);
  if (options.text !== undefined) return options.text;
  if (options.resultFile === undefined) return undefined;
  return jsonOrText(await session.readGiven(options.resultFile, "--result-file"));
}

function usageOf({ tokens, money }: ReportOptions): Pick<ReportRequest, "usage"> {
  if (tokens === undefined && money === undefined) return {};
  const spent = money === undefined ? undefined : Number(money);
  if (spent !== undefined && (!Number.isFinite(spent) || spent < 0))
    throw badValue(`\`--money ${String(money)}\` is not an amount.`, "Write a number such as `0.25`.");
  return {
    usage: {
      ...(tokens === undefined ? {} : { tokens: parseCount(tokens, "--tokens") }),
      ...(spent === undefined ? {} : { money: spent }),
    },
  };
}
