import { articles, doing, noVerbs, particles, passing } from "./request-words.ts";

/** What no verb ends with that asks for something: `broken`, `deploying`, `looks`, `really`. */
const otherEndings = /(?:ing|ed|ly|est|[^s]s|'\S+|tion|sion|ment|ness|ity|ism|ship|ance|ence)$/;
/** How verbs are made of other words. */
const verbEndings = /(?:ise|ize|ify)$/;
const again = /^(?:re|de|un|auto|pre|back|over)-?/;

/** A verb that says something about what is before it: where one follows, the first word is a noun. `Build fails`. */
const says =
  /^(?:is|are|was|were|am|has|had|have|does|did|will|would|can|could|should|must|may|might|isn't|aren't|wasn't|weren't|hasn't|doesn't|didn't|won't|can't|cannot|seems?|looks|looked|took|takes|went|goes|got|gets|broke|breaks|fails|failed|keeps|kept|came|comes|shows|showed|returns|returned|crashed|crashes|throws|threw|needs|needed|works|worked|stopped|finished|landed|passed|passes|ran|runs|became|happens|happened|says|said|means|starts|started|sounds|feels|makes|made|gave|gives|wants|lives|dies|died|hangs|hung|takes|lost|loses|found|finds)$/;

/** What a program says of what it did: `build successful`. */
const isDone = /^(?:complete|completed|successful|succeeded|failed|aborted)$/;
const is = /^(?:is|are|was|were|has|went|will|seems?|looks?)$/;
const begins = /^(?:that|which|who|whose|where|what|how|why|if|when|because|since|so|until|once|and|but|whether|sure)$/;
const prepositions = /^(?:for|from|to|with|at|in|on)$/;

/** How many words after the first one may be part of a noun. */
const longestNoun = 5;

/** Whether a clause begins with a verb in its basic form and what it is done to, and so tells to do it. Takes lower case. */
export function isImperative(clause: string): boolean {
  const [verb = "", ...rest] = (clause.slice(0, 200).match(/[\p{L}\p{N}#@_'./:-]+|[?!]/gu) ?? []).map((word) => word.replace(/[.:]+$/, ""));
  if (!/^\p{L}[\p{L}'-]*$/u.test(verb) || passing.has(verb)) return false;
  const known = doing.has(verb) || (verbEndings.test(verb) && verb.length > 5) || doing.has(verb.replace(again, ""));
  if (!known && (noVerbs.has(verb) || otherEndings.test(verb))) return false;
  const [next = "", afterNext = ""] = rest;
  if (articles.has(next)) return !says.test(next) && !(next === "that" && !known);
  if (!known) return particles.has(next) && articles.has(afterNext) && !prepositions.test(next);
  return !isSaid(rest);
}

/** Whether something is said about what may be a noun: in its first words, and with `is` before a clause of its own begins. */
function isSaid(rest: readonly string[]): boolean {
  const clause = rest.findIndex((word) => begins.test(word));
  const own = clause < 0 ? rest : rest.slice(0, clause);
  if (own.some((word) => is.test(word)) || isDone.test(rest[0] ?? "")) return true;
  const end = own.findIndex((word, at) => at > 0 && (articles.has(word) || particles.has(word)));
  const noun = own.slice(0, Math.min(end < 0 ? longestNoun : end + 1, longestNoun));
  return noun.some((word, at) => says.test(word) || (word.endsWith("ed") && (at === noun.length - 1 || particles.has(noun[at + 1] ?? ""))));
}
