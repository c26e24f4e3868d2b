import { textOf, type Json, type JsonObject } from "../base/index.ts";
import { decideCommand } from "./decide-command.ts";
import { storesAnswer, taskName, writeKey, type Action, type Decision, type RunState } from "../kernel/index.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { promptText, taskPrompt, type OpenTask, progressOf, timeOver } from "./standing.ts";
import type { Program } from "../program/index.ts";
import {
  questionStep,
  tellsWrites,
  type AtomicStep,
  callText,
  followingData,
  followingText,
  type CallSpec,
  type Following,
  type LaterCall,
  stepFor,
  storedInstructions,
  type ShownStanding,
} from "./atomic-step.ts";

export interface PositionFacts {
  readonly run: string;
  readonly program: Program;
  readonly state: RunState;
  readonly strand: string;
  readonly standing: ShownStanding;
}

/** The same answer twice: a short text, and data with the same instruction; each is enough alone. */
export interface PositionView {
  readonly text: string;
  readonly data: JsonObject;
  /** Texts of `next_action` in the data that have no room there, with their beginning that is shown. */
  readonly cut?: readonly CutText[];
}

export interface CutText {
  readonly name: string;
  readonly text: string;
  /** Characters that are shown. */
  readonly shown: number;
  /** It can be done without, or read in the file: `next_action.cut` names it, for word of the call that brings it has no room there. */
  readonly spare?: true;
}

/** `textFor` is the text when values of the data are shown in part; `missing` is a line about the rest of them. */
export interface RunView extends PositionView {
  readonly textFor: (shown: JsonObject, missing: string) => string;
}

/** What the holder of a strand must do now, and which call comes next. `offers`: whether the client knows a tool. */
export function positionView(position: PositionFacts, offers: (tool: string) => boolean = () => false): RunView {
  const { run, standing } = position;
  const again: CallSpec = { tool: "workflow_next", arguments: { run_id: run, ...taskArgument(position) } };
  switch (standing.kind) {
    case "action":
      return actionView(position, standing, offers);
    case "question":
      return questionView(position, standing.decision, again, offers);
    case "working":
      return workingView(position, standing, again);
    case "joining": {
      const names = standing.tasks.slice(0, 8).map((entry) => entry.task);
      const text = `Waiting for ${standing.tasks.length} open tasks: ${names.join(", ")}.`;
      return plain(position, {
        status: "waiting",
        text,
        later: { when: "when they have ended", ...again },
      });
    }
    case "blocked":
      return blockedView(position, standing, again);
    case "task_ended": {
      const why = standing.status === "stopped" ? `, because the run is ${position.state.status}` : "";
      const text = `Task \`${standing.task}\` is ${standing.status}${why}. You are done; report this to the agent that started you.`;
      const { within } = standing;
      const later = {
        when: "if you do the tasks yourself, without sub-agents",
        tool: "workflow_next",
        arguments: { run_id: run, ...(within === undefined ? {} : { task_id: within }) },
      };
      return plain(position, { status: "task_done", text, later, extra: { step: null, task_id: standing.task } });
    }
    case "ended":
      return ended(position);
  }
}

type StandingOf<K extends ShownStanding["kind"]> = Extract<ShownStanding, { readonly kind: K }>;

/** A sub-agent names its task in every call. */
export function taskArgument({ state, strand }: Pick<PositionFacts, "state" | "strand">): JsonObject {
  const held = state.strands[strand];
  return strand === "main" ? {} : { task_id: held === undefined ? strand : taskName(held) };
}

function actionView(position: PositionFacts, { action, tasks, shown }: StandingOf<"action">, offers: (tool: string) => boolean): RunView {
  const { run } = position;
  const { fillIn } = shown;
  const step = stepFor(shown, offers);
  const shared = { status: "action", actionId: action.id, step, notes: action.notes ?? [], resumed: action.taken > 0 };
  if (action.what === "parallel_tasks") return withStep(position, { ...shared, ...tasksCall(position, action, tasks ?? []) });
  const call: CallSpec = shown.call ?? {
    tool: "workflow_progress",
    arguments: { run_id: run, action_id: action.id, ...taskArgument(position) },
  };
  return withStep(position, { ...shared, call, ...writeCall(position, action, offers), ...(fillIn === undefined ? {} : { fillIn }) });
}

/**
 * The call by which a holder makes the writes of its step itself. The key says which step they are for, and is another one when the state
 * has changed: the same call again is known as the same write.
 */
