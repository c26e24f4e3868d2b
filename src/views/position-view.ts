import { defined, textOf, type JsonObject } from "../base/index.ts";
import { storesAnswer, taskName, writeKey, type Action, type Decision, type RunState } from "../kernel/index.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { progressOf } from "./item-counts.ts";
import { afterTask, becameText, promptText, taskPrompt, type OpenTask, timeOver, decideCommand } from "./standing.ts";
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
      return actionView(position, standing, again, offers);
    case "question":
      return questionView(position, standing.decision, again, offers);
    case "working":
      return workingView(position, standing, again);
    case "joining": {
      const names = standing.tasks.slice(0, 8).map((entry) => entry.task);
      const [what, when] = standing.tasks.length === 1 ? ["task", "it has ended"] : ["tasks", "they have ended"];
      const text = `Waiting for ${standing.tasks.length} open ${what}: ${names.join(", ")}.`;
      return plain(position, "waiting", text, { later: { when: `when ${when}`, ...again } });
    }
    case "blocked": {
      const { code, reason, until, denied } = standing;
      const later = denied === true ? { when: "when a person has allowed it", ...again } : retryLater(run);
      if (until === undefined) return plain(position, "blocked", `Blocked (${code}): ${reason}`, { later });
      const time = new Date(until).toISOString();
      const then = { when: `at ${time}, when the step is handed out again`, ...again };
      return plain(position, "blocked", `Blocked (${code}) until ${time}: ${reason}`, { later: then, extra: { blocked_until: time } });
    }
    case "task_ended": {
      const { task, status, within } = standing;
      const { text: also, when } = afterTask(standing);
      const why = status === "stopped" ? `, because the run ${becameText(position.state.status)}` : "";
      const text = `Task \`${task}\` ${becameText(status)}${why}.${also}`;
      const place = { run_id: run, ...defined({ task_id: within }) };
      const call = { tool: "workflow_next", arguments: place };
      const following = when === undefined ? { next_call: call } : { later: { when, ...call } };
      return plain(position, "task_done", text, { ...following, extra: { step: null, task_id: task } });
    }
    case "ended":
      return ended(position);
  }
}

type StandingOf<K extends ShownStanding["kind"]> = Extract<ShownStanding, { readonly kind: K }>;

/** The task that a strand is, as calls name it; undefined for the main one. */
export function taskOf({ state, strand }: Pick<PositionFacts, "state" | "strand">): string | undefined {
  const held = state.strands[strand];
  return strand === "main" ? undefined : held === undefined ? strand : taskName(held);
}

/** A sub-agent names its task in every call. */
export function taskArgument(position: Pick<PositionFacts, "state" | "strand">): JsonObject {
  return defined({ task_id: taskOf(position) });
}

/** Trying again at once would fail again. */
export function retryLater(run: string): LaterCall {
  return { when: "when the cause is fixed", tool: "workflow_retry", arguments: { run_id: run } };
}

function reportCall(position: PositionFacts, id: string): CallSpec {
  return { tool: "workflow_progress", arguments: { run_id: position.run, action_id: id, ...taskArgument(position) } };
}

type Offers = (tool: string) => boolean;

function actionView(position: PositionFacts, { action, tasks, shown }: StandingOf<"action">, again: CallSpec, offers: Offers): RunView {
  const { id, notes = [], taken } = action;
  const following =
    action.what === "parallel_tasks"
      ? tasksCall(position, action, tasks ?? [], again)
      : {
          next_call: shown.call ?? reportCall(position, id),
          ...defined({ fill_in: shown.fillIn, write: writeCall(position, action, offers) }),
        };
  return withStep(position, { status: "action", actionId: id, step: stepFor(shown, offers), notes, resumed: taken > 0, ...following });
}

/**
 * The call by which a holder makes the writes of its step itself. The key says which step they are for, and is another one when the state
 * has changed: the same call again is known as the same write.
 */
function writeCall(position: PositionFacts, { id, strand, paths, left }: Action | Decision, offers: Offers): CallSpec | undefined {
  const { run, state } = position;
  const tool = "workflow_state_update";
  if (paths.length === 0 || left?.length === 0 || !offers(tool)) return undefined;
  const version = state.scopes[state.strands[strand]?.scope ?? ""]?.version ?? 0;
  return { tool, arguments: { workflow_id: run, ...taskArgument(position), key: writeKey(id, version) } };
}

/**
 * Beside tasks that nobody waits for, the caller works on. Else, without sub-agents, it does the tasks itself, one after the other: the
 * first that nobody has begun comes next.
 */
function tasksCall(position: PositionFacts, action: Action, tasks: readonly OpenTask[], again: CallSpec): Following {
  const { run, state, strand } = position;
  if (action.strand !== strand && state.strands[strand]?.waits?.on !== "strands") return { next_call: reportCall(position, action.id) };
  const free = tasks.find((task) => task.holder === undefined);
  const first = free && { tool: "workflow_next", arguments: { run_id: run, task_id: free.task } };
  return { ...defined({ next_call: first }), later: { when: "when all tasks have ended", ...again } };
}

