import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Turn } from "../ports/index.ts";
import { commandOf, pathsOf, serverOf, type ToolRequest } from "./tool-request.ts";

/** What a turn says about permission. */
export type Rules = Pick<Turn, "permission" | "tools" | "mcp" | "cwd">;

const readKinds = ["read", "search", "think"];
const editKinds = ["edit", "delete", "move"];

/**
 * Whether an agent may do what it asks. Decided by the kind and the input of the call; what is not understood needs `all`. Files outside
 * the turn's folder are refused at every level, and so is a change of files that names none.
 */
export function mayDo(request: ToolRequest, rules: Rules): boolean {
  if (
    serverOf(
      request,
      (rules.mcp ?? []).map(({ name }) => name),
    ) !== undefined
  )
    return true;
  if (isExcluded(request, rules.tools)) return false;
  const { level, commands = [] } = rules.permission;
  const command = commandOf(request);
  if (command !== undefined || request.kind === "execute")
    return level === "all" || (level === "edit" && command !== undefined && commands.some((line) => beginsWith(command, line)));
  const paths = pathsOf(request);
  if (!paths.every((path) => isInside(path, rules.cwd))) return false;
  if (readKinds.includes(request.kind ?? "")) return true;
  if (editKinds.includes(request.kind ?? "")) return level !== "read" && paths.length > 0;
  return level === "all";
}

/** Whether the workflow rules this tool out, whatever the level. Tools of Waymark's own server never are. */
export function isExcluded({ name, kind }: ToolRequest, tools: Turn["tools"]): boolean {
  const isNamed = (names: readonly string[]): boolean => names.some((one) => one === name || one === kind);
  if (tools?.denied !== undefined && isNamed(tools.denied)) return true;
  return tools?.allowed !== undefined && !isNamed(tools.allowed);
}

/** Characters with which a shell does more than one plain command. */
const shellMarks = /[;&|<>$`(){}[\]*?!#~\\\n\r\0]/;

/** Whether a command is an allowed line, word by word, with nothing but plain words after it. */
function beginsWith(command: string | readonly string[], line: string): boolean {
  const wanted = line.trim().split(/[ \t]+/);
  const given = typeof command === "string" ? command.trim().split(/[ \t]+/) : command;
  const rest = given.slice(wanted.length);
  return wanted[0] !== "" && wanted.every((word, at) => word === given[at]) && !rest.some((word) => shellMarks.test(word));
}

/**
 * Whether a path is inside the folder with all links followed; what does not exist yet counts by the folder it would be in. Home folders
 * and addresses are refused: what an agent makes of them is its own matter.
 */
function isInside(path: string, folder: string): boolean {
  if (/^(?:~|[a-z]{2,}:\/)/i.test(path)) return false;
  const way = relative(realPlace(folder), realPlace(resolve(folder, path)));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPlace(above), path.slice(above.length));
  }
}
