/** A folder of knowledge. Its files: `topics/<domain>/<name>.md`, `guides/<name>.md`, `specialists.yaml`. */
export interface TopicLayer {
  readonly name: "bundled" | "user" | "extra" | "project";
  /** Absolute, with `/`. */
  readonly folder: string;
}

/** Size and time of change tell whether something kept about the file is still true. */
export interface TopicFile {
  /** Relative to the layer's folder, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
}

/** Knowledge on disk. Nothing is touched before a method is called; no path leads out of its layer, also not by a link. */
export interface TopicFiles {
  /** From the weakest to the strongest: the same topic in a later one replaces the earlier. */
  readonly layers: readonly TopicLayer[];
  /**
   * Markdown files at any depth and `specialists.yaml`, by path. A layer whose folder does not exist is empty; links that lead outside and
   * files that are too large are left out.
   */
  list(layer: TopicLayer): Promise<readonly TopicFile[]>;
  /** Text without byte order mark; undefined when there is no such file. Rejects when it is there but may not be read. */
  read(layer: TopicLayer, path: string): Promise<string | undefined>;
  /** Those of many files that `list` named which can be read, in any order, without holding up other work. */
  readAll(layer: TopicLayer, paths: readonly string[]): AsyncIterable<{ readonly path: string; readonly text: string }>;
  /** What was kept about a layer by an earlier process. */
  readCache(layer: TopicLayer): Promise<string | undefined>;
  /** Replaces it atomically. */
  writeCache(layer: TopicLayer, text: string): Promise<void>;
}
