import { defined, isWaymarkError, jsonOrText, type Json } from "../../base/index.ts";
import type { Reported, ReportRequest } from "../../engine/index.ts";
import { badValue, exitCodes, usage } from "../codes.ts";
import type { Desk, Outcome } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { showMoved, waiting } from "../drive.ts";
import { continuing } from "../driven-line.ts";
import { addWord, refuseUnfilled } from "../fill-in.ts";
import { refuseUnnamed } from "../not-filled-in.ts";
import { parseCount, parseMoment } from "../parse-values.ts";
import { followingData, followingText } from "../printed-lines.ts";
import { beforeText, nameOf, reportStep } from "../reporting/report-step.ts";
import { type Session, atDesk } from "../session.ts";

interface StepOptions {
  readonly result?: string;
  readonly text?: string;
  readonly resultFile?: string;
  readonly error?: string;
  readonly blockedUntil?: string;
  readonly reason?: string;
  readonly identical?: boolean;
  readonly action?: string;
  readonly step?: string;
  readonly task?: string;
  readonly tokens?: string;
  readonly money?: string;
  readonly wait?: string;
}

export async function doneCommand(given: Given): Promise<number> {
  const options: StepOptions = given.options;
  const result = await resultOf(given.session, options);
  // What a file holds is meant as it is.
  const typed = { "The result": options.resultFile === undefined ? result : undefined };
  return report(given, { as: "done", ...defined({ result }) }, typed);
}

export function failCommand(given: Given): Promise<number> {
  const { error, blockedUntil: until }: StepOptions = given.options;
  const blockedUntil = until === undefined ? undefined : parseMoment(until, "--blocked-until");
  return report(given, { as: "failed", ...defined({ error, blockedUntil }) }, { "`--error`": error });
}

export function skipCommand(given: Given): Promise<number> {
  const { reason = "", identical = false }: StepOptions = given.options;
  if (reason.trim() === "") throw usage("A skip needs its reason. Nothing was changed.", "Say why with `--reason <why>`.");
  return report(given, { as: "skipped", reason, identical }, { "`--reason`": reason });
}

/** Records what became of a step, says so, and shows where the run is then. `typed`: the values of the command line by their names. */
async function report(given: Given, outcome: Outcome, typed: Readonly<Record<string, Json | undefined>>): Promise<number> {
  const { session, args } = given;
  const options: StepOptions = given.options;
  const { action, step, task } = options;
  refuseUnnamed({ "The run": args[0], "`--action`": action, "`--step`": step, "`--task`": task });
  const literally = outcome.as === "done" ? "If the result is this very text, give it with `--result-file`." : addWord;
  await refuseUnfilled(given.shares, typed, literally);
  const wait = waiting(session, options);
  const used = usageOf(options);
  return atDesk(given, async (desk) => {
    const [run = ""] = args;
    const named = { run, ...defined({ action, step, task }) };
    const stepped = await reportStep(desk, { ...named, ...used, outcome, wait }).catch((error: unknown) => recordedOf(error));
    if (!("position" in stepped)) return showContinuing(desk, named, stepped);
    const { recorded, reported, said, position } = stepped;
    for (const line of said) session.out.line(line);
    if (recorded === "now" && action === undefined && step === undefined)
      session.out.hint("You named no step, so the open one was reported. The printed command names its step and can safely be run twice.");
    return showMoved(desk, position, { recorded, reported });
  });
}

type Recorded = Pick<Reported, "recorded" | "step" | "action" | "by">;

/** What was recorded, though who is alive and has what follows keeps the caller from it; any other error is thrown. */
function recordedOf(error: unknown): Recorded {
  const reported = isWaymarkError(error) && error.code === "STRAND_HELD" ? error.details["reported"] : undefined;
  if (reported === undefined) throw error;
  return reported as Recorded;
}

async function showContinuing(
  desk: Desk,
  { run, task }: { readonly run: string; readonly task?: string },
  reported: Recorded,
): Promise<number> {
  const { out } = desk.session;
  const { recorded } = reported;
  const following = await continuing(desk, run, task);
  out.document({ run_id: run, recorded, reported: nameOf(reported), ...followingData(following) });
  out.line(recorded === "now" ? `Recorded \`${nameOf(reported)}\`.` : beforeText(reported));
  for (const line of followingText(following)) out.hint(line);
  return exitCodes.done;
}

async function resultOf(session: Session, options: StepOptions): Promise<Json | undefined> {
  const ways = [options.result, options.text, options.resultFile].filter((way) => way !== undefined);
  if (ways.length > 1) throw usage("Only one of `--result`, `--text` and `--result-file` can be given.");
  if (options.result !== undefined) return jsonOrText(options.result);
  if (options.text !== undefined) return options.text;
  if (options.resultFile === undefined) return undefined;
  return jsonOrText(await session.readGiven(options.resultFile, "--result-file"));
}

function usageOf({ tokens, money }: StepOptions): Pick<ReportRequest, "usage"> {
  if (tokens === undefined && money === undefined) return {};
  const spent = money === undefined ? undefined : Number(money);
  if (spent !== undefined && (!Number.isFinite(spent) || spent < 0))
    throw badValue(`\`--money ${String(money)}\` is not an amount.`, "Write a number such as `0.25`.");
  return { usage: defined({ tokens: tokens === undefined ? undefined : parseCount(tokens, "--tokens"), money: spent }) };
}
