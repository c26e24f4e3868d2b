import type { Json, JsonObject } from "../base/index.ts";
import { maskSecrets, type Decision, type RunState, type Standing } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import { actionStep, questionStep, type AtomicStep } from "./atomic-step.ts";
import { progressOf } from "./progress.ts";

export interface PositionFacts {
  readonly run: string;
  readonly program: Program;
  readonly state: RunState;
  readonly strand: string;
  readonly standing: Standing;
}

/** The same answer twice: a short text, and data with the same instruction; each is enough alone. */
export interface PositionView {
  readonly text: string;
  readonly data: JsonObject;
}

interface Call {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What the holder of a strand must do now, and which call comes next. */
export function positionView(position: PositionFacts): PositionView {
  const { run, standing } = position;
  const again: Call = { tool: "workflow_next", arguments: { run_id: run, ...taskOf(position) } };
  switch (standing.kind) {
    case "action":
      return actionView(position, standing);
    case "question":
      return questionView(position, standing.decision, again);
    case "working":
      return plain(position, {
        status: "working",
        text: `The engine is working on \`${standing.on}\`.`,
        call: again,
        then: "Call it again in a moment.",
      });
    case "joining": {
      const names = standing.tasks.slice(0, 8).map((entry) => entry.task);
      const text = `Waiting for ${standing.tasks.length} open tasks: ${names.join(", ")}.`;
      return plain(position, {
        status: "waiting",
        text,
        call: { tool: "workflow_next", arguments: { run_id: run } },
        then: "Call it when they have ended.",
      });
    }
    case "blocked":
      return blockedView(position, standing, again);
    case "task_ended": {
      const text = `Task \`${standing.task}\` is ${standing.status}. You are done; report this to whoever started you.`;
      return plain(position, { status: "task_done", text, extra: { step: null, task_id: standing.task } });
    }
    case "ended":
      return ended(position);
  }
}

type StandingOf<K extends Standing["kind"]> = Extract<Standing, { readonly kind: K }>;

/** A sub-agent names its task in every call. */
function taskOf({ state, strand }: PositionFacts): JsonObject {
  return strand === "main" ? {} : { task_id: state.strands[strand]?.task ?? strand };
}

function actionView(position: PositionFacts, { action, tasks }: StandingOf<"action">): PositionView {
  const { run, program, state } = position;
  const step = actionStep(program, state, action, tasks);
  const call: Call =
    action.what === "parallel_tasks"
      ? { tool: "workflow_next", arguments: { run_id: run } }
      : { tool: "workflow_progress", arguments: { run_id: run, action_id: action.id, ...taskOf(position), ...resultHint(step) } };
  return withStep(position, { status: "action", actionId: action.id, step, call, notes: action.notes ?? [], resumed: action.taken > 0 });
}

/** An agent may relay an answer, or only show the question with the command for the person. */
function questionView(position: PositionFacts, decision: Decision, again: Call): PositionView {
  const { run } = position;
  const step = questionStep(decision);
  const shared = { status: "question", actionId: decision.id, step, notes: [], resumed: false };
  if (decision.answerBy === "person")
    return withStep(position, { ...shared, call: again, extra: { command_for_person: `waymark decide ${run} ${decision.id}` } });
  const call: Call = {
    tool: "workflow_progress",
    arguments: { run_id: run, action_id: decision.id, ...taskOf(position), result: "<the answer>" },
  };
  return withStep(position, { ...shared, call });
}

function blockedView(position: PositionFacts, { code, reason, until }: StandingOf<"blocked">, again: Call): PositionView {
  if (until === undefined) {
    const call: Call = { tool: "workflow_retry", arguments: { run_id: position.run } };
    return plain(position, { status: "blocked", text: `Blocked (${code}): ${reason}`, call, then: "Call it when the cause is mended." });
  }
  const time = new Date(until).toISOString();
  const text = `Blocked (${code}) until ${time}: ${reason}`;
  return plain(position, {
    status: "blocked",
    text,
    call: again,
    then: "Call it then; the step is handed out again.",
    extra: { blocked_until: time },
  });
}

function resultHint(step: AtomicStep): JsonObject {
  return step.type === "user_message" || step.type === "state_update" ? {} : { result: "<the result>" };
}

interface StepAnswer {
  readonly status: string;
  readonly actionId: string;
  readonly step: AtomicStep;
  readonly call: Call;
  readonly notes: readonly string[];
  readonly resumed: boolean;
  readonly extra?: JsonObject;
}

function withStep(position: PositionFacts, { status, actionId, step, call, notes, resumed, extra = {} }: StepAnswer): PositionView {
  const note = notes.length === 0 ? "" : `\nNote from a person: ${notes.join(" / ")}`;
  const again = resumed ? "\nThis step was interrupted before; check what is already done." : "";
  const command = typeof extra["command_for_person"] === "string" ? `\nFor the person: ${extra["command_for_person"]}` : "";
  const text = `Step ${step.id} (${step.type}) of ${position.run}\n${step.instructions}\n${definitionText(step)}${note}${again}${command}\nThen call ${callText(call)}`;
  return {
    text,
    data: {
      run_id: position.run,
      status,
      action_id: actionId,
      step: step as unknown as JsonObject,
      next_call: call as unknown as JsonObject,
      ...(notes.length === 0 ? {} : { notes: [...notes] }),
      ...(resumed ? { interrupted_before: true } : {}),
      ...progressOf(position.state),
      ...extra,
    },
  };
}

function definitionText(step: AtomicStep): string {
  const { state_update: _path, ...definition } = step.definition;
  const only = Object.entries(definition);
  if (only.length === 1 && typeof only[0]?.[1] === "string") return only[0][1];
  return JSON.stringify(definition);
}

export function callText(call: Call): string {
  return `${call.tool}(${JSON.stringify(call.arguments)})`;
}

interface PlainAnswer {
  readonly status: string;
  readonly text: string;
  readonly call?: Call;
  readonly then?: string;
  readonly extra?: JsonObject;
}

function plain(position: PositionFacts, { status, text, call, then, extra = {} }: PlainAnswer): PositionView {
  const follow = call === undefined ? "" : `\nNext: ${callText(call)}${then === undefined ? "" : ` ${then}`}`;
  return {
    text: `${text}${follow}`,
    data: {
      run_id: position.run,
      status,
      instruction: text,
      ...(call === undefined ? {} : { next_call: call as unknown as JsonObject }),
      ...progressOf(position.state),
      ...extra,
    },
  };
}

function ended(position: PositionFacts): PositionView {
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
  const call =
    state.status === "failed"
      ? { call: { tool: "workflow_retry", arguments: { run_id: run } }, then: "Only after the cause is mended." }
      : {};
  return plain(position, {
    status: state.status,
    text: `Run ${run} is ${state.status}.${reason}`,
    ...call,
    extra: {
      step: null as Json,
      ...(state.error === undefined || message === undefined ? {} : { error_message: message, error_code: state.error.code }),
    },
  });
}
