import { type JsonObject, shorten } from "../../../../base/index.ts";
import type { Program } from "../../../../program/index.ts";
import type { Explanation } from "../../../../source/index.ts";
import { explainPlan, type Plan, type PlanStep } from "./explain-plan.ts";
import { tellPlan } from "./tell-plan.ts";

/** The plan of a program of any dialect. */
export function explainSteps(program: Program, inputs?: JsonObject): Explanation {
  const plan = explainPlan(program, inputs);
  return {
    told: () => tellPlan(plan, program),
    text: () => renderPlanText(plan),
    mermaid: () => renderPlanMermaid(plan),
    data: () => plan as unknown as JsonObject,
  };
}

/** The plan as an indented list for a terminal; no colours. */
export function renderPlanText(plan: Plan): string {
  const lines = [`${plan.workflow} ${plan.version}`.trim(), ...(plan.description === "" ? [] : [plan.description]), ""];
  addSteps(lines, plan.steps, 0);
  for (const { workflow, steps } of plan.included) {
    lines.push("", `included: ${workflow}`);
    addSteps(lines, steps, 1);
  }
  if (plan.on_failure !== undefined) {
    lines.push("", "if the workflow fails:");
    addSteps(lines, plan.on_failure, 1);
  }
  lines.push("", `duration: ${plan.estimated_duration}`);
  if (plan.required_tools.length > 0) lines.push(`tools: ${plan.required_tools.join(", ")}`);
  if (plan.commands.length > 0) lines.push("commands:", ...plan.commands.map((command) => `  ${oneLine(command, 120)}`));
  return `${lines.join("\n")}\n`;
}

function addSteps(lines: string[], steps: readonly PlanStep[], depth: number): void {
  const indent = "  ".repeat(depth);
  for (const step of steps) {
    const facts = [
      step.who === "flow" ? "" : step.who === "either" ? "by engine or agent" : `by ${step.who}`,
      ownCondition(step) ?? "",
      step.includes === undefined ? "" : `runs ${step.includes}`,
      step.estimated_sub_agents === undefined ? "" : `${step.estimated_sub_agents} sub-agents`,
      step.dependencies === undefined ? "" : `after ${step.dependencies.join(", ")}`,
    ].filter((fact) => fact !== "");
    lines.push(
      `${indent}- ${step.step_id} [${step.type}]${facts.length === 0 ? "" : ` ${facts.join("; ")}`}${step.description === undefined ? "" : ` — ${oneLine(step.description, 80)}`}`,
    );
    for (const branch of step.branches ?? []) {
      lines.push(`${indent}  ${branch.name}:`);
      addSteps(lines, branch.steps, depth + 2);
    }
  }
}

function ownCondition(step: PlanStep): string | undefined {
  const condition = step.conditions?.at(-1);
  if (condition === undefined || (step.type !== "conditional" && step.type !== "while")) return undefined;
  return `${step.type === "while" ? "while" : "if"} ${oneLine(condition, 80)}`;
}

function oneLine(text: string, most: number): string {
  return shorten(text.trim().replace(/\s+/g, " "), most, "…");
}

/** Where the flow continues from: a node, and the text of the arrow. */
interface Exit {
  readonly node: string;
  readonly label?: string;
}
interface Drawing {
  readonly lines: string[];
  nodes: number;
}
/** A loop: its node, and the exits of its `break` steps. */
interface Loop {
  readonly node: string;
  readonly breaks: Exit[];
}

/** The plan as a Mermaid flow chart. */
export function renderPlanMermaid(plan: Plan): string {
  const drawing: Drawing = { lines: ["flowchart TD"], nodes: 0 };
  const start = addNode(drawing, `(["${escape(plan.workflow)}"])`);
  const exits = drawSteps(drawing, plan.steps, [{ node: start }]);
  connect(drawing, exits, addNode(drawing, '(["done"])'));
  for (const { workflow, steps } of plan.included) drawBox(drawing, escape(workflow), steps);
  return `${drawing.lines.join("\n")}\n`;
}

/** Steps that are reached from elsewhere, in a box of their own. The title is escaped. */
function drawBox(drawing: Drawing, title: string, steps: readonly PlanStep[]): string {
  const id = addId(drawing);
  drawing.lines.push(`  subgraph ${id}["${title}"]`);
  drawSteps(drawing, steps, []);
  drawing.lines.push("  end");
  return id;
}

function drawSteps(drawing: Drawing, steps: readonly PlanStep[], from: readonly Exit[], loop?: Loop): Exit[] {
  return steps.reduce<Exit[]>((exits, step) => drawStep(drawing, step, exits, loop), [...from]);
}

function drawStep(drawing: Drawing, step: PlanStep, from: readonly Exit[], loop: Loop | undefined): Exit[] {
  const node = addNode(drawing, shapeOf(step));
  connect(drawing, from, node);
  const { branches = [], type } = step;
  const [first] = branches;
  switch (type) {
    case "conditional": {
      const branch = (name: string): readonly PlanStep[] => branches.find((each) => each.name === name)?.steps ?? [];
      const exits = drawSteps(drawing, branch("then"), [{ node, label: "yes" }], loop);
      return [...exits, ...drawSteps(drawing, branch("else"), [{ node, label: "no" }], loop)];
    }
    case "while":
    case "foreach": {
      const own: Loop = { node, breaks: [] };
      connect(drawing, drawSteps(drawing, first?.steps ?? [], [{ node, label: type === "while" ? "holds" : "next item" }], own), node);
      return [{ node, label: "done" }, ...own.breaks];
    }
    case "parallel_foreach":
      drawing.lines.push(`  ${node} -.-> ${drawBox(drawing, `each task of ${escape(step.step_id)}`, first?.steps ?? [])}`);
      return [{ node }];
    case "break":
      loop?.breaks.push({ node });
      return [];
    case "continue":
      if (loop !== undefined) connect(drawing, [{ node }], loop.node);
      return [];
    case "exit":
      return [];
    default:
      return drawSteps(
        drawing,
        branches.flatMap((branch) => branch.steps),
        [{ node }],
        loop,
      );
  }
}

function shapeOf(step: PlanStep): string {
  const text = escape(ownCondition(step) === undefined ? `${step.step_id}: ${step.type}` : `${step.step_id}: ${ownCondition(step)}`);
  switch (step.type) {
    case "conditional":
      return `{"${text}"}`;
    case "while":
    case "foreach":
      return `{{"${text}"}}`;
    case "parallel_foreach":
    case "include_workflow":
      return `[["${text}"]]`;
    default:
      return step.who === "person" ? `[/"${text}"/]` : step.who === "agent" ? `("${text}")` : `["${text}"]`;
  }
}

function addId(drawing: Drawing): string {
  drawing.nodes++;
  return `n${drawing.nodes}`;
}

function addNode(drawing: Drawing, shape: string): string {
  const id = addId(drawing);
  drawing.lines.push(`  ${id}${shape}`);
  return id;
}

function connect(drawing: Drawing, exits: readonly Exit[], to: string): void {
  for (const { node, label } of exits) drawing.lines.push(label === undefined ? `  ${node} --> ${to}` : `  ${node} -- ${label} --> ${to}`);
}

/** Characters that end a Mermaid text, or start its own markup, become entities. */
function escape(text: string): string {
  return oneLine(text, 70).replace(/[#"<>`]/g, (char) => `#${char.charCodeAt(0)};`);
}
