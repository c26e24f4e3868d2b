import { nearest, type Json } from "../../base/index.ts";
import { askedText, chosenBy, codebaseOf, decide, onlyQuestion, requireDecide } from "../decide-question.ts";
import type { Desk } from "../desk.ts";
import type { Asked } from "../open-runs.ts";
import { answerIn, approving, mayMeanNo, rejecting } from "../question-text.ts";
import { refusal } from "../codes.ts";
import { namedRun } from "./named-run.ts";
import type { Rest } from "./command.ts";

/** `[run] [question] [choice or reason]`: a choice that is named, else the one that approves. Who approves with a no decides nothing. */
export async function approve(desk: Desk, rest: Rest): Promise<void> {
  const { asked, text } = await meantQuestion(desk, rest);
  const { options = [] } = asked.question;
  const named = answerIn(asked.question, text);
  if (named !== undefined) return give(desk, asked, named);
  const choice = approving(options);
  if (choice !== undefined && mayMeanNo(text))
    throw refusal("CHAT_USAGE", "You approve with words that may mean no, so nothing was decided.", askedText(asked));
  if (choice !== undefined) return give(desk, asked, choice, text);
  throw refusal("CHAT_USAGE", "This question has no choice that approves. Nothing was decided.", askedText(asked));
}

export async function reject(desk: Desk, rest: Rest): Promise<void> {
  const { asked, text } = await meantQuestion(desk, rest);
  const choice = rejecting(asked.question.options ?? []);
  if (choice === undefined) throw refusal("CHAT_USAGE", "This question has no choice that rejects. Nothing was decided.", askedText(asked));
  await give(desk, asked, choice, text);
}

async function give(desk: Desk, asked: Asked, answer: Json, reason = ""): Promise<void> {
  if (/^<[^<>]+>$/.test(reason))
    throw refusal("CHAT_USAGE", `\`${reason}\` marks what is to be filled in, so nothing was decided.`, askedText(asked));
  if (reason !== "" && asked.question.reasons !== true)
    throw refusal("CHAT_USAGE", "This question takes no reason. Nothing was decided.", "Write the command without words behind it.");
  await decide(desk, await codebaseOf(desk, asked.run), asked, { answer, ...(reason === "" ? {} : { reason }) });
}

/** The question that is named, else the only open one; what is left of the text. */
async function meantQuestion(desk: Desk, { text, words }: Rest): Promise<{ readonly asked: Asked; readonly text: string }> {
  const [first = "", second = ""] = words;
  const shown = desk.asked;
  const meant = shown.filter(({ run }) => run === first);
  requireDecide(desk, meant.length === 0 ? shown : meant);
  // A run of another conversation is refused.
  const run = /^wf-|^[0-9a-f]{8}-[0-9a-f]{4}-/.test(first) ? (await namedRun(desk, first)).handle.id : undefined;
  const ofRun = run === undefined ? shown : shown.filter((each) => each.run === run);
  const behind = run === undefined ? text : after(text, first);
  const name = run === undefined ? first : second;
  const named = ofRun.filter(({ question: { id, step } }) => id === name || step === name);
  if (named.length === 0) return { asked: onlyQuestion(desk, withoutSlip(ofRun, behind)), text: behind };
  return { asked: onlyQuestion(desk, named), text: after(behind, name) };
}

/** One word that is almost the name of a question, and not a choice of it, is hardly a reason. */
function withoutSlip(open: readonly Asked[], text: string): readonly Asked[] {
  const isChoice = chosenBy(text, open).length > 0;
  const names = open.flatMap(({ question: { id, step } }) => [id, step]);
  const [near] = text.length >= shortestSlip && !/\s/.test(text) && !isChoice ? nearest(text, names) : [];
  if (near === undefined) return open;
  const fix = `Write \`${near}\` if you mean that question, or more than one word for a reason.`;
  throw refusal("CHAT_USAGE", `No open question is called \`${text}\`, so nothing was decided.`, fix);
}

const shortestSlip = 4;

/** What follows a word, which may be in quotes. */
function after(text: string, word: string): string {
  return text
    .slice(text.indexOf(word) + word.length)
    .replace(/^["']/, "")
    .trim();
}