/** An agent may relay an answer, or only show the question with the command for the person. */
function questionView(position: PositionFacts, decision: Decision, again: CallSpec, offers: Offers): RunView {
  const { id, answerBy } = decision;
  const block = position.program.blocks[decision.block ?? ""];
  const stored = answerBy === "relay" && decision.left?.length === 0 && block?.kind === "do" && storesAnswer(decision, block);
  const step = { ...questionStep(decision), ...(stored ? { instructions: storedInstructions } : {}) };
  const shared = { status: "question", actionId: id, step, notes: [], resumed: false };
  if (answerBy === "person") {
    const later = { when: "when they have answered", ...again };
    return withStep(position, { ...shared, later, extra: { command_for_person: decideCommand(position.run, decision) } });
  }
  return withStep(position, {
    ...shared,
    next_call: reportCall(position, id),
    ...defined({ write: writeCall(position, decision, offers) }),
    ...(stored ? {} : { fill_in: { result: "the user's answer, exactly as given" } }),
  });
}

function workingView(position: PositionFacts, { on, until, far }: StandingOf<"working">, again: CallSpec): RunView {
  if (until === undefined || far !== true)
    return plain(position, "working", `The engine is working${on === undefined ? "" : ` on \`${on}\``}.`, {
      next_call: again,
      then: "Call it again in a moment.",
    });
  const time = timeOver(until);
  const later = { when: `at ${time}`, ...again };
  return plain(position, "working", `The engine waits${on === undefined ? "" : ` at \`${on}\``} until ${time}.`, {
    later,
    extra: { waiting_until: time },
  });
}

interface StepAnswer extends Following {
  readonly status: string;
  readonly actionId: string;
  readonly step: AtomicStep;
  /** The call that makes the writes of the step, without `updates`. */
  readonly write?: CallSpec;
  readonly notes: readonly string[];
  readonly resumed: boolean;
  readonly extra?: JsonObject;
}

function withStep(position: PositionFacts, answer: StepAnswer): RunView {
  const { status, actionId, step, notes, resumed, write, extra = {} } = answer;
  const again = resumed ? "\nThis step was interrupted before; check what is already done." : "";
  const command = typeof extra["command_for_person"] === "string" ? `\nFor the person: ${extra["command_for_person"]}` : "";
  const data = {
    run_id: position.run,
    status,
    action_id: actionId,
    step: step as unknown as JsonObject,
    ...followingData(answer),
    ...defined({ write_call: write && { ...write }, task_prompt: taskPrompt(position.state, position.strand) }),
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
function writeText({ step, write, fill_in: fill }: StepAnswer): string {
  if (write === undefined || !tellsWrites(step)) return "";
  const then = fill?.["result"] === undefined ? "" : "; then report without `result`";
  return `\nTo write to the state yourself: ${callText(write)} with \`updates\`${then}.`;
}

/** What is shown of a definition; one that holds a single text is that text. */
function definitionText({ state_update: _path, ...definition }: JsonObject, { state_update: _whole, ...whole }: JsonObject): string {
  const [only] = Object.values(definition);
  if (Object.keys(whole).length === 1 && typeof only === "string") return only;
  return JSON.stringify(definition);
}

/** What comes after a sentence; `then` is said behind the call, and `extra` is data beside it. */
interface After extends Pick<Following, "next_call" | "later"> {
  readonly then?: string;
  readonly extra?: JsonObject;
}

function plain(position: PositionFacts, status: string, text: string, { then, extra = {}, ...following }: After): RunView {
  const lines = followingText(following, "Next:").map((line) => (then === undefined ? line : `${line} ${then}`));
  const follow = lines.map((line) => `\n${line}`).join("");
  const data = { run_id: position.run, status, instruction: text, ...followingData(following), ...progressOf(position), ...extra };
  const textFor = (shown: JsonObject, missing: string): string =>
    `${textOf(shown["instruction"])}${missing === "" ? "" : `\n${missing}`}${follow}`;
  return { text: textFor(data, ""), data, textFor };
}

function ended(position: PositionFacts): RunView {
  const { state, run, program } = position;
  const { status, error } = state;
  if (status === "completed")
    return plain(position, status, `Run ${run} has no steps left: it is completed.`, {
      next_call: { tool: "workflow_complete", arguments: { run_id: run, status: "success" } },
      then: "It gives the final state; then summarise the result for the user.",
      extra: { step: null },
    });
  const message = error && maskSecrets(error.message, program, state);
  return plain(position, status, `Run ${run} ${becameText(status)}.${message === undefined ? "" : ` ${message}`}`, {
    ...(status === "failed" ? { later: retryLater(run) } : {}),
    extra: { step: null, ...defined({ error_message: message, error_code: error?.code }) },
  });
}
