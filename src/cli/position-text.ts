import { defined, isList, isObject, textOf, type JsonObject, counted } from "../base/index.ts";
import { maskSecrets, type Position, status } from "../engine/index.ts";
import {
  authorsPrompt,
  afterTask,
  becameText,
  positionView,
  progressOf,
  promptText,
  questionStep,
  stepFor,
  taskOf,
  taskPrompt,
  timeOver,
  type AtomicStep,
  tasksBeside,
  workingText,
} from "../views/index.ts";
import { answerLine } from "./answer-line.ts";
import { exitCodes } from "./codes.ts";
import type { Desk } from "./command-share.ts";
import {
  followingData,
  followingText,
  nextLine,
  skipLine,
  doneLine,
  quoted,
  whenFixed,
  type Following,
  whenAllowed,
} from "./printed-lines.ts";

type Standing<K extends Position["standing"]["kind"]> = Extract<Position["standing"], { readonly kind: K }>;
type Question = Standing<"question">["decision"];

/** Shows where a strand is and what to do, and answers the exit code: 1 when the run ended without completing, 4 when a permission is missing. */
export async function showPosition(desk: Desk, position: Position, extra: JsonObject = {}): Promise<number> {
  const { out, world } = desk.session;
  const { outcome = "state" } = await desk.shares.of(position.program.dialect);
  const following = followingOf(position, world.user, outcome);
  const { data } = positionView(position);
  // Who does a step needs its values; everywhere else secrets stay hidden.
  const shown = position.standing.kind === "action" ? data : maskSecrets(data, position.program, position.state);
  const beside = await tasksBesideOf(desk, position);
  const step = position.standing.kind === "action" ? { step: openStep(position, position.standing, (text) => out.placed(text)) } : {};
  out.document({ ...shown, ...step, ...extra, ...beside.data, ...followingData(following) });
  if (!out.json) for (const line of [...positionLines(position), ...beside.lines]) out.advice(line);
  for (const line of [...followingText(following), ...skipLines(position)]) out.hint(line);
  if (position.standing.kind === "blocked" && position.standing.denied === true) return exitCodes.parked;
  return position.standing.kind === "ended" && position.state.status !== "completed" ? exitCodes.failed : exitCodes.done;
}

export function positionLines(position: Position): string[] {
  const { run, standing, state, program } = position;
  switch (standing.kind) {
    case "action":
      return [...heading(position, standing.action.step), ...stepLines(openStep(position, standing)), ...noteLines(standing.action)];
    case "question":
      return [...heading(position, standing.decision.step), ...questionLines(standing.decision)];
    case "working":
      return [`Run ${run} is ${workingText(standing)}.`];
    case "joining":
      return [`Run ${run} waits for ${counted(standing.tasks.length, "task")}: ${standing.tasks.map((task) => task.task).join(", ")}.`];
    case "blocked":
      return [`Run ${run} is blocked (${standing.code}): ${maskSecrets(standing.reason, program, state)}`];
    case "task_ended":
      return [`Task ${standing.task} of run ${run} ${becameText(standing.status)}.${afterTask(standing).text}`];
    case "ended":
      return [endedLine(run, state, program)];
  }
}

export function endedLine(run: string, state: Position["state"], program: Position["program"]): string {
  const why = state.error === undefined ? "" : ` ${maskSecrets(state.error.message, program, state)} (${state.error.code})`;
  return `Run ${run} ${becameText(state.status)}.${why}`;
}

