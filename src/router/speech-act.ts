import { doing, saying } from "./request-words.ts";

/**
 * What a person does by saying something. Only a request may start a workflow without asking. A proposal is a question that may be meant as a
 * request: `can we add a filter?`
 */
export type SpeechAct = "request" | "proposal" | "question" | "refusal" | "statement";

/** Words in front of what is meant. */
const leading =
  /^(?:(?:hi|hello|hey|ok|okay|well|so|now|then|and|but|also|just|first|next|yes|great|thanks|please|kindly|maybe|@[\w-]+)\b[\s,]*)+/;

/** A request in the form of a question or of a wish. */
const wishes =
  /^(?:(?:can|could|would|will) (?:you|somebody|someone|anybody|anyone)|(?:do|would) you mind|how about|i want|i need|we want|we need|(?:i|we)(?:'d| would) (?:really )?(?:like|love)|(?:i|we) (?:really|just|also|now|would|should) (?:want|need|like|love)|(?:i|we) have to|let's|lets|let us|let the \w+|help me|help us|time to)\b(?: (?:to|please|kindly|now|also|just|maybe|possibly|really|you to|(?:the )?users? to|it to|go and|help me|help us))*\s*/;

const proposes =
  /^(?:(?:can|could|should|shall|may|might) (?:we|i)|what about|why (?:don't|not)|it(?:'d| would) be (?:nice|great|good)|(?:i|we) (?:think|guess|believe|feel|should|could|might))\b/;

const asks =
  /^(?:(?:what|why|who|whom|whose|when|where|which|how|is|are|was|were|am|isn't|aren't|does|doesn't|did|didn't|has|had|should|shall|may|might|must)\b|(?:do|don't|have|haven't|will|would|can|could) (?:i|you|we|they|he|she|it|there|this|that|any|anybody|anyone|someone|somebody)\b|any (?:idea|thoughts?|news|chance)\b)/;

const refuses =
  /^(?:(?:i|we|you)(?:'d| would| should| must)?(?: rather)? (?:don't|do not|won't|will not|can't|cannot|not|never|wouldn't|am not|are not)\b|i'm not\b|let's not\b|(?:don't|do not|dont|never|no|nope|stop|cancel|wait|abort|enough|forget|not|nothing|leave)\b)/;

/** What is wanted is an answer: `I need help to understand it`. */
const wantsWords =
  /^(?:\S+ ){0,3}(?:understand\w*|(?<!get to )know\w*|explain\w*|explanations?|talk\w*|discuss\w*|questions?|advice|opinions?|ideas?|info|information)\b/;

/** The act of a readable text: a request where one of its sentences is one, unless it begins with a refusal. */
export function speechActOf(text: string): SpeechAct {
  const acts = sentencesOf(text).map(actOfSentence);
  if (acts[0] === "refusal") return "refusal";
  return (["request", "proposal", "refusal", "statement", "question"] as const).find((act) => acts.includes(act)) ?? "statement";
}

/** Where a person may begin to ask for something: sentences and their parts, without polite words in front of them. */
export function beginningsOf(text: string): readonly string[] {
  return sentencesOf(text).flatMap((sentence) => clausesOf(sentence).map(withoutWish));
}

function sentencesOf(text: string): readonly string[] {
  return text
    .replaceAll("’", "'")
    .split(/(?<=[.!?;])\s+|\n+/)
    .filter((sentence) => /\p{L}/u.test(sentence));
}

function actOfSentence(sentence: string): SpeechAct {
  const [first = "", ...more] = clausesOf(sentence);
  if (refuses.test(first)) return "refusal";
  if (isRequest(first)) return "request";
  const isQuestion = asks.test(first) || asksForWords(withoutWish(first));
  // What follows a question belongs to it, unless it asks for something by itself: `is it slow, please check`.
  if (more.some((clause) => (isQuestion ? wishes.test(clause) && isRequest(clause) : isRequest(clause)))) return "request";
  if (/\bplease\b/.test(sentence) && !isQuestion) return "request";
  if (proposes.test(first)) return "proposal";
  return isQuestion || /\?["')\]]*\s*$/.test(sentence) ? "question" : "statement";
}

/** Parts that may be requests of their own: `it is broken, please fix it`. */
function clausesOf(sentence: string): readonly string[] {
  const clauses = sentence.split(/[,;:]\s+|\s[-–—]+\s|\s(?:so|then|(?=please\s|(?:and )?(?:can|could) you\s))\s*/);
  return clauses.map((clause) => clause.trim().replace(leading, "")).filter((clause) => clause !== "");
}

function withoutWish(clause: string): string {
  return clause.replace(wishes, "").replace(leading, "");
}

function isRequest(clause: string): boolean {
  const rest = withoutWish(clause);
  if (asksForWords(rest)) return false;
  if (wishes.test(clause)) return !wantsWords.test(rest);
  return (
    doing.has(firstWord(rest)) && !asks.test(clause) && !/^\S+ (?:is|are|was|were|has|had|does|did|failed|fails|looks|took)\b/.test(rest)
  );
}

/** Whether it begins with a verb that wants words back. */
export function asksForWords(text: string): boolean {
  return saying.has(firstWord(text));
}

function firstWord(text: string): string {
  return /^[\p{L}'-]+/u.exec(text)?.[0] ?? "";
}
