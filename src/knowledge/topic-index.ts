import { isWaymarkError, type Diagnostic } from "../base/index.ts";
import type { TopicFile, TopicFiles, TopicLayer } from "../ports/index.ts";
import { fileProblem } from "./codes.ts";
import { decodeRows, encodeRows, type IndexRow } from "./index-cache.ts";
import { indexedPart, parseTopic } from "./parse-topic.ts";
import type { TopicEntry } from "./topic.ts";
import { byRoot, isRooted, topicIdOf } from "./topic-paths.ts";

/** A topic and the file it stands in. */
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
  /** Milliseconds; without a clock the folders are looked at once. */
  readonly now?: () => number;
  /** After this time a search looks at the folders again; only changed files are read. */
  readonly refreshAfter?: number;
}

/** All topics of all layers without their texts. Built by the first who asks, once for all who ask meanwhile. */
export class TopicIndex {
  readonly #options: IndexOptions;
  #loading: Promise<LoadedIndex> | undefined;
  #loadedAt = 0;
  #rows = new Map<string, ReadonlyMap<string, IndexRow>>();

  constructor(options: IndexOptions) {
    this.#options = options;
  }

  load(): Promise<LoadedIndex> {
    const { now, refreshAfter = 30_000 } = this.#options;
    const time = now?.() ?? 0;
    if (this.#loading === undefined || time - this.#loadedAt > refreshAfter) {
      this.#loadedAt = Infinity;
      const loading = this.#build();
      this.#loading = loading;
      loading.then(
        () => (this.#loadedAt = now?.() ?? 0),
        () => (this.#loading = undefined),
      );
    }
    return this.#loading;
  }

  /** Looks at the folders again at the next use. */
  refresh(): void {
    this.#loading = undefined;
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
    return { topics, names: namesOf(topics), specialistFiles, problems };
  }

  async #rowsOf(layer: TopicLayer, wanted: readonly (TopicFile & { readonly id: string })[], problems: Diagnostic[]): Promise<IndexRow[]> {
    const known =
      this.#rows.get(layer.folder) ?? (wanted.length === 0 ? new Map<string, IndexRow>() : decodeRows(await this.#cached(layer)));
    const rows = new Map<string, IndexRow>();
    const changed = new Map<string, TopicFile & { readonly id: string }>();
    for (const file of wanted) {
      const row = known.get(file.path);
      if (row !== undefined && row.size === file.size && row.mtime === file.mtime && row.entry.id === file.id) rows.set(file.path, row);
      else changed.set(file.path, file);
    }
    for await (const { path, text, ...rest } of this.#options.files.readAll(layer, [...changed.keys()])) {
      const file = changed.get(path);
      if ("problem" in rest && rest.problem !== undefined) problems.push(rest.problem);
      if (file !== undefined && text !== undefined) rows.set(path, rowOf(layer, file, text));
    }
    this.#rows.set(layer.folder, rows);
    if (changed.size > 0 || rows.size !== known.size) await this.#keep(layer, rows, problems);
    return wanted.flatMap(({ path }) => rows.get(path) ?? []);
  }

  async #cached(layer: TopicLayer): Promise<string | undefined> {
    return await this.#options.files.readCache(layer);
  }

  /** A cache that cannot be written costs time at the next start, nothing else. */
  async #keep(layer: TopicLayer, rows: ReadonlyMap<string, IndexRow>, problems: Diagnostic[]): Promise<void> {
    try {
      await this.#options.files.writeCache(layer, encodeRows([...rows.values()]));
    } catch (error) {
      if (!isWaymarkError(error)) throw error;
      problems.push(
        fileProblem("KNOWLEDGE_CACHE", `The index of \`${layer.folder}\` is not kept: ${error.message}`, {
          file: layer.folder,
          line: 1,
          column: 1,
        }),
      );
    }
  }
}

function rowOf(layer: TopicLayer, file: TopicFile & { readonly id: string }, text: string): IndexRow {
  const topic = parseTopic({ id: file.id, text, file: `${layer.folder}/${file.path}`, layer: layer.name });
  const { path, size, mtime } = file;
  return { path, size, mtime, entry: indexedPart(topic), ...(topic.problems.length > 0 && { problems: topic.problems }) };
}

function namesOf(topics: ReadonlyMap<string, IndexedTopic>): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const id of topics.keys()) {
    const name = id.slice(id.lastIndexOf("/") + 1);
    const held = names.get(name);
    if (held === undefined) names.set(name, [id]);
    else held.push(id);
  }
  return names;
}
