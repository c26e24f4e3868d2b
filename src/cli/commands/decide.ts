import { defined, isWaymarkError } from "../../base/index.ts";
import {
  answer,
  findEvent,
  handOutId,
  isListedAnswer,
  readHandOutId,
  refused,
  status,
  taskAfter,
  watchStrand,
  type Answered,
  type RunHandle,
} from "../../engine/index.ts";
import { openQuestions, taskOf } from "../../views/index.ts";
import { answerLine, answerPlace } from "../answer-line.ts";
import { answerValue, askAnswer, askWhy, otherCounts, takesReason } from "../ask-until-valid.ts";
import { answerQuestion, refuseUnseen, revised, shownQuestion, type Question } from "../reporting/report-step.ts";
import { didYouMean, failure, usage } from "../codes.ts";
import type { Desk } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { addWord, refuseMark, refuseUnfilled } from "../fill-in.ts";
import { endedFollowing, endedLine } from "../position-text.ts";
import { followingData, followingText, quoted, type Following } from "../printed-lines.ts";
import { continuing } from "../driven-line.ts";
import { confirmMeant, meantChoice, notConfirmed } from "../meant-choice.ts";
import { optionOf } from "../option-of.ts";
import { type Session, atDesk } from "../session.ts";

export async function decideCommand({ session, shares, args: [run = "", named, ...words], options, leftOut }: Given): Promise<void> {
  const declined: string | undefined = options["decline"];
  if (declined !== undefined && words.length > 0)
    throw usage("Either an answer is given or the question is declined.", "Leave one of them out.");
  const given = words.length === 0 ? undefined : words.join(" ");
  const reason: string | undefined = options["reason"];
  if (reason !== undefined && (named === undefined || declined !== undefined)) throw reasonAlone();
  // A line that is run again means the asking it was written for.
  const revision = revisionOf(options["revision"]);
  const file = `waymark done ${quoted(run)}${named === undefined ? "" : ` --action ${quoted(named)}`} --result-file <file>`;
  const literally = `If it is this very text, type it when you are asked on a terminal, or give it with \`${file}\`.`;
  await refuseUnfilled(shares, { "The answer": given }, literally);
  await refuseUnfilled(shares, { "`--decline`": declined, "`--reason`": reason }, addWord);
  return atDesk({ session, shares }, async (desk) => {
    const { handle } = await status(desk.context, run);
    const open = openQuestions(handle.state);
    const choice =
      declined === undefined
        ? await choiceOfOnly(desk, handle, { text: [named ?? "", ...words].join(" "), hasReason: reason !== undefined })
        : undefined;
    const { id = named, typed = given } = choice ?? {};
    const isOpen = id !== undefined && open.some((question) => isNamed(question, id));
    if (leftOut === true && named !== undefined && !isOpen) throw noRun(run, named, open);
    const before = typed === undefined || isOpen ? undefined : await answeredBefore(desk, { run, id, revision, answer: typed });
    if (before !== undefined) return show(desk, run, { ...before, task: undefined });
    const question = await chooseQuestion(session, run, open, id);
    if (reason !== undefined && typed === undefined) throw reasonAlone();
    if (typed === answerPlace(question)) refuseMark("The answer", typed, literally);
    const { state } = handle;
    const { strand } = question;
    // Beside the tasks only the answer shows whether there is more to do.
    const task = state.strands[strand]?.entry === undefined ? taskOf({ state, strand }) : undefined;
    const asked = { run, question, revision };
    if (declined !== undefined) {
      await answerQuestion(desk, { ...asked, answer: null, declined });
      session.out.line(shownQuestion(question));
      return show(desk, run, { decision: question.id, strand, task, declined });
    }
    const answered =
      typed === undefined ? await askAnswer(desk, run, question) : await answerTyped(desk, { ...asked, typed, ...defined({ reason }) });
    return show(desk, run, { ...answered, decision: question.id, strand, task });
  });
}

function reasonAlone(): Error {
  return usage("`--reason` says why an answer is given, and there is none.", "Give the answer too, such as `reject`.");
}

interface Typed {
  readonly run: string;
  readonly question: Question;
  readonly revision: number;
  readonly typed: string;
  readonly reason?: string;
}

