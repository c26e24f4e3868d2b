import type { Candidate, Routable } from "./routed.ts";
import { routingTexts } from "./routing-texts.ts";
import { beginningsOf } from "./speech-act.ts";
import { allWords, readableText, tellingWords } from "./words-of.ts";

/** How much a word counts by where a workflow has it. */
const weights = { name: 2.5, phrases: 2.5, use: 2, rest: 0.7 } as const;
type Field = keyof typeof weights;
const fields = Object.keys(weights) as readonly Field[];

/** BM25: how soon more of the same word stops counting, and how much long texts are held back. */
const bm25 = { k: 1.2, b: 0.4 } as const;

/** Where there are fewer workflows, words are as rare as if there were this many: with one workflow every word would be common. */
const fewest = 15;

interface Indexed {
  readonly workflow: string;
  readonly counts: Readonly<Record<Field, ReadonlyMap<string, number>>>;
  readonly lengths: Readonly<Record<Field, number>>;
  readonly phrases: readonly Phrase[];
  readonly not: ReadonlySet<string>;
  readonly notPhrases: readonly Phrase[];
}

interface Phrase {
  readonly text: string;
  readonly words: readonly string[];
}

/** What a message has in common with a workflow. */
export interface Ranked extends Candidate {
  /** Telling words that they share. */
  readonly shared: number;
  /** The longest phrase of the workflow that is in the message, in telling words. */
  readonly phrase: number;
  /** Whether a sentence begins with that phrase. */
  readonly opens: boolean;
}

export interface Ranking {
  /** The best first; without those that share nothing. */
  readonly ranked: readonly Ranked[];
  /** Telling words of the message. */
  readonly telling: readonly string[];
}

/** Compares a message with all workflows by the words that they share (BM25F); linear in both. */
export function rankWorkflows(message: string, workflows: readonly Routable[]): Ranking {
  const text = readableText(message);
  const words = tellingWords(allWords(text));
  const telling = [...new Set(words)];
  const openers = new Set(beginningsOf(text).flatMap((begin) => tellingWords(allWords(begin)).slice(0, 1)));
  const index = workflows.map(indexed);
  const rarity = rarityOf(index);
  const usual = averages(index);
  const ranked = index
    .map((each) => compare({ each, words, openers, telling, rarity, usual }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.workflow < b.workflow ? -1 : 1));
  return { ranked, telling };
}

function indexed(workflow: Routable): Indexed {
  const { name, use, phrases, rest, not } = routingTexts(workflow);
  const texts: Record<Field, string> = { name: name.replaceAll(/[-_:./]/g, " "), phrases: phrases.join(" "), use, rest };
  const words = Object.fromEntries(fields.map((field) => [field, tellingWords(allWords(texts[field].toLowerCase()))])) as Record<
    Field,
    string[]
  >;
  const own = new Set(Object.values(words).flat());
  const phraseOf = (text: string): Phrase => ({ text, words: tellingWords(allWords(text.toLowerCase())) });
  return {
    workflow: name,
    counts: mapFields((field) => countsOf(words[field])),
    lengths: mapFields((field) => words[field].length),
    phrases: [...phrases, texts.name].map(phraseOf).filter(({ words: each }) => each.length > 0),
    not: new Set(tellingWords(allWords(not.join(" ").toLowerCase())).filter((word) => !own.has(word))),
    notPhrases: not.map(phraseOf).filter(({ words: each }) => each.length > 1),
  };
}

interface Comparing {
  readonly each: Indexed;
  readonly words: readonly string[];
  /** Words with which a sentence or a part of one begins. */
  readonly openers: ReadonlySet<string>;
  readonly telling: readonly string[];
  readonly rarity: (word: string) => number;
  readonly usual: Readonly<Record<Field, number>>;
}

function compare({ each, words, openers, telling, rarity, usual }: Comparing): Ranked {
  const shared: string[] = [];
  let score = 0;
  for (const word of telling) {
    const weight = weightOf(each, word, usual);
    if (weight > 0) {
      shared.push(word);
      score += (rarity(word) * weight * (bm25.k + 1)) / (weight + bm25.k);
    } else if (each.not.has(word)) score -= rarity(word) * 0.5;
  }
  const phrase = longestOf(each.phrases, words, openers);
  if (phrase !== undefined) score += 1.5 + phrase.words.length;
  const against = longestOf(each.notPhrases, words, openers);
  if (against !== undefined) score -= 1.5 + against.words.length;
  return {
    workflow: each.workflow,
    score,
    why: [...(phrase === undefined ? [] : [`says "${phrase.text}"`]), ...(shared.length > 0 ? [`shares ${shared.join(", ")}`] : [])],
    shared: shared.length,
    phrase: phrase?.words.length ?? 0,
    opens: openers.has(phrase?.words[0] ?? ""),
  };
}

function weightOf({ counts, lengths }: Indexed, word: string, usual: Readonly<Record<Field, number>>): number {
  return fields.reduce((sum, field) => {
    const count = counts[field].get(word) ?? 0;
    return count === 0 ? sum : sum + (weights[field] * count) / (1 - bm25.b + bm25.b * (lengths[field] / usual[field]));
  }, 0);
}

/** A word that few workflows have says more. */
function rarityOf(index: readonly Indexed[]): (word: string) => number {
  const having = new Map<string, number>();
  for (const { counts } of index)
    for (const word of new Set(fields.flatMap((field) => [...counts[field].keys()]))) having.set(word, (having.get(word) ?? 0) + 1);
  return (word) => {
    const count = having.get(word) ?? 0;
    return Math.log(1 + (Math.max(index.length, fewest) - count + 0.5) / (count + 0.5));
  };
}

function averages(index: readonly Indexed[]): Readonly<Record<Field, number>> {
  return mapFields((field) => Math.max(1, index.reduce((sum, { lengths }) => sum + lengths[field], 0) / index.length));
}

function mapFields<Value>(make: (field: Field) => Value): Readonly<Record<Field, Value>> {
  return Object.fromEntries(fields.map((field) => [field, make(field)])) as Record<Field, Value>;
}

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** A phrase of one word counts only where a sentence begins with it. */
function longestOf(phrases: readonly Phrase[], words: readonly string[], openers: ReadonlySet<string>): Phrase | undefined {
  const isIn = ({ words: [first = "", ...more] }: Phrase): boolean =>
    more.length === 0 ? openers.has(first) : holds(words, [first, ...more]);
  return phrases.filter(isIn).toSorted((a, b) => b.words.length - a.words.length)[0];
}

function holds(words: readonly string[], phrase: readonly string[]): boolean {
  return words.some((_, at) => phrase.every((word, n) => words[at + n] === word));
}
