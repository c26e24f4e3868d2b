import type { Config, ServerConfig } from "./settings.ts";

/**
 * The exact command line or address of every tool server that the project configures, by name, for people to judge and for the hash of
 * what they allow. Variables are shown whole, since they can change what runs.
 */
export function describeServers(config: Pick<Config, "mcp_servers">): string[] {
  return Object.entries(config.mcp_servers)
    .filter(([, server]) => server.from === "project")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, server]) => `${name}: ${describeServer(server, "values")}`);
}

/** One server, as a line that a shell would understand. Variables of a user's own server may be secrets: they are shown by name. */
export function describeServer(server: ServerConfig, variables: "values" | "names"): string {
  if ("url" in server) return server.url;
  const env = Object.entries(server.env).map(([name, value]) => (variables === "values" ? `${name}=${quoted(value)}` : `${name}=...`));
  const line = [...env, quoted(server.command), ...server.args.map(quoted)].join(" ");
  return server.cwd === undefined ? line : `cd ${quoted(server.cwd)} && ${line}`;
}

/** One shell word. Characters that a terminal would obey or hide are spelled out, so that what is read is what runs. */
export function quoted(word: string): string {
  if (/^[A-Za-z0-9_./:@%+,-]+$/.test(word)) return word;
  if (!unseen.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/['\\]/g, "\\$&").replace(new RegExp(unseen, "gu"), (mark) => `\\u${mark.codePointAt(0)!.toString(16).padStart(4, "0")}`)}'`;
}

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
