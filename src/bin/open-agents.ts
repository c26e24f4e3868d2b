import { createAgents } from "../agents/index.ts";
import { children, describeProjectAgent, systemAlarms, type Config, type LocalHost } from "../host/index.ts";
import type { Agents } from "../ports/index.ts";
import { packageVersion } from "./package-root.ts";

export interface AgentsPlace {
  readonly config: Config;
  readonly host: Pick<LocalHost, "workspace" | "permissions" | "sha256">;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The coding agents of a workspace. Nothing is started before one is opened. */
export function openAgents({ config, host, env }: AgentsPlace): Agents {
  return createAgents({
    workspace: host.workspace,
    configured: config.agents,
    children,
    time: { alarms: systemAlarms, now: () => Date.now() },
    env,
    version: packageVersion(),
    describe: (name) => describeProjectAgent(config, name) ?? "",
    isAllowed: async (line) => (await host.permissions.find(host.sha256(JSON.stringify([host.workspace, line])))) !== undefined,
  });
}
