import { relatedTo } from "./related-words.ts";
import type { Candidate, Routable } from "./routed.ts";
import { routingTexts } from "./routing-texts.ts";
import { allWords, stemWord, tellingWords, wordsByForm } from "./words-of.ts";

/** How much a word counts by where a workflow has it. */
const weights = { name: 2.5, phrases: 2.5, use: 2, rest: 0.7 } as const;
type Field = keyof typeof weights;
const fields = Object.keys(weights) as readonly Field[];

/** BM25: how soon more of the same word stops counting, and how much long texts are held back. */
const bm25 = { k: 1.2, b: 0.4 } as const;

/** Where there are fewer workflows, words are as rare as if there were this many: with one workflow every word would be common. */
const fewest = 15;

/** How much counts what is not said outright: another word for the same, what is beside the request, a phrase in the middle of a sentence. */
const less = { related: 0.5, beside: 0.6, inside: 0.5 } as const;

/** A text to compare: readable, without what is refused or quoted. */
export interface Compared {
  readonly parts: readonly string[];
  /** Those parts, or beginnings of them, that ask for something. */
  readonly asked: readonly string[];
  /** What is to be done. */
  readonly verbs: readonly string[];
}

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
  /** Its telling words; all words where only one tells something, and it is long. */
  readonly words: readonly string[];
  readonly all: readonly string[];
  readonly isWhole: boolean;
}

/** What a text has in common with a workflow. */
export interface Ranked extends Candidate {
  /** How many telling words they share. */
  readonly shared: number;
  /** The longest phrase of the workflow that is in the text, in words, and as the workflow writes it. */
  readonly phrase: number;
  readonly says: string;
  /** Whether a part of the text begins with that phrase. */
  readonly opens: boolean;
  /** Whether the text is that phrase and nothing else. */
  readonly isAll: boolean;
  /** Whether what is to be done is what the workflow does: it has one of the verbs itself. */
  readonly does: boolean;
  /** The same, or it has another word for one of the verbs. */
  readonly means: boolean;
}

/** Compares a text with all workflows by the words that they share (BM25F): the best first, without those that share nothing. Linear in both. */
export function rankWorkflows(compared: Compared, workflows: readonly Routable[]): readonly Ranked[] {
  const text = readText(compared);
  const index = workflows.map(indexed);
  const rarity = rarityOf(index);
  const usual = averages(index);
  return index
    .map((each) => compare(each, text, { rarity, usual }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.workflow < b.workflow ? -1 : 1));
}

interface Text {
  readonly parts: readonly { readonly all: readonly string[]; readonly telling: readonly string[] }[];
  readonly openers: ReadonlySet<string>;
  readonly verbs: readonly string[];
  readonly written: ReadonlyMap<string, string>;
  /** Telling words, each with how much it counts. */
  readonly telling: ReadonlyMap<string, number>;
}

function readText({ parts, asked, verbs }: Compared): Text {
  const read = parts.map((part) => {
    const all = allWords(part);
    return { all, telling: tellingWords(all) };
  });
  const main = new Set(asked.flatMap((part) => tellingWords(allWords(part))));
  const words = new Set(read.flatMap(({ telling }) => telling));
  return {
    parts: read,
    verbs: verbs.map(stemWord),
    written: wordsByForm(parts.join("\n")),
    openers: new Set(read.flatMap(({ telling }) => telling.slice(0, 1))),
    telling: new Map([...words].map((word) => [word, main.size === 0 || main.has(word) ? 1 : less.beside])),
  };
}

function indexed(workflow: Routable): Indexed {
  const { name, use, phrases, rest, not } = routingTexts(workflow);
  const texts: Record<Field, string> = { name: name.replaceAll(/[-_:./]/g, " "), phrases: phrases.join(" "), use, rest };
  const words = Object.fromEntries(fields.map((field) => [field, tellingWords(allWords(texts[field].toLowerCase()))])) as Record<
    Field,
    string[]
  >;
  const own = new Set(Object.values(words).flat());
  return {
    workflow: name,
    counts: mapFields((field) => countsOf(words[field])),
    lengths: mapFields((field) => words[field].length),
    phrases: [...phrases, texts.name].map(phraseOf).filter(({ words: each }) => each.length > 0),
    not: new Set(tellingWords(allWords(not.join(" ").toLowerCase())).filter((word) => !own.has(word))),
    notPhrases: not.map(phraseOf).filter(({ words: each }) => each.length > 1),
  };
}

