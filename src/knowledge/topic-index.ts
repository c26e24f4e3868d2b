import { isWaymarkError, type Diagnostic } from "../base/index.ts";
import type { TopicFile, TopicFiles, TopicLayer } from "../ports/index.ts";
import { fileProblem } from "./codes.ts";
import { indexedPart, parseTopic } from "./parse-topic.ts";
import { bareName, type TopicEntry } from "./topic.ts";
import { byRoot, isRooted, topicIdOf } from "./topic-paths.ts";

/** A topic and the file it is in. */
export interface IndexedTopic {
  readonly entry: TopicEntry;
  readonly layer: TopicLayer;
  readonly path: string;
}

export interface LoadedIndex {
  /** By id in lower case; of each id the strongest layer's. */
  readonly topics: ReadonlyMap<string, IndexedTopic>;
  /** Ids by bare name in lower case. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Other files of the layers, weakest first: lists of specialists. */
  readonly specialistFiles: readonly { readonly layer: TopicLayer; readonly path: string }[];
  readonly problems: readonly Diagnostic[];
}

export interface IndexOptions {
  readonly files: TopicFiles;
  /** Milliseconds. With a clock, a search looks at the folders again after half a minute; without one, never. */
  readonly now?: () => number;
}

/** What is kept about one file: valid as long as its size and time of change are these. */
interface IndexRow extends TopicFile {
  readonly entry: TopicEntry;
  readonly problems?: readonly Diagnostic[];
}

type WantedFile = TopicFile & { readonly id: string };

const refreshAfterMs = 30_000;

/** All topics of all layers without their texts. Built once, by the first call; calls meanwhile wait for the same one. */
export class TopicIndex {
  readonly #options: IndexOptions;
  #loading: Promise<LoadedIndex> | undefined;
  #loadedAt = 0;
  #rows = new Map<string, ReadonlyMap<string, IndexRow>>();

  constructor(options: IndexOptions) {
    this.#options = options;
  }

  load(): Promise<LoadedIndex> {
    const { now = () => 0 } = this.#options;
    if (this.#loading === undefined || now() - this.#loadedAt > refreshAfterMs) {
      this.#loadedAt = Infinity;
      const loading = this.#build();
      this.#loading = loading;
      loading.then(
        () => (this.#loadedAt = now()),
        () => (this.#loading = undefined),
      );
    }
    return this.#loading;
  }

  async #build(): Promise<LoadedIndex> {
    const topics = new Map<string, IndexedTopic>();
    const problems: Diagnostic[] = [];
    const specialistFiles: { layer: TopicLayer; path: string }[] = [];
    for (const layer of this.#options.files.layers) {
      const listing = await this.#options.files.list(layer);
      problems.push(...listing.problems);
      const rooted = isRooted(listing.files);
      const wanted = [...listing.files].sort(byRoot).flatMap((file) => {
        const id = topicIdOf(file.path, rooted);
        return id === undefined ? [] : [{ ...file, id }];
      });
      for (const row of await this.#rowsOf(layer, wanted, problems)) {
        topics.set(row.entry.id.toLowerCase(), { entry: row.entry, layer, path: row.path });
        problems.push(...(row.problems ?? []));
      }
      for (const { path } of listing.files) if (/^specialists(?:\.ya?ml$|\/[^/]+\.md$)/.test(path)) specialistFiles.push({ layer, path });
    }
    const names = new Map<string, string[]>();
    for (const id of topics.keys()) {
      const held = names.get(bareName(id));
      if (held === undefined) names.set(bareName(id), [id]);
      else held.push(id);
    }
    return { topics, names, specialistFiles, problems };
  }

  async #rowsOf(layer: TopicLayer, wanted: readonly WantedFile[], problems: Diagnostic[]): Promise<IndexRow[]> {
    const { files } = this.#options;
    const known = this.#rows.get(layer.folder) ?? decodeRows(wanted.length === 0 ? undefined : await files.readCache(layer));
    const rows = new Map<string, IndexRow>();
    const changed = new Map<string, WantedFile>();
    for (const file of wanted) {
      const row = known.get(file.path);
      if (row !== undefined && row.size === file.size && row.mtime === file.mtime && row.entry.id === file.id) rows.set(file.path, row);
      else changed.set(file.path, file);
    }
    for await (const { path, text, ...rest } of files.readAll(layer, [...changed.keys()])) {
      const file = changed.get(path);
      if ("problem" in rest && rest.problem !== undefined) problems.push(rest.problem);
      if (file !== undefined && text !== undefined) rows.set(path, rowOf(layer, file, text));
    }
    this.#rows.set(layer.folder, rows);
    if (changed.size > 0 || rows.size !== known.size) await this.#keep(layer, rows, problems);
    return wanted.flatMap(({ path }) => rows.get(path) ?? []);
  }

  /** A cache that cannot be written costs time at the next start, nothing else. */
  async #keep(layer: TopicLayer, rows: ReadonlyMap<string, IndexRow>, problems: Diagnostic[]): Promise<void> {
    try {
      const text = JSON.stringify([...rows.values()]);
      await this.#options.files.writeCache(layer, `${form} ${checksum(text)}\n${text}`);
    } catch (error) {
      if (!isWaymarkError(error)) throw error;
      const message = `The index of \`${layer.folder}\` is not kept: ${error.message}`;
      problems.push(fileProblem("KNOWLEDGE_CACHE", message, { file: layer.folder, line: 1, column: 1 }));
    }
  }
}

function rowOf(layer: TopicLayer, { id, path, size, mtime }: WantedFile, text: string): IndexRow {
  const topic = parseTopic({ id, text, file: `${layer.folder}/${path}`, layer: layer.name });
  return { path, size, mtime, entry: indexedPart(topic), ...(topic.problems.length > 0 && { problems: topic.problems }) };
}

/** Raise it whenever a topic is read in another way: rows of an older form are not used. */
const form = "waymark-topics-1";

/** Rows by path; empty for a text that is absent, of another form, cut off or changed in any byte. */
function decodeRows(text = ""): ReadonlyMap<string, IndexRow> {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  if (end < 0 || text.slice(0, end) !== `${form} ${checksum(body)}`) return new Map();
  return new Map((JSON.parse(body) as IndexRow[]).map((row) => [row.path, row]));
}

/** FNV-1a over UTF-16 units: finds damage, not malice. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length.toString(36)}-${(hash >>> 0).toString(16)}`;
}
