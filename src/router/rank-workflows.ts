import { isCommon } from "./common-words.ts";
import { findPhrase, readPart, type Part } from "./find-phrase.ts";
import { type Index, type Indexed, indexWorkflows } from "./index-workflows.ts";
import { nearestWord } from "./nearest-word.ts";
import type { Candidate, Routable } from "./routed.ts";
import { areas, isName, isSign, signsIn, signsOf } from "./signs-of.ts";
import { stemWord, wordsByForm } from "./words-of.ts";

/** How soon more of the same word stops counting (BM25). */
const saturation = 1.2;

/** How much counts what is not said outright, or not in the part that asks. */
const less = { beside: 0.7, common: 0.25, derived: 0.4, field: 0.65, area: 0.3, known: 0.6, against: 0.5 } as const;

/** From this weight on, and this part of what others have, a field is what a workflow does, not only what it mentions. */
const strong = { weight: 1, part: 0.25 } as const;

/** How soon more signs of the same field stop counting. */
const many = 2;

/** Where no workflow has more of a field than this, it is only mentioned, and the one that has most is not what it is about. */
const leastOfField = 2;

/** A text to compare: readable, without what is refused or quoted. */
export interface Compared {
  readonly parts: readonly string[];
  /** Those parts, or beginnings of them, that ask for something. */
  readonly asked: readonly string[];
  /** What is to be done. */
  readonly verbs: readonly string[];
  /** Only what is said in the same words counts, however common they are. */
  readonly isLiteral?: true;
}

/** What a text has in common with a workflow. */
export interface Ranked extends Candidate {
  /** How many telling words they share. */
  readonly shared: number;
  /** How many of these are not frequent anywhere or begin what is asked, together with the signs of work that the workflow does. */
  readonly evidence: number;
  /** The longest phrase of the workflow that is in the text, in words, and as the workflow writes it. */
  readonly phrase: number;
  readonly says: string;
  /** Whether a part of the text begins with that phrase. */
  readonly opens: boolean;
  /** Whether the text is that phrase and nothing else. */
  readonly isAll: boolean;
  /** Whether what is to be done is what the workflow does: it has one of the verbs itself. */
  readonly does: boolean;
  /** The same, or one of the verbs belongs to its field of work. */
  readonly means: boolean;
  /** Whether nothing else than the verbs is what they share. */
  readonly isBare: boolean;
  /** Whether one of the verbs names another field of work, and none is what the workflow does. */
  readonly isOther: boolean;
}

/**
 * Compares a text with all workflows by the words that they share, and by the fields of work to which other words point: the best first, without those
 * that share nothing. Linear in both.
 */
export function rankWorkflows(compared: Compared, workflows: readonly Routable[]): readonly Ranked[] {
  const index = indexWorkflows(workflows);
  const text = readText(compared, index.vocabulary);
  return index.workflows
    .map((each) => compare(each, text, index))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.workflow < b.workflow ? -1 : 1));
}

interface Text {
  readonly parts: readonly Part[];
  readonly verbs: readonly string[];
  /** The first words of what is asked. */
  readonly begins: ReadonlySet<string>;
  readonly written: ReadonlyMap<string, string>;
  /** Telling words, each with the word that workflows have for it and how much it counts. */
  readonly telling: ReadonlyMap<string, readonly [known: string, counts: number]>;
  readonly fields: ReadonlyMap<number, number>;
  readonly signs: ReturnType<typeof signsIn>;
}

