import { defined, isList, isObject, type JsonObject, type Json } from "../../../../base/index.ts";
import type { Block, BlockId, Expr, Part, Program, WorkBlock } from "../../../../program/index.ts";
import { hasHole, wholeHole, wordsOf, findHoles } from "../template.ts";
import { pathKeys } from "../step-nodes.ts";

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
  readonly branches?: readonly Branch[];
  /** The workflow an `include_workflow` step runs. */
  readonly includes?: string;
}

interface Branch {
  readonly name: string;
  readonly steps: readonly PlanStep[];
}

/** Explains a program; `inputs` help to say how many sub-agents there will be. */
export function explainPlan(program: Program, inputs: JsonObject = {}): Plan {
  const part = program.parts[program.main];
  const main = part && explaining(program, part, inputs);
  const failure = part?.onFailure?.body ?? program.blocks[part?.root ?? ""]?.rescue?.body;
  return {
    workflow: program.name,
    description: part?.description ?? "",
    version: part?.version ?? "",
    steps: main === undefined ? [] : explainBlock(main, main.part.root, []),
    included: Object.values(program.parts)
      .filter((other) => other !== part)
      .map((other) => ({ workflow: other.name, steps: explainBlock(explaining(program, other, {}), other.root, []) })),
    ...(main !== undefined && failure !== undefined && { on_failure: explainBlock(main, failure, ["the workflow failed"]) }),
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

function explaining(program: Program, part: Part, given: JsonObject): Explaining {
  const preset = Object.entries(part.inputs).flatMap(([name, spec]) => (spec.default === undefined ? [] : [[name, spec.default]]));
  const inputs = { ...(Object.fromEntries(preset) as JsonObject), ...given };
  return { program, part, inputs, dependencies: dependenciesOf(program, part, blocksInOrder(program, part.root)) };
}

/** Blocks that steps were lowered to, in the order of the file. */
function blocksInOrder(program: Program, root: BlockId): BlockId[] {
  const block = program.blocks[root];
  if (block === undefined) return [];
  const inner = slotsOf(program, block).flatMap(({ blocks }) => blocks.flatMap((id) => blocksInOrder(program, id)));
  return [...(isMadeUp(block) ? [] : [root]), ...inner];
}

/** Lists of steps that lowering put between a step and the steps inside it. */
function isMadeUp(block: Block): boolean {
  return block.kind === "seq" && /\$[a-z_]+$/.test(block.id);
}

function explainBlock(plan: Explaining, id: BlockId, conditions: readonly string[]): PlanStep[] {
  const block = plan.program.blocks[id];
  if (block === undefined) return [];
  if (block.kind === "seq" && isMadeUp(block)) return block.blocks.flatMap((inner) => explainBlock(plan, inner, conditions));
  const own = conditionOf(block);
  const branches = branchesOf(plan, block, conditions, own);
  const agents = block.kind === "work" && block.mode === "strands" ? countItems(plan, block) : undefined;
  const dependencies = plan.dependencies.get(id) ?? [];
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

function branchesOf(plan: Explaining, block: Block, conditions: readonly string[], own: string | undefined): Branch[] {
  return slotsOf(plan.program, block).map(({ name, blocks }) => {
    const inside = own === undefined ? conditions : name === "else" ? [...conditions, `not (${own})`] : [...conditions, own];
    const all = name === "cleanup" ? [...conditions, "the task failed"] : inside;
    return { name, steps: blocks.flatMap((id) => explainBlock(plan, id, all)) };
  });
}

/** The lists of blocks inside a block, by name. */
function slotsOf(program: Program, block: Block): { name: string; blocks: readonly BlockId[] }[] {
  const slot = (name: string, id: BlockId | undefined) => (id === undefined ? [] : [{ name, blocks: [id] }]);
  switch (block.kind) {
    case "seq":
      return [{ name: "steps", blocks: block.blocks }];
    case "choose":
      return [...block.branches.flatMap((branch) => slot("then", branch.then)), ...slot("else", block.otherwise)];
    case "repeat":
      return slot("body", block.body);
    case "work":
      if (block.mode === "each") return slot("body", block.body);
      return [...slot("task", block.body), ...slot("cleanup", program.blocks[block.body]?.rescue?.body)];
    case "call":
      return slot("on_complete", block.onComplete);
    default:
      return [];
  }
}

function conditionOf(block: Block): string | undefined {
  const expr = block.kind === "choose" ? block.branches[0]?.when : block.kind === "repeat" ? block.while : undefined;
  if (expr === undefined) return undefined;
  const text = exprText(expr);
  return (wholeHole(text) ?? text).trim().replace(/\s+/g, " ");
}

const leafTypes: Readonly<Record<string, string>> = { shell: "shell_command", set: "state_update", mcp: "mcp_call", task: "agent_task" };
const flowTypes: Readonly<Record<string, string>> = {
  choose: "conditional",
  repeat: "while",
  call: "include_workflow",
  seq: "sequential",
};

function typeOf(block: Block): string {
  if (block.kind === "do") return leafTypes[block.what] ?? block.what;
  if (block.kind === "work") return block.mode === "strands" ? "parallel_foreach" : "foreach";
  if (block.kind === "leave") return block.how === "break" || block.how === "continue" ? block.how : "exit";
  return flowTypes[block.kind] ?? block.kind;
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
  return [...new Set(leaves.map((block) => (block.kind === "do" ? exprText(block.args[name]) : "")))];
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

/**
 * Which earlier steps wrote what a step reads, directly or through computed fields. `order` is the order in which the steps
 * of one part are in the file; loops may bring values back from later steps, which is not counted.
 */
function dependenciesOf(program: Program, part: Part, order: readonly BlockId[]): Map<BlockId, BlockId[]> {
  const sources = sourcesOfComputed(part);
  const writers = new Map<string, BlockId[]>();
  const found = new Map<BlockId, BlockId[]>();
  for (const id of order) {
    const block = program.blocks[id];
    if (block === undefined) continue;
    const names = new Set(
      exprsOf(block)
        .flatMap((expr) => (expr === undefined ? [] : readNames(expr)))
        .flatMap((name) => [name, ...(sources.get(name) ?? [])]),
    );
    found.set(
      id,
      order.filter((other) => other !== id && [...names].some((name) => writers.get(name)?.includes(other))),
    );
    for (const name of writtenNames(block)) writers.set(name, [...(writers.get(name) ?? []), id]);
  }
  return found;
}

function writtenNames(block: Block): string[] {
  if (block.kind === "call") return [block.as];
  const collect = block.kind === "work" ? block.onItemFailure?.collect : undefined;
  const paths = block.kind === "do" ? block.writes.map((write) => exprText(write.path)) : collect === undefined ? [] : [collect];
  return paths.flatMap((path) => pathKeys(path)?.[1] ?? []);
}

/** Names of state fields behind each computed field, all the way down. */
function sourcesOfComputed(part: Part): Map<string, Set<string>> {
  const direct = new Map(
    part.computed.map((field) => [field.name, [...field.from.flatMap((path) => path.split(".")[1] ?? []), ...wordsOf(field.transform)]]),
  );
  const all = new Map<string, Set<string>>();
  for (const name of direct.keys()) {
    const seen = new Set<string>();
    const queue = [name];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const source of direct.get(next) ?? []) {
        if (seen.has(source)) continue;
        seen.add(source);
        queue.push(source);
      }
    }
    all.set(name, seen);
  }
  return all;
}

/** Expressions a block itself evaluates; those of blocks inside it are theirs. */
function exprsOf(block: Block): (Expr | undefined)[] {
  switch (block.kind) {
    case "do":
      return [...Object.values(block.args), ...block.writes.flatMap(({ path, value, transform }) => [path, value, transform])];
    case "choose":
      return block.branches.map((branch) => branch.when);
    case "repeat":
      return [block.while, block.until];
    case "work":
      return [block.fill];
    case "call":
      return Object.values(block.inputs);
    case "leave":
      return [block.message];
    default:
      return [];
  }
}

/** The text of an expression that is one; nothing for a tree of values. */
function exprText(expr: Expr | undefined): string {
  return typeof expr?.of === "string" ? expr.of : "";
}

/** Words an expression reads, roughly: good enough to show what a step builds on. */
function readNames(expr: Expr): string[] {
  if (expr.as === "filled") return Object.values(expr.with).flatMap(readNames);
  if (expr.as === "js") return wordsOf(expr.of);
  if (expr.as === "condition" && findHoles(expr.of).length === 0) return wordsOf(expr.of);
  return textsIn(expr.of).flatMap((text) => findHoles(text).flatMap((hole) => wordsOf(hole.code)));
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (isList(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
