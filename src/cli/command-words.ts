import { isList, isObject, textOf, type Json } from "../base/index.ts";
import type { Position } from "../engine/index.ts";
import { authorsPrompt, type AtomicStep } from "../views/index.ts";
import { nextLine } from "./printed-lines.ts";

/** A step with tasks in the words of the command line: what agents are told who call tools means nothing here. Others are as they are. */
export function inCommandWords({ run, standing }: Position, step: AtomicStep): AtomicStep {
  if (standing.kind !== "action" || standing.action.what !== "parallel_tasks") return step;
  const { sub_agent_prompt: _tools, tasks, ...definition } = step.definition;
  const instructions = step.instructions.replaceAll(
    "call workflow_next with its task_id",
    "run `waymark next` with `--task` and its task_id",
  );
  const prompt = authorsPrompt(standing.action) ?? linesPrompt(run);
  const begun = isList(tasks) ? tasks.map((task) => withLine(run, task)) : [];
  return { ...step, instructions, definition: { sub_agent_prompt: prompt, tasks: begun, ...definition } };
}

function withLine(run: string, task: Json): Json {
  if (!isObject(task) || task["prompt"] === undefined) return task;
  return { ...task, prompt: `Begin with: ${nextLine(run, textOf(task["task_id"]))}` };
}

/** What a sub-agent is told where the author does not say it. */
function linesPrompt(run: string): string {
  return [
    "You carry out one task of a larger workflow. The workflow engine knows the plan; you do one step of it at a time.",
    "",
    `1. Ask for the next step of your task: run \`${nextLine(run)} --task\` with your task_id.`,
    "2. Do exactly what that step says, nothing before it and nothing beyond it.",
    "3. Report its result with the `waymark done` line that is printed below it, or with `waymark fail` why it failed.",
    "4. The next step is printed then: go back to 2. When no step comes any more, your task is done: stop and give a short summary.",
    "",
    "Do not guess what comes next and do not take over work of other tasks; every step you need will be handed to you.",
  ].join("\n");
}
