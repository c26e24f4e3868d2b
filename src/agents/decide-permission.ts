import type { Turn } from "../ports/index.ts";
import { isGuarded, isInside } from "./inside-folder.ts";
import { partsOf, type Command, type RequestParts } from "./request-parts.ts";
import { serverOf, type ToolRequest } from "./tool-request.ts";

/** What a turn says about permission. */
export type Rules = Pick<Turn, "permission" | "tools" | "mcp" | "cwd">;

const readKinds = ["read", "search", "think"];
const editKinds = ["edit", "delete", "move"];

/**
 * Whether an agent may do what it asks. Decided by the kind and the input of the call; what is not understood needs `all`. Files outside
 * the turn's folder are refused at every level, and so is a change of files that names none. What decides what git and Waymark run is
 * changed at `all` only.
 */
export function mayDo(request: ToolRequest, { permission, tools, mcp = [], cwd }: Rules): boolean {
  const servers = mcp.map(({ name }) => name);
  if (serverOf(request, servers) !== undefined) return true;
  if (isExcluded(request, tools)) return false;
  const { level, commands = [] } = permission;
  const { kind = "" } = request;
  const parts = partsOf(request);
  const runs = parts.commands.length > 0 || kind === "execute";
  if (runs && level === "all") return true;
  const places = placesOf(parts, level);
  if (!places.every((place) => isInside(place, cwd))) return false;
  if (runs) return level === "edit" && isListed(parts, commands);
  const reads = readKinds.includes(kind);
  const isGranted = level === "all" || (level === "edit" && !places.some((place) => isGuarded(place, cwd)));
  if (editKinds.includes(kind) || (reads && parts.content)) return isGranted && parts.paths.length > 0;
  return level === "all" || (reads && parts.understood);
}

/** What has to be inside. With `all` an agent reads what it likes by a command, so only what is clearly a file counts. */
function placesOf({ paths, texts }: RequestParts, level: Rules["permission"]["level"]): readonly string[] {
  return [...paths, ...texts.filter((text) => level !== "all" || /^\s*file:/i.test(text))];
}

/** Whether all that would be run is among these command lines, as they are. */
function isListed({ commands, alters }: RequestParts, listed: readonly string[]): boolean {
  return commands.length > 0 && !alters && commands.every((command) => listed.some((line) => beginsWith(command, line)));
}

/** Whether the workflow rules this tool out, whatever the level. Capitals make no difference. Tools of Waymark's own server never are. */
export function isExcluded({ name, kind }: ToolRequest, tools: Turn["tools"]): boolean {
  const [itsName, itsKind] = [name?.toLowerCase(), kind?.toLowerCase()];
  const isNamed = (names: readonly string[]): boolean =>
    names.map((one) => one.toLowerCase()).some((one) => one === itsName || one === itsKind);
  if (tools?.denied !== undefined && isNamed(tools.denied)) return true;
  return tools?.allowed !== undefined && !isNamed(tools.allowed);
}

/** Characters with which a shell does more than one plain command. */
const shellMarks = /[;&|<>$`(){}[\]*?!#~\\\n\r\0]/;

/** Whether a command is an allowed line, word by word, with nothing but plain words after it. */
function beginsWith(command: Command, line: string): boolean {
  const wanted = line.trim().split(/[ \t]+/);
  const given = typeof command === "string" ? command.trim().split(/[ \t]+/) : command;
  const rest = given.slice(wanted.length);
  return wanted[0] !== "" && wanted.every((word, at) => word === given[at]) && !rest.some((word) => shellMarks.test(word));
}
