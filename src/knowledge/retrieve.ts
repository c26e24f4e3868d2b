import { nearest, type JsonObject, counted } from "../base/index.ts";
import type { TopicFiles } from "../ports/index.ts";
import { readIndexed, readSamples, readTopicById } from "./read-topic.ts";
import { evidenceOfText, inScope, relevanceOf, scopeOf, type Scope } from "./relevance.ts";
import { isTopicOf, type LoadedSpecialists } from "./specialists.ts";
import { bareName, type Topic, type TopicEntry } from "./topic.ts";
import type { IndexedTopic, LoadedIndex } from "./topic-index.ts";
import type { VersionScope } from "./versions.ts";

/** What is asked for; the first of topic, query, domain and specialist that is given decides. Keys are those of the tool. */
export interface RetrievalRequest extends VersionScope {
  /** `performance/setloadfields`, a bare name, or a part of either. */
  readonly topic_id?: string;
  /** Words to search for. */
  readonly query?: string;
  readonly domain?: string;
  readonly specialist?: string;
  readonly tags?: readonly string[];
  readonly include_related?: boolean;
  readonly include_samples?: boolean;
  /** Topics in a list; 20 unless given. */
  readonly limit?: number;
}

interface TopicSummary {
  readonly topic_id: string;
  readonly title: string;
  readonly description: string;
  readonly relevance_score?: number;
}

/** How it was found: `exact` id, unique `name`, `partial` match, or what was given instead of a topic. */
type RetrievalMatch = "exact" | "name" | "partial" | "search" | "domain" | "specialist" | "list";

export interface Retrieval {
  readonly match: RetrievalMatch;
  /** One sentence about what this is, and what to do next when it is not what was asked for. */
  readonly note: string;
  readonly topic_id?: string;
  readonly title?: string;
  /** Front matter as written. */
  readonly metadata?: JsonObject;
  readonly topic_content?: string;
  readonly samples?: string;
  readonly related_topics?: readonly (TopicSummary & { readonly content?: string })[];
  readonly topics?: readonly TopicSummary[];
  /** Each with the first of its topics. */
  readonly groups?: readonly { readonly domain: string; readonly count: number; readonly topics: readonly TopicSummary[] }[];
  /** Topics about version steps that were left out because no upgrade was named. */
  readonly hidden_migration_topics?: number;
  readonly workflow_integration?: {
    readonly instruction: string;
    readonly finding_template: {
      readonly severity: string;
      readonly category: string;
      readonly description: string;
      readonly suggestion: string;
      readonly related_topic: string;
    };
  };
}

/** What retrieving needs; the index and the specialists are loaded when something less exact than an id is asked for. */
export interface Library {
  readonly files: TopicFiles;
  index(): Promise<LoadedIndex>;
  specialists(): Promise<LoadedSpecialists>;
}

/** Always finds something: the topic itself, else what is near, else a list of all domains. */
export async function retrieve(library: Library, request: RetrievalRequest): Promise<Retrieval> {
  const asked = cleaned(request.topic_id);
  const exact = asked === undefined ? undefined : await readTopicById(library.files, asked);
  if (exact !== undefined) return await topicAnswer(library, exact, "exact", request);
  const search: Search = { library, request, index: await library.index(), scope: scopeOf(request) };
  if (asked !== undefined) return await lessExact(search, asked);
  const query = cleaned(request.query);
  const { domain, specialist } = request;
  if (query !== undefined) return searched(search, query) ?? everything(search, `No topic matches \`${query}\`.`);
  if (domain !== undefined) return ofDomain(search, domain) ?? everything(search, `There is no domain \`${domain}\`.`);
  if (specialist === undefined) return everything(search, "");
  return (await ofSpecialist(search, specialist)) ?? everything(search, `No topic belongs to a specialist \`${specialist}\`.`);
}

interface Search {
  readonly library: Library;
  readonly request: RetrievalRequest;
  readonly index: LoadedIndex;
  readonly scope: Scope;
}

function cleaned(text: string | undefined): string | undefined {
  const bare = text
    ?.trim()
    .replace(/\.md$/i, "")
    .replace(/^\/+|\/+$/g, "");
  return bare === "" ? undefined : bare;
}

