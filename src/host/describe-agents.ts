import { quoted } from "./describe-servers.ts";
import type { AgentConfig, Config } from "./settings.ts";

/**
 * What an agent that the project configures would start, for people to judge and for the hash of what they allow; undefined for others.
 * Values of variables are shown whole, since they can change what runs.
 */
export function describeProjectAgent(config: Pick<Config, "agents">, name: string): string | undefined {
  const agent = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  return agent?.from === "project" ? `agent ${name}: ${describeAgent(agent, "values")}` : undefined;
}

/** One agent: its command as a line that a shell would understand, then what else is set. Values that a user set may be secrets. */
export function describeAgent(agent: AgentConfig, variables: "values" | "names"): string {
  const { command, env = [], file, from: _from, ...others } = agent;
  const shown = env.map((entry) => {
    const at = entry.indexOf("=");
    if (at < 0) return `${entry}="$${entry}"`;
    return `${entry.slice(0, at)}=${variables === "values" ? quoted(entry.slice(at + 1)) : "..."}`;
  });
  const line = [...shown, ...(command ?? []).map(quoted), ...(file === undefined ? [] : [quoted(file)])].join(" ");
  const facts = Object.entries(others)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} ${quoted(typeof value === "string" ? value : JSON.stringify(value))}`);
  return [line === "" ? "its usual command" : line, ...(facts.length === 0 ? [] : [`(${facts.join(", ")})`])].join(" ");
}
