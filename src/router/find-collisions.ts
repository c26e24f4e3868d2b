import { rankWorkflows } from "./rank-workflows.ts";
import type { Routable } from "./routed.ts";
import { routingTexts } from "./routing-texts.ts";
import { allWords, tellingWords, wordsByForm } from "./words-of.ts";

/** Two workflows of which a request may mean one as well as the other. */
export interface Collision {
  readonly names: readonly [string, string];
  /** Phrases that both have, as the second one writes them; none where the descriptions are alike. */
  readonly phrases: readonly string[];
  /** Words that both descriptions have, as the second one writes them. */
  readonly words: readonly string[];
}

/** From this share of its own score on, a description fits the other workflow nearly as well: both ways, or one way as well as its own. */
const alike = { both: 0.55, one: 0.9 } as const;
/** Of fewer words nothing can be said. */
const fewestWords = 3;

/** Compares every pair. Two of which one names the other in what it is not for do not collide. */
export function findCollisions(workflows: readonly Routable[]): readonly Collision[] {
  const texts = workflows.map(textsOf);
  const scores = texts.map(({ about }) => {
    const ranked = rankWorkflows({ parts: about, asked: [], verbs: [], isLiteral: true }, workflows);
    return new Map(ranked.map(({ workflow, score }) => [workflow, score]));
  });
  const shareOf = (of: number, at: number): number => {
    const own = scores[of]?.get(texts[of]?.name ?? "") ?? 0;
    return own === 0 ? 0 : (scores[of]?.get(texts[at]?.name ?? "") ?? 0) / own;
  };
  return texts.flatMap((first, at) =>
    texts.slice(at + 1).flatMap((second, further): readonly Collision[] => {
      const other = at + 1 + further;
      const phrases = [...second.phrases].flatMap(([key, phrase]) => (first.phrases.has(key) ? [phrase] : []));
      const shares = [shareOf(at, other), shareOf(other, at)];
      const isAlike =
        Math.min(first.words.size, second.words.size) >= fewestWords &&
        (Math.min(...shares) >= alike.both || Math.max(...shares) >= alike.one) &&
        !first.not.includes(second.name) &&
        !second.not.includes(first.name);
      if (!isAlike && phrases.length === 0) return [];
      const words = [...second.words].flatMap(([stem, word]) => (first.words.has(stem) ? [word] : []));
      return [{ names: [first.name, second.name], phrases, words }];
    }),
  );
}

interface Texts {
  readonly name: string;
  readonly about: readonly string[];
  /** Words of the description by their basic form. */
  readonly words: ReadonlyMap<string, string>;
  /** Phrases by their words. */
  readonly phrases: ReadonlyMap<string, string>;
  /** What it is not for; a workflow that names another one there does not collide with it. */
  readonly not: string;
}

function textsOf(workflow: Routable): Texts {
  const { name, use, rest, phrases, not } = routingTexts(workflow);
  const about = (use.trim() === "" ? rest : use).toLowerCase();
  const written = wordsByForm(about);
  return {
    name,
    about: [about],
    words: new Map(tellingWords(allWords(about)).map((stem) => [stem, written.get(stem) ?? stem] as const)),
    phrases: new Map(phrases.map((phrase) => [allWords(phrase.toLowerCase()).join(" "), phrase])),
    not: not.join("\n"),
  };
}
