import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../base/index.ts";
import { badValue, didYouMean } from "../codes.ts";
import type { CliWorld } from "../world.ts";
import type { YamlEntry } from "./edit-yaml.ts";
import { commaList } from "../parse-values.ts";

/** A coding agent and the files in which it looks for servers and for what is allowed. */
export interface Client {
  readonly name: string;
  /** Other names people give it. */
  readonly aliases?: readonly string[];
  readonly title: string;
  /** Things in a workspace that show it is used there. */
  readonly signs: readonly string[];
  readonly parts: readonly ClientPart[];
}

export interface ClientPart {
  /** The first existing one is edited; the first is made when there is none. */
  readonly files: readonly string[];
  /** The folder of these files, where it is the user's own and not the workspace. */
  readonly folder?: (world: HomeWorld) => string;
  readonly format: JsonFormat | ListFormat | TomlFormat | YamlFormat;
}

export type HomeWorld = Pick<CliWorld, "env" | "home" | "platform">;

interface JsonFormat {
  readonly kind: "json";
  readonly container: string;
  entry(command: readonly string[]): JsonObject;
}

interface ListFormat {
  readonly kind: "list";
  readonly container: string;
  readonly name: string;
  readonly value: string;
}

interface YamlFormat {
  readonly kind: "yaml";
  readonly container: string;
  entry(command: readonly string[]): YamlEntry;
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
    signs: [".mcp.json", ".claude", "CLAUDE.md"],
    parts: [
      { files: [".mcp.json"], format: { kind: "json", container: "mcpServers", entry: stdio } },
      // Without it every call of a tool is asked about.
      { files: [".claude/settings.json"], format: { kind: "list", container: "permissions", name: "allow", value: `mcp__${entryName}` } },
    ],
  },
  {
    name: "codex",
    title: "Codex",
    signs: [".codex"],
    parts: [
      {
        files: [".codex/config.toml"],
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
    ],
  },
  {
    name: "vscode",
    aliases: ["copilot", "vs-code"],
    title: "Copilot in VS Code",
    signs: [".vscode"],
    parts: [{ files: [".vscode/mcp.json"], format: { kind: "json", container: "servers", entry: stdio } }],
  },
  {
    name: "cursor",
    title: "Cursor",
    signs: [".cursor", ".cursorrules"],
    parts: [{ files: [".cursor/mcp.json"], format: { kind: "json", container: "mcpServers", entry: plain } }],
  },
  {
    name: "gemini",
    aliases: ["gemini-cli"],
    title: "Gemini CLI",
    signs: [".gemini", "GEMINI.md"],
    parts: [{ files: [".gemini/settings.json"], format: { kind: "json", container: "mcpServers", entry: plain } }],
  },
  {
    name: "opencode",
    title: "opencode",
    signs: ["opencode.json", "opencode.jsonc", ".opencode"],
    parts: [
      {
        files: ["opencode.json", "opencode.jsonc"],
        format: { kind: "json", container: "mcp", entry: (command) => ({ type: "local", command, enabled: true }) },
      },
    ],
  },
  {
    name: "zed",
    title: "Zed",
    signs: [".zed"],
    parts: [
      {
        files: [".zed/settings.json"],
        format: { kind: "json", container: "context_servers", entry: (command) => ({ source: "custom", ...plain(command), env: {} }) },
      },
    ],
  },
  {
    name: "goose",
    title: "Goose",
    signs: [".goosehints", ".goose"],
    parts: [
      {
        files: ["config.yaml"],
        folder: gooseFolder,
        format: {
          kind: "yaml",
          container: "extensions",
          entry: ([cmd = "", ...args]) => ({
            enabled: true,
            type: "stdio",
            name: entryName,
            description: "Runs workflows step by step",
            cmd,
            args,
            envs: {},
            timeout: 300,
          }),
        },
      },
    ],
  },
];

/** Goose reads one file for all projects. */
function gooseFolder({ env, home, platform }: HomeWorld): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Block", "goose", "config");
  const own = env["XDG_CONFIG_HOME"] ?? "";
  return join(own === "" ? join(home, ".config") : own, "goose");
}

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
