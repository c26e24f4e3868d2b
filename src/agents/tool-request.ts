import { isObject, own, type Json } from "../base/index.ts";
import { partsOf } from "./request-parts.ts";

/** What an agent wants to do, gathered from everything it said about one tool call. Never its title: that is free text. */
export interface ToolRequest {
  readonly id: string;
  readonly kind?: string;
  readonly name?: string;
  readonly input?: Json;
  /** Files that the agent says it touches. */
  readonly files: readonly string[];
  /** The agent says, beside the input that its model wrote, that this is a tool of an MCP server. */
  readonly ofServer?: boolean;
}

/** Kinds that a tool of a server never has, unless the agent says beside the input that it is one. */
const ownKinds = ["execute", "edit", "delete", "move", "fetch"];
/** All that the input of a call of a server's tool holds, where an agent wraps it. */
const wrapping = ["server", "server_name", "tool", "tool_name", "arguments"];

/**
 * The MCP server of a tool, as agents name it: in its name, at the beginning of the call's id, or in its input. A model writes the input, so
 * that counts only where nothing but a call of a server's tool is in it.
 */
export function serverOf(
  { id, kind = "other", name, input, files, ofServer = false }: ToolRequest,
  servers: readonly string[],
): string | undefined {
  const object = isObject(input) ? input : {};
  const isWrapped = name === undefined && files.length === 0 && Object.keys(object).every((key) => wrapping.includes(key));
  const named = isWrapped && (ofServer || kind === "other") ? (own(object, "server") ?? own(object, "server_name")) : undefined;
  const isSilent = name === undefined && (input === undefined || (isObject(input) && Object.keys(input).length === 0));
  const label = ownKinds.includes(kind) ? undefined : (name ?? (isSilent ? id : undefined));
  return servers.find((server) => named === server || label?.startsWith(`mcp__${server}__`) || label?.startsWith(`mcp_${server}_`));
}

/** What a person reads about a request. */
export function describeRequest(request: ToolRequest): string {
  const { commands, paths } = partsOf(request);
  const [command] = commands;
  const detail = command === undefined ? paths[0] : typeof command === "string" ? command : command.join(" ");
  const what = request.name ?? request.kind ?? "tool";
  return detail === undefined ? what : `${what}: ${detail}`;
}