function readText({ parts, asked, verbs, isLiteral }: Compared, vocabulary: ReadonlySet<string>): Text {
  const read = parts.map(readPart);
  const main = new Set(asked.flatMap((part) => readPart(part).telling));
  const isMain = (word: string): boolean => main.size < 2 || main.has(word);
  const known = new Map(
    [...new Set(read.flatMap(({ telling }) => telling))].map((word) => {
      if (vocabulary.has(word)) return [word, { word, counts: 1 }] as const;
      const nearest = isCommon(word) ? undefined : nearestWord(word, vocabulary);
      const isOther = nearest === undefined || (nearest.isSlip && isSign(word));
      return [word, isOther ? { word, counts: 1 } : { word: nearest.word, counts: less.derived }] as const;
    }),
  );
  const counts = (word: string): number =>
    (isMain(word) ? 1 : less.beside) * (isLiteral ? 1 : isCommon(word) ? less.common : isSign(word) ? less.known : 1);
  const words = isLiteral ? [] : read.flatMap(({ all }) => all.map((word) => known.get(word)?.word ?? word));
  return {
    parts: read,
    verbs: verbs.map(stemWord),
    begins: new Set(asked.flatMap((part) => readPart(part).all.slice(0, 1))),
    written: wordsByForm(parts.join("\n")),
    telling: new Map([...known].map(([word, near]) => [word, [near.word, near.counts * counts(word)]] as const)),
    fields: signsOf(words),
    signs: signsIn(words),
  };
}

function compare(each: Indexed, text: Text, index: Index): Ranked {
  const shared = [...text.telling].filter(([, [known]]) => each.weights.has(known)).map(([word]) => word);
  const phrase = findPhrase(each.phrases, text.parts);
  const against = findPhrase(each.notPhrases, text.parts);
  const isOwn = (field: number): boolean => {
    const weight = each.fields.get(field) ?? 0;
    return weight >= strong.weight && weight >= strong.part * (index.fields.most.get(field) ?? 0);
  };
  const pointsHere = (word: string): boolean => [...signsOf([word]).keys()].some(isOwn);
  const signs = text.fields.size === 0 ? [] : [...text.telling.keys()].filter((word) => !shared.includes(word) && pointsHere(word));
  const counted = (word: string): boolean => shared.includes(word) && text.begins.has(word);
  const pointing = [...text.signs].filter(
    ([sign, fields]) => fields.some(isOwn) && !shared.includes(sign) && !sign.split(" ").some(counted),
  );
  const does = text.verbs.some((word) => each.weights.has(word));
  const means = does || text.verbs.some(pointsHere);
  const listed = (words: readonly string[]): string => words.map((word) => text.written.get(word) ?? word).join(", ");
  return {
    workflow: each.workflow,
    score: scoreOfWords(each, text, index) + scoreOfFields(each, text, index) + (phrase?.counts ?? 0) - (against?.counts ?? 0),
    why: [
      ...(phrase === undefined ? [] : [`says "${phrase.text}"`]),
      ...(shared.length > 0 ? [`shares ${listed(shared)}`] : []),
      ...(signs.length > 0 ? [`hints: ${listed(signs)}`] : []),
    ],
    shared: shared.length,
    evidence: shared.filter((word) => !isCommon(word) || text.begins.has(word)).length + pointing.length,
    phrase: phrase?.words.length ?? 0,
    says: phrase?.text ?? "",
    opens: phrase?.opens ?? false,
    isAll: phrase?.isAll ?? false,
    does,
    means,
    isBare: shared.length + signs.length > 0 && [...shared, ...signs].every((word) => text.verbs.includes(word)),
    isOther: !means && text.verbs.some(isName),
  };
}

function scoreOfWords(each: Indexed, { telling }: Text, { words }: Index): number {
  return [...telling.values()].reduce((sum, [known, counts]) => {
    const weight = each.weights.get(known) ?? 0;
    if (weight > 0) return sum + counts * words.rarity(known) * saturated(weight);
    return each.not.has(known) ? sum - counts * words.rarity(known) * less.against : sum;
  }, 0);
}

function scoreOfFields(each: Indexed, text: Text, { fields }: Index): number {
  return [...text.fields].reduce((sum, [field, evidence]) => {
    const weight = each.fields.get(field) ?? 0;
    const part = weight / Math.max(fields.most.get(field) ?? 0, leastOfField);
    const counts = (areas.has(field) ? less.area : less.field) * ((evidence * (many + 1)) / (evidence + many));
    return sum + counts * part * fields.rarity(field) * saturated(weight);
  }, 0);
}

function saturated(weight: number): number {
  return (weight * (saturation + 1)) / (weight + saturation);
}