/** Other case, bare name, parts of names, then what the id's folder may be: a domain or a specialist. */
async function lessExact(search: Search, asked: string): Promise<Retrieval> {
  const { library, request, index } = search;
  const key = asked.toLowerCase();
  const one = indexedTopic(index, key);
  const topic = one === undefined ? undefined : await readIndexed(library.files, one);
  if (topic !== undefined) return await topicAnswer(library, topic, index.topics.has(key) ? "exact" : "name", request);
  const named = (index.names.get(bareName(key)) ?? []).flatMap((id) => index.topics.get(id)?.entry ?? []);
  if (named.length > 1) {
    return listAnswer(search, "partial", named, `${named.length} topics are called \`${bareName(key)}\`; ask for one of these ids.`);
  }
  const partial = partialMatches(search, key);
  const notThere = `There is no topic \`${asked}\`.`;
  if (partial.length > 0) return listAnswer(search, "partial", partial, `${notThere} These are close; ask for one of them by its id.`);
  const folder = key.includes("/") ? key.slice(0, key.indexOf("/")) : key;
  const found = ofDomain(search, folder) ?? (await ofSpecialist(search, folder)) ?? searched(search, asked.replaceAll(/[/_-]+/g, " "));
  return found === undefined ? everything(search, notThere) : { ...found, note: `${notThere} ${found.note}` };
}

/** By id or by a unique bare name, in lower case. */
function indexedTopic({ topics, names }: LoadedIndex, key: string): IndexedTopic | undefined {
  const [id = "", ...more] = names.get(bareName(key)) ?? [];
  return topics.get(key) ?? (more.length === 0 ? topics.get(id) : undefined);
}

/** Ids that contain what was asked for, and ids that differ by a slip; those in scope first. */
function partialMatches(search: Search, key: string): TopicEntry[] {
  const all = [...search.index.topics.values()].map(({ entry }) => entry);
  const near = all.filter(({ id, title }) => isNear(id.toLowerCase(), key) || title.toLowerCase() === key);
  const inside = near.filter((entry) => inScope(entry, search.scope));
  if (near.length > 0) return [...inside, ...near.filter((entry) => !inside.includes(entry))];
  const scoped = all.filter((entry) => inScope(entry, search.scope)).slice(0, 3000);
  const names = scoped.map(({ id }) => bareName(id));
  const close = new Set(nearest(bareName(key), names, 5));
  return scoped.filter(({ id }) => close.has(bareName(id)));
}

/** One contains the other: `setloadfields-optimization` is near `performance/setloadfields`, and `loadfields` as well. */
function isNear(id: string, key: string): boolean {
  const name = bareName(id);
  const part = bareName(key);
  return id.includes(key) || (part.length > 2 && name.includes(part)) || (name.length > 4 && part.includes(name));
}

