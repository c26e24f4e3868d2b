import { isCommon } from "./common-words.ts";
import { findPhrase, readPart, type Found, type Part } from "./find-phrase.ts";
import { type Index, type Indexed, indexWorkflows } from "./index-workflows.ts";
import { nearestWord } from "./nearest-word.ts";
import type { Candidate, Routable } from "./routed.ts";
import { isName, isSign, signsOf } from "./signs-of.ts";
import { stemWord, wordsByForm } from "./words-of.ts";

/** How soon more of the same word stops counting (BM25). */
const saturation = 1;

/** How much counts what is not said outright, or not in the part that asks. */
const less = { beside: 0.7, common: 0.25, derived: 0.4, field: 0.5, known: 0.6, against: 0.5 } as const;

/** How much more counts what something is to be done to. */
const more = { object: 1.5 } as const;

/** From this weight on a field is what a workflow does, not only what it mentions. */
const strong = 2;

/** A text to compare: readable, without what is refused or quoted. */
export interface Compared {
  readonly parts: readonly string[];
  /** Those parts, or beginnings of them, that ask for something. */
  readonly asked: readonly string[];
  /** What is to be done. */
  readonly verbs: readonly string[];
  /** What it is to be done to. */
  readonly objects?: readonly string[];
  /** Only what is said in the same words counts, however common they are. */
  readonly isLiteral?: true;
}

/** What a text has in common with a workflow. */
export interface Ranked extends Candidate {
  /** How many telling words they share. */
  readonly shared: number;
  /** The same, together with the words that point to work that it does. */
  readonly told: number;
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
  /** Whether there are verbs, and none is what the workflow does. */
  readonly isForeign: boolean;
  /** The same, and one of the verbs names another field of work. */
  readonly isOther: boolean;
  /** Whether it is said to what something is to be done, and that has nothing to do with the workflow. */
  readonly isElse: boolean;
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
  readonly objects: readonly string[];
  readonly written: ReadonlyMap<string, string>;
  /** Telling words, each with the word that workflows have for it and how much it counts. */
  readonly telling: ReadonlyMap<string, readonly [known: string, counts: number]>;
  readonly fields: ReadonlyMap<number, number>;
}

function readText({ parts, asked, verbs, objects = [], isLiteral }: Compared, vocabulary: ReadonlySet<string>): Text {
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
  const object = new Set(objects.flatMap((each) => readPart(each).telling));
  const counts = (word: string): number =>
    (object.has(word) ? more.object : isMain(word) ? 1 : less.beside) *
    (isLiteral ? 1 : isCommon(word) ? less.common : isSign(word) ? less.known : 1);
  const words = isLiteral ? [] : read.flatMap(({ all }) => all.map((word) => known.get(word)?.word ?? word));
  return {
    parts: read,
    verbs: verbs.map(stemWord),
    objects: [...object],
    written: wordsByForm(parts.join("\n")),
    telling: new Map([...known].map(([word, near]) => [word, [near.word, near.counts * counts(word)]] as const)),
    fields: signsOf(words),
  };
}

function compare(each: Indexed, text: Text, index: Index): Ranked {
  const shared = [...text.telling].filter(([, [known]]) => each.weights.has(known)).map(([word]) => word);
  const phrase = findPhrase(each.phrases, text.parts);
  const against = findPhrase(each.notPhrases, text.parts);
  const pointsHere = (word: string): boolean => [...signsOf([word]).keys()].some((field) => (each.fields.get(field) ?? 0) >= strong);
  const signs = text.fields.size === 0 ? [] : [...text.telling.keys()].filter((word) => !shared.includes(word) && pointsHere(word));
  const does = text.verbs.some((word) => each.weights.has(word));
  const means = does || text.verbs.some(pointsHere);
  const isOwn = (word: string): boolean => shared.includes(word) || pointsHere(word);
  return {
    workflow: each.workflow,
    score: scoreOfWords(each, text, index) + scoreOfFields(each, text, index) + (phrase?.counts ?? 0) - (against?.counts ?? 0),
    why: reasons(text, shared, signs, phrase),
    told: shared.length + signs.length,
    shared: shared.length,
    phrase: phrase?.words.length ?? 0,
    says: phrase?.text ?? "",
    opens: phrase?.opens ?? false,
    isAll: phrase?.isAll ?? false,
    does,
    means,
    isForeign: !means && text.verbs.length > 0,
    isOther: !means && text.verbs.some(isName),
    isElse: text.objects.length > 0 && !text.objects.some(isOwn),
  };
}

function reasons({ written }: Text, shared: readonly string[], signs: readonly string[], phrase: Found | undefined): readonly string[] {
  const listed = (words: readonly string[]): string => words.map((word) => written.get(word) ?? word).join(", ");
  return [
    ...(phrase === undefined ? [] : [`says "${phrase.text}"`]),
    ...(shared.length > 0 ? [`shares ${listed(shared)}`] : []),
    ...(signs.length > 0 ? [`hints: ${listed(signs)}`] : []),
  ];
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
    const part = weight / Math.max(fields.most.get(field) ?? 0, strong);
    return sum + evidence * less.field * part * fields.rarity(field) * saturated(weight);
  }, 0);
}

function saturated(weight: number): number {
  return (weight * (saturation + 1)) / (weight + saturation);
}
