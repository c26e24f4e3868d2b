import { resolve } from "node:path";
import { defined, own } from "../base/index.ts";
import type { AgentInfo, AgentSettings } from "../ports/index.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { findProgram } from "./find-program.ts";
import { knownAgents, type KnownAgent } from "./known-agents.ts";

export interface ConfiguredAgent extends AgentSettings {
  readonly from: string;
}

/** Where agents come from. */
export interface AgentPlaces {
  readonly workspace: string;
  readonly configured: Readonly<Record<string, ConfiguredAgent>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whose the accounts are that no configuration names, where users share a store. */
  readonly owner?: string | undefined;
}

/** Before the path of a script that is used without a configuration. */
export const scriptPrefix = "script:";

/** What would be started under a name. */
export interface AgentPlan {
  readonly spec: AgentSpec;
  readonly from: AgentInfo["from"];
  readonly known?: KnownAgent;
  readonly permission?: NonNullable<AgentInfo["permission"]>;
  readonly models?: NonNullable<AgentInfo["models"]>;
  readonly account: string;
}

/** A configured agent, a known one, or a known one with what the configuration changes. */
export function planAgent(name: string, places: AgentPlaces): AgentPlan {
  const known = knownAgents.find((one) => one.name === name);
  const set = own(places.configured, name);
  const from = set === undefined ? "known" : set.from === "project" ? "project" : "user";
  const spec = { ...specOf(name, known, set), ...startOf(name, known, set ?? {}, places) };
  const account = set?.account ?? (places.owner === undefined ? name : `${name}@${places.owner}`);
  return { spec, from, account, ...defined({ known, permission: set?.permission, models: set?.models }) };
}

/** Of an agent that Waymark does not know. The protocol's cost is the sum of the session so far. */
const unknown: Pick<AgentSpec, "env" | "modes" | "usage" | "resume" | "textFilters"> = {
  env: [],
  modes: {},
  usage: { tokens: "turn", cost: "session" },
  resume: "resume",
  textFilters: [],
};

type Start = Pick<AgentSpec, "protocol" | "command"> & Partial<Pick<AgentSpec, "modes" | "resume">>;

function specOf(name: string, known: KnownAgent | undefined, set: AgentSettings = {}): Omit<AgentSpec, "protocol" | "command"> {
  const { env, modes, usage, resume, textFilters } = known ?? unknown;
  const { mode } = set;
  return {
    name,
    env: [...env, ...(set.env ?? [])],
    modes: typeof mode === "string" ? { read: mode, edit: mode, all: mode } : { ...modes, ...mode },
    usage,
    resume: set.resume ?? resume,
    textFilters,
    ...defined({ auth: set.auth ?? known?.auth, model: set.model, clientMeta: known?.clientMeta }),
  };
}

function startOf(name: string, known: KnownAgent | undefined, set: AgentSettings, places: AgentPlaces): Start {
  if (name.startsWith(scriptPrefix) || set.protocol === "script") {
    const file = name.startsWith(scriptPrefix) ? name.slice(scriptPrefix.length) : (set.file ?? "");
    return { protocol: "script", command: file === "" ? [] : [resolve(places.workspace, file)], modes: {}, resume: "resume" };
  }
  const command = set.command ?? known?.command ?? [];
  const usesCli = set.protocol === "claude-cli" || (set.protocol === undefined && set.command === undefined && lacksAdapter(known, places));
  if (usesCli) return { protocol: "claude-cli", command: set.command ?? ["claude"], modes: {}, resume: "resume" };
  return { protocol: "acp", command };
}

/** The `claude` command can be used without its adapter. */
function lacksAdapter(known: KnownAgent | undefined, places: AgentPlaces): boolean {
  return known?.name === "claude" && locate(known.command, places) === undefined && locate(["claude"], places) !== undefined;
}

/** The program of a command: a path is found from the workspace, a bare name on the search path. */
export function locate(command: readonly string[], { workspace, env }: AgentPlaces): string | undefined {
  return command[0] === undefined ? undefined : findProgram(command[0], workspace, env["PATH"] ?? "");
}

export function describeAgent({ spec, from, known, permission, models, account }: AgentPlan, places: AgentPlaces): AgentInfo {
  const { name, protocol, command, modes, resume, model } = spec;
  return {
    name,
    title: known?.title ?? name,
    from,
    protocol,
    command,
    found: protocol === "script" ? command.length > 0 : locate(command, places) !== undefined,
    modes,
    account,
    resume,
    tried: known?.tried !== undefined,
    ...defined({ install: known?.install, model, models, permission }),
  };
}
