import { refusal, unknownSpecialist } from "./codes.ts";
import { readIndexed } from "./read-topic.ts";
import { evidenceOfText, inScope, relevanceOf, scopeOf } from "./relevance.ts";
import type { Library } from "./retrieve.ts";
import { fitSpecialists, isTopicOf } from "./specialists.ts";
import { wordsOf } from "./topic.ts";
import type { VersionScope } from "./versions.ts";

export interface Question extends VersionScope {
  readonly question: string;
  /** An id: its topics come first, and only its field is named. */
  readonly specialist?: string;
  /** Topics with excerpts; 3 unless given. */
  readonly limit?: number;
}

export interface Advice {
  /** Where the answer comes from, and what it is not. */
  readonly note: string;
  readonly answered_from: "topics";
  /** Fields that fit the question, the best first. */
  readonly specialists: readonly {
    readonly specialist_id: string;
    readonly title: string;
    readonly role: string;
    readonly matched: readonly string[];
  }[];
  readonly topics: readonly {
    readonly topic_id: string;
    readonly title: string;
    readonly relevance_score: number;
    readonly matched_signals: readonly string[];
    readonly excerpt: string;
  }[];
}

const longestExcerpt = 900;

/** Answers from topics alone: the best ones with the parts of their text that speak of the question. */
export async function ask(library: Library, request: Question): Promise<Advice> {
  if (request.question.trim() === "") throw refusal("KNOWLEDGE_NO_QUESTION", "There is no question to answer: its text is empty.");
  const index = await library.index();
  const { all } = await library.specialists();
  const chosen = request.specialist === undefined ? undefined : all.get(request.specialist.toLowerCase());
  if (request.specialist !== undefined && chosen === undefined) throw unknownSpecialist(request.specialist, [...all.keys()]);
  const evidence = evidenceOfText(request.question);
  const fits = fitSpecialists(evidence.words, chosen === undefined ? all.values() : [chosen]);
  const scope = scopeOf(request);
  const favoured = chosen ?? fits[0]?.specialist;
  const hits = [...index.topics.values()]
    .filter(({ entry }) => inScope(entry, scope))
    .map((topic) => ({ topic, ...relevanceOf(topic.entry, evidence) }))
    .filter(({ score }) => score > 0)
    // Topics of the fitting field come before equally relevant ones of others.
    .map((hit) => ({ ...hit, rank: hit.score * (favoured !== undefined && isTopicOf(hit.topic.entry, favoured) ? 1.3 : 1) }))
    .sort((a, b) => b.rank - a.rank || (a.topic.entry.id < b.topic.entry.id ? -1 : 1))
    .slice(0, request.limit ?? 3);
  const topics: Advice["topics"][number][] = [];
  for (const { topic, score, signals } of hits) {
    const text = await readIndexed(library.files, topic);
    if (text === undefined) continue;
    const { id, title } = topic.entry;
    topics.push({ topic_id: id, title, relevance_score: score, matched_signals: signals, excerpt: excerptOf(text.body, evidence.words) });
  }
  const named = chosen === undefined ? fits.slice(0, 3) : [fits[0] ?? { specialist: chosen, matched: [] }];
  return {
    note:
      topics.length === 0
        ? "No topic speaks of this. Ask with other words, or retrieve the list of topics; nothing is answered from outside the topics."
        : "These are excerpts of topics, not a composed answer. Retrieve a topic by its id for its whole text.",
    answered_from: "topics",
    specialists: named.map(({ specialist: { specialist_id, title, role }, matched }) => ({ specialist_id, title, role, matched })),
    topics,
  };
}

/** Paragraphs that share most words with the question, in the order of the text; a block of code stays with the text before it. */
export function excerptOf(body: string, words: ReadonlySet<string>): string {
  const parts = paragraphsOf(body);
  const rated = parts.map((text, at) => {
    const own = new Set(wordsOf(text).flatMap((word) => [word, word.replace(/s$/, "")]));
    const shared = [...words].filter((word) => own.has(word)).length;
    return { text, at, score: shared + (at === 0 ? 0.5 : 0) };
  });
  const chosen: typeof rated = [];
  let length = 0;
  for (const part of [...rated].sort((a, b) => b.score - a.score || a.at - b.at)) {
    if (chosen.length > 0 && (length + part.text.length > longestExcerpt || part.score === 0)) continue;
    chosen.push(part);
    length += part.text.length;
  }
  const text = chosen
    .sort((a, b) => a.at - b.at)
    .map((part) => part.text)
    .join("\n\n");
  return text.length <= longestExcerpt * 1.5 ? text : `${text.slice(0, longestExcerpt).trimEnd()} ...`;
}

function paragraphsOf(body: string): string[] {
  const parts: string[] = [];
  let fence = false;
  let current: string[] = [];
  const close = (): void => {
    const text = current.join("\n").trim();
    if (text !== "" && !/^#{1,6} [^\n]*$/.test(text)) parts.push(text);
    current = [];
  };
  for (const line of body.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) fence = !fence;
    if (line.trim() === "" && !fence) close();
    else current.push(line);
  }
  close();
  return parts;
}