/** What follows a run that is over. `outcome`: the command that shows what came of it. */
export function endedFollowing(run: string, { status: became }: Pick<Position["state"], "status">, outcome = "state"): Following {
  if (became === "failed") return whenFixed(run);
  return became === "completed" ? { next: `waymark ${outcome} ${quoted(run)}` } : {};
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

function valueLines(name: string, value: unknown): string[] {
  if (name === "tasks" && Array.isArray(value)) {
    const lines = value.map(({ task_id: id, context, prompt, running }: JsonObject) => {
      const about = [prompt, context].flatMap((part) => (part === undefined ? [] : [textOf(part)]));
      return indent(`  ${textOf(id)}  ${running === true ? "(running)" : about.join("  ")}`);
    });
    return [indent(`tasks (${value.length}):`), ...lines];
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
function openStep({ run }: Position, { action, shown }: Standing<"action">, placed: (line: string) => string = String): AtomicStep {
  const step = stepFor(shown, () => false);
  if (action.what !== "parallel_tasks") return step;
  const { sub_agent_prompt: _tools, tasks, ...definition } = step.definition;
  const instructions = step.instructions.replaceAll(
    "call workflow_next with its task_id",
    placed("run `waymark next` with `--task` and its task_id"),
  );
  const prompt = authorsPrompt(action) ?? placed(linesPrompt(run));
  const begun = (isList(tasks) ? tasks : []).map((task) => {
    if (!isObject(task) || task["prompt"] === undefined) return task;
    return { ...task, prompt: placed(`Begin with: ${nextLine(run, textOf(task["task_id"]))}`) };
  });
  return { ...step, instructions, definition: { sub_agent_prompt: prompt, tasks: begun, ...definition } };
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

/** `user`: who asks; tasks that another one has begun are not theirs to do. `outcome`: the command that shows what came of the run. */
function followingOf(position: Position, user: string, outcome: string): Following {
  const { run, standing, state } = position;
  const next = nextLine(run, taskOf(position));
  switch (standing.kind) {
    case "action":
      return actionLine(position, standing, user);
    case "question":
      return { next: answerLine(run, standing.decision) };
    case "working":
      return standing.until === undefined || standing.far !== true ? { next } : atTime(standing.until, next);
    case "joining":
      return { next };
    case "blocked":
      if (standing.denied === true) return whenAllowed(next);
      return standing.until === undefined ? whenFixed(run) : atTime(standing.until, next);
    case "task_ended":
      return afterTaskLine(standing, nextLine(run, standing.within));
    case "ended":
      return endedFollowing(run, state, outcome);
  }
}

function afterTaskLine(standing: Parameters<typeof afterTask>[0], command: string): Following {
  const { when } = afterTask(standing);
  return when === undefined ? { next: command } : { later: { when, command } };
}

function atTime(until: number, command: string): Following {
  return { later: { when: `at ${timeOver(until)}`, command } };
}

function actionLine(position: Position, { action, shown, tasks = [] }: Standing<"action">, user: string): Following {
  const { run } = position;
  const task = taskOf(position);
  const { result: wanted } = shown.fillIn ?? {};
  if (action.what === "parallel_tasks") {
    const mine = tasks.find(({ holder }) => holder === undefined) ?? tasks.find(({ holder }) => holder === user);
    return mine === undefined
      ? { later: { when: "when all tasks have ended", command: nextLine(run, task) } }
      : { next: nextLine(run, mine.task) };
  }
  return { next: doneLine({ run, action: action.id, ...defined({ task }) }, typeof wanted === "string" ? wanted : undefined) };
}

/** For scripts every task; for people those that nobody has begun come first. */
interface TasksBeside {
  readonly data: JsonObject;
  readonly lines: readonly string[];
}

const tasksShown = 10;

/**
 * The tasks that the caller's own work does not wait for. They are shown with every step until they are over: a person at a command line
 * has no connection that could remember what it was shown.
 */
export async function tasksBesideOf(
  { context, session }: Pick<Desk, "context" | "session">,
  { run, state, strand, standing }: Position,
): Promise<TasksBeside> {
  const open = standing.kind === "action" ? standing.action.id : undefined;
  const tasks = tasksBeside(state, strand).flatMap((group) => (group.action.id === open ? [] : (group.tasks ?? [])));
  if (tasks.length === 0) return { data: {}, lines: [] };
  const { strands } = await status(context, run);
  const alive = new Set(strands.filter((each) => each.alive && each.holder !== undefined).map((each) => each.strand));
  const shown = tasks.map(({ task, strand: of }) => ({
    task_id: task,
    ...(alive.has(of) ? { running: true } : {}),
    command: session.out.placed(nextLine(run, task)),
  }));
  const lines = shown.map(({ command, running = false }) => ({ running, line: `  ${command}${running ? "   (running)" : ""}` }));
  const freeFirst = lines.toSorted((one, other) => Number(one.running) - Number(other.running)).map(({ line }) => line);
  const more = freeFirst.length > tasksShown ? [`  and ${freeFirst.length - tasksShown} more`] : [];
  const heading = `Beside this step ${counted(tasks.length, "task is", "tasks are")} open:`;
  return { data: { tasks_beside: shown }, lines: ["", heading, ...freeFirst.slice(0, tasksShown), ...more, ""] };
}