function searched(search: Search, query: string): Retrieval | undefined {
  const evidence = evidenceOfText(query);
  const hits = inView(search)
    .map((entry) => ({ entry, ...relevanceOf(entry, evidence) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1));
  if (hits.length === 0) return undefined;
  const shown = hits.slice(0, limitOf(search)).map(({ entry, score }): TopicSummary => ({ ...summaryOf(entry), relevance_score: score }));
  const note = `${counted(hits.length, "topic")} found for \`${query}\`, the best first. Ask for one by its id to read it.`;
  return { match: "search", note, topics: shown, ...hiddenOf(search) };
}

function ofDomain(search: Search, domain: string): Retrieval | undefined {
  const wanted = domain.toLowerCase();
  const found = inView(search).filter(({ domains }) => domains.includes(wanted));
  return found.length === 0
    ? undefined
    : listAnswer(search, "domain", found, `${counted(found.length, "topic")} of the domain \`${domain}\`.`);
}

async function ofSpecialist(search: Search, id: string): Promise<Retrieval | undefined> {
  const specialist = (await search.library.specialists()).all.get(id.toLowerCase());
  if (specialist === undefined) return undefined;
  const found = inView(search).filter((entry) => isTopicOf(entry, specialist));
  const note = `${counted(found.length, "topic")} of the field \`${specialist.title}\` (${specialist.specialist_id}).`;
  return found.length === 0 ? undefined : listAnswer(search, "specialist", found, note);
}

/** All domains with their first topics. */
function everything(search: Search, why: string): Retrieval {
  const byDomain = new Map<string, TopicEntry[]>();
  for (const entry of inView(search)) {
    const domain = entry.domains[0] ?? "general";
    byDomain.set(domain, [...(byDomain.get(domain) ?? []), entry]);
  }
  const each = Math.max(3, Math.floor(limitOf(search) / Math.max(1, byDomain.size)));
  const groups = [...byDomain.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([domain, entries]) => ({ domain, count: entries.length, topics: entries.slice(0, each).map(summaryOf) }));
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const note =
    total === 0
      ? "No layer of knowledge has a topic here; `.waymark/knowledge/topics` is the project's own."
      : `${counted(total, "topic")} by domain.`;
  return { match: "list", note: why === "" ? note : `${why} ${note}`, groups, ...hiddenOf(search) };
}

/** Topics that lists may show, by id; with tags only those that carry all of them. */
function inView(search: Search): TopicEntry[] {
  const tags = (search.request.tags ?? []).map((tag) => tag.toLowerCase());
  return [...search.index.topics.values()]
    .map(({ entry }: IndexedTopic) => entry)
    .filter((entry) => inScope(entry, search.scope) && tags.every((tag) => entry.tags.includes(tag)))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function hiddenOf(search: Search): { readonly hidden_migration_topics?: number } {
  if (search.scope.upgrade !== undefined) return {};
  const hidden = [...search.index.topics.values()].filter(({ entry }) => entry.migration === true || entry.guide !== undefined).length;
  return hidden === 0 ? {} : { hidden_migration_topics: hidden };
}

function listAnswer(search: Search, match: RetrievalMatch, entries: readonly TopicEntry[], note: string): Retrieval {
  return { match, note, topics: entries.slice(0, limitOf(search)).map(summaryOf), ...hiddenOf(search) };
}

function limitOf({ request }: Search): number {
  return Math.max(1, request.limit ?? 20);
}

function summaryOf({ id, title, description }: TopicEntry): TopicSummary {
  return { topic_id: id, title, description };
}

async function topicAnswer(library: Library, topic: Topic, match: RetrievalMatch, request: RetrievalRequest): Promise<Retrieval> {
  const samples = request.include_samples === true ? await readSamples(library.files, topic) : undefined;
  const [broken] = topic.problems;
  return {
    match,
    note: broken === undefined ? `Topic \`${topic.id}\` of the ${topic.layer} layer.` : `${broken.message} The text below is complete.`,
    topic_id: topic.id,
    title: topic.title,
    metadata: topic.fields,
    topic_content: topic.body.trim(),
    ...(samples !== undefined && { samples }),
    ...(request.include_related === true && { related_topics: await relatedOf(library, topic) }),
    workflow_integration: {
      instruction:
        "Apply this topic to the file you are working on. Then call `workflow_progress` and report what you found as `findings`, and edits you propose as `proposed_changes`.",
      finding_template: {
        severity: "info|warning|error|critical",
        category: topic.category ?? topic.domains[0] ?? "quality",
        description: "What is wrong, in one sentence",
        suggestion: "What to write instead",
        related_topic: topic.id,
      },
    },
  };
}

/** Related topics with their texts; one that does not exist is left out. */
async function relatedOf(library: Library, topic: Topic): Promise<NonNullable<Retrieval["related_topics"]>> {
  const found: (TopicSummary & { readonly content: string })[] = [];
  for (const reference of topic.related.slice(0, 10)) {
    const related = await resolveTopic(library, reference, topic.id);
    if (related !== undefined && related.id !== topic.id) found.push({ ...summaryOf(related), content: related.body.trim() });
  }
  return found;
}

/** A reference by id, by a name in the same folder, or by a unique bare name. */
export async function resolveTopic(library: Library, reference: string, from?: string): Promise<Topic | undefined> {
  const folder = from?.includes("/") === true ? from.slice(0, from.lastIndexOf("/") + 1) : "";
  const direct =
    (await readTopicById(library.files, reference)) ??
    (folder === "" || reference.includes("/") ? undefined : await readTopicById(library.files, folder + reference));
  if (direct !== undefined) return direct;
  const found = indexedTopic(await library.index(), reference.toLowerCase());
  return found === undefined ? undefined : await readIndexed(library.files, found);
}
