import { phraseOf, type Phrase } from "./find-phrase.ts";
import type { Routable } from "./routed.ts";
import { routingTexts } from "./routing-texts.ts";
import { namesOf } from "./signs-of.ts";
import { allWords, tellingWords } from "./words-of.ts";

/** How much a word counts by where a workflow has it. */
const weights = { name: 2.5, said: 1.7 } as const;
type Place = keyof typeof weights;
const places = Object.keys(weights) as readonly Place[];

/** How much long texts are held back. */
const heldBack = 0.4;

/** Where there are fewer workflows, words are as rare as if there were this many: with one workflow every word would be common. */
const fewest = 15;

/** What a workflow says about itself: its words, and the fields of work that they mean, each with a weight. */
export interface Indexed {
  readonly workflow: string;
  readonly weights: ReadonlyMap<string, number>;
  readonly fields: ReadonlyMap<number, number>;
  readonly phrases: readonly Phrase[];
  readonly not: ReadonlySet<string>;
  readonly notPhrases: readonly Phrase[];
}

/** Workflows to compare texts with. */
export interface Index {
  readonly workflows: readonly Indexed[];
  readonly vocabulary: ReadonlySet<string>;
  readonly words: Measure<string>;
  readonly fields: Measure<number>;
}

/** How rare something is among workflows: what a workflow has in passing counts little there, and makes it less rare by as much. */
export interface Measure<T> {
  readonly rarity: (of: T) => number;
  readonly most: ReadonlyMap<T, number>;
}

const known = new WeakMap<readonly Routable[], Index>();

/** Reads the workflows of a list once. */
export function indexWorkflows(routables: readonly Routable[]): Index {
  const before = known.get(routables);
  if (before !== undefined) return before;
  const workflows = readAll(routables);
  const words = measure(workflows.map(({ weights: each }) => each));
  const index = { workflows, words, fields: measure(workflows.map(({ fields }) => fields)), vocabulary: new Set(words.most.keys()) };
  known.set(routables, index);
  return index;
}

function measure<T>(each: readonly ReadonlyMap<T, number>[]): Measure<T> {
  const most = new Map<T, number>();
  for (const [of, weight] of each.flatMap((all) => [...all])) most.set(of, Math.max(most.get(of) ?? 0, weight));
  const having = new Map<T, number>();
  for (const [of, weight] of each.flatMap((all) => [...all])) having.set(of, (having.get(of) ?? 0) + weight / (most.get(of) ?? weight));
  return {
    most,
    rarity: (of) => {
      const count = having.get(of) ?? 0;
      return Math.log(1 + (Math.max(each.length, fewest) - count + 0.5) / (count + 0.5));
    },
  };
}

function readAll(routables: readonly Routable[]): readonly Indexed[] {
  const read = routables.map(readWorkflow);
  const usual = mapPlaces((place) => read.reduce((sum, { words }) => sum + words[place].length, 0) / read.length || 1);
  return read.map(({ words, workflow, phrases, not }) => {
    const all = new Map<string, number>();
    const fields = new Map<number, number>();
    for (const place of places) {
      const weight = weights[place] / (1 - heldBack + heldBack * (words[place].length / usual[place]));
      for (const word of tellingWords(words[place])) all.set(word, (all.get(word) ?? 0) + weight);
      for (const [field, count] of namesOf(words[place])) fields.set(field, (fields.get(field) ?? 0) + weight * count);
    }
    return {
      workflow,
      weights: all,
      fields,
      phrases: phrases.map(phraseOf).filter((phrase) => phrase.words.length > 0),
      not: new Set(tellingWords(allWords(not.join(" ").toLowerCase())).filter((word) => !all.has(word))),
      notPhrases: not.map(phraseOf).filter((phrase) => phrase.words.length > 1),
    };
  });
}

function readWorkflow(routable: Routable) {
  const { name, use, phrases, rest, not } = routingTexts(routable);
  const texts: Record<Place, string> = { name: name.replaceAll(/[-_:./]/g, " "), said: [...phrases, use, rest].join(" / ") };
  const words = mapPlaces((place) => allWords(texts[place].toLowerCase()));
  return { workflow: name, words, phrases: [...phrases, texts.name], not };
}

function mapPlaces<T>(value: (place: Place) => T): Readonly<Record<Place, T>> {
  return Object.fromEntries(places.map((place) => [place, value(place)])) as Record<Place, T>;
}
