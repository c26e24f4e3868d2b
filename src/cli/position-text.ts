import { defined, isList, isObject, textOf, type Json, type JsonObject } from "../base/index.ts";
import { maskSecrets, type Position } from "../engine/index.ts";
import {
  authorsPrompt,
  positionView,
  progressOf,
  promptText,
  questionStep,
  stepFor,
  taskPrompt,
  timeOver,
  type AtomicStep,
} from "../views/index.ts";
import { exitCodes } from "./codes.ts";
import type { Desk } from "./command-share.ts";
import { followingOf, taskOf } from "./next-command.ts";
import { followingData, followingText, nextLine, skipLine } from "./printed-lines.ts";
import { besideData, besideLines, tasksBesideOf } from "./tasks-beside.ts";

type Standing<K extends Position["standing"]["kind"]> = Extract<Position["standing"], { readonly kind: K }>;
type Question = Standing<"question">["decision"];

/** Shows where a strand is and what to do, and answers the exit code: 1 when the run ended without completing. */
export async function showPosition(desk: Desk, position: Position, extra: JsonObject = {}): Promise<number> {
  const { out, world } = desk.session;
  const { outcome = "state" } = await desk.shares.of(position.program.dialect);
  const following = followingOf(position, world.user, outcome);
  const { data } = positionView(position);
  // Who does a step needs its values; everywhere else secrets stay hidden.
  const shown = position.standing.kind === "action" ? data : maskSecrets(data, position.program, position.state);
  const beside = await tasksBesideOf(desk.context, position);
  out.document({ ...shown, ...stepData(position), ...extra, ...besideData(beside), ...followingData(following) });
  if (!out.json) for (const line of [...positionLines(position), ...besideLines(beside)]) out.line(line);
  for (const line of [...followingText(following), ...skipLines(position)]) out.hint(line);
  return position.standing.kind === "ended" && position.state.status !== "completed" ? exitCodes.failed : exitCodes.done;
}

function stepData(position: Position): JsonObject {
  return position.standing.kind === "action" ? { step: openStep(position, position.standing) as unknown as JsonObject } : {};
}

export function positionLines(position: Position): string[] {
  const { run, standing, state, program } = position;
  switch (standing.kind) {
    case "action":
      return [...heading(position, standing.action.step), ...stepLines(openStep(position, standing)), ...noteLines(standing.action)];
    case "question":
      return [...heading(position, standing.decision.step), ...questionLines(standing.decision)];
    case "working": {
      const until = standing.until === undefined ? "" : ` until ${timeOver(standing.until)}`;
      return [`Run ${run} is working on \`${standing.on}\`${until}.`];
    }
    case "joining":
      return [`Run ${run} waits for ${standing.tasks.length} tasks: ${standing.tasks.map((task) => task.task).join(", ")}.`];
    case "blocked":
      return [`Run ${run} is blocked (${standing.code}): ${maskSecrets(standing.reason, program, state)}`];
    case "task_ended":
      return [`Task ${standing.task} of run ${run} is ${standing.status}. You are done; report this to the agent that started you.`];
    case "ended":
      return [
        `Run ${run} is ${state.status}.${state.error === undefined ? "" : ` ${maskSecrets(state.error.message, program, state)} (${state.error.code})`}`,
      ];
  }
}

/** Run and step, and what the author says to the agent that begins the task. */
function heading(position: Position, step: string): string[] {
  const { run, state, strand } = position;
  const { progress } = progressOf(position);
  const done = isObject(progress) ? `, ${textOf(progress["done"])} of ${textOf(progress["total"])} items done` : "";
  const prompt = taskPrompt(state, strand);
  return [
    `Run   ${run} (${state.workflow})`,
    `Step  ${step}${done}`,
    "",
    ...(prompt === undefined ? [] : [indent(promptText(prompt)), ""]),
  ];
}

/** What may be run instead of the step's report. */
function skipLines({ run, standing, ...position }: Position): string[] {
  if (standing.kind !== "action" || standing.shown.skippable !== true) return [];
  return [`→ ${skipLine({ run, action: standing.action.id, ...defined({ task: taskOf(position) }) })}`];
}

/** Instructions and what they are about, indented; every value is whole. Calls of tools mean nothing here: the instructions name the tool. */
function stepLines(step: AtomicStep): string[] {
  const { state_update: _path, tool_call: _call, ...definition } = step.definition;
  return [indent(step.instructions), "", ...Object.entries(definition).flatMap(([name, value]) => valueLines(name, value))];
}

/** What a task is given, and the prompt of its sub-agent; nothing more of one that runs. */
function aboutTask({ context, prompt, running }: JsonObject): string {
  if (running === true) return "(running)";
  return [prompt, context].flatMap((part) => (part === undefined ? [] : [textOf(part)])).join("  ");
}

function valueLines(name: string, value: unknown): string[] {
  if (name === "tasks" && Array.isArray(value)) {
    return [
      indent(`tasks (${value.length}):`),
      ...value.map((task: JsonObject) => indent(`  ${textOf(task["task_id"])}  ${aboutTask(task)}`)),
    ];
  }
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.includes("\n") ? [indent(`${name}:`), indent(indent(text))] : [indent(`${name}: ${text}`)];
}

function questionLines(question: Question): string[] {
  const { answerBy, options, patternMessage = "" } = question;
  const prompt = textOf(questionStep(question).definition["prompt"] ?? "");
  const rule = prompt.includes(patternMessage) ? [] : [indent(patternMessage)];
  const who = answerBy === "person" ? ["  Only a person at a terminal can answer this."] : [];
  return [indent(prompt), ...optionLines(options), ...rule, ...who];
}

export function optionLines(options: Question["options"] = []): string[] {
  return options.map(({ value, label = value }) => `    ${value}${label === value ? "" : `  ${label}`}`);
}

function noteLines({ notes = [], taken }: Standing<"action">["action"]): string[] {
  const again = taken > 0 ? ["  This step was interrupted before; check what is already done."] : [];
  const lines = [...notes.map((note) => indent(`Note: ${note}`)), ...again];
  return lines.length === 0 ? [] : ["", ...lines];
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

/** An open step in the words of the command line: where it has tasks, what agents are asked to call means nothing here. */
function openStep({ run }: Position, { action, shown }: Standing<"action">): AtomicStep {
  const step = stepFor(shown, () => false);
  if (action.what !== "parallel_tasks") return step;
  const { sub_agent_prompt: _tools, tasks, ...definition } = step.definition;
  const instructions = step.instructions.replaceAll(
    "call workflow_next with its task_id",
    "run `waymark next` with `--task` and its task_id",
  );
  const prompt = authorsPrompt(action) ?? linesPrompt(run);
  const begun = isList(tasks) ? tasks.map((task) => withLine(run, task)) : [];
  return { ...step, instructions, definition: { sub_agent_prompt: prompt, tasks: begun, ...definition } };
}

function withLine(run: string, task: Json): Json {
  if (!isObject(task) || task["prompt"] === undefined) return task;
  return { ...task, prompt: `Begin with: ${nextLine(run, textOf(task["task_id"]))}` };
}

/** The prompt of a sub-agent where the author gives none. */
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
