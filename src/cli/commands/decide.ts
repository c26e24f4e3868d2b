import { isWaymarkError, type Json } from "../../base/index.ts";
import { status, type EngineContext } from "../../engine/index.ts";
import { answerQuestion, type Question } from "../answer-question.ts";
import { didYouMean, exitCodes, failure, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { optionLines } from "../position-text.ts";
import type { Session } from "../session.ts";

export async function decideCommand({ session, args: [run = "", id, ...words], options }: Given): Promise<number> {
  const declined = typeof options["decline"] === "string" ? options["decline"] : undefined;
  if (declined !== undefined && words.length > 0)
    throw usage("Either an answer is given or the question is declined.", "Leave one of them out.");
  return session.withEngine(async (context) => {
    const { handle } = await status(context, run);
    const open = Object.values(handle.state.decisions).filter((decision) => decision.status === "pending");
    const question = await chooseQuestion(session, run, open, id);
    if (declined !== undefined) return decline(session, context, { run, question, reason: declined });
    const answered =
      words.length > 0
        ? await answerQuestion(session, context, { run, question, answer: answerValue(question, words.join(" ")) })
        : await askUntilValid(session, context, run, question);
    const relayed = !session.world.isTerminal;
    session.out.document({ run_id: run, decision: question.id, answer: answered.answer, recorded: answered.recorded, relayed });
    session.out.line(
      answered.recorded === "now"
        ? `Recorded${relayed ? " as relayed" : ""}: ${JSON.stringify(answered.answer)}.`
        : "This was answered before; nothing was changed.",
    );
    session.out.hint(`→ Whoever drives the run goes on by itself; to go on here: waymark next ${run}`);
    return exitCodes.done;
  });
}

/** There will be no answer now: the step that asked goes by its own rule, a gate halts its run. */
async function decline(
  session: Session,
  context: EngineContext,
  { run, question, reason }: { readonly run: string; readonly question: Question; readonly reason: string },
): Promise<number> {
  await answerQuestion(session, context, { run, question, answer: null, declined: reason });
  session.out.document({ run_id: run, decision: question.id, declined: reason });
  session.out.line(`Declined: ${question.id} stays without an answer, because ${reason}.`);
  session.out.hint(`→ waymark next ${run}`);
  return exitCodes.done;
}

async function chooseQuestion(session: Session, run: string, open: readonly Question[], id: string | undefined): Promise<Question> {
  if (id !== undefined) {
    const found = open.find((question) => question.id === id || question.step === id);
    if (found !== undefined) return found;
    const ids = open.map((question) => question.id);
    throw failure(
      "CLI_NO_QUESTION",
      `Run \`${run}\` has no open question \`${id}\`.${didYouMean(id, ids)}${ids.length === 0 ? "" : ` Open: ${ids.join(", ")}.`}`,
    );
  }
  const [first, ...more] = open;
  if (first === undefined) throw failure("CLI_NO_QUESTION", `Run \`${run}\` has no open question.`);
  if (more.length === 0) return first;
  session.requireTerminal("Choosing among several questions", `Name one: waymark decide ${run} ${first.id}`);
  for (const [index, question] of open.entries()) session.out.line(`${index + 1}  ${question.id}  ${question.question}`);
  const picked = open[Number(await session.prompter.ask("Which one? ")) - 1];
  if (picked === undefined) throw failure("CLI_NO_ANSWER", "No question was chosen.");
  return picked;
}

/** Shows the question and asks until an answer is accepted, or the question's tries are used up. */
export async function askUntilValid(
  session: Session,
  context: EngineContext,
  run: string,
  question: Question,
): Promise<{ readonly answer: Json; readonly recorded: "now" | "before" }> {
  if (!session.world.isTerminal && question.answerBy === "person") await answerQuestion(session, context, { run, question, answer: null });
  session.requireTerminal("Asking this question", `Give the answer: waymark decide ${run} ${question.id} <answer>`);
  session.out.line(question.question);
  for (const line of optionLines(question.options)) session.out.line(line);
  for (;;) {
    const typed = (await session.prompter.ask("> ")).trim();
    if (typed === "") continue;
    try {
      return await answerQuestion(session, context, { run, question, answer: answerValue(question, typed) });
    } catch (error) {
      const { handle } = await status(context, run);
      if (!isWaymarkError(error) || error.code !== "ANSWER_REFUSED" || handle.state.decisions[question.id]?.status !== "pending")
        throw error;
      session.out.line(`${session.out.paint("yellow", "!")} ${error.message}`);
    }
  }
}

/** What was typed, as the answer it stands for: the number of an option, or its label, is that option. */
export function answerValue(question: Pick<Question, "options" | "kind">, typed: string): Json {
  const options = question.options ?? [];
  const exact = options.find((option) => option.value === typed);
  const labelled = options.find((option) => option.label !== undefined && option.label.toLowerCase() === typed.toLowerCase());
  const near = exact ?? labelled ?? options.find((option) => option.value.toLowerCase() === typed.toLowerCase());
  if (near !== undefined) return near.value;
  return question.kind === "budget" && /^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : typed;
}