/** An answer that came with its command is printed with its question. On a terminal a reason that is missing is asked for, unless the answer will be refused. */
async function answerTyped(desk: Desk, { typed: said, reason, ...asked }: Typed): Promise<Answered> {
  const { out, world } = desk.session;
  const { run, question, revision } = asked;
  const isAsked = world.isTerminal && !out.json && revision === question.revision;
  const isMeant = isAsked && meantChoice(question, said) !== undefined;
  const wants = (typed: string): boolean => isAsked && reason === undefined && takesReason(question, typed);
  const isShown = isMeant || wants(said);
  if (isShown) {
    refuseUnseen(run, question);
    out.line(shownQuestion(question));
  }
  const typed = isMeant ? await confirmMeant(desk.session, question, said) : said;
  if (typed === undefined) throw notConfirmed();
  const asks = wants(typed);
  const why = asks ? await askWhy(desk.session) : reason;
  const request = { ...asked, answer: answerValue(question, typed), unseen: true as const, ...defined({ reason: why }) };
  const answered = await answerQuestion(desk, request);
  if (!isShown && answered.recorded === "now") out.line(shownQuestion(question));
  return answered;
}

/**
 * The only open question and one of the answers that it lists, at a terminal also a word for one, or a number for a budget, where that is all that was typed. A word that is its id
 * asks it, since lines that show a question end with that, and the id of one that was asked before is about that one; with a reason it can only
 * be an answer.
 */
async function choiceOfOnly(
  { context, session }: Desk,
  handle: RunHandle,
  { text, hasReason }: { readonly text: string; readonly hasReason: boolean },
): Promise<{ readonly id: string; readonly typed: string } | undefined> {
  const [only, other] = openQuestions(handle.state);
  if (only === undefined || other !== undefined || (isNamed(only, text) && !hasReason)) return undefined;
  const isTerminal = session.world.isTerminal && !session.out.json;
  // No question has a number as its id, and a budget is answered by one.
  const option = optionOf(only, text)?.value ?? (typeof answerValue(only, text) === "number" ? text : undefined);
  const isWord = isTerminal && meantChoice(only, text) !== undefined;
  const typed = option ?? (isWord || (await isListedAnswer(context, handle, only, text)) ? text : undefined);
  if (typed === undefined || (!hasReason && (await questionAsked(context, handle.id, text)) !== undefined)) return undefined;
  return { id: only.id, typed };
}

/** A question that was asked in the run. What is over may be known by its records alone. */
async function questionAsked(context: Desk["context"], run: string, id: string): Promise<Question | undefined> {
  return findEvent(context, run, id, (event) =>
    event.type === "decision_opened" && event.decision.id === id ? event.decision : undefined,
  );
}

function revisionOf(option: unknown): number {
  const number = option === undefined ? 1 : Number(option);
  if (!Number.isInteger(number) || number < 1)
    throw usage(`\`--revision\` takes a whole number from 1 on, not \`${String(option)}\`.`, "Take the number from the run's status.");
  return number;
}

type Recorded = Pick<Answered, "answer" | "recorded" | "differs"> | { readonly declined: string };

interface Shown {
  readonly decision: string;
  /** That asked; absent when it was answered before. */
  readonly strand?: string;
  readonly task: string | undefined;
}

/**
 * Shows what became of a question, once the engine has taken the answer into account: one that does not count is asked again. Where there
 * is no answer now, the step that asked follows its own rule, and a gate halts its run.
 */
async function show(desk: Desk, run: string, { decision, strand, task, ...became }: Recorded & Shown): Promise<void> {
  const { session } = desk;
  const { out, world } = session;
  if (!("declined" in became)) await refuseUncounted(desk, run, { ...became, decision });
  const relayed = "declined" in became ? undefined : !world.isTerminal;
  if ("declined" in became) out.line(`Declined: ${decision} stays without an answer, because ${became.declined}.`);
  else if (became.recorded === "before") out.line(`\`${decision}\` was answered before; nothing was changed.`);
  else out.line(`Recorded${relayed === true ? " as relayed" : ""}: ${JSON.stringify(became.answer)}.`);
  const again = strand === undefined ? undefined : await askedAgain(desk, run, { decision, strand });
  const following = again === undefined ? await followingOf(desk, run, { decision, task }) : { next: answerLine(run, again) };
  out.document({ run_id: run, decision, ...became, relayed, asked_again: again?.question, ...followingData(following) });
  if (again !== undefined) out.line(`\nIt is asked again: ${again.question}`);
  const { state, program } = await desk.context.runs.open(run);
  if (isStopped(state)) out.line(endedLine(run, state, program));
  for (const line of followingText(following)) out.hint(line);
}

