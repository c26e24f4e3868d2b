import type { CallToolResult } from "@modelcontextprotocol/server";
import { isList, isObject, type Json, type JsonObject } from "../base/index.ts";

/** What follows is a command, not a word of a sentence or a part of a path. */
const commandHead = /(?<![\w./-])waymark (?=[a-z])/g;

/**
 * A result whose lines for a person work wherever they are typed: they name the folder and the store that this server was started with. Only
 * `command_for_person` and the text of errors have such lines; what a workflow or a file says is left as it is.
 */
export function placeCommands(result: CallToolResult, place: string): CallToolResult {
  if (place === "") return result;
  const placed = (text: string): string => text.replaceAll(commandHead, () => `waymark ${place} `);
  const lines: string[] = [];
  const walk = (value: Json, key = ""): Json => {
    if (isList(value)) return value.map((each) => walk(each));
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, walk(held, name)]));
    if (typeof value !== "string") return value;
    if (key === "command_for_person") lines.push(value);
    return key === "command_for_person" || (result.isError === true && (key === "message" || key === "fix")) ? placed(value) : value;
  };
  const structuredContent = walk((result.structuredContent ?? {}) as JsonObject) as JsonObject;
  const told = (text: string): string =>
    result.isError === true ? placed(text) : lines.reduce((all, line) => all.replaceAll(line, () => placed(line)), text);
  return {
    ...result,
    content: result.content.map((part) => (part.type === "text" ? { ...part, text: told(part.text) } : part)),
    ...(result.structuredContent === undefined ? {} : { structuredContent }),
  };
}
