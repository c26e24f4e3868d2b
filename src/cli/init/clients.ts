import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../base/index.ts";
import { badValue, didYouMean } from "../codes.ts";
import { commaList } from "../parse-values.ts";

/** A coding agent and the file of a workspace in which it looks for servers. */
export interface Client {
  readonly name: string;
  /** Other names people give it. */
  readonly aliases?: readonly string[];
  readonly title: string;
  /** Files it reads, the first existing one is edited; the first is made when there is none. */
  readonly files: readonly string[];
  /** Things in a workspace that show it is used there. */
  readonly signs: readonly string[];
  readonly format: JsonFormat | TomlFormat;
}

interface JsonFormat {
  readonly kind: "json";
  readonly container: string;
  entry(command: readonly string[]): JsonObject;
}

interface TomlFormat {
  readonly kind: "toml";
  readonly table: string;
  lines(command: readonly string[]): readonly string[];
}

/** Name of the entry in every client's file. */
export const entryName = "waymark";

const plain = ([command = "", ...args]: readonly string[]): JsonObject => ({ command, args });
const stdio = (command: readonly string[]): JsonObject => ({ type: "stdio", ...plain(command) });

export const clients: readonly Client[] = [
  {
    name: "claude-code",
    aliases: ["claude"],
    title: "Claude Code",
    files: [".mcp.json"],
    signs: [".mcp.json", ".claude", "CLAUDE.md"],
    format: { kind: "json", container: "mcpServers", entry: stdio },
  },
  {
    name: "codex",
    title: "Codex",
    files: [".codex/config.toml"],
    signs: [".codex"],
    format: {
      kind: "toml",
      table: `mcp_servers.${entryName}`,
      // Without `required` the first turn may begin before the tools are there.
      lines: ([command = "", ...args]) => [
        `command = ${tomlText(command)}`,
        `args = [${args.map(tomlText).join(", ")}]`,
        "required = true",
        "startup_timeout_sec = 20",
        "tool_timeout_sec = 60",
      ],
    },
  },
  {
    name: "vscode",
    aliases: ["copilot", "vs-code"],
    title: "Copilot in VS Code",
    files: [".vscode/mcp.json"],
    signs: [".vscode"],
    format: { kind: "json", container: "servers", entry: stdio },
  },
  {
    name: "cursor",
    title: "Cursor",
    files: [".cursor/mcp.json"],
    signs: [".cursor", ".cursorrules"],
    format: { kind: "json", container: "mcpServers", entry: plain },
  },
  {
    name: "gemini",
    aliases: ["gemini-cli"],
    title: "Gemini CLI",
    files: [".gemini/settings.json"],
    signs: [".gemini", "GEMINI.md"],
    format: { kind: "json", container: "mcpServers", entry: plain },
  },
  {
    name: "opencode",
    title: "opencode",
    files: ["opencode.json", "opencode.jsonc"],
    signs: ["opencode.json", "opencode.jsonc", ".opencode"],
    format: { kind: "json", container: "mcp", entry: (command) => ({ type: "local", command, enabled: true }) },
  },
];

/** Text as TOML writes it; its basic strings know the escapes of JSON. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

/** Clients by name, separated by commas; `all` for every one. */
export function clientsNamed(names: string): readonly Client[] {
  const wanted = commaList(names);
  if (wanted.includes("all")) return clients;
  const known = clients.map((client) => client.name);
  if (wanted.length === 0) throw badValue("`--client` names no client.", `Clients are ${known.join(", ")}.`);
  return wanted.map((name) => {
    const found = clients.find((client) => client.name === name || client.aliases?.includes(name) === true);
    if (found === undefined)
      throw badValue(`There is no client \`${name}\`.${didYouMean(name, known)}`, `Clients are ${known.join(", ")}, or \`all\`.`);
    return found;
  });
}

/** Clients that a workspace already uses. */
export function clientsIn(workspace: string): readonly Client[] {
  return clients.filter((client) => client.signs.some((sign) => existsSync(join(workspace, sign))));
}
