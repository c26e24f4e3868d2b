import type { Turn } from "../../ports/index.ts";
import { isSize } from "../usual-model.ts";

const readTools = ["Read", "Grep", "Glob", "LS", "TodoRead", "TodoWrite", "NotebookRead"];
const editTools = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
const otherTools = ["Bash", "BashOutput", "KillShell", "WebFetch", "WebSearch", "Task"];
/** The kinds of these tools, as workflows name them. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  read: ["Read", "NotebookRead"],
  search: ["Grep", "Glob", "LS"],
  think: ["TodoRead", "TodoWrite", "Task"],
  edit: editTools,
  execute: ["Bash", "BashOutput", "KillShell"],
  fetch: ["WebFetch", "WebSearch"],
};
/** What decides what git and Waymark run. A rule for `Edit` counts for every tool that changes files. */
const guarded = ["Edit(.git)", "Edit(.git/**)", "Edit(.waymark/**)"];

/** Characters that mean more in a rule than in a path. */
const ruleMarks = /[,()*?[\]{}!]/;

/** The arguments of one turn. The prompt comes on stdin and the servers in a file: other users can read command lines. */
export function claudeArguments(turn: Turn, model: string | undefined, serverFile: string | undefined): string[] {
  const { level } = turn.permission;
  const chosen = turn.model === undefined || isSize(turn.model) ? model : turn.model;
  const allowed = allowedTools(turn);
  const denied = [...toolsNamed(turn.tools?.denied ?? []), ...(level === "edit" ? guarded : [])];
  return [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    // Edits are accepted inside the folder only; what is neither accepted nor allowed is denied, since nobody can be asked.
    "--permission-mode",
    level === "read" ? "default" : "acceptEdits",
    "--allowedTools",
    allowed.join(","),
    ...(denied.length === 0 ? [] : ["--disallowedTools", denied.join(",")]),
    ...(serverFile === undefined ? [] : ["--mcp-config", serverFile]),
    "--strict-mcp-config",
    ...(chosen === undefined ? [] : ["--model", chosen]),
    ...(turn.session === undefined ? [] : ["--resume", turn.session, ...(turn.fork === true ? ["--fork-session"] : [])]),
  ];
}

function allowedTools({ permission: { level, commands = [] }, tools, leaves = [], mcp = [] }: Turn): string[] {
  const byLevel = [
    ...readTools,
    ...(level === "read" ? leaves.filter((path) => !ruleMarks.test(path)).map((path) => `Edit(${path})`) : editTools),
    ...(level === "all" ? otherTools : []),
    ...(level === "edit" ? commands.flatMap((line) => [`Bash(${line})`, `Bash(${line}:*)`]) : []),
  ];
  const wanted = tools?.allowed === undefined ? undefined : toolsNamed(tools.allowed);
  const kept = byLevel.filter((tool) => wanted === undefined || wanted.includes(tool.replace(/\(.*/, "")));
  return [...kept, ...mcp.map(({ name }) => `mcp__${name}`)];
}

/** The tools that a workflow names, by name or kind and in any capitals, as the command spells them. */
function toolsNamed(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const wanted = name.toLowerCase();
    const same = [...readTools, ...editTools, ...otherTools].filter((tool) => tool.toLowerCase() === wanted);
    const found = [...same, ...(Object.hasOwn(kinds, wanted) ? (kinds[wanted] ?? []) : [])];
    return found.length === 0 ? [name] : [...new Set(found)];
  });
}

/** The file of servers, as the command reads it. */
export function serverConfig(mcp: NonNullable<Turn["mcp"]>): string {
  const servers = mcp.map(({ name, url, headers = {} }) => [name, { type: "http", url, headers }] as const);
  return JSON.stringify({ mcpServers: Object.fromEntries(servers) });
}
