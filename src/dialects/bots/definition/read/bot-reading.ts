import type { Diagnostic, Json, Place } from "../../../../base/index.ts";
import {
  collectInto,
  readJson,
  textDiagnostics,
  type Complain,
  type Complaint,
  type FaultCodes,
  type JsonFault,
  type SourceFile,
  type SourceNode,
  type WorkflowReference,
} from "../../../../source/index.ts";
import { normalPath, openPath } from "./bot-paths.ts";

/** One reading of a bot: its files by their path below the bot's folder, and all that was found wrong with them. */
export interface BotReading {
  readonly root: string;
  readonly files: ReadonlyMap<string, string>;
  readonly found: Diagnostic[];
  readonly complain: Complain;
  /** Where a file is that may not exist, for problems without a better place. */
  place(path: string, line?: number, column?: number): Place;
  /** A problem of a file as a whole, or of a line of plain text. */
  complainOf(place: Place, complaint: Omit<Complaint, "at">): void;
  /** The values of a JSON file; undefined when there is no such file or it is not JSON, which is reported once. */
  json(path: string): SourceNode | undefined;
  /** Remembers a key that is not acted on; reported once at the end, however often it occurs. */
  keep(key: KeptKey): void;
  readonly keptKeys: KeptKey[];
  /** Workflows that actions of the sequence run in their place. */
  readonly calls: WorkflowReference[];
  /** Path below the bot's folder of the file that a node is in. */
  pathOf(node: SourceNode): string;
}

export interface KeptKey {
  readonly node: SourceNode;
  readonly key: string;
  readonly value: Json;
  readonly foreign: boolean;
  /** Keys that are known there. */
  readonly known: readonly string[];
}

const botsFaults: FaultCodes<JsonFault> = {
  syntax: "BOTS_JSON_SYNTAX",
  duplicate_key: "BOTS_DUPLICATE_KEY",
  forbidden_key: "BOTS_FORBIDDEN_KEY",
  too_deep: "BOTS_TOO_DEEP",
};

export function openReading(root: string, files: readonly SourceFile[]): BotReading {
  const texts = new Map(files.map(({ path, text }) => [normalPath(path), text]));
  const paths = new Map([...texts.keys()].map((path) => [openPath(root, path), path]));
  const found: Diagnostic[] = [];
  const read = new Map<string, SourceNode | undefined>();
  const keptKeys: KeptKey[] = [];
  return {
    root,
    files: texts,
    found,
    keptKeys,
    calls: [],
    complain: collectInto(found),
    place: (path, line = 1, column = 1) => ({ file: openPath(root, path), line, column }),
    complainOf(place, { code, message, fix, severity = "error" }) {
      found.push({ code, severity, message, ...(fix === undefined ? {} : { fix }), place });
    },
    json(path) {
      if (!read.has(path)) read.set(path, parse(root, path, texts, found));
      return read.get(path);
    },
    keep: (key) => void keptKeys.push(key),
    pathOf: (node) => paths.get(node.file.source.path) ?? node.file.source.path,
  };
}

function parse(root: string, path: string, texts: ReadonlyMap<string, string>, found: Diagnostic[]): SourceNode | undefined {
  const text = texts.get(path);
  if (text === undefined) return undefined;
  const parsed = readJson({ path: openPath(root, path), text });
  found.push(...textDiagnostics(parsed.problems, botsFaults));
  return parsed.root;
}

/** Names of the folders right below a folder, in the order of their names; hidden and private ones do not count. */
export function foldersBelow(files: ReadonlyMap<string, string>, folder: string): string[] {
  const names = new Set<string>();
  for (const path of files.keys()) {
    if (!path.startsWith(`${folder}/`)) continue;
    const [name = "", ...rest] = path.slice(folder.length + 1).split("/");
    if (rest.length > 0 && !/^[._]/.test(name)) names.add(name);
  }
  return [...names].sort();
}

/** Whether any file is in the folder. */
export function hasFolder(files: ReadonlyMap<string, string>, folder: string): boolean {
  return [...files.keys()].some((path) => path.startsWith(`${folder}/`));
}
