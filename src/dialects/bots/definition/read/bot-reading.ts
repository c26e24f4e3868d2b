import { defined, type Diagnostic, type Place } from "../../../../base/index.ts";
import {
  collectInto,
  readJson,
  textDiagnostics,
  type Complaint,
  type FaultCodes,
  type JsonFault,
  type SourceFile,
  type SourceNode,
  type WorkflowReference,
} from "../../../../source/index.ts";

/** Takes a problem of a value; or of a place: a file as a whole, or a line of plain text. */
type Report = (at: SourceNode | Place, complaint: Complaint) => void;

/** One reading of a bot: its files by their path below the bot's folder, and all that was found wrong with them. */
export interface BotReading {
  readonly files: ReadonlyMap<string, string>;
  readonly found: Diagnostic[];
  readonly complain: Report;
  /** The same for what is not an error. */
  readonly warn: Report;
  /** Where a file is that may not exist, for problems without a better place. */
  place(path: string, line?: number, column?: number): Place;
  /** The values of a JSON file; undefined when there is no such file or it is not JSON, which is reported once. */
  json(path: string): SourceNode | undefined;
  /** Keys that are not acted on; each is reported once at the end, however often it occurs. */
  readonly keptKeys: KeptKey[];
  /** Workflows that actions of the sequence run in their place. */
  readonly calls: WorkflowReference[];
  /** Path below the bot's folder of the file that a node is in. */
  pathOf(node: SourceNode): string;
}

export interface KeptKey {
  readonly node: SourceNode;
  readonly key: string;
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
  const ofNode = collectInto(found);
  const complain: Report = (at, complaint) => {
    if ("value" in at) return ofNode(at, complaint);
    const { code, message, fix, severity = "error" } = complaint;
    found.push({ code, severity, message, ...defined({ fix }), place: at });
  };
  return {
    files: texts,
    found,
    keptKeys: [],
    calls: [],
    complain,
    warn: (at, complaint) => complain(at, { ...complaint, severity: "warning" }),
    place: (path, line = 1, column = 1) => ({ file: openPath(root, path), line, column }),
    json(path) {
      const text = texts.get(path);
      if (read.has(path) || text === undefined) return read.get(path);
      const parsed = readJson({ path: openPath(root, path), text });
      found.push(...textDiagnostics(parsed.problems, botsFaults));
      read.set(path, parsed.root);
      return parsed.root;
    },
    pathOf: (node) => paths.get(node.file.source.path) ?? node.file.source.path,
  };
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

/** A path without `.` and with every `..` resolved that can be; one that leads out of its start keeps its leading `..`. */
export function normalPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else kept.push(part);
  }
  return kept.join("/");
}

export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

export function joinPath(folder: string, path: string): string {
  return normalPath(folder === "" ? path : `${folder}/${path}`);
}

/** A path below the bot's folder as one that can be opened; the separators of the folder are kept. */
export function openPath(root: string, path: string): string {
  if (root === "" || root === ".") return path;
  const separator = root.includes("\\") && !root.includes("/") ? "\\" : "/";
  const kept = root.replace(/[\\/]+$/, "").split(/[\\/]/);
  for (const part of path.split("/")) {
    if (part === ".." && kept.length > 1) kept.pop();
    else kept.push(part);
  }
  return kept.join(separator);
}

/**
 * The folder of the bot that a file is the configuration of; undefined when it is not such a file. `bot_config.json` is in the
 * bot's folder or in `config` below it, so no bot can itself be called `config`.
 */
export function recogniseBot(path: string): string | undefined {
  const found = /^(?:(.*)\/)?bot_config\.json$/.exec(path.replaceAll("\\", "/"));
  if (found === null) return undefined;
  const folder = (found[1] ?? "").replace(/(?:^|\/)config$/, "");
  return folder === "" ? (path.startsWith("/") ? "/" : ".") : folder;
}
