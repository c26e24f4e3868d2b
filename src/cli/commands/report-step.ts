import { defined, isWaymarkError, jsonOrText, type Json } from "../../base/index.ts";
import { runs, type EngineContext, type Reported, type ReportRequest } from "../../engine/index.ts";
import { badValue, exitCodes, failure, usage } from "../codes.ts";
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
  return report(
    "done",
    given,
    { as: "done", ...defined({ result }) },
    { "The result": options.resultFile === undefined ? result : undefined },
  );
}

export function failCommand(given: Given): Promise<number> {
  const { error, blockedUntil: until }: StepOptions = given.options;
  const blockedUntil = until === undefined ? undefined : parseMoment(until, "--blocked-until");
  return report("fail", given, { as: "failed", ...defined({ error, blockedUntil }) }, { "`--error`": error });
}

export function skipCommand(given: Given): Promise<number> {
  const { reason = "", identical = false }: StepOptions = given.options;
  if (reason.trim() === "") throw usage("A skip needs its reason. Nothing was changed.", "Say why with `--reason <why>`.");
  return report("skip", given, { as: "skipped", reason, identical }, { "`--reason`": reason });
}

/** Records what became of a step, says so, and shows where the run is then. `typed`: the values of the command line by their names. */
async function report(
  command: "done" | "fail" | "skip",
  given: Given,
  outcome: Outcome,
  typed: Readonly<Record<string, Json | undefined>>,
): Promise<number> {
  const { session, args } = given;
  const options: StepOptions = given.options;
  const { action, step, task } = options;
  refuseUnnamed({ "The run": args[0], "`--action`": action, "`--step`": step, "`--task`": task });
  const literally = command === "done" ? "If the result is this very text, give it with `--result-file`." : addWord;
  await refuseUnfilled(given.shares, typed, literally);
  const wait = waiting(session, options);
  const used = usageOf(options);
  return atDesk(given, async (desk) => {
    const run = await onlyRun(desk.context, args[0], `waymark ${command}`);
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

const namedRuns = 10;

/** The run that is named, else the only open one of the workspace. `line` is the command that wants to know, for the refusal. */
async function onlyRun(context: EngineContext, given: string | undefined, line: string): Promise<string> {
  if (given !== undefined) return given;
  const open = await runs(context, { status: ["running"], limit: 100 });
  const [first] = open;
  if (first === undefined)
    throw failure("CLI_WHICH_RUN", "No run is open in this workspace. Nothing was changed.", "Start one: waymark start <workflow>");
  if (open.length === 1) return first.id;
  const shown = open.slice(0, namedRuns).map(({ id, workflow }) => `\`${id}\` (${workflow})`);
  const more = open.length > namedRuns ? ` and ${open.length - namedRuns} more` : "";
  throw failure(
    "CLI_WHICH_RUN",
    `${open.length} runs are open in this workspace: ${shown.join(", ")}${more}. Nothing was changed.`,
    `Name the one that you mean: ${line} ${first.id}`,
  );
}