function phraseOf(text: string): Phrase {
  const all = allWords(text.toLowerCase());
  const telling = tellingWords(all);
  const isWhole = telling.length === 1 && all.length > 2;
  return { text, words: isWhole ? all : telling, all, isWhole };
}

interface Measures {
  readonly rarity: (word: string) => number;
  readonly usual: Readonly<Record<Field, number>>;
}

function compare(each: Indexed, text: Text, { rarity, usual }: Measures): Ranked {
  const shared: string[] = [];
  let score = 0;
  for (const [word, counts] of text.telling) {
    const [meant, weight] = weightOf(each, word, usual);
    if (weight > 0) {
      shared.push(word);
      score += (counts * rarity(meant) * weight * (bm25.k + 1)) / (weight + bm25.k);
    } else if (each.not.has(word)) score -= counts * rarity(word) * 0.5;
  }
  const phrase = longestOf(each.phrases, text);
  if (phrase !== undefined) score += phrase.counts;
  const against = longestOf(each.notPhrases, text);
  if (against !== undefined) score -= against.counts;
  return {
    workflow: each.workflow,
    score,
    why: [
      ...(phrase === undefined ? [] : [`says "${phrase.text}"`]),
      ...(shared.length > 0 ? [`shares ${shared.map((word) => text.written.get(word) ?? word).join(", ")}`] : []),
    ],
    shared: shared.length,
    phrase: phrase?.words.length ?? 0,
    says: phrase?.text ?? "",
    opens: phrase?.opens ?? false,
    isAll: phrase?.isAll ?? false,
    does: text.verbs.some((word) => ownWeight(each, word, usual) > 0),
    means: text.verbs.some((word) => shared.includes(word)),
  };
}

/** The weight of a word, or of another one for the same, and the word that has it. */
function weightOf(each: Indexed, word: string, usual: Measures["usual"]): readonly [string, number] {
  const weight = ownWeight(each, word, usual);
  if (weight > 0) return [word, weight];
  const others = relatedTo(word).map((other) => [other, less.related * ownWeight(each, other, usual)] as const);
  return others.reduce<readonly [string, number]>((best, other) => (other[1] > best[1] ? other : best), [word, 0]);
}

function ownWeight({ counts, lengths }: Indexed, word: string, usual: Measures["usual"]): number {
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

interface Found extends Phrase {
  readonly opens: boolean;
  readonly isAll: boolean;
  readonly counts: number;
}

/** The phrase that counts most. One of a single word counts only where a part begins with it. */
function longestOf(phrases: readonly Phrase[], { parts, openers }: Text): Found | undefined {
  let best: Found | undefined;
  for (const phrase of phrases) {
    if (phrase.words.length === 1 && !openers.has(phrase.words[0] ?? "")) continue;
    for (const { all, telling } of parts) {
      const found = find(phrase.isWhole ? all : telling, phrase, parts.length === 1 ? all : undefined);
      if (found !== undefined && found.counts > (best?.counts ?? 0)) best = found;
    }
  }
  return best;
}

/** `whole`: all words, where the text has only this part. */
function find(words: readonly string[], phrase: Phrase, whole: readonly string[] | undefined): Found | undefined {
  const at = words.findIndex((_, start) => phrase.words.every((word, n) => words[start + n] === word));
  if (at < 0) return undefined;
  const opens = at === 0;
  const telling = phrase.isWhole ? 1 : phrase.words.length;
  return { ...phrase, opens, isAll: whole?.join(" ") === phrase.all.join(" "), counts: (1.5 + telling) * (opens ? 1 : less.inside) };
}
