import { isWaymarkError, type Json } from "../../base/index.ts";
import { answer, handOutId, readHandOutId, status, taskAfter, type RunHandle } from "../../engine/index.ts";
import { answerQuestion, type Question } from "../answer-question.ts";
import { atDesk } from "../at-desk.ts";
import { didYouMean, exitCodes, failure, usage } from "../codes.ts";
import type { Desk } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { addWord, refuseUnfilled } from "../fill-in.ts";
import { taskOf } from "../next-command.ts";
import { optionLines } from "../position-text.ts";
import { decideLine, followingData, followingText, nextLine, quoted } from "../printed-lines.ts";
import type { Session } from "../session.ts";

export async function decideCommand({ session, shares, args: [run = "", id, ...words], options }: Given): Promise<number> {
  const declined = typeof options["decline"] === "string" ? options["decline"] : undefined;
  if (declined !== undefined && words.length > 0)
    throw usage("Either an answer is given or the question is declined.", "Leave one of them out.");
  // A line that is run again means the asking it was written for.
  const revision = revisionOf(options["revision"]);
  const file = `waymark done ${quoted(run)}${id === undefined ? "" : ` --action ${quoted(id)}`} --result-file <file>`;
  await refuseUnfilled(
    shares,
    { "The answer": words.join(" ") },
    `If it is this very text, type it when you are asked on a terminal, or give it with \`${file}\`.`,
  );
  await refuseUnfilled(shares, { "`--decline`": declined }, addWord);
  return atDesk({ session, shares }, async (desk) => {
    const { context } = desk;
    const { handle } = await status(context, run);
    const open = Object.values(handle.state.decisions).filter((decision) => decision.status === "pending");
    const before = words.length === 0 ? undefined : await answeredBefore(desk, { run, open, id, revision, answer: words.join(" ") });
    if (before !== undefined) return showAnswered(session, before);
    const question = await chooseQuestion(session, run, open, id);
    const task = taskOfQuestion(handle.state, question);
    if (declined !== undefined) return decline(desk, { run, question, revision, reason: declined, task });
    const answered =
      words.length > 0
        ? await answerQuestion(desk, { run, question, revision, answer: answerValue(question, words.join(" ")) })
        : await askUntilValid(desk, run, question);
    return showAnswered(session, { run, decision: question.id, task: task ?? (await taskAfter(context, run, question.id)), ...answered });
  });
}

/** The task that a question is in; undefined beside the tasks, where only the answer shows whether there is more to do. */
function taskOfQuestion(state: RunHandle["state"], { strand }: Question): string | undefined {
  return state.strands[strand]?.entry === undefined ? taskOf({ state, strand }) : undefined;
}

function revisionOf(option: unknown): number {
  const number = option === undefined ? 1 : Number(option);
  if (!Number.isInteger(number) || number < 1)
    throw usage(`\`--revision\` takes a whole number from 1 on, not \`${String(option)}\`.`, "Take the number from the run's status.");
  return number;
}

interface Shown {
  readonly run: string;
  readonly decision: string;
  readonly task: string | undefined;
  readonly answer: Json;
  readonly recorded: "now" | "before";
}

function showAnswered({ out, world }: Session, { run, decision, task, answer: given, recorded }: Shown): number {
  const relayed = !world.isTerminal;
  const following = { next: nextLine(run, task) };
  out.document({ run_id: run, decision, answer: given, recorded, relayed, ...followingData(following) });
  out.line(
    recorded === "now"
      ? `Recorded${relayed ? " as relayed" : ""}: ${JSON.stringify(given)}.`
      : `\`${decision}\` was answered before; nothing was changed.`,
  );
  for (const line of followingText(following)) out.hint(line);
  return exitCodes.done;
}

/** An answer to a question that is named and no longer open; undefined when it was not answered before. */
async function answeredBefore(
  { session, context, caller }: Desk,
  given: {
    readonly run: string;
    readonly open: readonly Question[];
    readonly id: string | undefined;
    readonly revision: number;
    readonly answer: string;
  },
): Promise<Shown | undefined> {
  const { run, open, id } = given;
  const decision = id === undefined ? undefined : (readHandOutId(id)?.id ?? id);
  if (decision === undefined || decision === "" || open.some((question) => isNamed(question, id ?? ""))) return undefined;
  try {
    const request = { run, decision, revision: given.revision, answer: given.answer, relayed: !session.world.isTerminal };
    const answered = await answer(context, caller, request);
    return { run, task: await taskAfter(context, run, answered.decision), ...answered };
  } catch (error) {
    if (isWaymarkError(error) && error.code === "ENGINE_NO_DECISION") return undefined;
    throw error;
  }
}

