import type { Diagnostic } from "../base/index.ts";

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

export interface TopicListing {
  /** Markdown files at any depth and `specialists.yaml`, by path. */
  readonly files: readonly TopicFile[];
  /** What could not be looked at: folders, links that lead outside, files that are too large. */
  readonly problems: readonly Diagnostic[];
}

export type TopicReading =
  | { readonly path: string; readonly text: string }
  /** Gone since it was listed, or unreadable: then with the problem. */
  | { readonly path: string; readonly text?: undefined; readonly problem?: Diagnostic };

/** Knowledge on disk. Nothing is touched before a method is called; no path leads out of its layer, also not by a link. */
export interface TopicFiles {
  /** From the weakest to the strongest: the same topic in a later one replaces the earlier. */
  readonly layers: readonly TopicLayer[];
  /** A layer whose folder does not exist is empty. */
  list(layer: TopicLayer): Promise<TopicListing>;
  /** Text without byte order mark; undefined when there is no such file. Rejects when it is there but may not be read. */
  read(layer: TopicLayer, path: string): Promise<string | undefined>;
  /** Many files that `list` named, in any order, without holding up other work. */
  readAll(layer: TopicLayer, paths: readonly string[]): AsyncIterable<TopicReading>;
  /** What was kept about a layer by an earlier process. */
  readCache(layer: TopicLayer): Promise<string | undefined>;
  /** Replaces it atomically. */
  writeCache(layer: TopicLayer, text: string): Promise<void>;
}
