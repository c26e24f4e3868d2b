import { isImperative } from "./imperative.ts";
import { anything, articles, particles, passing, saying } from "./request-words.ts";
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
}

/** Reads a text without quotations. */
export function readSpeech(text: string): Reading {
  const isDialogue = form.spoken.test(text);
  const sentences = sentencesOf(text)
    .filter((sentence) => !isDialogue || !/^@?\p{L}+: /u.test(sentence))
    .map(readSentence);
  const [first, last] = [sentences[0], sentences.at(-1)];
  const wanted = sentences.flatMap((sentence) => sentence.wanted);
  const asked = sentences.flatMap((sentence) => sentence.asked);
  if (first === undefined || last === undefined) return { act: "statement", wanted, asked };
  const acts = sentences.map(({ act }) => act);
  const act = strongest.find((each) => acts.includes(each)) ?? "statement";
  if (sentences.length > 1 && form.takesBack.test(last.text)) return { act: "refusal", wanted, asked };
  // Who begins with a refusal may want something else instead, or nothing.
  if (first.act === "refusal" && (act === "request" || act === "aside")) return { act: "proposal", wanted, asked };
  return { act: first.act === "refusal" && act !== "proposal" ? "refusal" : act, wanted, asked };
}

const tellsPeople = /^(?:walk|run|take|lead|guide|keep|update|remind|give|send|read|draw|sing|write|point) (?:me|us)\b(?! (?:through )?(?:a |the |an )?(?:list|report|page))/; // prettier-ignore

/** Whether it begins with a verb that wants words back. */
export function asksForWords(text: string): boolean {
  return saying.has(firstWord(text)) || tellsPeople.test(text) || form.looksUp.test(text);
}

/** The verbs of a part that asks for something: `look into it and fix it`. */
export function verbsOf(asked: string): readonly string[] {
  return asked
    .split(/\s(?:and|then|&)\s/)
    .map((each) => each.replace(form.leading, ""))
    .filter(isImperative)
    .map(firstWord)
    .filter((word) => !anything.has(word));
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
  const isWished = all.some((clause) => form.wishes.test(clause) && isRequest(clause));
  const refusesIt = (clause: string): boolean => form.refuses.test(clause) && !(isWished && form.lacks.test(clause));
  const clauses = all.filter((clause) => !refusesIt(clause) && !form.waits.test(withoutWish(clause)));
  const act = actOfSentence(text, clauses);
  const isAsked = act === "request" || act === "aside" || act === "proposal";
  const asked = isAsked ? clauses.filter((clause) => isRequest(clause) || form.proposes.test(clause)).map(withoutWish) : [];
  return {
    text,
    act,
    wanted: act === "refusal" ? [] : clauses.map(withoutWish),
    asked: asked.flatMap((each) => each.split(form.describes)[0] || []),
  };
}

/** `clauses`: those that refuse nothing. */
function actOfSentence(sentence: string, clauses: readonly string[]): SpeechAct {
  if (form.listed.test(sentence) || form.tells.test(sentence)) return "report";
  if (form.logged.test(sentence)) return "statement";
  const [first = ""] = clausesOf(sentence.replace(form.bullet, ""));
  const isRequested = clauses.some(isRequest);
  if (form.refuses.test(first) || form.waits.test(withoutWish(first))) {
    return clauses.includes(first) ? "request" : isRequested ? "proposal" : "refusal";
  }
  if (form.conditional.test(sentence)) return isRequested ? "proposal" : "question";
  const isPolite = form.polite.test(sentence) || form.handsOver.test(sentence);
  if (form.later.test(first) && !isPolite && /^(?:(?:i|we)\b|let'?s)/.test(first) && !clauses.slice(1).some(isRequest)) return "report";
  const isDoubtful = /\?["')\]]*\s*$/.test(sentence);
  if (isRequest(first))
    return (isDoubtful && !form.wishes.test(first)) || (isUnclear(withoutWish(first)) && !(isPolite && /^find out/.test(first)))
      ? "proposal"
      : "request";
  const isQuestion = asksForAnswer(first);
  const more = clauses.filter((clause) => clause !== first);
  // What follows a question belongs to it, unless it asks for something by itself: `is it slow, can you check`.
  if (more.some((clause) => form.wishes.test(clause) && isRequest(clause))) return "request";
  const isSaidMore = more.some((clause) => isRequest(clause) && isFull(withoutWish(clause)));
  if (isPolite && (isSaidMore || !(isQuestion || form.reports.test(first)))) return "request";
  if (isSaidMore && !isQuestion) return "aside";
  return isQuestion && !form.proposes.test(first) ? "question" : actWithoutRequest(sentence, first, isDoubtful);
}

function asksForAnswer(clause: string): boolean {
  const rest = withoutWish(clause);
  return form.asks.test(clause) || asksForWords(rest) || (form.wishes.test(clause) && form.wantsWords.test(rest));
}

function isUnclear(asked: string): boolean {
  return form.findsOut.test(asked) || form.prevents.test(asked.split(form.describes)[0] ?? "");
}

function actWithoutRequest(sentence: string, first: string, isDoubtful: boolean): SpeechAct {
  if (form.thanks.test(sentence)) return "report";
  if (form.otherLanguage.test(sentence)) return "proposal";
  if (form.proposes.test(first)) return "proposal";
  if (isDoubtful) return "question";
  if (form.reports.test(first)) return "report";
  if (form.settled.test(sentence) || !(form.needs.test(sentence) || form.complains.test(sentence))) return "statement";
  return form.urgent.test(sentence) ? "aside" : "need";
}

/** Whether it says to what something is done: `release freeze` may be a noun. */
function isFull(clause: string): boolean {
  return clause.split(/[\s.!?]+/, 8).some((word, at) => at > 0 && (articles.has(word) || particles.has(word)));
}

/** Parts that may be requests of their own: `it is broken, please fix it`. */
function clausesOf(sentence: string): readonly string[] {
  const clauses = sentence.split(
    /[,;:]\s+|\s[-–—]+\s|\s(?:(?:so|then|but)\s+|(?=(?:please|pls|plz)\s|(?:and )?(?<!\b(?:what|how|why|when|where|who|which|(?:what|which|how) \w+) )(?:can|could|would) (?:you|u|someone|somebody|anyone)\b))/,
  );
  return clauses.map((clause) => clause.trim().replace(form.leading, "")).filter((clause) => clause !== "");
}

function withoutWish(clause: string): string {
  return clause.replace(form.wishes, "").replace(form.leading, "");
}

function isRequest(clause: string): boolean {
  const rest = withoutWish(clause);
  if (asksForWords(rest) || passing.has(firstWord(rest)) || form.idioms.test(rest)) return false;
  if (form.wishes.test(clause)) return !form.wantsWords.test(rest);
  return isImperative(rest) && !form.asks.test(clause);
}

function firstWord(text: string): string {
  return /^[\p{L}'-]+/u.exec(text)?.[0] ?? "";
}