function writeCall(
  position: PositionFacts,
  { id, strand, paths, left }: Action | Decision,
  offers: (tool: string) => boolean,
): Pick<StepAnswer, "write"> {
  const { run, state } = position;
  const tool = "workflow_state_update";
  if (paths.length === 0 || left?.length === 0 || !offers(tool)) return {};
  const version = state.scopes[state.strands[strand]?.scope ?? ""]?.version ?? 0;
  return { write: { tool, arguments: { workflow_id: run, ...taskArgument(position), key: writeKey(id, version) } } };
}

/**
 * Beside tasks that nobody waits for, the caller works on. Else, without sub-agents, it does the tasks itself, one after the other: the
 * first that nobody has begun comes next.
 */
function tasksCall(position: PositionFacts, action: Action, tasks: readonly OpenTask[]): Pick<StepAnswer, "call" | "later"> {
  const { run, state, strand } = position;
  const again = { tool: "workflow_next", arguments: { run_id: run, ...taskArgument(position) } };
  if (action.strand !== strand && state.strands[strand]?.waits?.on !== "strands")
    return { call: { tool: "workflow_progress", arguments: { run_id: run, action_id: action.id, ...taskArgument(position) } } };
  const free = tasks.find((task) => task.holder === undefined);
  const first = free === undefined ? {} : { call: { tool: "workflow_next", arguments: { run_id: run, task_id: free.task } } };
  return { ...first, later: { when: "when all tasks have ended", ...again } };
}

/** An agent may relay an answer, or only show the question with the command for the person. */
function questionView(position: PositionFacts, decision: Decision, again: CallSpec, offers: (tool: string) => boolean): RunView {
  const { run } = position;
  const block = position.program.blocks[decision.block ?? ""];
  const stored = decision.answerBy === "relay" && decision.left?.length === 0 && block?.kind === "do" && storesAnswer(decision, block);
  const step = { ...questionStep(decision), ...(stored ? { instructions: storedInstructions } : {}) };
  const shared = { status: "question", actionId: decision.id, step, notes: [], resumed: false };
  if (decision.answerBy === "person")
    return withStep(position, {
      ...shared,
      later: { when: "when they have answered", ...again },
      extra: { command_for_person: decideCommand(run, decision) },
    });
  const call: CallSpec = { tool: "workflow_progress", arguments: { run_id: run, action_id: decision.id, ...taskArgument(position) } };
  const fill = stored ? {} : { fillIn: { result: "the user's answer, exactly as given" } };
  return withStep(position, { ...shared, call, ...writeCall(position, decision, offers), ...fill });
}

function workingView(position: PositionFacts, { on, until, far }: StandingOf<"working">, again: CallSpec): RunView {
  if (until === undefined || far !== true)
    return plain(position, {
      status: "working",
      text: `The engine is working on \`${on}\`.`,
      call: again,
      then: "Call it again in a moment.",
    });
  const time = timeOver(until);
  return plain(position, {
    status: "working",
    text: `The engine waits at \`${on}\` until ${time}.`,
    later: { when: `at ${time}`, ...again },
    extra: { waiting_until: time },
  });
}

function blockedView(position: PositionFacts, { code, reason, until }: StandingOf<"blocked">, again: CallSpec): RunView {
  if (until === undefined) {
    const later = { when: "when the cause is fixed", tool: "workflow_retry", arguments: { run_id: position.run } };
    return plain(position, { status: "blocked", text: `Blocked (${code}): ${reason}`, later });
  }
  const time = new Date(until).toISOString();
  const text = `Blocked (${code}) until ${time}: ${reason}`;
  return plain(position, {
    status: "blocked",
    text,
    later: { when: `at ${time}, when the step is handed out again`, ...again },
    extra: { blocked_until: time },
  });
}

interface StepAnswer {
  readonly status: string;
  readonly actionId: string;
  readonly step: AtomicStep;
  /** Safe as it is: without what `fillIn` names it reports nothing. */
  readonly call?: CallSpec;
  readonly fillIn?: JsonObject;
  readonly later?: LaterCall;
  /** The call that makes the writes of the step, without `updates`. */
  readonly write?: CallSpec;
  readonly notes: readonly string[];
  readonly resumed: boolean;
  readonly extra?: JsonObject;
}

