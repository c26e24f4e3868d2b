import { shellWord } from "../base/index.ts";
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
  const env = Object.entries(server.env).map(([name, value]) => (variables === "values" ? `${name}=${shellWord(value)}` : `${name}=...`));
  const line = [...env, shellWord(server.command), ...server.args.map(shellWord)].join(" ");
  return server.cwd === undefined ? line : `cd ${shellWord(server.cwd)} && ${line}`;
}
