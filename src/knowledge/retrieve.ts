import { nearest } from "../base/index.ts";
import type { TopicFiles } from "../ports/index.ts";
import { readIndexed, readSamples, readTopicById } from "./read-topic.ts";
import { evidenceOfText, inScope, relevanceOf, type Scope } from "./relevance.ts";
import type { Retrieval, RetrievalMatch, RetrievalRequest, TopicGroup, TopicSummary } from "./retrieval.ts";
import { isTopicOf, type LoadedSpecialists } from "./specialists.ts";
import { bareName, type Topic, type TopicEntry } from "./topic.ts";
import type { IndexedTopic, LoadedIndex } from "./topic-index.ts";
import { requireVersion } from "./versions.ts";

/** What retrieving needs; the index and the specialists are loaded when something less exact than an id is asked for. */
export interface Shelves {
  readonly files: TopicFiles;
  index(): Promise<LoadedIndex>;
  specialists(): Promise<LoadedSpecialists>;
}

/** Never comes back with empty hands: what is not found exactly leads to what is near, and at last to a list of all domains. */
export async function retrieve(shelves: Shelves, request: RetrievalRequest): Promise<Retrieval> {
  const asked = cleaned(request.topic_id);
  if (asked !== undefined) {
    const exact = await readTopicById(shelves.files, asked);
    if (exact !== undefined) return await topicAnswer(shelves, exact, "exact", request);
    return await lessExact(shelves, asked, request);
  }
  const room: Room = { shelves, request, index: await shelves.index(), scope: scopeOf(request) };
  const query = cleaned(request.query);
  if (query !== undefined) return searched(room, query) ?? everything(room, `No topic matches \`${query}\`.`);
  if (request.domain !== undefined) return ofDomain(room, request.domain) ?? everything(room, `There is no domain \`${request.domain}\`.`);
  if (request.specialist !== undefined) {
    return (
      (await ofSpecialist(room, request.specialist)) ?? everything(room, `No topic belongs to a specialist \`${request.specialist}\`.`)
    );
  }
  return everything(room, "");
}

