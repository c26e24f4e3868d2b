import type { TurnWish } from "../engine/index.ts";
import type { AgentInfo, AgentPermission, AgentProvider, Agents, RoleBinding } from "../ports/index.ts";
import { refusedDrive } from "./codes.ts";
import type { DriveRequest } from "./drive-request.ts";
import { modelNamed } from "./model-named.ts";

export interface ChosenAgent {
  readonly agent: string;
  readonly model?: string;
  readonly permission: AgentPermission;
}

export interface StepWish {
  readonly step: string;
  readonly wish: Pick<TurnWish, "agent" | "model" | "permission" | "usual"> | undefined;
  readonly inWorktree: boolean;
  /** Who plays the role of the step, by all that say so; stronger than the wish. */
  readonly bound?: RoleBinding;
}

const lastChoice = "claude";

/** What `--agent` or `--permission` would not change: the role that says it, or the step itself; `run` where they would. */
export interface Decided {
  readonly agent: Decider;
  readonly permission: Decider;
}
export type Decider = { readonly role: string } | "step" | "run";

export function decidedBy({ wish, bound }: Pick<StepWish, "wish" | "bound">, role: string | undefined): Decided {
  const by = (what: "agent" | "permission"): Decider => {
    if (role !== undefined && bound?.[what] !== undefined) return { role };
    return wish?.[what] === undefined ? "run" : "step";
  };
  return { agent: by("agent"), permission: by("permission") };
}

/** The same of an agent, as it is kept with a step that waits for its account. */
export function agentOf({ agent }: Decided): { readonly role?: string; readonly fixed?: true } {
  if (agent === "step") return { fixed: true };
  return agent === "run" ? {} : agent;
}

/** The agent of a step: its own, else who drives says, else its workflow, else the configuration, else `claude`. */
export function agentFor({ agent, usual }: Pick<DriveRequest, "agent" | "usual">, wish: Pick<TurnWish, "agent" | "usual"> = {}): string {
  return wish.agent ?? agent ?? wish.usual?.agent ?? usual?.agent ?? lastChoice;
}

/** Throws `RUNNER_NO_PERMISSION` when nobody said what the agent may do. */
export async function chooseAgent(agents: Agents, request: DriveRequest, chosen: StepWish): Promise<ChosenAgent> {
  const { step, wish, bound, inWorktree } = chosen;
  const info = await agents.resolve(bound?.agent ?? agentFor(request, wish));
  const model = modelNamed(info, modelOf(request, chosen, info.name));
  const stated = bound?.permission ?? wish?.permission ?? request.permission ?? wish?.usual?.permission;
  const permission = stated ?? levelOf(info) ?? (inWorktree ? unattended : undefined);
  if (permission === undefined) throw refusedDrive("RUNNER_NO_PERMISSION", notStated(info, step));
  return { agent: info.name, permission, ...(model === undefined ? {} : { model }) };
}

/** A model is one of the agent that it is named with. */
function modelOf(request: DriveRequest, { wish, bound }: StepWish, agent: string): string | undefined {
  const usual = wish?.usual?.agent === undefined || wish.usual.agent === agent ? wish?.usual?.model : undefined;
  if (bound === undefined) return wish?.model ?? request.model ?? usual;
  const isOfRun = bound.agent === undefined || agent === agentFor(request);
  return bound.model ?? (isOfRun ? request.model : undefined) ?? usual;
}

function levelOf({ permission }: AgentInfo): AgentPermission | undefined {
  return permission === undefined ? undefined : { level: permission };
}

const unattended: AgentPermission = { level: "edit" };

function notStated({ name }: AgentInfo, step: string): string {
  return `Nobody said what \`${name}\` may do in this folder while no one watches, and \`${step}\` needs it.`;
}

/** The agents of one driver, each opened once. */
export class AgentPool {
  readonly #agents: Agents;
  readonly #open = new Map<string, Promise<AgentProvider>>();

  constructor(agents: Agents) {
    this.#agents = agents;
  }

  open(name: string): Promise<AgentProvider> {
    const held = this.#open.get(name) ?? this.#agents.open(name);
    this.#open.set(name, held);
    return held;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(async (provider) => (await provider).close()));
  }
}
