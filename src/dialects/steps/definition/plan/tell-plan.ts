import { shorten, textOf } from "../../../../base/index.ts";
import type { Program } from "../../../../program/index.ts";
import { withoutHoles, type Told } from "../../../../source/index.ts";
import type { Plan, PlanStep } from "./explain-plan.ts";

/** A workflow of steps for people who have not seen one. */
export function tellPlan({ steps, included, estimated_duration: duration }: Plan, { blocks }: Program): Told {
  const all = everyStep([...steps, ...included.flatMap((each) => each.steps)]);
  // What is said, asked or run; without it what its author says about the step.
  const textOfStep: TextOf = ({ step_id, description }) => {
    const block = blocks[step_id];
    const { of = description } =
      (block?.kind === "do" ? (block.args["message"] ?? block.args["prompt"] ?? block.args["command"]) : undefined) ?? {};
    return of === undefined ? "" : `: ${shorten(withoutHoles(textOf(of)).replaceAll(/\s+/g, " ").trim(), 120)}`;
  };
  return {
    happens: steps.flatMap((step) => linesOf(step, textOfStep, 0)),
    asks: all.filter(({ who }) => who === "person").map((step) => `\`${step.step_id}\`${textOfStep(step)}`),
    ends: `After the last step, or when one fails. As far as it is known before: ${duration}.`,
  };
}

const phrases: Readonly<Record<string, string>> = {
  user_message: "The agent tells you something",
  user_input: "You are asked",
  shell_command: "Waymark runs a command",
  agent_shell_command: "The agent runs a command",
  mcp_call: "A tool is called",
  state_update: "Waymark notes something down",
  batch_state_update: "Waymark notes something down",
  conditional: "It depends",
  foreach: "For each item of a list",
  while: "As long as something holds",
  parallel_foreach: "For each item of a list, several at the same time",
  include_workflow: "Another workflow runs",
  agent_task: "An agent does a task",
  wait: "Waymark waits",
};

type TextOf = (step: PlanStep) => string;

function linesOf(step: PlanStep, textOfStep: TextOf, depth: number): readonly string[] {
  const indent = depth === 0 ? "" : " ".repeat(depth);
  const what = phrases[step.type] ?? "A step is done";
  const line = `${indent}${what} (\`${step.step_id}\`)${step.includes === undefined ? "" : `: ${step.includes}`}${textOfStep(step)}`;
  const inside = (step.branches ?? []).flatMap(({ name, steps }) => [
    ...(step.type === "conditional" ? [` ${name === "then" ? "If so:" : name === "else" ? "If not:" : `${name}:`}`] : []),
    ...steps.flatMap((each) => linesOf(each, textOfStep, depth + 1)),
  ]);
  return [line, ...inside];
}

function everyStep(steps: readonly PlanStep[]): readonly PlanStep[] {
  return steps.flatMap((step) => [step, ...everyStep((step.branches ?? []).flatMap((branch) => branch.steps))]);
}
