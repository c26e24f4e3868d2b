import { isList, isObject, own, type Json } from "../base/index.ts";

/** What an agent wants to do, gathered from everything it said about one tool call. Never its title: that is free text. */
export interface ToolRequest {
  readonly id: string;
  readonly kind?: string;
  readonly name?: string;
  readonly input?: Json;
  /** Files that the agent says it touches. */
  readonly files: readonly string[];
}

/** Keys of inputs that hold paths, over all agents. */
const pathKeys = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "absolute_path",
  "notebook_path",
  "file",
  "filename",
  "fileName",
  "dir_path",
  "directory",
];
const morePathKeys = [
  "old_path",
  "new_path",
  "oldPath",
  "newPath",
  "source",
  "destination",
  "abs_path",
  "paths",
  "files",
  "glob",
  "globs",
  "include",
];

/** All paths of a request: those of its input, of a patch inside of it, and those named beside it. */
export function pathsOf({ name, input, files }: ToolRequest): readonly string[] {
  if (typeof input === "string") return [...files, ...pathsInPatch(input)];
  if (!isObject(input)) return files;
  // The pattern of other searches is text to be found.
  const patternKeys = /glob/i.test(name ?? "") ? ["pattern", "patterns"] : [];
  const named = [...pathKeys, ...morePathKeys, ...patternKeys].flatMap((key) => textsOf(own(input, key)));
  // Some agents give a map of files to changes.
  const changes = own(input, "changes");
  const changed = isObject(changes) ? Object.keys(changes) : [];
  const patches = ["patch", "input", "diff"].flatMap((key) => textsOf(own(input, key))).flatMap(pathsInPatch);
  return [...files, ...named, ...changed, ...patches];
}

function pathsInPatch(text: string): string[] {
  return [...text.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map(([, path = ""]) => path.trim());
}

/** The command line of a request, also of one that an agent shows as something else: text, or words that no shell reads. */
export function commandOf({ input }: ToolRequest): string | readonly string[] | undefined {
  if (!isObject(input)) return undefined;
  const given = own(input, "command") ?? own(input, "cmd") ?? own(input, "argv");
  if (typeof given === "string") return withArguments(given, own(input, "args"));
  if (!isList(given) || given.length === 0) return undefined;
  const words = given.map(String);
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(words[0] ?? "") && words.length === 3 && /^-l?c$/.test(words[1] ?? "");
  return isShell ? words[2] : words;
}

function withArguments(command: string, args: Json | undefined): string | readonly string[] {
  return isList(args) && args.length > 0 ? [command, ...args.map(String)] : command;
}

/** The MCP server of a tool, as agents name it: in its name, in its input, or at the beginning of the call's id. */
export function serverOf({ id, name, input }: ToolRequest, servers: readonly string[]): string | undefined {
  const named = isObject(input) ? (own(input, "server") ?? own(input, "server_name")) : undefined;
  return servers.find(
    (server) => named === server || [name, id].some((text) => text?.startsWith(`mcp__${server}__`) || text?.startsWith(`mcp_${server}_`)),
  );
}

/** What a person reads about a request. */
export function describeRequest(request: ToolRequest): string {
  const command = commandOf(request);
  const detail = command === undefined ? pathsOf(request)[0] : typeof command === "string" ? command : command.join(" ");
  const what = request.name ?? request.kind ?? "tool";
  return detail === undefined ? what : `${what}: ${detail}`;
}

function textsOf(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  return isList(value) ? value.filter((one) => typeof one === "string") : [];
}
