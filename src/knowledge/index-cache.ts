import type { Diagnostic } from "../base/index.ts";
import type { TopicEntry } from "./topic.ts";

/** What is kept about one file: valid as long as its size and time of change are these. */
export interface IndexRow {
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
  readonly entry: TopicEntry;
  readonly problems?: readonly Diagnostic[];
}

/** Grows whenever a topic is read in another way: rows of an older form are not believed. */
const form = "waymark-topics-1";

export function encodeRows(rows: readonly IndexRow[]): string {
  const text = JSON.stringify(rows);
  return `${form} ${checksum(text)}\n${text}`;
}

/** Rows by path; empty for a text that is absent, of another form, cut off or changed in any byte. */
export function decodeRows(text: string | undefined): ReadonlyMap<string, IndexRow> {
  const end = text?.indexOf("\n") ?? -1;
  if (text === undefined || end < 0) return new Map();
  const body = text.slice(end + 1);
  if (text.slice(0, end) !== `${form} ${checksum(body)}`) return new Map();
  try {
    return new Map((JSON.parse(body) as IndexRow[]).map((row) => [row.path, row]));
  } catch {
    return new Map();
  }
}

/** FNV-1a over UTF-16 units: finds damage, not malice. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length.toString(36)}-${(hash >>> 0).toString(16)}`;
}
