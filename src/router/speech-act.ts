import { isImperative } from "./imperative.ts";
import { anything, saying } from "./request-words.ts";

/**
 * What a person does by saying something. Only a request may start a workflow without asking. A proposal may be meant as a request: `can we add
 * a filter?` A report says who did or will do it, or thanks for it.
 */
export type SpeechAct = "request" | "proposal" | "question" | "refusal" | "statement" | "report";

/** A text as it was meant. */
export interface Reading {
  readonly act: SpeechAct;
  /** What may ask for something: without what is refused. */
  readonly wanted: readonly string[];
  /** The parts that ask for something, without polite words in front of them and without what only describes. */
  readonly asked: readonly string[];
}

/** Words in front of what is meant. */
const leading =
  /^(?:(?:hi|hello|hey|ok|okay|well|so|now|then|and|but|also|just|only|first|next|yes|great|thanks|please|pls|plz|kindly|maybe|urgent|fyi|@[\w-]+)\b[\s,:!]*)+/;

/** A request in the form of a question or of a wish. */
const wishes =
  /^(?:(?:can|could|would|will) (?:you|somebody|someone|anybody|anyone)|(?:do|would) you mind|how about|i want|i need|we want|we need|(?:i|we)(?:'d| would) (?:really )?(?:like|love)|(?:i|we) (?:really|just|also|now|would|should) (?:want|need|like|love)|(?:i|we) have to|let's|lets|let us|let the \w+|help me|help us|time to|(?:i was wondering if|i wonder if|it(?:'d| would) be (?:\w+ )?(?:great|nice|good|helpful|cool|awesome) if|any chance|(?:i|we)(?:'d| would) (?:appreciate|be (?:happy|glad|grateful)) (?:it )?if|do you think)(?: that)? (?:you|someone|somebody) (?:can|could|would|might))\b(?: (?:to|please|pls|kindly|now|also|just|maybe|possibly|really|you to|(?:the )?users? to|it to|go and|help me|help us))*\s*/;

const proposes =
  /^(?:(?:can|could|should|shall|may|might) (?:we|i)|what about|why (?:don't|not)|it(?:'d| would) be (?:nice|great|good)|(?:i|we) (?:think|guess|believe|feel|should|could|might))\b/;

const asks =
  /^(?:(?:what|what's|why|who|who's|whom|whose|when|where|which|how|is|are|was|were|am|isn't|aren't|does|doesn't|did|didn't|has|had|should|shall|may|might|must)\b|(?:do|don't|have|haven't|will|would|can|could) (?:i|you|we|they|he|she|it|there|this|that|any|anybody|anyone|someone|somebody)\b|any (?:idea|thoughts?|news|chance)\b)/;

const refuses =
  /^(?:(?:i|we|you)(?:'d| would| should| must)?(?: rather)? (?:don't|do not|won't|will not|can't|cannot|not|never|wouldn't|am not|are not)\b|i'm not\b|let's not\b|(?:don't|do not|dont|never|no|nope|not|nothing|stop|cancel|wait|abort|enough|forget|leave|ignore|skip|hold)\b)/;

/** What says the opposite of a wish: `let's wait with it`. */
const waits = /^(?:wait|stop|hold|postpone|skip|leave|forget|ignore|cancel|not|never)\b/;

/** A last word that takes back what was said before; with an object of its own it is a limit of what is wanted. */
const takesBack =
  /^(?:(?:actually|oh|sorry|hm+|ah|but)[, ]+)*(?:(?:no|nope)(?:[,.!].{0,24})?|(?:never ?mind|scratch that|ignore that|not now|just (?:asking|kidding))\b.{0,24}|(?:stop|leave|cancel|forget)(?: (?:it|that|about it))?|wait(?: a \w+)?|(?:don't|do not)(?: (?:do|start|run|bother)(?: (?:it|that|anything))?)?)[.! ]*$/;

/** What is wanted is an answer: `I need help to understand it`. */
const wantsWords =
  /^(?:\S+ ){0,3}(?:understand\w*|(?<!get to )know\w*|explain\w*|explanations?|talk\w*|discuss\w*|questions?|advice|opinions?|ideas?|info|information)\b/;

/** What is to be found out, and may be all that is wanted: `find where it is read`. */
const findsOut =
  /^\S+(?: out| into| for us)? (?:why|how|where|who|which|when|whether|if)\b(?!.*\band (?:fix|change|improve|repair|make)\b)/;

/** What is asked for is that something does not happen. */
const prevents = /\b(?:nobody|no one|not|never|don't|doesn't)\b/;

/** Polite words of other languages: the rest is not understood, so it is asked about. */
const otherLanguage =
  /(?:^|[\s,])(?:bitte|kannst du|könntest du|können sie|por favor|puedes|podrías|s'il (?:te|vous) pla[iî]t|peux-tu|pourrais-tu|pouvez-vous|per favore|puoi|alsjeblieft|kun je)(?=$|[\s,.!?])/;

const thanks = /^(?:(?:many|big|ok|okay|great|cool|nice|oh|ah)[\s,]+)*(?:thanks|thank you|thx|cheers|merci|danke|gracias)\b(?! in advance)/;

/** Who did, does or will do it. Who found or tried something, or has it, may report that it is broken. */
const reports =
  /^(?:let me\b|(?:i|we|you|he|she|they)(?:'ll|'ve| will| have (?:already |just )?(?:been|done|made|had|put|cut|sent|built|written|taken|gone|(?!outdated)\w+ed)\b| had| has| did| was| were| already| just| am going to| are going to| (?:saw|heard|went|made|wrote|took|ran|thought|knew|sent|left|came|gave|put|cut|read|built|told)\b| (?!need|notic|discover|experienc|observ|receiv|expect|tried|click|encounter|spott|detect)\w+ed\b)|(?:i'm|we're|he's|she's|they're|you're) \w+ing\b|(?:he|she|they|\S+) (?:said|says|told|asked|wrote|writes|thinks)\b|\S+ (?:will|is going to)\b)/;

const bullet = /^(?:[-*•]|\d{1,2}[.)])\s+/;

/** A line of minutes or of a plan: whose task it is. */
const listed = /^[-*•]\s+@?\p{L}+:\s/u;

const conditional =
  /^(?:if|unless|in case|suppose|supposing|assuming)\b(?! (?:possible|necessary|needed|that's|you (?:can|could|have|don't|do not|like|want|please|would)))/;

/** What begins a description of what is asked for. */
const describes = /\s(?:that|which|who|whose|where|because|since|so that|when|while|as soon as)\s|\s[([]/;

/** Reads a text without quotations. */
export function readSpeech(text: string): Reading {
  const sentences = sentencesOf(text).map(readSentence);
  const [first, last] = [sentences[0], sentences.at(-1)];
  const wanted = sentences.flatMap((sentence) => sentence.wanted);
  const asked = sentences.flatMap((sentence) => sentence.asked);
  if (first === undefined || last === undefined) return { act: "statement", wanted, asked };
  const acts = sentences.map(({ act }) => act);
  const isTakenBack = sentences.length > 1 && takesBack.test(last.text);
  const act =
    (["request", "proposal", "refusal", "statement", "report", "question"] as const).find((each) => acts.includes(each)) ?? "statement";
  if (isTakenBack) return { act: "refusal", wanted, asked };
  // Who begins with a refusal may want something else instead, or nothing.
  if (first.act === "refusal" && act === "request") return { act: "proposal", wanted, asked };
  return { act: first.act === "refusal" && act !== "proposal" ? "refusal" : act, wanted, asked };
}

const tellsPeople = /^(?:walk|run|take|lead|guide|keep|update|remind|give|send|read|draw|sing|write|point) (?:me|us)\b/;

/** Whether it begins with a verb that wants words back. */
export function asksForWords(text: string): boolean {
  return saying.has(firstWord(text)) || tellsPeople.test(text);
}

/** The verbs of a part that asks for something: `look into it and fix it`. */
export function verbsOf(asked: string): readonly string[] {
  return asked
    .split(/\s(?:and|then|&)\s/)
    .map((each) => firstWord(each.replace(leading, "")))
    .filter((word) => word !== "" && !anything.has(word));
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
  const clauses = clausesOf(text.replace(bullet, "")).filter((clause) => !refuses.test(clause) && !waits.test(withoutWish(clause)));
  const act = actOfSentence(text, clauses);
  const isAsked = act === "request" || act === "proposal";
  const asked = clauses.filter((clause) => isRequest(clause) || (isAsked && proposes.test(clause))).map(withoutWish);
  return {
    text,
    act,
    wanted: act === "refusal" ? [] : clauses.map(withoutWish),
    asked: asked.flatMap((each) => each.split(describes)[0] || []),
  };
}

/** `clauses`: those that refuse nothing. */
function actOfSentence(sentence: string, clauses: readonly string[]): SpeechAct {
  if (listed.test(sentence)) return "report";
  const [first = ""] = clausesOf(sentence.replace(bullet, ""));
  const isRequested = clauses.some(isRequest);
  if (refuses.test(first) || waits.test(withoutWish(first))) return isRequested ? "proposal" : "refusal";
  if (conditional.test(sentence)) return isRequested ? "proposal" : "question";
  const isDoubtful = /\?["')\]]*\s*$/.test(sentence);
  if (isRequest(first)) return (isDoubtful && !wishes.test(first)) || isUnclear(withoutWish(first)) ? "proposal" : "request";
  const isQuestion = asks.test(first) || asksForWords(withoutWish(first)) || (wishes.test(first) && wantsWords.test(withoutWish(first)));
  const more = clauses.filter((clause) => clause !== first);
  // What follows a question belongs to it, unless it asks for something by itself: `is it slow, please check`.
  if (more.some((clause) => (isQuestion ? wishes.test(clause) && isRequest(clause) : isRequest(clause)))) return "request";
  if (/\b(?:please|pls|plz)\b/.test(sentence) && !isQuestion) return "request";
  return isQuestion && !proposes.test(first) ? "question" : actWithoutRequest(sentence, first, isDoubtful);
}

function isUnclear(asked: string): boolean {
  return findsOut.test(asked) || prevents.test(asked.split(describes)[0] ?? "");
}

function actWithoutRequest(sentence: string, first: string, isDoubtful: boolean): SpeechAct {
  if (thanks.test(sentence)) return "report";
  if (otherLanguage.test(sentence)) return "proposal";
  if (proposes.test(first)) return "proposal";
  if (isDoubtful) return "question";
  return reports.test(first) ? "report" : "statement";
}

/** Parts that may be requests of their own: `it is broken, please fix it`. */
function clausesOf(sentence: string): readonly string[] {
  const clauses = sentence.split(/[,;:]\s+|\s[-–—]+\s|\s(?:(?:so|then)\s+|(?=(?:please|pls|plz)\s|(?:and )?(?:can|could) you\s))/);
  return clauses.map((clause) => clause.trim().replace(leading, "")).filter((clause) => clause !== "");
}

function withoutWish(clause: string): string {
  return clause.replace(wishes, "").replace(leading, "");
}

function isRequest(clause: string): boolean {
  const rest = withoutWish(clause);
  if (asksForWords(rest)) return false;
  if (wishes.test(clause)) return !wantsWords.test(rest);
  return isImperative(rest) && !asks.test(clause);
}

function firstWord(text: string): string {
  return /^[\p{L}'-]+/u.exec(text)?.[0] ?? "";
}
