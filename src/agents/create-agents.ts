import { rm } from "node:fs/promises";
import type { WaymarkError } from "../base/index.ts";
import type { AgentInfo, AgentProbe, AgentProvider, Agents } from "../ports/index.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { noCommand, notAllowed, notInstalled, unknownAgent } from "./codes.ts";
import { keepWire } from "./keep-wire.ts";
import { knownAgents } from "./known-agents.ts";
import { makeAgentFolder } from "./make-agent-folder.ts";
import { maskVariables, secretValues } from "./mask-variables.ts";
import { describeAgent, locate, planAgent, scriptPrefix, type AgentPlaces, type AgentPlan } from "./plan-agent.ts";
import type { ProviderOptions } from "./provider-options.ts";

export interface AgentsOptions extends Omit<ProviderOptions, "spec">, AgentPlaces {
  /** The exact line that a person sees and allows, for an agent that the project configures. */
  readonly describe: (name: string) => string;
  readonly isAllowed: (line: string) => Promise<boolean>;
  /** The file that gets all messages to and from an agent; none without it. */
  readonly wireFile?: (name: string) => string;
}

/** The agents of a workspace: those that Waymark knows, those of the configuration, and scripts by their path (`script:file.yaml`). */
export function createAgents(options: AgentsOptions): Agents {
  const names = [...new Set([...knownAgents.map(({ name }) => name), ...Object.keys(options.configured)])];
  const infoOf = (name: string): AgentInfo => {
    const plan = planAgent(name, options);
    const info = describeAgent(plan, options);
    const absent = plan.from === "known" ? undefined : whyAbsent(plan, info);
    return absent === undefined ? info : { ...info, problem: [absent.message, absent.fix].join(" ") };
  };
  /** Why an agent of the project may not be started yet. */
  const refusalOf = async (name: string): Promise<WaymarkError | undefined> => {
    const line = planAgent(name, options).from === "project" ? options.describe(name) : undefined;
    return line === undefined || (await options.isAllowed(line)) ? undefined : notAllowed(name, line);
  };
  const resolveAgent = async (name: string): Promise<AgentInfo> => {
    if (!names.includes(name) && !name.startsWith(scriptPrefix)) throw unknownAgent(name, names);
    const plan = planAgent(name, options);
    const info = describeAgent(plan, options);
    const refusal = whyAbsent(plan, info) ?? (await refusalOf(name));
    if (refusal !== undefined) throw refusal;
    return info;
  };
  // A program that is named by a path is found from the workspace, wherever it is started.
  const programOf = ({ command }: AgentSpec): string => locate(command, options) ?? command[0] ?? "";
  const openScript = async (name: string): Promise<AgentProvider> =>
    (await import("./script/script-provider.ts")).openScript(name, { file: programOf(planAgent(name, options).spec) }, options.time);
  const openAgent = async (name: string): Promise<AgentProvider & { probe?(cwd: string): Promise<AgentProbe> }> => {
    await resolveAgent(name);
    const { spec: planned } = planAgent(name, options);
    const spec = { ...planned, command: [programOf(planned), ...planned.command.slice(1)] };
    // The packages of a protocol are loaded with its first agent.
    if (spec.protocol === "script") return openScript(name);
    if (spec.protocol === "claude-cli") return new (await import("./claude-cli/claude-provider.ts")).ClaudeProvider({ ...options, spec });
    return new (await import("./acp/acp-provider.ts")).AcpProvider({ ...options, spec });
  };
  return {
    list: () =>
      Promise.all(names.map(async (name) => ({ ...infoOf(name), ...((await refusalOf(name)) === undefined ? {} : { allowed: false }) }))),
    resolve: async (name) => {
      const info = await resolveAgent(name);
      if (info.protocol === "script") await openScript(name);
      return info;
    },
    open: async (name) => {
      const provider = await openAgent(name);
      const masked = maskVariables(provider, secretValues({ spec: planAgent(name, options).spec, env: options.env }));
      return options.wireFile === undefined ? masked : keepWire(masked, options.wireFile(name), options.time.now);
    },
    probe: async (name) => {
      const provider = await openAgent(name);
      const folder = await makeAgentFolder();
      try {
        return (await provider.probe?.(folder)) ?? { answers: true, modes: [], models: [] };
      } finally {
        await provider.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Why nothing can be started; undefined when something is found. */
function whyAbsent({ spec, known }: AgentPlan, { name, found }: AgentInfo): WaymarkError | undefined {
  if (spec.command.length === 0) return noCommand(name, spec.protocol === "script" ? "file" : "command");
  return found ? undefined : notInstalled(name, spec.command[0] ?? "", known?.install);
}