interface Room {
  readonly shelves: Shelves;
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

function scopeOf({ bc_version, source_version, target_version }: RetrievalRequest): Scope {
  return {
    ...(bc_version !== undefined && { version: requireVersion("bc_version", bc_version) }),
    ...(source_version !== undefined &&
      target_version !== undefined && {
        upgrade: { source: requireVersion("source_version", source_version), target: requireVersion("target_version", target_version) },
      }),
  };
}

/** Other case, bare name, parts of names, then what the id's folder may be: a domain or a specialist. */
async function lessExact(shelves: Shelves, asked: string, request: RetrievalRequest): Promise<Retrieval> {
  const room: Room = { shelves, request, index: await shelves.index(), scope: scopeOf(request) };
  const key = asked.toLowerCase();
  const same = room.index.topics.get(key);
  const named = room.index.names.get(bareName(key)) ?? [];
  const one = same ?? (named.length === 1 ? room.index.topics.get(named[0]!) : undefined);
  const topic = one === undefined ? undefined : await readIndexed(shelves.files, one);
  if (topic !== undefined) return await topicAnswer(shelves, topic, same === undefined ? "name" : "exact", request);
  if (named.length > 1)
    return listAnswer(
      room,
      "partial",
      entriesOf(room, named),
      `${named.length} topics are called \`${bareName(key)}\`; ask for one of these ids.`,
    );
  const partial = partialMatches(room, key);
  const notThere = `There is no topic \`${asked}\`.`;
  if (partial.length > 0) return listAnswer(room, "partial", partial, `${notThere} These are close; ask for one of them by its id.`);
  const folder = key.includes("/") ? key.slice(0, key.indexOf("/")) : key;
  const found = ofDomain(room, folder) ?? (await ofSpecialist(room, folder)) ?? searched(room, asked.replaceAll(/[/_-]+/g, " "));
  return found === undefined ? everything(room, notThere) : { ...found, note: `${notThere} ${found.note}` };
}

function entriesOf(room: Room, ids: readonly string[]): TopicEntry[] {
  return ids.flatMap((id) => room.index.topics.get(id)?.entry ?? []);
}

/** Ids that contain what was asked for, and ids that differ by a slip; those in scope first. */
function partialMatches(room: Room, key: string): TopicEntry[] {
  const part = bareName(key);
  const all = [...room.index.topics.values()].map(({ entry }) => entry);
  const near = all.filter(({ id, title }) => isNear(id.toLowerCase(), key) || title.toLowerCase() === key);
  const inside = near.filter((entry) => inScope(entry, room.scope));
  if (near.length > 0) return [...inside, ...near.filter((entry) => !inside.includes(entry))];
  const scoped = all.filter((entry) => inScope(entry, room.scope)).slice(0, 3000);
  const close = new Set(
    nearest(
      part,
      scoped.map(({ id }) => bareName(id)),
      5,
    ),
  );
  return scoped.filter(({ id }) => close.has(bareName(id)));
}

/** One contains the other: `setloadfields-optimization` is near `performance/setloadfields`, and `loadfields` as well. */
function isNear(id: string, key: string): boolean {
  const name = bareName(id);
  const part = bareName(key);
  return id.includes(key) || (part.length > 2 && name.includes(part)) || (name.length > 4 && part.includes(name));
}

function searched(room: Room, query: string): Retrieval | undefined {
  const evidence = evidenceOfText(query);
  const hits = inView(room)
    .map((entry) => ({ entry, ...relevanceOf(entry, evidence) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1));
  if (hits.length === 0) return undefined;
  const shown = hits.slice(0, limitOf(room)).map(({ entry, score }): TopicSummary => ({ ...summaryOf(entry), relevance_score: score }));
  const note = `${counted(hits.length, "topic")} found for \`${query}\`, the best first. Ask for one by its id to read it.`;
  return { match: "search", note, topics: shown, ...hiddenOf(room) };
}

function ofDomain(room: Room, domain: string): Retrieval | undefined {
  const wanted = domain.toLowerCase();
  const found = inView(room).filter(({ domains }) => domains.includes(wanted));
  return found.length === 0
    ? undefined
    : listAnswer(room, "domain", found, `${counted(found.length, "topic")} of the domain \`${domain}\`.`);
}

async function ofSpecialist(room: Room, id: string): Promise<Retrieval | undefined> {
  const specialist = (await room.shelves.specialists()).all.get(id.toLowerCase());
  if (specialist === undefined) return undefined;
  const found = inView(room).filter((entry) => isTopicOf(entry, specialist));
  const note = `${counted(found.length, "topic")} of the field \`${specialist.title}\` (${specialist.specialist_id}).`;
  return found.length === 0 ? undefined : listAnswer(room, "specialist", found, note);
}

/** All domains with their first topics. */
function everything(room: Room, why: string): Retrieval {
  const byDomain = new Map<string, TopicEntry[]>();
  for (const entry of inView(room)) {
    const domain = entry.domains[0] ?? "general";
    byDomain.set(domain, [...(byDomain.get(domain) ?? []), entry]);
  }
  const each = Math.max(3, Math.floor(limitOf(room) / Math.max(1, byDomain.size)));
  const groups = [...byDomain.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([domain, entries]): TopicGroup => ({ domain, count: entries.length, topics: entries.slice(0, each).map(summaryOf) }));
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const note =
    total === 0
      ? "No layer of knowledge has a topic here; `.waymark/knowledge/topics` is the project's own."
      : `${counted(total, "topic")} by domain.`;
  return { match: "list", note: why === "" ? note : `${why} ${note}`, groups, ...hiddenOf(room) };
}

/** Topics that lists may show, by id; with tags only those that carry all of them. */
function inView(room: Room): TopicEntry[] {
  const tags = (room.request.tags ?? []).map((tag) => tag.toLowerCase());
  return [...room.index.topics.values()]
    .map(({ entry }: IndexedTopic) => entry)
    .filter((entry) => inScope(entry, room.scope) && tags.every((tag) => entry.tags.includes(tag)))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function hiddenOf(room: Room): { readonly hidden_migration_topics?: number } {
  if (room.scope.upgrade !== undefined) return {};
  const hidden = [...room.index.topics.values()].filter(({ entry }) => entry.migration === true || entry.guide !== undefined).length;
  return hidden === 0 ? {} : { hidden_migration_topics: hidden };
}

function listAnswer(room: Room, match: RetrievalMatch, entries: readonly TopicEntry[], note: string): Retrieval {
  return { match, note, topics: entries.slice(0, limitOf(room)).map(summaryOf), ...hiddenOf(room) };
}

function limitOf({ request }: Room): number {
  return Math.max(1, request.limit ?? 20);
}

function summaryOf({ id, title, description }: TopicEntry): TopicSummary {
  return { topic_id: id, title, description };
}

async function topicAnswer(shelves: Shelves, topic: Topic, match: RetrievalMatch, request: RetrievalRequest): Promise<Retrieval> {
  const samples = request.include_samples === true ? await readSamples(shelves.files, topic) : undefined;
  const [broken] = topic.problems;
  return {
    match,
    note: broken === undefined ? `Topic \`${topic.id}\` of the ${topic.layer} layer.` : `${broken.message} The text below is complete.`,
    topic_id: topic.id,
    title: topic.title,
    metadata: topic.fields,
    topic_content: topic.body.trim(),
    ...(samples !== undefined && { samples }),
    ...(request.include_related === true && { related_topics: await relatedOf(shelves, topic) }),
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
async function relatedOf(shelves: Shelves, topic: Topic): Promise<NonNullable<Retrieval["related_topics"]>> {
  const found: (TopicSummary & { readonly content: string })[] = [];
  for (const reference of topic.related.slice(0, 10)) {
    const related = await resolveTopic(shelves, reference, topic.id);
    if (related !== undefined && related.id !== topic.id) found.push({ ...summaryOf(related), content: related.body.trim() });
  }
  return found;
}

/** A reference by id, by a name in the same folder, or by a unique bare name. */
export async function resolveTopic(
  shelves: Pick<Shelves, "files" | "index">,
  reference: string,
  from?: string,
): Promise<Topic | undefined> {
  const folder = from?.includes("/") === true ? from.slice(0, from.lastIndexOf("/") + 1) : "";
  const direct =
    (await readTopicById(shelves.files, reference)) ??
    (folder === "" || reference.includes("/") ? undefined : await readTopicById(shelves.files, folder + reference));
  if (direct !== undefined) return direct;
  const index = await shelves.index();
  const ids = index.names.get(bareName(reference).toLowerCase()) ?? [];
  const found = index.topics.get(reference.toLowerCase()) ?? (ids.length === 1 ? index.topics.get(ids[0]!) : undefined);
  return found === undefined ? undefined : await readIndexed(shelves.files, found);
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
