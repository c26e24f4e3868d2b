import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { defined, own } from "../base/index.ts";
import type { AgentInfo, AgentProbe, AgentProvider, Agents, AgentSettings } from "../ports/index.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { noCommand, notAllowed, notInstalled, unknownAgent } from "./codes.ts";
import { findProgram } from "./find-program.ts";
import { knownAgents, type KnownAgent } from "./known-agents.ts";
import type { ProviderOptions } from "./provider-options.ts";

export interface ConfiguredAgent extends AgentSettings {
  readonly from: string;
}

export interface AgentsOptions extends Omit<ProviderOptions, "spec"> {
  readonly configured: Readonly<Record<string, ConfiguredAgent>>;
  /** The exact line that a person sees and allows, for an agent that the project configures. */
  readonly describe: (name: string) => string;
  readonly isAllowed: (line: string) => Promise<boolean>;
}

/** The agents of a workspace: those that Waymark knows, those of the configuration, and scripts by their path (`script:file.yaml`). */
export function createAgents(options: AgentsOptions): Agents {
  const names = [...new Set([...knownAgents.map(({ name }) => name), ...Object.keys(options.configured)])];
  const infoOf = (name: string): AgentInfo => describeAgent(planAgent(name, options), options);
  const resolveAgent = (name: string): AgentInfo => {
    if (!names.includes(name) && !name.startsWith(scriptPrefix)) throw unknownAgent(name, names);
    const plan = planAgent(name, options);
    if (plan.spec.command.length === 0) throw noCommand(name, plan.spec.protocol === "script" ? "file" : "command");
    const info = describeAgent(plan, options);
    if (!info.found) throw notInstalled(name, plan.spec.command[0] ?? "", plan.known?.install);
    return info;
  };
  const openAgent = async (name: string): Promise<AgentProvider & { probe?(cwd: string): Promise<AgentProbe> }> => {
    resolveAgent(name);
    const { spec: planned, from } = planAgent(name, options);
    // A program that is named by a path is found from the workspace, wherever it is started.
    const spec = { ...planned, command: [locate(planned.command, options) ?? planned.command[0] ?? "", ...planned.command.slice(1)] };
    if (from === "project") {
      const line = options.describe(name);
      if (!(await options.isAllowed(line))) throw notAllowed(name, line);
    }
    // The packages of a protocol are loaded with its first agent.
    if (spec.protocol === "script")
      return (await import("./script/script-provider.ts")).openScript(name, spec.command[0] ?? "", options.time);
    if (spec.protocol === "claude-cli") return new (await import("./claude-cli/claude-provider.ts")).ClaudeProvider({ ...options, spec });
    return new (await import("./acp/acp-provider.ts")).AcpProvider({ ...options, spec });
  };
  return {
    list: () => Promise.resolve(names.map(infoOf)),
    resolve: (name) => Promise.resolve().then(() => resolveAgent(name)),
    open: openAgent,
    probe: async (name) => {
      const provider = await openAgent(name);
      const folder = await mkdtemp(join(tmpdir(), "waymark-agent-"));
      try {
        return (await provider.probe?.(folder)) ?? { answers: true, modes: [], models: [] };
      } finally {
        await provider.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

const scriptPrefix = "script:";

/** What would be started under a name. */
interface Plan {
  readonly spec: AgentSpec;
  readonly from: AgentInfo["from"];
  readonly known?: KnownAgent;
  readonly permission?: AgentInfo["permission"];
}

function planAgent(name: string, options: AgentsOptions): Plan {
  const known = knownAgents.find((one) => one.name === name);
  const set = own(options.configured, name);
  const from = set === undefined ? "known" : set.from === "project" ? "project" : "user";
  const facts = { from, ...defined({ known, permission: set?.permission }) } as const;
  const base = {
    name,
    env: [...(known?.env ?? []), ...(set?.env ?? [])],
    ...defined({ auth: set?.auth ?? known?.auth, model: set?.model }),
  };
  const plain = { ...base, modes: modesOf(set?.mode, known), usage: known?.usage ?? turnScope, textFilters: known?.textFilters ?? [] };
  const resume = set?.resume ?? known?.resume ?? "resume";
  if (name.startsWith(scriptPrefix) || set?.protocol === "script") {
    const file = name.startsWith(scriptPrefix) ? name.slice(scriptPrefix.length) : set?.file;
    const command = file === undefined || file === "" ? [] : [resolve(options.workspace, file)];
    return { ...facts, spec: { ...plain, protocol: "script", command, resume: "resume" } };
  }
  const command = set?.command ?? known?.command ?? [];
  const isMissing = set?.command === undefined && known?.name === "claude" && locate(command, options) === undefined;
  // The `claude` command can be used without its adapter.
  const useCli = set?.protocol === "claude-cli" || (set?.protocol === undefined && isMissing && locate(["claude"], options) !== undefined);
  if (useCli)
    return { ...facts, spec: { ...plain, protocol: "claude-cli", command: set?.command ?? ["claude"], modes: {}, resume: "resume" } };
  return { ...facts, spec: { ...plain, protocol: "acp", command, resume, ...defined({ clientMeta: known?.clientMeta }) } };
}

const turnScope: AgentSpec["usage"] = { tokens: "turn", cost: "none" };

function modesOf(mode: AgentSettings["mode"], known: KnownAgent | undefined): AgentSpec["modes"] {
  return typeof mode === "string" ? { read: mode, edit: mode, all: mode } : { ...known?.modes, ...mode };
}

function locate(command: readonly string[], { workspace, env }: AgentsOptions): string | undefined {
  return command[0] === undefined ? undefined : findProgram(command[0], workspace, env["PATH"] ?? "");
}

function describeAgent({ spec, from, known, permission }: Plan, options: AgentsOptions): AgentInfo {
  const isScript = spec.protocol === "script";
  return {
    name: spec.name,
    title: known?.title ?? spec.name,
    from,
    protocol: spec.protocol,
    command: spec.command,
    found: isScript ? spec.command.length > 0 : locate(spec.command, options) !== undefined,
    modes: spec.modes,
    resume: spec.resume,
    tried: known?.tried !== undefined,
    ...defined({ install: known?.install, model: spec.model, permission }),
  };
}
