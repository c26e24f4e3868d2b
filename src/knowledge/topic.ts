import type { Diagnostic, JsonObject } from "../base/index.ts";
import type { TopicLayer } from "../ports/index.ts";
import type { VersionRange } from "./versions.ts";

/** What the index knows of a topic; everything but its text. Plain JSON, since it is kept between processes. */
export interface TopicEntry {
  /** Folder and file name: `performance/setloadfields`. */
  readonly id: string;
  readonly title: string;
  /** First sentence of the text. */
  readonly description: string;
  readonly domains: readonly string[];
  readonly tags: readonly string[];
  /** Empty: every version. */
  readonly versions: readonly VersionRange[];
  readonly constructs: readonly string[];
  readonly keywords: readonly string[];
  /** Signs of the fault that the topic is about, and of its fix. */
  readonly antiPatterns: readonly string[];
  readonly goodPatterns: readonly string[];
  /** Names that the text sets as code, in lower case. */
  readonly mentions: readonly string[];
  /** Languages it speaks of: named by `languages`, else known by its versions, object types and tags; empty: any. */
  readonly languages: readonly string[];
  /** Lower case, without spaces; empty: every type. */
  readonly objectTypes: readonly string[];
  readonly threshold: number;
  readonly related: readonly string[];
  readonly prerequisites: readonly string[];
  readonly difficulty?: string;
  readonly category?: string;
  readonly severity?: "info" | "warning" | "error" | "critical";
  readonly specialist?: string;
  /** Path of a file with samples, beside the topic. */
  readonly samples?: string;
  /** About one step between versions; hidden from searches that name no upgrade. */
  readonly migration?: true;
  /** A conversion guide: its target version as its name, its tags or its fields give it. */
  readonly guide?: { readonly target?: number; readonly source?: number; readonly priority?: number };
}

/** A topic with its text. */
export interface Topic extends TopicEntry {
  /** Front matter as written, unknown fields included. */
  readonly fields: JsonObject;
  readonly body: string;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly layer: TopicLayer["name"];
  /** Absolute path. */
  readonly file: string;
  readonly problems: readonly Diagnostic[];
}

/** Last part of an id: `setloadfields`. */
export function bareName(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1);
}

/** Words for comparison: lower case, camel case taken apart, nothing shorter than three letters, no filler. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2 && !filler.has(word));
}

const filler = new Set(
  "the and for with from that this into your you are was not but can has have how what when where which who why does did use using used via per its our all any one should would could will may must about their there than then them they also only over more most such".split(
    " ",
  ),
);
