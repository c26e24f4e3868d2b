import { fieldsOf } from "./fields-of-work.ts";
import { phraseOf, type Phrase } from "./find-phrase.ts";
import type { Routable } from "./routed.ts";
import { routingTexts } from "./routing-texts.ts";
import { allWords, tellingWords } from "./words-of.ts";

/** How much a word counts by where a workflow has it. */
const weights = { name: 3, phrases: 2.5, use: 2, rest: 1.2 } as const;
type Place = keyof typeof weights;
const places = Object.keys(weights) as readonly Place[];

/** How much long texts are held back. */
const heldBack = 0.4;

/** What a workflow says about itself: its words, and the fields of work that they stand for, each with a weight. */
export interface Indexed {
  readonly workflow: string;
  readonly weights: ReadonlyMap<string, number>;
  readonly fields: ReadonlyMap<string, number>;
  readonly phrases: readonly Phrase[];
  readonly not: ReadonlySet<string>;
  readonly notPhrases: readonly Phrase[];
}

export function indexWorkflows(workflows: readonly Routable[]): readonly Indexed[] {
  const read = workflows.map(readWorkflow);
  const usual = mapPlaces((place) => read.reduce((sum, { words }) => sum + words[place].length, 0) / read.length || 1);
  return read.map(({ words, workflow, phrases, not }) => {
    const all = new Map<string, number>();
    const fields = new Map<string, number>();
    for (const place of places) {
      const weight = weights[place] / (1 - heldBack + heldBack * (words[place].length / usual[place]));
      for (const word of tellingWords(words[place])) all.set(word, (all.get(word) ?? 0) + weight);
      for (const [field, count] of fieldsOf(words[place], true)) fields.set(field, (fields.get(field) ?? 0) + weight * count);
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
  const texts: Record<Place, string> = { name: name.replaceAll(/[-_:./]/g, " "), phrases: phrases.join(" / "), use, rest };
  const words = mapPlaces((place) => allWords(texts[place].toLowerCase()));
  return { workflow: name, words, phrases: [...phrases, texts.name], not };
}

function mapPlaces<T>(value: (place: Place) => T): Readonly<Record<Place, T>> {
  return Object.fromEntries(places.map((place) => [place, value(place)])) as Record<Place, T>;
}
