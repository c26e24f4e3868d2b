import { defined } from "../base/index.ts";
import type { EngineContext } from "../engine/index.ts";
import type { Agents, RoleBinding } from "../ports/index.ts";
import { authorsName } from "../views/index.ts";
import { bindRoles, bindStep } from "./bind-step.ts";
import { agentFor, chooseAgent } from "./choose-agent.ts";
import type { DriveRequest } from "./drive-request.ts";

type Program = Parameters<EngineContext["leaves"]["inProgram"]>[0];
type Request = Omit<DriveRequest, "run">;

/**
 * Refuses before a run starts what its first turn would refuse: agents that are not there, and permissions that nobody stated. Answers what
 * would fail later, for the person who starts it.
 */
export async function checkAgents(
  { context, agents }: { readonly context: EngineContext; readonly agents: Agents },
  request: Request,
  program: Program,
  inWorktree: boolean,
): Promise<readonly string[]> {
  const steps = await agentSteps(context, request, program);
  const driven = { ...request, run: "" };
  const roles = await bindRoles(context, request, program);
  for (const [name, bound] of roles) await chooseAgent(agents, driven, { step: name, wish: undefined, bound, inWorktree });
  for (const [block, { wish, bound }] of steps)
    await chooseAgent(agents, driven, { step: nameOf(block), wish, inWorktree, ...defined({ bound }) });
  if (steps.size === 0 && roles.size === 0 && hasWork(program))
    await chooseAgent(agents, driven, { step: program.name, wish: undefined, inWorktree });
  return request.onLost === undefined ? [...lostBetween(program, steps, request), ...lostByName(program, steps, request)] : [];
}

/** Whether anything in it is done by an agent; commands and questions are not. */
function hasWork({ blocks }: Program): boolean {
  return Object.values(blocks).some((block) => block.kind === "do" && block.who === "agent");
}

interface AgentStep {
  readonly wish: Parameters<typeof agentFor>[1];
  /** Who plays the role of the step. */
  readonly bound?: RoleBinding;
  /** It continues a conversation; what becomes of it where that is lost. */
  readonly continues?: "fail" | "replay";
}

/** Steps that name their agent in the program. Dispatches of a machine's roles do not: those are bound by their role alone. */
async function agentSteps(context: EngineContext, request: Request, program: Program): Promise<ReadonlyMap<string, AgentStep>> {
  const steps = new Map<string, AgentStep>();
  for (const { leaf, block } of context.leaves.inProgram(program))
    for (const { kind, role, agent, usualAgent, model, permission } of leaf.runs(block.args)) {
      if (kind !== "agent") continue;
      const wish = defined({ agent, permission, usual: usualAgent === undefined ? undefined : { agent: usualAgent } });
      const named = role === undefined ? undefined : { name: role, ...defined({ agent, model, permission }) };
      const bound = named && (await bindStep(context, request, program, named));
      steps.set(block.id, { wish, ...defined({ continues: leaf.continues?.(block.args), bound }) });
    }
  return steps;
}

interface Last {
  readonly id: string;
  readonly agent: string;
}

type Steps = ReadonlyMap<string, AgentStep>;

function agentOfStep(steps: Steps, request: Request): (id: string) => string | undefined {
  return (id) => {
    const step = steps.get(id);
    return step && (step.bound?.agent ?? agentFor(request, step.wish));
  };
}

/** Steps that continue the conversation of the step before them, which another agent has. */
function lostBetween(program: Program, steps: Steps, request: Request): readonly string[] {
  const agentOf = agentOfStep(steps, request);
  return Object.values(program.blocks).flatMap((block) => {
    if (block.kind !== "seq") return [];
    const lost: string[] = [];
    let before: Last | undefined;
    for (const id of block.blocks) {
      lost.push(...lostWith(id, { agent: agentOf(id), before, what: steps.get(id)?.continues }));
      before = lastAfter(program, agentOf, { id, before });
    }
    return lost;
  });
}

/** Steps that name whose conversation they continue, where another agent has it. */
function lostByName(program: Program, steps: Steps, request: Request): readonly string[] {
  const agentOf = agentOfStep(steps, request);
  return Object.values(program.blocks).flatMap((block) => {
    const id = block.kind === "do" ? block.continues?.find((each) => steps.has(each)) : undefined;
    if (id === undefined) return [];
    return lostWith(block.id, { agent: agentOf(block.id), before: { id, agent: agentOf(id) ?? "" }, what: steps.get(block.id)?.continues });
  });
}

interface Loss {
  readonly agent: string | undefined;
  readonly before: Last | undefined;
  readonly what: AgentStep["continues"];
}

function lostWith(id: string, { agent, before, what }: Loss): readonly string[] {
  if (agent === undefined || what === undefined || before === undefined || before.agent === agent) return [];
  const [name, other] = [nameOf(id), nameOf(before.id)];
  const then =
    what === "fail"
      ? "it fails there. Let one agent do both, or add `--on-lost fresh` or `replay`."
      : `what was said in it is put ahead of its prompt. Let one agent do both, or add \`on_lost_context: fresh\` to \`${name}\`.`;
  return [
    `\`${name}\` continues the conversation of \`${other}\`, which \`${before.agent}\` has and \`${agent}\` cannot continue: ${then}`,
  ];
}

/** The agent step whose conversation is the last one after a block; undefined where that is decided while it runs. */
function lastAfter(
  program: Program,
  agentOf: (id: string) => string | undefined,
  { id, before }: { readonly id: string; readonly before: Last | undefined },
): Last | undefined {
  const block = program.blocks[id];
  const after = (inner: string, first = before): Last | undefined => lastAfter(program, agentOf, { id: inner, before: first });
  if (block?.kind === "do") {
    const agent = agentOf(id);
    return agent === undefined ? before : { id, agent };
  }
  if (block?.kind === "seq") return block.blocks.reduce((first, inner) => after(inner, first), before);
  if (block?.kind === "repeat") return block.while === undefined ? after(block.body) : undefined;
  // A workflow never calls itself, so this ends.
  const called = block?.kind === "call" && block.onComplete === undefined ? program.parts[block.part]?.root : undefined;
  return called === undefined ? undefined : after(called);
}

function nameOf(block: string): string {
  return authorsName(block) ?? block;
}
