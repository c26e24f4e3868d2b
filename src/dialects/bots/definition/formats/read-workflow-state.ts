import { defined, isList, isObject, own, type Json, type JsonObject } from "../../../../base/index.ts";
import type { ActionState, CompletedAction, Confirmation, ReadState, ViewOptions, WorkflowState } from "./bot-views.ts";
import {
  readDottedName,
  readEventNames,
  complainOfJson,
  isActionState,
  openView,
  parsedJson,
  textUnder,
  timeUnder,
  withoutKeys,
  type DottedName,
  type ViewReader,
} from "./view-reader.ts";

const knownKeys = [
  "bot",
  "current_behavior",
  "current_behavior_name",
  "current_action",
  "current_action_name",
  "action_state",
  "timestamp",
  "completed_actions",
  "started_at",
  "out_of_order_confirmations",
] as const;

/**
 * Reads a state file of any known form: plain or dotted names, older keys, times without a zone. Never throws: what cannot be used
 * is a problem, and a file that is not JSON has no state.
 */
export function readWorkflowState(text: string, { zone, file = "workflow_state.json" }: ViewOptions): ReadState {
  const view = openView(text, file, zone);
  const value = parsedJson(text);
  if (value === undefined) complainOfJson(view, text, file);
  else if (!isObject(value)) view.unreadable(`\`${file}\` holds ${isList(value) ? "a list" : "a single value"} where a map is expected.`);
  if (!isObject(value)) return { problems: view.problems, kept: {} };
  const state = stateOf(view, value);
  return { state, problems: view.problems, kept: state.kept };
}

function stateOf(view: ViewReader, held: JsonObject): WorkflowState {
  const place = currentPlace(view, held);
  const bot = textUnder(view, held, ["bot"], []) ?? place.bot;
  const completedActions = completedOf(view, held, { ...place, bot });
  const startedAt = timeUnder(view, held, "started_at", []);
  return {
    ...defined({ bot }),
    currentBehaviour: place.behaviour ?? null,
    currentAction: place.action ?? null,
    actionState: stateWord(view, held, place, completedActions),
    timestamp: timeUnder(view, held, "timestamp", []),
    completedActions,
    ...(startedAt !== null && { startedAt }),
    confirmations: confirmationsOf(view, held),
    kept: withoutKeys(held, knownKeys),
  };
}

type CurrentPlace = Readonly<Record<"bot" | "behaviour" | "action", string | undefined>>;

/** The name of the action says most; where it contradicts that of the behaviour, it counts. */
function currentPlace(view: ViewReader, held: JsonObject): CurrentPlace {
  const behaviour = dotted(view, held, ["current_behavior", "current_behavior_name"]);
  const action = dotted(view, held, ["current_action", "current_action_name"]);
  if (behaviour !== undefined && action?.behaviour !== undefined && action.behaviour !== behaviour.last)
    view.disagree(
      ["current_action"],
      `The current action belongs to the behaviour \`${action.behaviour}\`, but the current behaviour is \`${behaviour.last}\`. The action counts.`,
      "Correct one of the two.",
    );
  // The behaviour's dotted name has the bot where that of an action has the behaviour.
  return { bot: action?.bot ?? behaviour?.behaviour, behaviour: action?.behaviour ?? behaviour?.last, action: action?.last };
}

function dotted(view: ViewReader, held: JsonObject, keys: readonly string[]): DottedName | undefined {
  const text = textUnder(view, held, keys, []);
  const name = readDottedName(text);
  if (text !== undefined && name === undefined)
    view.value([keys.find((key) => own(held, key) === text) ?? ""], `\`${text}\` is not a name and is left out.`, "Write the plain name.");
  return name;
}

/** Completed if the action was the last one to be completed, else started: an interrupted action must not get lost. */
function stateWord(view: ViewReader, held: JsonObject, place: CurrentPlace, completed: readonly CompletedAction[]): ActionState | null {
  const word = own(held, "action_state");
  if (isActionState(word)) return word;
  if (word !== undefined && word !== null)
    view.value(["action_state"], "`action_state` is neither `started` nor `completed` and is left out.", "Write one of the two.");
  if (place.action === undefined) return null;
  const last = completed.at(-1);
  return last?.action === place.action && last.behaviour === place.behaviour ? "completed" : "started";
}

function completedOf(view: ViewReader, held: JsonObject, place: CurrentPlace): CompletedAction[] {
  const list = own(held, "completed_actions") ?? [];
  if (isList(list)) return list.flatMap((each, index) => completedAction(view, each, index, place) ?? []);
  view.value(["completed_actions"], "`completed_actions` is not a list and is left out.", "Write a list of maps.");
  return [];
}

const completedKeys = ["bot", "behavior", "action", "action_state", "timestamp"] as const;

function completedAction(view: ViewReader, value: Json, index: number, place: CurrentPlace): CompletedAction | undefined {
  const path = ["completed_actions", index];
  const held: JsonObject | undefined = typeof value === "string" ? { action_state: value } : isObject(value) ? value : undefined;
  if (held === undefined) {
    view.value(path, "An entry of `completed_actions` is neither a map nor a name and is left out.", "Write a map.");
    return undefined;
  }
  const names = readEventNames(view, held, path);
  const behaviour = names?.behaviour ?? place.behaviour;
  if (names === undefined || behaviour === undefined || names.state === "started") {
    view.value(path, "An entry of `completed_actions` does not name a completed action and is left out.", "Add `behavior` and `action`.");
    return undefined;
  }
  return {
    ...defined({ bot: names.bot === place.bot ? undefined : names.bot }),
    behaviour,
    action: names.action,
    timestamp: timeUnder(view, held, "timestamp", path),
    kept: withoutKeys(held, completedKeys),
  };
}

const confirmationKeys = ["confirmed_at", "confirmed_by", "original_behavior"] as const;

function confirmationsOf(view: ViewReader, held: JsonObject): Record<string, Confirmation> {
  const map = own(held, "out_of_order_confirmations") ?? {};
  const found: [string, Confirmation][] = [];
  if (!isObject(map))
    view.value(["out_of_order_confirmations"], "`out_of_order_confirmations` is not a map and is left out.", "Write a map by behaviour.");
  for (const [behaviour, value] of Object.entries(isObject(map) ? map : {})) {
    const path = ["out_of_order_confirmations", behaviour];
    if (!isObject(value)) {
      view.value(path, "A confirmation is not a map and is left out.", "Write `confirmed_at` and `confirmed_by`.");
      continue;
    }
    const original = textUnder(view, value, ["original_behavior"], path);
    const confirmation = {
      confirmedAt: timeUnder(view, value, "confirmed_at", path),
      confirmedBy: textUnder(view, value, ["confirmed_by"], path) ?? "human",
      originalBehaviour: readDottedName(original)?.last ?? original ?? null,
      kept: withoutKeys(value, confirmationKeys),
    };
    found.push([behaviour, confirmation]);
  }
  return Object.fromEntries(found);
}
