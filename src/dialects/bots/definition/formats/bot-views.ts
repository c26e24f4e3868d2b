import { defined, type Diagnostic, type Json, type JsonObject } from "../../../../base/index.ts";
import { readTime, type Zone } from "../../../../source/index.ts";

/** Where the two files may be below a project area; the first is where they are written, the others are only read. */
export const stateFiles = [
  "workflow_state.json",
  "behavior_action_state.json",
  "project_area/workflow_state.json",
  "project_area/behavior_action_state.json",
] as const;
export const logFiles = ["activity_log.json", "project_area/activity_log.json"] as const;

export const actionStates = ["started", "completed"] as const;
export type ActionState = (typeof actionStates)[number];

/** Where a bot is. Times are UTC with milliseconds, names have no number before them; null is what the file does not say. */
export interface WorkflowState {
  readonly bot?: string;
  readonly currentBehaviour: string | null;
  readonly currentAction: string | null;
  readonly actionState: ActionState | null;
  /** Of the last event of an action. */
  readonly timestamp: string | null;
  /** Oldest first; the same action may be here several times. */
  readonly completedActions: readonly CompletedAction[];
  readonly startedAt?: string;
  /** By behaviour that was entered out of order. */
  readonly confirmations: Readonly<Record<string, Confirmation>>;
  /** Keys of others, as written. */
  readonly kept: JsonObject;
}

export interface CompletedAction {
  /** Only where it is not the bot of the state. */
  readonly bot?: string;
  readonly behaviour: string;
  readonly action: string;
  readonly timestamp: string | null;
  readonly kept: JsonObject;
}

export interface Confirmation {
  readonly confirmedAt: string | null;
  readonly confirmedBy: string;
  readonly originalBehaviour: string | null;
  readonly kept: JsonObject;
}

/** One start or one completion of an action. */
export interface ActivityEntry {
  readonly timestamp: string | null;
  readonly bot?: string;
  readonly behaviour: string;
  readonly action: string;
  readonly actionState: ActionState;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
  /** Seconds, on completion. */
  readonly duration: number | null;
  readonly kept: JsonObject;
}

export interface ViewOptions {
  /** The zone that times without one are in. */
  readonly zone: Zone;
  /** How the file is called in problems; default its usual name. */
  readonly file?: string;
}

export interface ReadState {
  /** Absent when the file cannot be read at all. */
  readonly state?: WorkflowState;
  readonly problems: readonly Diagnostic[];
  readonly kept: JsonObject;
}

export interface ReadLog {
  readonly entries: readonly ActivityEntry[];
  readonly problems: readonly Diagnostic[];
  /** What is beside the entries. */
  readonly kept: JsonObject;
}

/** The state file: all fields, always in the same order, then the keys of others. */
export function writeWorkflowState({ bot, startedAt, kept, ...state }: WorkflowState): string {
  const confirmations = Object.entries(state.confirmations).map(
    ([behaviour, { confirmedAt, confirmedBy, originalBehaviour, kept: others }]) => [
      behaviour,
      withOthers({ confirmed_at: time(confirmedAt), confirmed_by: confirmedBy, original_behavior: originalBehaviour }, others),
    ],
  );
  return written(
    withOthers(
      defined({
        bot,
        current_behavior: state.currentBehaviour,
        current_action: state.currentAction,
        action_state: state.actionState,
        timestamp: time(state.timestamp),
        completed_actions: state.completedActions.map(completed),
        started_at: startedAt === undefined ? undefined : time(startedAt),
        out_of_order_confirmations: confirmations.length === 0 ? undefined : (Object.fromEntries(confirmations) as JsonObject),
      }),
      kept,
    ),
  );
}

/** The activity log: a list, oldest first as given, each entry with all fields. */
export function writeActivityLog(entries: readonly ActivityEntry[]): string {
  return written(
    entries.map(({ bot, timestamp, behaviour, action, actionState, inputs, outputs, duration, kept }) =>
      withOthers(
        {
          timestamp: time(timestamp),
          ...defined({ bot }),
          behavior: behaviour,
          action,
          action_state: actionState,
          inputs,
          outputs,
          duration,
        },
        kept,
      ),
    ),
  );
}

function completed({ bot, behaviour, action, timestamp, kept }: CompletedAction): JsonObject {
  return withOthers({ ...defined({ bot }), behavior: behaviour, action, action_state: "completed", timestamp: time(timestamp) }, kept);
}

/** The fields in their order, then the keys of others, unless a field has that name. */
function withOthers(fields: JsonObject, kept: JsonObject): JsonObject {
  return { ...fields, ...kept, ...fields };
}

/** UTC with milliseconds. */
function time(text: string | null): string | null {
  return text === null ? null : (readTime(text, 0) ?? text);
}

function written(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
