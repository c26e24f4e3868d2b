import { defined, isWaymarkError, textOf, type Json } from "../base/index.ts";
import { answer } from "../engine/index.ts";
import { refusal } from "./codes.ts";
import { callerOf, mayNot, placed, type Desk } from "./desk.ts";
import type { Asked } from "./open-runs.ts";
import { answerIn, mayMeanNo, namedHow, questionText, wantsWords } from "./question-text.ts";

/** Records the answer for the question as it was shown, with the person who gave it; the run continues. */
export async function decide(
  desk: Desk,
  codebase: string,
  asked: Asked,
  given: { readonly answer: Json; readonly reason?: string },
): Promise<void> {
  requireDecide(desk, [asked]);
  const { run, question } = asked;
  const { context } = await desk.engineOf(codebase);
  const request = {
    run,
    decision: question.id,
    answer: given.answer,
    revision: question.revision,
    relayed: false,
    ...defined({ reason: given.reason }),
  };
  try {
    const done = await placed(desk, context.host.workspace, () => answer(context, callerOf(desk), request));
    if (done.differs === true)
      await desk.say(`\`${question.step}\` was answered before with ${textOf(done.answer)}, which counts. Nothing was changed.`);
    else await desk.say(`Recorded for \`${question.step}\`: ${textOf(given.answer)}`);
  } catch (error) {
    // It may still be open: then it is shown again with what was wrong.
    if (!isWaymarkError(error) || error.code !== "ANSWER_REFUSED") throw error;
    const { state } = await context.runs.open(run);
    const isOpen = state.decisions[question.id]?.status === "pending";
    await desk.say([error.message, ...(isOpen ? [askedText(asked)] : [])].join("\n\n"));
  }
  desk.runs.wake(run);
}

export function askedText({ run, workflow, question }: Asked): string {
  return questionText({ run, workflow }, question);
}

/** Refuses who may not decide, with who may and the lines that answer what is meant. */
export function requireDecide(desk: Desk, meant: readonly Asked[]): void {
  if (desk.person.may.has("decide")) return;
  const lines = meant.map(({ line }) => line);
  const where = `In a terminal on the computer where Waymark runs a person answers with:\n\n${lines.join("\n")}`;
  const who = desk.parts.people.deciders(desk.place.platform.getPlatformType());
  throw mayNot(desk, "decide", { who, more: lines.length === 0 ? [] : [where] });
}

/** The open questions that list this text as a choice. */
export function chosenBy(text: string, asked: readonly Asked[]): readonly Asked[] {
  return asked.filter(({ question }) => question.options !== undefined && answerIn(question, text) !== undefined);
}

/** A text that came while questions to this person were open: it answers the only one, exactly, or is answered with what is open. */
export async function answerByText(desk: Desk): Promise<void> {
  const only = onlyQuestion(desk, desk.asked);
  const given = answerIn(only.question, desk.message.text);
  if (given === undefined) return desk.say(notAChoice(desk, only));
  await decide(desk, await codebaseOf(desk, only.run), only, { answer: given });
}

/** Where words are wanted the line that gives these is shown, unless they may be a no; a text alone approves nothing. */
function notAChoice({ message, person }: Desk, asked: Asked): string {
  const text = message.text.trim();
  const isAnswer = wantsWords(asked.question) && !mayMeanNo(text) && text.length <= longestShown && !text.includes("\n");
  return [
    "This is not one of the choices, so nothing was decided.",
    ...(isAnswer ? [`To approve with this text, write \`/workflow approve ${asked.question.id} ${text}\`.`] : []),
    askedText(asked),
    ...(person.may.has("start") ? ["To start another workflow meanwhile, write `/workflow run <name> <what you want>`."] : []),
  ].join("\n\n");
}

const longestShown = 200;

/** The question that is meant where none is named. A message of before a restart may have meant another one, so it decides nothing. */
export function onlyQuestion({ isAgain }: Desk, open: readonly Asked[]): Asked {
  const [only, other] = open;
  if (only === undefined) throw refusal("CHAT_NO_QUESTION", "No question is open here. Nothing was decided.");
  const shown = other === undefined ? askedText(only) : open.map(namedText).join("\n\n");
  if (isAgain)
    throw refusal(
      "CHAT_RESTARTED",
      "Waymark was restarted before it came to your last message, which decided nothing. Please answer again.",
      shown,
    );
  if (other === undefined) return only;
  throw refusal("CHAT_SEVERAL", "Several questions are open, so nothing was decided. Write which one you mean.", shown);
}

/** With the line that answers this one among several. */
function namedText({ run, workflow, question }: Asked): string {
  return questionText({ run, workflow }, question, namedHow(run, question));
}

/** A run is followed with the codebase that it was started for. */
export async function codebaseOf({ parts, place }: Desk, run: string): Promise<string> {
  const all = await parts.conversations.runsFollowed(place.conversation);
  return all.find((each) => each.run === run)?.codebase ?? "";
}
