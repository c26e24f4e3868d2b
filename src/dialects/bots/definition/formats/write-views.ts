import type { Json, JsonObject } from "../../../../base/index.ts";
import type { ActivityEntry, CompletedAction, Confirmation, WorkflowState } from "./bot-views.ts";
import { readTime } from "../../../../source/index.ts";

/** The state file: all fields, always in the same order, then the keys of others. */
export function writeWorkflowState(state: WorkflowState): string {
  const { bot, startedAt } = state;
  const confirmations = Object.entries(state.confirmations).map(([behaviour, each]) => [behaviour, confirmation(each)] as const);
  return written({
    ...(bot === undefined ? {} : { bot }),
    current_behavior: state.currentBehaviour,
    current_action: state.currentAction,
    action_state: state.actionState,
    timestamp: time(state.timestamp),
    completed_actions: state.completedActions.map(completed),
    ...(startedAt === undefined ? {} : { started_at: time(startedAt) }),
    ...(confirmations.length === 0 ? {} : { out_of_order_confirmations: Object.fromEntries(confirmations) }),
    ...beside(state.kept, stateKeys),
  });
}

/** The activity log: a list, oldest first as given, each entry with all fields. */
export function writeActivityLog(entries: readonly ActivityEntry[]): string {
  return written(
    entries.map(({ bot, ...entry }) => ({
      timestamp: time(entry.timestamp),
      ...(bot === undefined ? {} : { bot }),
      behavior: entry.behaviour,
      action: entry.action,
      action_state: entry.actionState,
      inputs: entry.inputs,
      outputs: entry.outputs,
      duration: entry.duration,
      ...beside(entry.kept, entryKeys),
    })),
  );
}

function completed({ bot, behaviour, action, timestamp, kept }: CompletedAction): JsonObject {
  return {
    ...(bot === undefined ? {} : { bot }),
    behavior: behaviour,
    action,
    action_state: "completed",
    timestamp: time(timestamp),
    ...beside(kept, ["bot", "behavior", "action", "action_state", "timestamp"]),
  };
}

function confirmation({ confirmedAt, confirmedBy, originalBehaviour, kept }: Confirmation): JsonObject {
  return {
    confirmed_at: time(confirmedAt),
    confirmed_by: confirmedBy,
    original_behavior: originalBehaviour,
    ...beside(kept, ["confirmed_at", "confirmed_by", "original_behavior"]),
  };
}

const stateKeys = [
  "bot",
  "current_behavior",
  "current_action",
  "action_state",
  "timestamp",
  "completed_actions",
  "started_at",
  "out_of_order_confirmations",
] as const;
const entryKeys = ["bot", "timestamp", "behavior", "action", "action_state", "inputs", "outputs", "duration"] as const;

/** Keys of others, unless a field of the file has that name. */
function beside(kept: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(kept).filter(([key]) => !fields.includes(key)));
}

/** UTC with milliseconds. */
function time(text: string | null): string | null {
  return text === null ? null : (readTime(text, 0) ?? text);
}

function written(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
