import { asksForAnswer, clausesOf, isFull, isRequest, isTask, isUnclear, isWish, withoutWish } from "./read-clause.ts";
import { doing } from "./request-words.ts";
import * as form from "./sentence-forms.ts";

/**
 * What a person does by saying something. Only a request may start a workflow without asking, and an aside where nothing else can be meant: `it is slow,
 * profile it`, `the site is down!!`. A proposal may be meant as a request: `can we add a filter?`, and so may what is needed or wrong. A report says
 * who did or will do it, or thanks for it.
 */
export type SpeechAct = "request" | "aside" | "proposal" | "need" | "question" | "refusal" | "statement" | "report";

/** The act of a text is the first of these that one of its sentences is. */
const strongest: readonly SpeechAct[] = ["request", "aside", "proposal", "refusal", "need", "statement", "report", "question"];

/** A text as it was meant. */
export interface Reading {
  readonly act: SpeechAct;
  /** What may ask for something: without what is refused. */
  readonly wanted: readonly string[];
  /** The parts that ask for something, without polite words in front of them and without what only describes. */
  readonly asked: readonly string[];
  /** Whether a part asks for more than a word back. */
  readonly isTask: boolean;
}

/** Reads a text without quotations. */
export function readSpeech(text: string): Reading {
  const isDialogue = form.spoken.test(text);
  const sentences = sentencesOf(text)
    .filter((sentence) => !isDialogue || !/^@?\p{L}+: /u.test(sentence))
    .map(readSentence);
  const act = actOfText(text, sentences);
  return {
    act,
    wanted: sentences.flatMap((sentence) => sentence.wanted),
    asked: sentences.flatMap((sentence) => sentence.asked),
    isTask: act !== "refusal" && sentences.some((sentence) => sentence.isTask),
  };
}

function actOfText(text: string, sentences: readonly Sentence[]): SpeechAct {
  const [first, last] = [sentences[0], sentences.at(-1)];
  if (first === undefined || last === undefined) return "statement";
  if (!/\s/.test(text.trim())) return "statement";
  const acts = sentences.map(({ act }) => act);
  const act = strongest.find((each) => acts.includes(each)) ?? "statement";
  if (act === "need" && form.urgent.test(text) && !form.settled.test(text)) return "aside";
  if (sentences.length > 1 && form.takesBack.test(last.text)) return "refusal";
  if (first.act !== "refusal") return act;
  // Who begins with a refusal may want something else instead, or nothing.
  return act === "request" || act === "aside" || act === "proposal" ? "proposal" : "refusal";
}

interface Sentence extends Reading {
  readonly text: string;
}

function sentencesOf(text: string): readonly string[] {
  return text
    .replaceAll("’", "'")
    .split(/(?<=[.!?;])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}

function readSentence(text: string): Sentence {
  const all = clausesOf(text.replace(form.bullet, ""));
  const clauses = all.filter((clause) => !form.refuses.test(clause) && !form.waits.test(withoutWish(clause)));
  const act = actOfSentence(text, clauses);
  const isAsked = act === "request" || act === "aside" || act === "proposal";
  const asking = clauses.filter((clause) => !isPlan(clause) && (isRequest(clause) || form.proposes.test(clause)));
  const asked = !isAsked ? [] : (asking.length > 0 ? asking : clauses.slice(0, 1)).map(withoutWish);
  return {
    text,
    act,
    // Whom something is to be made possible for says what kind of work it is.
    wanted: act === "refusal" ? [] : clauses.map((clause) => (clause.startsWith("let ") ? clause : withoutWish(clause))),
    asked: asked.flatMap((each) => each.split(form.describes)[0] || []),
    isTask: act !== "refusal" && clauses.some(isTask),
  };
}

/** `clauses`: those that refuse nothing. */
function actOfSentence(sentence: string, clauses: readonly string[]): SpeechAct {
  if (form.listed.test(sentence) || form.tells.test(sentence)) return "report";
  if (form.logged.test(sentence) && !form.polite.test(sentence)) return "statement";
  const [first = ""] = clausesOf(sentence.replace(form.bullet, ""));
  const isRequested = clauses.some(isRequest);
  if (form.refuses.test(first) || form.waits.test(withoutWish(first)))
    return clauses.includes(first) ? "request" : isRequested ? "proposal" : "refusal";
  if (form.conditional.test(sentence)) return isRequested ? "proposal" : "question";
  const isPolite = form.polite.test(sentence) || form.handsOver.test(sentence);
  if (isPlan(first) && !isPolite && !clauses.slice(1).some(isRequest)) return "report";
  const isDoubtful = /\?["')\]]*\s*$/.test(sentence);
  if (isRequest(first)) return isSure(first, isDoubtful, isPolite) ? "request" : "proposal";
  const more = clauses.filter((clause) => clause !== first);
  return actOfMore(first, more, isPolite) ?? actWithoutRequest(sentence, first, isDoubtful);
}

/** `fix it?` and `find out why it fails` may be meant in another way. */
function isSure(clause: string, isDoubtful: boolean, isPolite: boolean): boolean {
  return (!isDoubtful || form.wishes.test(clause)) && (isPolite || !isUnclear(withoutWish(clause)));
}

/** What follows a question belongs to it, unless it asks for something by itself: `is it slow, can you check`. */
function actOfMore(first: string, more: readonly string[], isPolite: boolean): SpeechAct | undefined {
  if (more.some(isWish)) return "request";
  const isQuestion = asksForAnswer(first);
  const isSaidMore = more.some((clause) => isRequest(clause) && isFull(withoutWish(clause)));
  if (isPolite && (isSaidMore || more.some((clause) => doing.has(clause.replace(/\W+$/, ""))) || !(isQuestion || form.reports.test(first))))
    return "request";
  if (isSaidMore && !isQuestion) return "aside";
  return isQuestion && !form.proposes.test(first) ? "question" : undefined;
}

/** What someone is going to do or wish for later. */
function isPlan(clause: string): boolean {
  return form.later.test(clause) && /^(?:(?:i|we)\b|let'?s)/.test(clause);
}

function actWithoutRequest(sentence: string, first: string, isDoubtful: boolean): SpeechAct {
  if (form.thanks.test(sentence)) return "report";
  if (form.otherLanguage.test(sentence)) return "proposal";
  if (form.proposes.test(first)) return "proposal";
  if (isDoubtful) return "question";
  if (form.reports.test(first)) return "report";
  if (form.settled.test(sentence) || !(form.needs.test(sentence) || form.complains.test(sentence))) return "statement";
  return "need";
}
