import { join } from "node:path";
import { createAgents } from "../agents/index.ts";
import { lineOfRun } from "../engine/index.ts";
import { createChildren, describeProjectAgents, systemAlarms, userFolders, type Config, type LocalHost } from "../host/index.ts";
import type { Agents } from "../ports/index.ts";
import { packageVersion } from "./package-root.ts";

export interface AgentsPlace {
  readonly config: Config;
  readonly host: Pick<LocalHost, "workspace" | "children" | "computer" | "permissions" | "sha256">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File with the address of the step that is being driven, for what agents start. */
  readonly driven?: string;
}

/** The coding agents of a workspace. Nothing is started before one is opened. */
export function openAgents({ config, host, env, driven }: AgentsPlace): Agents {
  const { wire } = config.drive;
  return createAgents({
    workspace: host.workspace,
    configured: config.agents,
    owner: config.database.url === null ? undefined : ownerOf(host, env),
    // Who only looks leaves a workspace without a store as it was.
    children: driven === undefined ? createChildren({ tryRecord: () => () => undefined }) : host.children,
    time: { alarms: systemAlarms, now: () => Date.now() },
    env,
    more: driven === undefined ? {} : { WAYMARK_DRIVEN: driven },
    version: packageVersion(),
    ...(wire === null ? {} : { wireFile: (name) => join(wire, `${name.replace(/[^\w.-]/g, "_")}-${process.pid}.wire.jsonl`) }),
    describe: (name) => describeProjectAgents(config, host.workspace)[name] ?? "",
    isAllowed: async (text) => {
      const line = lineOfRun({ kind: "agent", text });
      return (await host.permissions.find(host.sha256(JSON.stringify([host.workspace, line])))) !== undefined;
    },
  });
}

/** This user on this computer: others of the database have accounts of their own with the same agents. */
function ownerOf({ computer, sha256 }: Pick<LocalHost, "computer" | "sha256">, env: AgentsPlace["env"]): string {
  return `${computer}-${sha256(JSON.stringify([computer, userFolders(env).data])).slice(0, 8)}`;
}
