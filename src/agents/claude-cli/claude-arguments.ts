import type { Turn } from "../../ports/index.ts";

const readTools = ["Read", "Grep", "Glob", "LS", "TodoRead", "TodoWrite", "NotebookRead"];
const editTools = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
const otherTools = ["Bash", "BashOutput", "KillShell", "WebFetch", "WebSearch", "Task"];

/** Characters that mean more in a rule than in a path. */
const ruleMarks = /[,()*?[\]{}!]/;

/** The arguments of one turn. The prompt comes on stdin and the servers in a file: other users can read command lines. */
export function claudeArguments(turn: Turn, model: string | undefined, serverFile: string | undefined): string[] {
  const { level } = turn.permission;
  const chosen = turn.model ?? model;
  const allowed = allowedTools(turn);
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
    ...(turn.tools?.denied === undefined || turn.tools.denied.length === 0 ? [] : ["--disallowedTools", turn.tools.denied.join(",")]),
    ...(serverFile === undefined ? [] : ["--mcp-config", serverFile]),
    "--strict-mcp-config",
    ...(chosen === undefined ? [] : ["--model", chosen]),
    ...(turn.session === undefined ? [] : ["--resume", turn.session]),
  ];
}

function allowedTools({ permission: { level, commands = [] }, tools, leaves = [], mcp = [] }: Turn): string[] {
  const byLevel = [
    ...readTools,
    ...(level === "read" ? leaves.filter((path) => !ruleMarks.test(path)).map((path) => `Edit(${path})`) : editTools),
    ...(level === "all" ? otherTools : []),
    ...(level === "edit" ? commands.flatMap((line) => [`Bash(${line})`, `Bash(${line}:*)`]) : []),
  ];
  const kept = byLevel.filter((tool) => tools?.allowed === undefined || tools.allowed.includes(tool.replace(/\(.*/, "")));
  return [...kept, ...mcp.map(({ name }) => `mcp__${name}`)];
}

/** The file of servers, as the command reads it. */
export function serverConfig(mcp: NonNullable<Turn["mcp"]>): string {
  const servers = mcp.map(({ name, url, headers = {} }) => [name, { type: "http", url, headers }] as const);
  return JSON.stringify({ mcpServers: Object.fromEntries(servers) });
}
