import { isWaymarkError, type Json } from "../base/index.ts";
import { status, type Answered } from "../engine/index.ts";
import { answerLine } from "./answer-line.ts";
import type { Desk } from "./command-share.ts";
import { confirmMeant } from "./meant-choice.ts";
import { optionOf } from "./option-of.ts";
import { optionLines } from "./position-text.ts";
import { answerQuestion, type Question } from "./reporting/report-step.ts";
import type { Session } from "./session.ts";

/** Asks as `askAnswer` does, and says so where another answer was first. */
export async function askUntilValid(desk: Desk, run: string, question: Question, signal?: AbortSignal): Promise<Answered> {
  const answered = await askAnswer(desk, run, question, signal);
  if (answered.differs === true) desk.session.out.line(`${desk.session.out.paint("yellow", "!")} ${otherCounts(answered)}`);
  return answered;
}

export function otherCounts({ decision, answer }: Answered): string {
  return `\`${decision}\` was answered before with ${JSON.stringify(answer)}, which counts. Nothing was changed.`;
}

/** Shows the question and asks until an answer is accepted, the question's tries are used up, or the signal says that nobody need answer. */
export async function askAnswer(desk: Desk, run: string, question: Question, signal?: AbortSignal): Promise<Answered> {
  const { session, context } = desk;
  if (!session.world.isTerminal && question.answerBy === "person") await answerQuestion(desk, { run, question, answer: null });
  session.requireTerminal("Asking this question", `Give the answer: ${answerLine(run, question)}`);
  session.out.line(question.question);
  for (const line of optionLines(question.options)) session.out.line(line);
  for (;;) {
    const line = (await session.prompter.ask("> ", { signal })).trim();
    if (line === "") continue;
    const typed = await confirmMeant(session, question, line, signal);
    if (typed === undefined) continue;
    try {
      const reason = takesReason(question, typed) ? { reason: await askWhy(session, signal) } : {};
      return await answerQuestion(desk, { run, question, answer: answerValue(question, typed), ...reason });
    } catch (error) {
      const { handle } = await status(context, run);
      if (!isWaymarkError(error) || error.code !== "ANSWER_REFUSED" || handle.state.decisions[question.id]?.status !== "pending")
        throw error;
      session.out.line(`${session.out.paint("yellow", "!")} ${error.message}`);
    }
  }
}

/** An empty line is an answer too. */
export async function askWhy({ prompter }: Session, signal?: AbortSignal): Promise<string> {
  return (await prompter.ask("Why? ", { signal })).trim();
}

/** Whether it is asked why the answer is what it is: nobody gives a reason for one that will be refused, or that nothing reads. */
export function takesReason(question: Question, typed: string): boolean {
  const { reasons, reasonsFor, options } = question;
  if (reasons !== true) return false;
  const answer = optionOf(question, typed)?.value;
  return answer === undefined ? options === undefined : (reasonsFor?.includes(answer) ?? true);
}

/** What was typed, as the answer that it means: the number of an option, or its label, is that option. */
export function answerValue(question: Pick<Question, "options" | "kind">, typed: string): Json {
  const option = optionOf(question, typed);
  if (option !== undefined) return option.value;
  return question.kind === "budget" && /^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : typed;
}
