import { defined } from "../base/index.ts";
import type { EngineContext } from "../engine/index.ts";
import type { Agents } from "../ports/index.ts";
import { authorsName } from "../views/index.ts";
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
  const steps = agentSteps(context, program);
  const driven = { ...request, run: "" };
  for (const [block, { wish }] of steps) await chooseAgent(agents, driven, { step: nameOf(block), wish, inWorktree });
  if (steps.size === 0) await chooseAgent(agents, driven, { step: program.name, wish: undefined, inWorktree });
  return request.onLost === undefined ? lostBetween(program, steps, request) : [];
}

interface AgentStep {
  readonly wish: Parameters<typeof agentFor>[1];
  /** It is done in the conversation of the step before it, or not at all. */
  readonly continues: boolean;
}

function agentSteps({ leaves }: EngineContext, program: Program): ReadonlyMap<string, AgentStep> {
  return new Map(
    leaves.inProgram(program).flatMap(({ leaf, block }) =>
      leaf
        .runs(block.args)
        .filter(({ kind }) => kind === "agent")
        .map(({ agent, usualAgent, permission }): [string, AgentStep] => {
          const wish = defined({ agent, permission, usual: usualAgent === undefined ? undefined : { agent: usualAgent } });
          return [block.id, { wish, continues: leaf.continues?.(block.args) === true }];
        }),
    ),
  );
}

/** Steps that continue a conversation which another agent has. */
function lostBetween({ blocks }: Program, steps: ReadonlyMap<string, AgentStep>, request: Request): readonly string[] {
  return Object.values(blocks).flatMap((block) => {
    if (block.kind !== "seq") return [];
    const lost: string[] = [];
    let before: { readonly id: string; readonly agent: string } | undefined;
    for (const id of block.blocks) {
      const step = steps.get(id);
      const agent = step === undefined ? undefined : agentFor(request, step.wish);
      if (agent !== undefined && step?.continues === true && before !== undefined && before.agent !== agent)
        lost.push(
          `\`${nameOf(id)}\` continues the conversation of \`${nameOf(before.id)}\`, which \`${before.agent}\` has and \`${agent}\` cannot continue: it fails there. Let one agent do both, or add \`--on-lost fresh\` or \`replay\`.`,
        );
      // What is inside another block may leave a conversation of its own.
      if (agent !== undefined) before = { id, agent };
      else if (blocks[id]?.kind !== "do") before = undefined;
    }
    return lost;
  });
}

function nameOf(block: string): string {
  return authorsName(block) ?? block;
}
