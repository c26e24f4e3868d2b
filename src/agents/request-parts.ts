import { isList, isObject, jsonOrText, type Json, type JsonObject } from "../base/index.ts";
import type { ToolRequest } from "./tool-request.ts";

/** A command line: text for a shell, or words that no shell reads. */
export type Command = string | readonly string[];

/** What the input of a call says, as far as permission depends on it. */
export interface RequestParts {
  readonly commands: readonly Command[];
  /** Commands get variables, or arguments of a form that is not known. */
  readonly alters: boolean;
  /** Files that it names as such. */
  readonly paths: readonly string[];
  /** All other texts that are not known to be prose or content: any of them can be a path. */
  readonly texts: readonly string[];
  /** It brings content for files. */
  readonly content: boolean;
  /** It names a file or something to search or think about, or it says nothing at all. */
  readonly understood: boolean;
}

/** Keys as agents spell them, without `_`, `-` and capitals. */
const keys = (line: string): ReadonlySet<string> => new Set(line.split(" "));
const commandKeys = keys("command commands cmd argv commandline script shell bash exec");
const argumentKeys = keys("args arguments");
const variableKeys = keys("env environment envs");
const pathKeys = keys(
  "path paths filepath filepaths absolutepath relativepath abspath notebookpath file files filename filenames dirpath dir directory folder " +
    "oldpath newpath source destination target targetfile targetpath uri uris root cwd workdir workingdirectory glob globs include exclude",
);
const proseKeys = keys("description explanation reason title instruction instructions");
const searchKeys = keys("pattern patterns query queries regex search text term terms");
const patternKeys = keys("pattern patterns");
const contentKeys = keys(
  "content contents filetext newtext oldtext newstring oldstring newstr oldstr newsource replacement inserttext codeedit codecontent " +
    "newcontent oldcontent patch diff",
);
const editKeys = keys("text find replace search pattern code snippet input prompt");
const thinkKeys = keys("thought thinking plan todos entries content activeform prompt task message text query");

/** Keys whose texts are never paths, by the kind of the call. */
const textKeys: Readonly<Record<string, readonly ReadonlySet<string>[]>> = {
  search: [proseKeys, searchKeys],
  think: [proseKeys, thinkKeys],
  edit: [proseKeys, contentKeys, editKeys],
  delete: [proseKeys],
  move: [proseKeys],
  execute: [proseKeys],
};

interface Found {
  readonly commands: Command[];
  alters: boolean;
  readonly paths: string[];
  readonly texts: string[];
  content: boolean;
  understood: boolean;
}

/** Looks at every text of a request, at any depth. */
export function partsOf({ kind = "", name, input, files }: ToolRequest): RequestParts {
  const found: Found = { commands: [], alters: false, paths: [...files], texts: [], content: false, understood: files.length > 0 };
  const texts = textKeys[kind] ?? [proseKeys];
  // The pattern of a search in files is text to be found; that of one for files, or of one that has no name, is a path.
  const findsFiles = kind === "search" && (name === undefined || /glob|find|list/i.test(name));
  const isPath = (key: string): boolean => pathKeys.has(key) || (findsFiles && patternKeys.has(key));
  const isText = (key: string): boolean => !isPath(key) && texts.some((held) => held.has(key));
  const visit = (value: Json, key: string): void => {
    if (isList(value)) return value.forEach((one) => visit(one, key));
    if (isObject(value)) return visitObject(value, key);
    if (typeof value !== "string") return;
    found.paths.push(...pathsInPatch(value));
    if (isText(key)) return;
    const json = /^\s*[{[]/.test(value) ? jsonOrText(value) : value;
    if (typeof json !== "string") return visit(json, key);
    if (isPath(key)) found.paths.push(value);
    // A path has one line.
    else if (!/[\n\r]/.test(value)) found.texts.push(value);
  };
  const visitObject = (object: JsonObject, above: string): void => {
    const { commands, rest, alters } = commandsIn(object);
    found.commands.push(...commands);
    found.alters ||= alters;
    for (const [given, value] of rest) {
      const key = plain(given);
      found.content ||= contentKeys.has(key) && kind !== "think";
      found.understood ||= isPath(key) || searchKeys.has(key) || (isText(key) && !proseKeys.has(key));
      // Some agents give a map of files to changes.
      (above === "changes" || pathKeys.has(above) ? found.paths : found.texts).push(given);
      visit(value, key);
    }
  };
  found.understood ||= isObject(input) ? isEmpty(input) : input === undefined && kind === "think";
  visit(input ?? null, "");
  return found;
}

interface Commands {
  readonly commands: readonly Command[];
  readonly rest: readonly (readonly [string, Json])[];
  readonly alters: boolean;
}

/** The commands that one object holds, and what else it holds. */
function commandsIn(object: JsonObject): Commands {
  const entries = Object.entries(object);
  const isLine = (key: string, value: Json): boolean =>
    commandKeys.has(plain(key)) && (typeof value === "string" || isList(value)) && !isNothing(value);
  const lines = entries.filter(([key, value]) => isLine(key, value));
  if (lines.length === 0) return { commands: [], rest: entries, alters: false };
  const given = entries.filter(([key, value]) => argumentKeys.has(plain(key)) && !isNothing(value)).map(([, value]) => value);
  const alters = entries.some(([key, value]) => variableKeys.has(plain(key)) && !isNothing(value)) || given.length > 1;
  return {
    commands: lines.map(([, value]) => commandOf(value, given[0])),
    rest: entries.filter(([key, value]) => !isLine(key, value) && !argumentKeys.has(plain(key)) && !variableKeys.has(plain(key))),
    alters,
  };
}

function commandOf(line: Json, given: Json | undefined): Command {
  const more = isList(given) ? given.map(wordOf) : given === undefined ? [] : undefined;
  if (typeof line === "string") {
    if (more === undefined) return `${line} ${wordOf(given ?? "")}`;
    return more.length > 0 ? [line, ...more] : line;
  }
  const words = [...(isList(line) ? line : [line]).map(wordOf), ...(more ?? [wordOf(given ?? "")])];
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(words[0] ?? "") && words.length === 3 && /^-l?c$/.test(words[1] ?? "");
  return isShell ? (words[2] ?? "") : words;
}

function wordOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The files of a patch, in the form of coding agents and of `diff`, whose first folder may be made up. */
function pathsInPatch(text: string): string[] {
  const own = [...text.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map(([, path = ""]) => path.trim());
  const pairs = [...text.matchAll(/^--- ([^\n]+)\n\+\+\+ ([^\n]+)\n(?=@@|$)/gm)].flatMap(([, from = "", to = ""]) => [from, to]);
  const moves = [...text.matchAll(/^rename (?:from|to) (.+)$/gm)].map(([, path = ""]) => path);
  const named = [...pairs, ...moves].map((path) => path.replace(/\t.*$/, "").trim()).filter((path) => path !== "/dev/null");
  return [...own, ...named.flatMap((path) => (/^[ab]\//.test(path) ? [path, path.slice(2)] : [path]))];
}

function plain(key: string): string {
  return key.replace(/[_-]/g, "").toLowerCase();
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

function isNothing(value: Json): boolean {
  return value === null || value === "" || (isList(value) && value.length === 0) || (isObject(value) && isEmpty(value));
}
