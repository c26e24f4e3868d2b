import { allWords, tellingWords } from "./words-of.ts";

/** What a workflow is asked for with, or what it is not for. */
export interface Phrase {
  readonly text: string;
  /** Its telling words; all words where only one of several tells something. */
  readonly words: readonly string[];
  readonly all: readonly string[];
  readonly isWhole: boolean;
}

/** A part of a text: all of its words, and those that tell something. */
export interface Part {
  readonly all: readonly string[];
  readonly telling: readonly string[];
}

export interface Found extends Phrase {
  /** Whether a part of the text begins with it. */
  readonly opens: boolean;
  /** Whether the text is this phrase and nothing else. */
  readonly isAll: boolean;
  readonly counts: number;
}

/** How much a phrase in the middle of a part counts. */
const inside = 0.5;

export function readPart(text: string): Part {
  const all = allWords(text);
  return { all, telling: tellingWords(all) };
}

export function phraseOf(text: string): Phrase {
  const { all, telling } = readPart(text.toLowerCase());
  const isWhole = telling.length === 1 && all.length > 1;
  return { text, words: isWhole ? all : telling, all, isWhole };
}

/** The phrase that counts most. One of a single word counts only where a part begins with it. */
export function findPhrase(phrases: readonly Phrase[], parts: readonly Part[]): Found | undefined {
  let best: Found | undefined;
  for (const phrase of phrases)
    for (const { all, telling } of parts) {
      const found = find(phrase.isWhole ? all : telling, phrase, parts.length === 1 ? all : undefined);
      if (found !== undefined && (found.opens || phrase.words.length > 1) && found.counts > (best?.counts ?? 0)) best = found;
    }
  return best;
}

/** `whole`: all words, where the text has only this part. */
function find(words: readonly string[], phrase: Phrase, whole: readonly string[] | undefined): Found | undefined {
  const at = words.findIndex((_, start) => phrase.words.every((word, n) => words[start + n] === word));
  if (at < 0) return undefined;
  const opens = at === 0;
  const telling = phrase.isWhole ? 1 : phrase.words.length;
  return { ...phrase, opens, isAll: whole?.join(" ") === phrase.all.join(" "), counts: (1.5 + telling) * (opens ? 1 : inside) };
}
