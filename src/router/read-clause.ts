import { isImperative } from "./imperative.ts";
import { anything, articles, finding, links, particles, passing, saying } from "./request-words.ts";
import * as form from "./sentence-forms.ts";

/** Whether it says to what something is done: `release freeze` may be a noun. */
export function isFull(clause: string): boolean {
  return clause.split(/[\s.!?]+/, 8).some((word, at) => at > 0 && (articles.has(word) || particles.has(word)));
}

/** Parts that may be requests of their own: `it is broken, please fix it`. */
export function clausesOf(sentence: string): readonly string[] {
  const clauses = sentence.split(
    /[,;:]\s+|\s[-–—]+\s|\s(?:(?:(?<!\b(?:is|are|was|were|be|not|runs?|goes|gets?) )so|then|but)\s+|(?=(?:please|pls|plz)\s|(?:and )?(?<!\b(?:what|how|why|when|where|who|which|(?:what|which|how) \w+) )(?:can|could|would) (?:you|u|someone|somebody|anyone)\b))/,
  );
  return clauses.map((clause) => clause.trim().replace(form.leading, "")).filter((clause) => clause !== "");
}

/** What is wanted, without the words of a wish. */
export function withoutWish(clause: string): string {
  return clause.replace(form.wishes, "").replace(form.leading, "");
}

/** Whether it asks for something to be done. */
export function isRequest(clause: string): boolean {
  const rest = withoutWish(clause);
  if (asksForWords(rest) || passing.has(firstWord(rest)) || form.idioms.test(rest)) return false;
  if (isImperative(rest)) return form.wishes.test(clause) || !form.asks.test(clause);
  return form.wishes.test(clause) && !form.wantsWords.test(rest);
}

/** Whether it asks for something with the words of a wish: `could you look`. */
export function isWish(clause: string): boolean {
  return form.wishes.test(clause) && isRequest(clause);
}

/** Whether it asks for more than a word back, even if an answer is what it comes to: `compare the two`, `how many are there`, `can you see why`. */
export function isTask(clause: string): boolean {
  const rest = withoutWish(clause);
  return (
    isRequest(clause) ||
    finding.has(firstWord(rest)) ||
    form.handsTo.test(rest) ||
    form.worksOut.test(clause) ||
    (form.wishes.test(clause) && firstWord(rest) === "see")
  );
}

/** Whether it is a question, or wants words back. */
export function asksForAnswer(clause: string): boolean {
  const rest = withoutWish(clause);
  return form.asks.test(clause) || asksForWords(rest) || (form.wishes.test(clause) && form.wantsWords.test(rest));
}

/** Whether an answer, or nothing at all, may be what is wanted. */
export function isUnclear(asked: string): boolean {
  return form.findsOut.test(asked) || form.prevents.test(asked.split(form.describes)[0] ?? "");
}

const tellsPeople =
  /^(?:(?:walk|run|take|lead|guide) (?:me|us) (?:through|over|around|along)|(?:keep|update|remind|give|send|read|draw|sing|write|point) (?:me|us))\b(?! (?:a |the |an )?(?:list|report|page))/;

/** Whether it begins with a verb that wants words back. */
export function asksForWords(text: string): boolean {
  return saying.has(firstWord(text)) || tellsPeople.test(text) || form.looksUp.test(text);
}

/** The verbs of a part that asks for something: `look into it and fix it`. */
export function verbsOf(asked: string): readonly string[] {
  return partsOf(asked)
    .filter(isImperative)
    .map(firstWord)
    .filter((word) => !anything.has(word));
}

/** What each of these verbs is done to, and what is wished for without a verb. */
export function objectsOf(asked: string): readonly string[] {
  return partsOf(asked).map(objectOf);
}

function partsOf(asked: string): readonly string[] {
  return asked.split(/\s(?:and|then|&)\s/).map((each) => each.replace(form.leading, ""));
}

/** What something is done to: of `go through the page with me` it is `the page`. */
function objectOf(part: string): string {
  const words = part.match(/[\p{L}\p{N}#@_'./:-]+|[,;()]/gu) ?? [];
  const rest = isImperative(part) ? words.slice(1) : words;
  const begin = rest.findIndex((word) => !isLink(word));
  const end = rest.findIndex((word, at) => at > begin && isLink(word));
  return begin < 0 ? "" : rest.slice(begin, end < 0 ? undefined : end).join(" ");
}

function isLink(word: string): boolean {
  return particles.has(word) || links.has(word);
}

function firstWord(text: string): string {
  return /^[\p{L}'-]+/u.exec(text)?.[0] ?? "";
}
