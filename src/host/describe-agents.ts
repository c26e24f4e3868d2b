import { shellWord } from "../base/index.ts";
import { hashOfFile } from "./hash-of-file.ts";
import type { AgentConfig, Config } from "./settings.ts";

/**
 * What the agents that the project configures would start, by name, for people to judge and for the hash of what they allow. Values of
 * variables are shown whole, since they can change what runs; of a script its content decides.
 */
export function describeProjectAgents({ agents }: Pick<Config, "agents">, workspace: string): Readonly<Record<string, string>> {
  const own = Object.entries(agents).filter(([, { from }]) => from === "project");
  return Object.fromEntries(own.map(([name, agent]) => [name, `${name}: ${describeAgent(agent, "values")}${scriptOf(agent, workspace)}`]));
}

function scriptOf({ file }: AgentConfig, workspace: string): string {
  return file === undefined ? "" : ` script ${hashOfFile(workspace, file)?.slice(0, 32) ?? "that is missing"}`;
}

/** One agent: its command as a line that a shell would understand, then what else is set. Values that a user set may be secrets. */
export function describeAgent(agent: AgentConfig, variables: "values" | "names"): string {
  const { command, env = [], file, from: _from, ...others } = agent;
  const shown = env.map((entry) => {
    const at = entry.indexOf("=");
    if (at < 0) return `${entry}="$${entry}"`;
    return `${entry.slice(0, at)}=${variables === "values" ? shellWord(entry.slice(at + 1)) : "..."}`;
  });
  const line = [...shown, ...(command ?? []).map(shellWord), ...(file === undefined ? [] : [shellWord(file)])].join(" ");
  const facts = Object.entries(others)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} ${shellWord(typeof value === "string" ? value : JSON.stringify(value))}`);
  return [line === "" ? "its usual command" : line, ...(facts.length === 0 ? [] : [`(${facts.join(", ")})`])].join(" ");
}
