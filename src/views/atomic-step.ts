import { defined, isList, isObject, own, type Json, type JsonObject, textOf } from "../base/index.ts";
import { type Action, type Decision, handOutId, type RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import { maskSecrets } from "./mask-secrets.ts";
import type { OpenTask, Standing } from "./standing.ts";

/** What an agent is given: no condition, no loop, every value resolved. */
export interface AtomicStep {
  readonly id: string;
  readonly type: string;
  readonly instructions: string;
  readonly definition: JsonObject;
  readonly variable_replacements?: JsonObject;
  readonly original_expression?: string;
}

/** A step that every dialect may use, with what its report must bring. */
export function coreShown(
  { program, state }: { readonly program: Program; readonly state: RunState },
  action: Action,
  tasks: readonly OpenTask[] = [],
): Shown {
  const result = wantedResult(action);
  const step = {
    id: handOutId(action.step, action.id),
    type: action.what === "mcp" ? "mcp_call" : action.what,
    instructions: instructionsOf(action, tasks),
    definition: definitionOf(state, action, tasks),
    ...defined({
      variable_replacements: action.replaced && maskSecrets(action.replaced, program, state),
      original_expression: expressionOf(program, action),
    }),
  };
  return { step, ...(result === undefined ? {} : { fillIn: { result } }) };
}

function definitionOf(state: RunState, action: Action, tasks: readonly OpenTask[]): JsonObject {
  if (action.what === "parallel_tasks") return { sub_agent_prompt: textOf(action.args["prompt"] ?? ""), tasks: shownTasks(state, tasks) };
  const args = Object.fromEntries(Object.entries(action.args).filter(([, value]) => value !== null));
  if (action.what !== "state_update") return { ...args, ...updateOf(action) };
  const updates = action.paths.map((path, at) => ({
    path,
    operation: action.args[`op${at}`] ?? "set",
    value: action.args[`value${at}`] ?? null,
  }));
  return { updates };
}

/** Free ones first: what is cut where a reply has no room is what runs already. */
function shownTasks({ id: run }: RunState, tasks: readonly OpenTask[]): JsonObject[] {
  const [free, running] = [tasks.filter(isFree), tasks.filter((task) => !isFree(task))];
  return [
    ...free.map(({ task, context }) => ({
      task_id: task,
      prompt: `Your run_id is ${run}, your task_id is ${task}.`,
      context: { ...context, workflow_id: run },
    })),
    ...running.map(({ task }) => ({ task_id: task, running: true })),
  ];
}

function isFree({ holder }: OpenTask): boolean {
  return holder === undefined;
}

/** One write as it is, several as a list. */
export function updateOf(open: Action | Decision): JsonObject {
  const writes = writesOf(open);
  const [only] = writes;
  return only === undefined ? {} : { state_update: writes.length === 1 ? only : [...writes] };
}

function writesOf({ paths, writes = paths.map((path) => ({ path, value: "{{ result }}" })) }: Action | Decision): readonly JsonObject[] {
  return writes;
}

function isStoredAsIs(write: Json): boolean {
  return isObject(write) && write["value"] === "{{ result }}" && write["operation"] === undefined;
}

/** Whether who reads only the text of a step knows what to write: the values themselves, or the result as it is. */
export function tellsWrites({ type, definition: { state_update: update } }: AtomicStep): boolean {
  if (type === "state_update") return true;
  return type !== "user_input" && update !== undefined && (isList(update) ? update : [update]).every(isStoredAsIs);
}

/** The expression whose value a state update carries, as its author wrote it. */
function expressionOf(program: Program, action: Action): string | undefined {
  if (action.what !== "state_update") return undefined;
  const block = program.blocks[action.block];
  const [write] = block?.kind === "do" ? block.writes : [];
  const of = write?.value?.of;
  if (typeof of !== "string" || !of.includes("{{")) return undefined;
  // One hole alone is shown without its braces.
  return /^\s*\{\{((?:(?!\}\}|\{\{).)*)\}\}\s*$/su.exec(of)?.[1]?.trim() ?? of;
}

function instructionsOf(action: Action, tasks: readonly OpenTask[]): string {
  const store = storeText(action);
  switch (action.what) {
    case "agent_shell_command": {
      const why = typeof action.args["reason"] === "string" && action.args["reason"] !== "" ? ` (${action.args["reason"]})` : "";
      const format = formatName(action.args["output_format"]);
      // The engine takes it off a report; who writes to the state itself does it too.
      const end = store !== "" && format === "text" ? ", without the final newline" : "";
      return `Run this command yourself${why} and report its output as ${format}${end}.${store}`;
    }
    case "mcp":
      return `Call the tool \`${textOf(action.args["method"])}\` with these parameters and report what it returns.${store}`;
    case "apply_hints":
      return `Apply these hints to the file, then report {"applied_count": <number of hints applied>}.${store}`;
    case "state_update":
      return "Write these values to the state exactly as given. They are already computed.";
    case "user_message":
      return "Show this message to the user, word for word.";
    case "parallel_tasks":
      return tasksText(tasks.length, tasks.filter(isFree).length);
    default:
      return `Do this step and report its result.${store}`;
  }
}

/** What is made of the result is in the data alone: a text has no room for it, and the engine does it with the report. */
function storeText(action: Action): string {
  const writes = writesOf(action);
  if (writes.length === 0) return "";
  const paths = writes.map(({ path }) => `\`${textOf(path)}\``).join(", ");
  return writes.every(isStoredAsIs) ? ` Its result is stored at ${paths}.` : ` The report writes ${paths}.`;
}

function tasksText(all: number, free: number): string {
  const running = all - free;
  const begun = running === 0 ? "" : ` ${running} ${running === 1 ? "task is" : "tasks are"} running already.`;
  if (free === 0)
    return `Wait until the ${all === 1 ? "task has" : "tasks have"} ended: all are running. If the sub-agent of a task is gone, take the task over: call workflow_next with its task_id.`;
  const whom = free === 1 ? "one sub-agent for the task" : `one sub-agent for each of the ${free} tasks, all at once`;
  return `Start ${whom}, with sub_agent_prompt and its prompt.${begun} Without sub-agents do each task yourself: call workflow_next with its task_id until the task is done.`;
}

/** What the report of a step must bring; undefined when it asks for nothing. */
function wantedResult(action: Action): string | undefined {
  switch (action.what) {
    case "user_message":
    case "state_update":
    case "parallel_tasks":
      return undefined;
    case "agent_shell_command":
      return outputWanted(action.args["output_format"]);
    case "mcp":
      return wanted.tool;
    case "apply_hints":
      return wanted.hints;
    default:
      return wanted.step;
  }
}

const formats: Readonly<Record<string, string>> = { lines: "a list of lines", json: "JSON", key_value: "an object of keys and values" };

function formatName(format: Json | undefined): string {
  return (typeof format === "string" ? own(formats, format) : undefined) ?? "text";
}

function outputWanted(format: Json | undefined): string {
  return `the output of the command as ${formatName(format)}`;
}

const wanted = {
  tool: "what the tool returned",
  hints: '{"applied_count": number of hints applied}',
  step: "the result of the step",
} as const;

/** What the report of a task is asked for. */
export const taskResultsWanted = { text: "what you did and what came of it", json: "one JSON value, as `returns` describes it" } as const;

/** What steps that every dialect may use ask for as their result. */
export const coreResultsWanted: readonly string[] = [
  ...["text", "lines", "json", "key_value"].map(outputWanted),
  ...Object.values(wanted),
  ...Object.values(taskResultsWanted),
];

export function questionStep(decision: Decision): AtomicStep {
  const validation =
    decision.pattern === undefined || decision.answerBy === "person"
      ? {}
      : { validation: { pattern: decision.pattern, error_message: decision.patternMessage ?? `must match ${decision.pattern}` } };
  const options = defined({ options: decision.options?.map((option) => ({ ...option })) });
  return {
    id: handOutId(decision.step, decision.id),
    type: "user_input",
    instructions:
      decision.answerBy === "relay"
        ? "Ask the user this question and report the answer exactly as given."
        : "Only a person can answer this. Show the question and the command; do not answer it yourself.",
    definition: { prompt: decision.question, ...validation, ...options, ...updateOf(decision) },
  };
}

/** An open action in the words of its leaf. */
export interface Shown {
  readonly step: AtomicStep;
  /** Fields that the report must bring, with what belongs there; absent when it asks for nothing. */
  readonly fillIn?: JsonObject;
  /** The call that does it, where no report does. */
  readonly call?: CallSpec;
  /** What a client gets instead that does not offer the tool which the step names. */
  readonly without?: { readonly tool: string; readonly instructions: string };
  /** It may be left out with a reason. */
  readonly skippable?: true;
  /** What the leaf gathered, for surfaces that know the dialect. */
  readonly facts?: unknown;
}

/** What a step says whose writes are all made. */
export const storedInstructions = "What this step brings is stored already. Do not do it again: only report it.";

/** The step with the writes that are left. When there are none, only the report is left. */
export function withWritesLeft(shown: Shown, { what, left }: Action): Shown {
  if (left === undefined) return shown;
  const { step, fillIn, ...rest } = shown;
  const { updates, ...definition } = step.definition;
  const those = what === "state_update" && isList(updates) ? updates.filter((_, at) => left.includes(at)) : [];
  const shownStep = { ...step, definition: those.length === 0 ? definition : { ...definition, updates: those } };
  if (left.length > 0) return what === "state_update" ? { ...shown, step: shownStep } : shown;
  const { result: _result, ...wanted } = fillIn ?? {};
  const fill = Object.keys(wanted).length === 0 ? {} : { fillIn: wanted };
  return { ...rest, step: { ...shownStep, instructions: storedInstructions }, ...fill };
}

type ActionStanding = Extract<Standing, { readonly kind: "action" }>;

/** Where a strand is, with what is open as its leaf shows it. */
export type ShownStanding = Exclude<Standing, ActionStanding> | (ActionStanding & { readonly shown: Shown });

/** The step for a client that offers the tools which `offers` knows. */
export function stepFor({ step, without }: Shown, offers: (tool: string) => boolean): AtomicStep {
  return without === undefined || offers(without.tool) ? step : { ...step, instructions: without.instructions };
}

/** A call that an agent is asked to make. */
export interface CallSpec {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A call for later: making it at once would repeat what failed, confirm what nobody has seen, or ask again and again. */
export interface LaterCall extends CallSpec {
  readonly when: string;
}

/** What follows a reply. `next_call` is safe as it is: without what `fill_in` names it reports nothing. */
export interface Following {
  readonly next_call?: CallSpec;
  /** Arguments that the call still needs, with what belongs there. */
  readonly fill_in?: JsonObject;
  /** Instead of `next_call`, or for the end of what that call begins. */
  readonly later?: LaterCall;
}

export function callText(call: CallSpec): string {
  return `${call.tool}(${JSON.stringify(call.arguments)})`;
}

/** The lines that say what follows; none when nothing does. `word` comes before a call that is made now. */
export function followingText({ next_call: next, fill_in: fill = {}, later }: Following, word = "Then call"): readonly string[] {
  const filled = Object.entries(fill).map(([name, what]) => ` with \`${name}\`: ${textOf(what)}`);
  return [
    ...(next === undefined ? [] : [`${word} ${callText(next)}${filled.join(",")}`]),
    ...(later === undefined ? [] : [`Call ${callText(later)}${next === undefined ? filled.join(",") : ""} ${later.when}.`]),
  ];
}

export function followingData({ next_call: next, fill_in: fill, later }: Following): JsonObject {
  return defined({
    next_call: next && { tool: next.tool, arguments: next.arguments },
    fill_in: fill,
    later: later && { when: later.when, tool: later.tool, arguments: later.arguments },
  });
}
