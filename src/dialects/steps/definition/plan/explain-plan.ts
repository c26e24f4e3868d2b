import { defined, isList, type JsonObject } from "../../../../base/index.ts";
import type { Block, BlockId, Part, Program, WorkBlock } from "../../../../program/index.ts";
import { hasHole, wholeHole } from "../template.ts";
import { textOf, dependenciesOf } from "./step-dependencies.ts";

/** What a program will do, as data; keys are those of the seed's `workflow.explain_plan`. */
export interface Plan {
  readonly workflow: string;
  readonly description: string;
  readonly version: string;
  readonly steps: readonly PlanStep[];
  /** Workflows that steps include, each once. */
  readonly included: readonly { readonly workflow: string; readonly steps: readonly PlanStep[] }[];
  readonly on_failure?: readonly PlanStep[];
  readonly estimated_duration: string;
  /** Tools that `mcp_call` steps name; tools that only a template knows are not among them. */
  readonly required_tools: readonly string[];
  /** Command lines as written, for review before they are allowed. */
  readonly commands: readonly string[];
}

export interface PlanStep {
  readonly step_id: string;
  readonly type: string;
  readonly description?: string;
  /** `either`: the engine if it can, else the agent. `flow`: the step only leads to others. */
  readonly who: "engine" | "agent" | "person" | "either" | "flow";
  /** What must hold for the step to run, outermost first; for a step with a condition also that one. */
  readonly conditions?: readonly string[];
  /** Absent when the number is known only at run time. */
  readonly estimated_sub_agents?: number;
  /** Earlier steps whose results this one reads. */
  readonly dependencies?: readonly string[];
  /** Steps inside, by the list they are in. */
  readonly branches?: readonly { readonly name: string; readonly steps: readonly PlanStep[] }[];
  /** The workflow an `include_workflow` step runs. */
  readonly includes?: string;
}

/** Explains a program; `inputs` help to say how many sub-agents there will be. */
export function explainPlan(program: Program, inputs: JsonObject = {}): Plan {
  const part = program.parts[program.main];
  const main = part === undefined ? undefined : explainPart(program, part, inputs);
  const others = Object.values(program.parts)
    .filter((other) => other !== part)
    .map((other) => explainPart(program, other, inputs));
  return {
    workflow: program.name,
    description: part?.description ?? "",
    version: part?.version ?? "",
    steps: main?.steps ?? [],
    included: others.map(({ workflow, steps }) => ({ workflow, steps })),
    ...defined({ on_failure: main?.onFailure }),
    estimated_duration: estimateDuration(Object.values(program.blocks)),
    required_tools: argumentsOf(program, ["mcp"], "method")
      .filter((text) => !hasHole(text))
      .sort(),
    commands: argumentsOf(program, ["shell", "agent_shell_command"], "command"),
  };
}

interface Explaining {
  readonly program: Program;
  readonly inputs: JsonObject;
  readonly part: Part;
  readonly dependencies: ReadonlyMap<BlockId, readonly BlockId[]>;
}

function explainPart(program: Program, part: Part, inputs: JsonObject): { workflow: string; steps: PlanStep[]; onFailure?: PlanStep[] } {
  const given = Object.fromEntries(
    Object.entries(part.inputs).flatMap(([name, spec]) => (spec.default === undefined ? [] : [[name, spec.default]])),
  );
  const isMain = program.parts[program.main] === part;
  const explaining: Explaining = {
    program,
    part,
    inputs: isMain ? { ...given, ...inputs } : given,
    dependencies: dependenciesOf(program, part, blocksInOrder(program, part.root)),
  };
  const failure = part.onFailure?.body ?? program.blocks[part.root]?.rescue?.body;
  return {
    workflow: part.name,
    steps: explainBlock(explaining, part.root, []),
    ...(failure === undefined ? {} : { onFailure: explainBlock(explaining, failure, ["the workflow failed"]) }),
  };
}

/** Blocks that steps were lowered to, in the order of the file. */
function blocksInOrder(program: Program, root: BlockId): BlockId[] {
  const block = program.blocks[root];
  if (block === undefined) return [];
  const inner = slotsOf(program, block).flatMap(({ block: id }) => blocksInOrder(program, id));
  const listed = block.kind === "seq" ? block.blocks.flatMap((id) => blocksInOrder(program, id)) : [];
  return [...(isMadeUp(block) ? [] : [root]), ...listed, ...inner];
}

/** Lists of steps that lowering put between a step and the steps inside it. */
function isMadeUp(block: Block): boolean {
  return block.kind === "seq" && /\$[a-z_]+$/.test(block.id);
}