function withStep(position: PositionFacts, answer: StepAnswer): RunView {
  const { status, actionId, step, notes, resumed, write, extra = {} } = answer;
  const prompt = taskPrompt(position.state, position.strand);
  const again = resumed ? "\nThis step was interrupted before; check what is already done." : "";
  const command = typeof extra["command_for_person"] === "string" ? `\nFor the person: ${extra["command_for_person"]}` : "";
  const data = {
    run_id: position.run,
    status,
    action_id: actionId,
    step: step as unknown as JsonObject,
    ...followingData(followingOf(answer)),
    ...(write === undefined ? {} : { write_call: { tool: write.tool, arguments: write.arguments } }),
    ...(prompt === undefined ? {} : { task_prompt: prompt }),
    ...(notes.length === 0 ? {} : { notes: [...notes] }),
    ...(resumed ? { interrupted_before: true } : {}),
    ...progressOf(position),
    ...extra,
  };
  const how = writeText(answer);
  const textFor = (shown: JsonObject, missing: string): string => {
    const { instructions, definition } = shown["step"] as unknown as AtomicStep;
    const noted = (shown["notes"] ?? []) as readonly string[];
    const note = noted.length === 0 ? "" : `\nNote from a person: ${noted.join(" / ")}`;
    const rest = missing === "" ? "" : `\n${missing}`;
    const { next_call: next, later, task_prompt: told } = shown as Following & JsonObject;
    const task = told === undefined ? "" : `\n${promptText(textOf(told))}`;
    const stop = next === undefined && later !== undefined ? "Stop here. " : "";
    const then = followingText(shown as Following).map((line, at) => `\n${at === 0 ? stop : ""}${line}`);
    return `Step ${step.id} (${step.type}) of ${position.run}${task}\n${instructions}\n${definitionText(definition, step.definition)}${note}${again}${command}${rest}${how}${then.join("")}`;
  };
  return { text: textFor(data, ""), data, textFor };
}

/** Where the text does not say what to write, only the report is left: the engine makes the writes with it. */
function writeText({ step, write, fillIn }: StepAnswer): string {
  if (write === undefined || !tellsWrites(step)) return "";
  const then = fillIn?.["result"] === undefined ? "" : "; then report without `result`";
  return `\nTo write to the state yourself: ${callText(write)} with \`updates\`${then}.`;
}

/** What is shown of a definition; one that holds a single text is that text. */
function definitionText({ state_update: _path, ...definition }: JsonObject, { state_update: _whole, ...whole }: JsonObject): string {
  const [only] = Object.values(definition);
  if (Object.keys(whole).length === 1 && typeof only === "string") return only;
  return JSON.stringify(definition);
}

function followingOf({ call, fillIn, later }: Pick<StepAnswer, "call" | "fillIn" | "later">): Following {
  return {
    ...(call === undefined ? {} : { next_call: call }),
    ...(fillIn === undefined ? {} : { fill_in: fillIn }),
    ...(later === undefined ? {} : { later }),
  };
}

interface PlainAnswer {
  readonly status: string;
  readonly text: string;
  readonly call?: CallSpec;
  readonly later?: LaterCall;
  readonly then?: string;
  readonly extra?: JsonObject;
}

function plain(position: PositionFacts, { status, text, call, then, later, extra = {} }: PlainAnswer): RunView {
  const following = followingOf({ ...(call === undefined ? {} : { call }), ...(later === undefined ? {} : { later }) });
  const lines = followingText(following, "Next:").map((line) => (then === undefined ? line : `${line} ${then}`));
  const follow = lines.map((line) => `\n${line}`).join("");
  const data = { run_id: position.run, status, instruction: text, ...followingData(following), ...progressOf(position), ...extra };
  const textFor = (shown: JsonObject, missing: string): string =>
    `${textOf(shown["instruction"])}${missing === "" ? "" : `\n${missing}`}${follow}`;
  return { text: textFor(data, ""), data, textFor };
}

function ended(position: PositionFacts): RunView {
  const { state, run } = position;
  if (state.status === "completed") {
    const call = { tool: "workflow_complete", arguments: { run_id: run, status: "success" } };
    return plain(position, {
      status: "completed",
      text: `Run ${run} has no steps left: it is completed.`,
      call,
      then: "It gives the final state; then summarise the result for the user.",
      extra: { step: null as Json },
    });
  }
  const message = state.error === undefined ? undefined : maskSecrets(state.error.message, position.program, state);
  const reason = message === undefined ? "" : ` ${message}`;
  const later =
    state.status === "failed" ? { later: { when: "when the cause is fixed", tool: "workflow_retry", arguments: { run_id: run } } } : {};
  return plain(position, {
    status: state.status,
    text: `Run ${run} is ${state.status}.${reason}`,
    ...later,
    extra: {
      step: null as Json,
      ...(state.error === undefined || message === undefined ? {} : { error_message: message, error_code: state.error.code }),
    },
  });
}