/** A question is named by its id, by its step, or by both as replies give it. */
function isNamed({ id, step }: Question, name: string): boolean {
  return [id, step, handOutId(step, id)].includes(name);
}

/** There will be no answer now: the step that asked follows its own rule, a gate halts its run. */
async function decline(
  desk: Desk,
  given: {
    readonly run: string;
    readonly question: Question;
    readonly revision: number;
    readonly reason: string;
    readonly task: string | undefined;
  },
): Promise<number> {
  const { run, question, revision, reason, task } = given;
  await answerQuestion(desk, { run, question, revision, answer: null, declined: reason });
  const { out } = desk.session;
  const following = { next: nextLine(run, task ?? (await taskAfter(desk.context, run, question.id))) };
  out.document({ run_id: run, decision: question.id, declined: reason, ...followingData(following) });
  out.line(`Declined: ${question.id} stays without an answer, because ${reason}.`);
  for (const line of followingText(following)) out.hint(line);
  return exitCodes.done;
}

async function chooseQuestion(session: Session, run: string, open: readonly Question[], id: string | undefined): Promise<Question> {
  if (id !== undefined) {
    const [found, ...others] = open.filter((question) => isNamed(question, id));
    const exact = open.find((question) => question.id === id);
    if (exact !== undefined || (found !== undefined && others.length === 0)) return exact ?? (found as Question);
    throw noQuestion(run, open, id);
  }
  const [first, ...more] = open;
  if (first === undefined) throw failure("CLI_NO_QUESTION", `Run \`${run}\` has no open question.`);
  if (more.length === 0) return first;
  session.requireTerminal("Choosing among several questions", `Name one: ${decideLine(run, first)}`);
  for (const [index, question] of open.entries()) session.out.line(`${index + 1}  ${question.id}  ${question.question}`);
  const picked = open[Number(await session.prompter.ask("Which one? ")) - 1];
  if (picked === undefined) throw failure("CLI_NO_ANSWER", "No question was chosen.");
  return picked;
}

function noQuestion(run: string, open: readonly Question[], id: string): Error {
  const ids = open.map((question) => question.id);
  const what = id.trim() === "" ? "The id of the question is empty." : `Run \`${run}\` has no open question \`${id}\`.`;
  const others = ids.length === 0 ? "No question is open." : `Open: ${ids.join(", ")}.`;
  return failure("CLI_NO_QUESTION", `${what}${didYouMean(id, ids)} ${others}`);
}

/** Shows the question and asks until an answer is accepted, or the question's tries are used up. */
export async function askUntilValid(
  desk: Desk,
  run: string,
  question: Question,
): Promise<{ readonly answer: Json; readonly recorded: "now" | "before" }> {
  const { session, context } = desk;
  if (!session.world.isTerminal && question.answerBy === "person") await answerQuestion(desk, { run, question, answer: null });
  session.requireTerminal("Asking this question", `Give the answer: ${decideLine(run, question)}`);
  session.out.line(question.question);
  for (const line of optionLines(question.options)) session.out.line(line);
  for (;;) {
    const typed = (await session.prompter.ask("> ")).trim();
    if (typed === "") continue;
    try {
      return await answerQuestion(desk, { run, question, answer: answerValue(question, typed) });
    } catch (error) {
      const { handle } = await status(context, run);
      if (!isWaymarkError(error) || error.code !== "ANSWER_REFUSED" || handle.state.decisions[question.id]?.status !== "pending")
        throw error;
      session.out.line(`${session.out.paint("yellow", "!")} ${error.message}`);
    }
  }
}

/** What was typed, as the answer that it means: the number of an option, or its label, is that option. */
function answerValue(question: Pick<Question, "options" | "kind">, typed: string): Json {
  const options = question.options ?? [];
  const exact = options.find((option) => option.value === typed);
  const labelled = options.find((option) => option.label !== undefined && option.label.toLowerCase() === typed.toLowerCase());
  const near = exact ?? labelled ?? options.find((option) => option.value.toLowerCase() === typed.toLowerCase());
  if (near !== undefined) return near.value;
  return question.kind === "budget" && /^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : typed;
}