function explainBlock(explaining: Explaining, id: BlockId, conditions: readonly string[]): PlanStep[] {
  const block = explaining.program.blocks[id];
  if (block === undefined) return [];
  if (block.kind === "seq" && isMadeUp(block)) return block.blocks.flatMap((inner) => explainBlock(explaining, inner, conditions));
  const own = conditionOf(block);
  const branches = branchesOf(explaining, block, conditions, own);
  const agents = block.kind === "work" && block.mode === "strands" ? countItems(explaining, block) : undefined;
  const dependencies = explaining.dependencies.get(id) ?? [];
  const all = own === undefined ? conditions : [...conditions, own];
  return [
    {
      step_id: id,
      type: typeOf(block),
      ...defined({ description: block.label?.text }),
      who: actorOf(block),
      ...(all.length > 0 && { conditions: all }),
      ...defined({ estimated_sub_agents: agents }),
      ...(dependencies.length > 0 && { dependencies }),
      ...(branches.length > 0 && { branches }),
      ...(block.kind === "call" && { includes: block.part }),
    },
  ];
}

function actorOf(block: Block): PlanStep["who"] {
  if (block.kind === "do") return block.orAgent === true ? "either" : block.who;
  return block.kind === "work" && block.task !== undefined ? "agent" : "flow";
}

function branchesOf(
  explaining: Explaining,
  block: Block,
  conditions: readonly string[],
  own: string | undefined,
): { name: string; steps: PlanStep[] }[] {
  if (block.kind === "seq") return [{ name: "steps", steps: block.blocks.flatMap((id) => explainBlock(explaining, id, conditions)) }];
  return slotsOf(explaining.program, block).map(({ name, block: id }) => {
    const inside = own === undefined ? conditions : name === "else" ? [...conditions, `not (${own})`] : [...conditions, own];
    return { name, steps: explainBlock(explaining, id, name === "cleanup" ? [...conditions, "the task failed"] : inside) };
  });
}

function slotsOf(program: Program, block: Block): { name: string; block: BlockId }[] {
  switch (block.kind) {
    case "choose":
      return [
        ...block.branches.map((branch) => ({ name: "then", block: branch.then })),
        ...(block.otherwise === undefined ? [] : [{ name: "else", block: block.otherwise }]),
      ];
    case "repeat":
      return [{ name: "body", block: block.body }];
    case "work": {
      const cleanup = block.mode === "strands" ? program.blocks[block.body]?.rescue?.body : undefined;
      return [
        { name: block.mode === "strands" ? "task" : "body", block: block.body },
        ...(cleanup === undefined ? [] : [{ name: "cleanup", block: cleanup }]),
      ];
    }
    case "call":
      return block.onComplete === undefined ? [] : [{ name: "on_complete", block: block.onComplete }];
    default:
      return [];
  }
}

function conditionOf(block: Block): string | undefined {
  const expr = block.kind === "choose" ? block.branches[0]?.when : block.kind === "repeat" ? block.while : undefined;
  if (expr === undefined) return undefined;
  const text = textOf(expr);
  return (wholeHole(text) ?? text).trim().replace(/\s+/g, " ");
}

const leafTypes: Readonly<Record<string, string>> = { shell: "shell_command", set: "state_update", mcp: "mcp_call" };

function typeOf(block: Block): string {
  switch (block.kind) {
    case "do":
      return leafTypes[block.what] ?? block.what;
    case "choose":
      return "conditional";
    case "repeat":
      return "while";
    case "work":
      return block.mode === "strands" ? "parallel_foreach" : "foreach";
    case "call":
      return "include_workflow";
    case "leave":
      return block.how === "break" || block.how === "continue" ? block.how : "exit";
    default:
      return block.kind === "seq" ? "sequential" : block.kind;
  }
}

/** A literal list, or an input that was given or has a default. */
function countItems({ inputs }: Explaining, block: WorkBlock): number | undefined {
  const of = block.fill?.of;
  if (isList(of)) return of.length;
  const name = typeof of === "string" ? /^inputs\.([\w$]+)$/.exec(wholeHole(of) ?? "")?.[1] : undefined;
  const given = name === undefined || !Object.hasOwn(inputs, name) ? undefined : inputs[name];
  return isList(given) ? given.length : undefined;
}

/** What leaves of some kinds say for an argument, each text once. */
function argumentsOf({ blocks }: Program, kinds: readonly string[], name: string): string[] {
  const leaves = Object.values(blocks).filter((block) => block.kind === "do" && kinds.includes(block.what));
  return [...new Set(leaves.map((block) => (block.kind === "do" ? textOf(block.args[name]) : "")))];
}

/** Says in words what the time depends on: a number of minutes would be invented. */
function estimateDuration(blocks: readonly Block[]): string {
  const leaves = blocks.filter((block) => block.kind === "do");
  const engine = leaves.filter((block) => block.who === "engine" && block.orAgent !== true).length;
  const people = leaves.filter((block) => block.who === "person").length;
  const agent = leaves.length - engine - people;
  const loops = blocks.filter((block) => block.kind === "repeat" || block.kind === "work").length;
  const scale = people > 0 ? "depends on a person" : agent > 0 ? "minutes" : "seconds";
  const counts = [count(engine, "engine step"), count(agent, "agent step"), count(people, "question")].filter((text) => text !== "");
  return `${scale}: ${counts.join(", ") || "nothing to do"}${loops === 0 ? "" : `; ${count(loops, "loop")} ${loops === 1 ? "repeats" : "repeat"} some of them`}`;
}

function count(number: number, noun: string): string {
  return number === 0 ? "" : `${number} ${noun}${number === 1 ? "" : "s"}`;
}