/** Refuses an answer that was given before and does not count: it is to an earlier asking, or another one was first. The one that counts may be given again. */
async function refuseUncounted({ context }: Desk, run: string, answered: Answered): Promise<void> {
  if (answered.recorded === "now") return;
  const { decision, differs } = answered;
  const held = (await context.runs.open(run)).state.decisions[decision];
  if (held?.status === "pending") throw revised(run, held, answered);
  if (differs === true) throw refused("DECISION_CLOSED", otherCounts(answered), `Look at the run: waymark status ${quoted(run)}`);
}

async function followingOf(desk: Desk, run: string, shown: Shown): Promise<Following> {
  const { state } = await desk.context.runs.open(run);
  if (isStopped(state)) return endedFollowing(run, state);
  return continuing(desk, run, shown.task ?? (await taskAfter(desk.context, run, shown.decision)));
}

/** Whether there is nothing to continue and nothing to show; the line that continues a complete run shows that it is complete. */
function isStopped({ status: became }: RunHandle["state"]): boolean {
  return became === "cancelled" || became === "failed";
}

async function askedAgain(
  { session, context, caller }: Desk,
  run: string,
  { decision, strand }: Required<Omit<Shown, "task">>,
): Promise<Question | undefined> {
  const standing = await watchStrand(context, caller, await context.runs.open(run), { strand, signal: session.world.stopSignal() });
  return standing.kind === "question" && standing.decision.id === decision ? standing.decision : undefined;
}

/** An answer to a question that is named and no longer open; undefined when it was not answered before. */
async function answeredBefore(
  { session, context, caller }: Desk,
  { id = "", ...given }: { readonly run: string; readonly id: string | undefined; readonly revision: number; readonly answer: string },
): Promise<Answered | undefined> {
  const decision = readHandOutId(id)?.id ?? id;
  if (decision === "") return undefined;
  const asked = await questionAsked(context, given.run, decision);
  const meant = asked === undefined ? given.answer : answerValue(asked, given.answer);
  try {
    return await answer(context, caller, { ...given, answer: meant, decision, relayed: !session.world.isTerminal });
  } catch (error) {
    if (isWaymarkError(error) && error.code === "ENGINE_NO_DECISION") return undefined;
    throw error;
  }
}

/** A question is named by its id, by its step, or by both as replies give it. */
function isNamed({ id, step }: Question, name: string): boolean {
  return [id, step, handOutId(step, id)].includes(name);
}

async function chooseQuestion(session: Session, run: string, open: readonly Question[], id: string | undefined): Promise<Question> {
  if (id !== undefined) {
    const [found, ...others] = open.filter((question) => isNamed(question, id));
    const exact = open.find((question) => question.id === id);
    if (exact !== undefined || (found !== undefined && others.length === 0)) return exact ?? (found as Question);
    throw noQuestion(run, open, id);
  }
  const [first, ...more] = open;
  if (first === undefined) throw noQuestion(run, open);
  if (more.length === 0) return first;
  session.requireTerminal("Choosing among several questions", `Name one: ${answerLine(run, first)}`);
  for (const [index, question] of open.entries()) session.out.line(`${index + 1}  ${question.id}  ${question.question}`);
  const picked = open[Number(await session.prompter.ask("Which one? ")) - 1];
  if (picked === undefined) throw failure("CLI_NO_ANSWER", "No question was chosen.");
  return picked;
}

/** What was typed without a run is neither a run nor an answer. */
function noRun(run: string, typed: string, open: readonly Question[]): Error {
  const [only, other] = open;
  const isOne = only !== undefined && other === undefined;
  const fix = isOne ? `Answer with: ${answerLine(run, only)}` : `Look at the run: waymark status ${quoted(run)}`;
  return failure(
    "CLI_NO_QUESTION",
    `\`${typed}\` does not name a run, nor a choice or a question of the only open one, \`${run}\`. No answer was counted.`,
    fix,
  );
}

function noQuestion(run: string, open: readonly Question[], id?: string): Error {
  const ids = open.map((question) => question.id);
  const named = id === undefined ? "" : ` \`${id}\``;
  const what = id?.trim() === "" ? "The id of the question is empty." : `Run \`${run}\` has no open question${named}.`;
  const [only, other] = open;
  const fix =
    only === undefined || other !== undefined
      ? `Look at the run: waymark status ${quoted(run)}`
      : `Name the question before its answer: ${answerLine(run, only)}`;
  const others = id === undefined ? "" : ids.length === 0 ? " No question is open." : ` Open: ${ids.join(", ")}.`;
  return failure("CLI_NO_QUESTION", `${what}${didYouMean(id ?? "", ids)}${others}`, fix);
}
