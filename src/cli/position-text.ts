import { isObject, type JsonObject } from "../base/index.ts";
import { maskSecrets, type EngineContext, type Position } from "../engine/index.ts";
import { positionView, progressOf, promptText, questionStep, stepFor, taskPrompt, timeOver, type AtomicStep } from "../views/index.ts";
import { exitCodes } from "./codes.ts";
import { inCommandWords } from "./command-words.ts";
import { followingData, followingOf, followingText } from "./next-command.ts";
import { skipLine, taskOf } from "./printed-lines.ts";
import type { Session } from "./session.ts";
import { besideData, besideLines, tasksBesideOf } from "./tasks-beside.ts";
import { valueText } from "./value-text.ts";

/** Shows where a strand stands and what to do, and answers the exit code: 1 when the run ended without completing. */
export async function showPosition(
  { out, world }: Session,
  context: EngineContext,
  position: Position,
  extra: JsonObject = {},
): Promise<number> {
  const following = followingOf(position, world.user);
  const { data } = positionView(position);
  // Who does a step needs its values; everywhere else secrets stay hidden.
  const shown = position.standing.kind === "action" ? data : maskSecrets(data, position.program, position.state);
  const beside = await tasksBesideOf(context, position);
  out.document({ ...shown, ...stepData(position), ...extra, ...besideData(beside), ...followingData(following) });
  if (!out.json) for (const line of [...positionLines(position), ...besideLines(beside)]) out.line(line);
  for (const line of [...followingText(following), ...skipLines(position)]) out.hint(line);
  return position.standing.kind === "ended" && position.state.status !== "completed" ? exitCodes.failed : exitCodes.done;
}

function stepData(position: Position): JsonObject {
  const { standing } = position;
  if (standing.kind !== "action") return {};
  return {
    step: inCommandWords(
      position,
      stepFor(standing.shown, () => false),
    ) as unknown as JsonObject,
  };
}

export function positionLines(position: Position): string[] {
  const { run, standing, state, program } = position;
  switch (standing.kind) {
    case "action":
      return [
        ...heading(position, standing.action.step),
        "",
        ...promptLines(position),
        ...stepLines(
          inCommandWords(
            position,
            stepFor(standing.shown, () => false),
          ),
        ),
        ...noteLines(position),
      ];
    case "question":
      return [
        ...heading(position, standing.decision.step),
        "",
        ...promptLines(position),
        ...questionLines(questionStep(standing.decision), standing.decision),
      ];
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

function heading(position: Position, step: string): string[] {
  const { run, state } = position;
  const { progress } = progressOf(position);
  const done = isObject(progress) ? `, ${valueText(progress["done"])} of ${valueText(progress["total"])} items done` : "";
  return [`Run   ${run} (${state.workflow})`, `Step  ${step}${done}`];
}

/** What the author tells who begins the task. */
function promptLines({ state, strand }: Position): string[] {
  const prompt = taskPrompt(state, strand);
  return prompt === undefined ? [] : [indent(promptText(prompt)), ""];
}

/** What may be run instead of the step's report. */
function skipLines({ run, standing, ...position }: Position): string[] {
  if (standing.kind !== "action" || standing.shown.skippable !== true) return [];
  const task = taskOf(position);
  return [`→ ${skipLine({ run, action: standing.action.id, ...(task === undefined ? {} : { task }) })}`];
}

/** Instructions and what they are about, indented; every value is whole. Calls of tools mean nothing here: the instructions name the tool. */
function stepLines(step: AtomicStep): string[] {
  const { state_update: _path, tool_call: _call, ...definition } = step.definition;
  return [indent(step.instructions), "", ...Object.entries(definition).flatMap(([name, value]) => valueLines(name, value))];
}

/** What a task is given, and what its sub-agent is told; nothing more of one that runs. */
function aboutTask({ context, prompt, running }: JsonObject): string {
  if (running === true) return "(running)";
  return [prompt, context]
    .flatMap((part) => (part === undefined ? [] : [typeof part === "string" ? part : JSON.stringify(part)]))
    .join("  ");
}

function valueLines(name: string, value: unknown): string[] {
  if (name === "tasks" && Array.isArray(value)) {
    return [
      indent(`tasks (${value.length}):`),
      ...value.map((task: JsonObject) => indent(`  ${valueText(task["task_id"])}  ${aboutTask(task)}`)),
    ];
  }
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.includes("\n") ? [indent(`${name}:`), indent(indent(text))] : [indent(`${name}: ${text}`)];
}

function questionLines(
  step: AtomicStep,
  decision: {
    readonly answerBy: string;
    readonly options?: readonly { readonly value: string; readonly label?: string }[];
    readonly patternMessage?: string;
  },
): string[] {
  const who = decision.answerBy === "person" ? ["  Only a person at a terminal can answer this."] : [];
  const prompt = valueText(step.definition["prompt"]);
  const told = decision.patternMessage !== undefined && !prompt.includes(decision.patternMessage);
  const rule = told ? [indent(decision.patternMessage ?? "")] : [];
  return [indent(prompt), ...optionLines(decision.options), ...rule, ...who];
}

export function optionLines(options: readonly { readonly value: string; readonly label?: string }[] | undefined): string[] {
  return (options ?? []).map(
    (option) => `    ${option.value}${option.label === undefined || option.label === option.value ? "" : `  ${option.label}`}`,
  );
}

function noteLines({ standing }: Position): string[] {
  if (standing.kind !== "action") return [];
  const notes = (standing.action.notes ?? []).map((note) => indent(`Note: ${note}`));
  const again = standing.action.taken > 0 ? ["  This step was interrupted before; check what is already done."] : [];
  return [...notes, ...again].length === 0 ? [] : ["", ...notes, ...again];
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
