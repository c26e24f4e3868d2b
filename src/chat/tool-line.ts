import { cutText, isObject, textOf, wholeCharacters, type Json } from "../base/index.ts";

const longestCommand = 100;
const longestInput = 80;

/** A tool call as a chat shows it: its name, and what it is about on the line below. */
export function toolLine(name: string, input: Json | undefined): string {
  const brief = briefOf(name, input).replaceAll(/\s+/g, " ").trim();
  return `🔧 ${name.toUpperCase()}${brief === "" ? "" : `\n${brief}`}`;
}

/** What tools of known agents are about, by their names. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  bash: ["command"],
  read: ["file_path", "path"],
  write: ["file_path", "path"],
  edit: ["file_path", "path"],
  glob: ["pattern"],
  grep: ["pattern"],
};

function briefOf(name: string, input: Json | undefined): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server !== undefined) return `MCP: ${server} ${tool}`;
  if (!isObject(input)) return input === undefined || input === null ? "" : cutText(textOf(input), longestInput, "...");
  const key = subjects[name.toLowerCase()]?.find((each) => typeof input[each] === "string");
  if (key !== undefined) return key === "command" ? cutText(textOf(input[key]), longestCommand, "...") : textOf(input[key]);
  const text = JSON.stringify(input);
  return text === "{}" ? "" : text.length <= longestInput ? text : `${text.slice(0, wholeCharacters(text, longestInput))}...`;
}
