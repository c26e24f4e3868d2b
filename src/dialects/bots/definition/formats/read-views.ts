import { defined, isList, isObject, own, type Json, type JsonObject } from "../../../../base/index.ts";
import { withoutMark, type DocumentPath } from "../../../../source/index.ts";
import {
  type ActionState,
  type ActivityEntry,
  type CompletedAction,
  type Confirmation,
  type ReadLog,
  type ReadState,
  type ViewOptions,
  type WorkflowState,
  complainOfJson,
  isActionState,
  openView,
  parsedJson,
  readDottedName,
  readEventNames,
  textUnder,
  timeUnder,
  withoutKeys,
  type DottedName,
  type ViewReader,
} from "./bot-views.ts";

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

const container = "_default";
const entryKeys = ["timestamp", "bot", "behavior", "action", "action_state", "inputs", "outputs", "duration"] as const;

interface Row {
  readonly value: Json;
  readonly path: DocumentPath;
}

/**
 * Reads a log of any known form: a list, a map of numbered entries under `_default`, or one entry per line. Never throws: what
 * cannot be used is a problem, and the other entries count.
 */
export function readActivityLog(text: string, { zone, file = "activity_log.json" }: ViewOptions): ReadLog {
  const view = openView(text, file, zone);
  const value = parsedJson(text);
  const rows = value === undefined ? linesOf(view, text, file) : rowsOf(view, value, file);
  const entries = rows.flatMap((row) => entryOf(view, row) ?? []);
  const kept = isObject(value) && isObject(own(value, container)) ? withoutKeys(value, [container]) : {};
  return { entries, problems: view.problems, kept };
}

function rowsOf(view: ViewReader, value: Json, file: string): Row[] {
  if (isList(value)) return value.map((each, index) => ({ value: each, path: [index] }));
  const numbered = isObject(value) ? own(value, container) : undefined;
  if (isObject(numbered)) {
    // Numbers as keys are texts: 10 comes after 9, not after 1.
    const keys = Object.keys(numbered).sort((a, b) => Number(a) - Number(b) || 0);
    return keys.map((key) => ({ value: numbered[key] ?? null, path: [container, key] }));
  }
  if (isObject(value) && (Object.hasOwn(value, "action") || Object.hasOwn(value, "action_state"))) return [{ value, path: [] }];
  if (!isObject(value) || Object.keys(value).length > 0)
    view.unreadable(`\`${file}\` has no entries: a list, a map under \`${container}\`, or one entry per line is expected.`);
  return [];
}

/** One entry per line. A last line that a crash cut off costs only itself. */
function linesOf(view: ViewReader, text: string, file: string): Row[] {
  const lines = withoutMark(text)
    .split(/\r?\n/)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== "");
  const read = lines.map(({ line, number }) => ({ number, value: parsedJson(line) }));
  if (!read.some(({ value }) => isObject(value))) {
    complainOfJson(view, text, file);
    return [];
  }
  view.byLine = true;
  return read.flatMap(({ number, value }) => {
    if (isObject(value)) return [{ value, path: [number - 1] }];
    view.unreadable(`Line ${number} of \`${file}\` is not an entry and is left out.`, { line: number, column: 1 });
    return [];
  });
}

function entryOf(view: ViewReader, { value, path }: Row): ActivityEntry | undefined {
  if (!isObject(value)) {
    view.value(path, "An entry is not a map and is left out.", "Write a map.");
    return undefined;
  }
  const names = readEventNames(view, value, path);
  if (names?.behaviour === undefined || names.state === undefined) {
    const missing = names?.behaviour === undefined ? "behaviour and action" : "state";
    view.value(path, `An entry has no ${missing} and is left out.`, "Add `behavior`, `action` and `action_state`.");
    return undefined;
  }
  const status = isActionState(own(value, "action_state")) ? [] : ["status"];
  return {
    timestamp: timeUnder(view, value, "timestamp", path),
    ...defined({ bot: names.bot }),
    behaviour: names.behaviour,
    action: names.action,
    actionState: names.state,
    inputs: mapUnder(value, "inputs"),
    outputs: mapUnder(value, "outputs"),
    duration: durationOf(view, value, path),
    kept: withoutKeys(value, [...entryKeys, ...status]),
  };
}

/** Inputs and outputs are maps; anything else is wrapped, so that it is not lost. */
function mapUnder(held: JsonObject, key: string): JsonObject {
  const value = own(held, key);
  if (value === undefined || value === null) return {};
  return isObject(value) ? value : { value };
}

function durationOf(view: ViewReader, held: JsonObject, path: DocumentPath): number | null {
  const value = own(held, "duration");
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  view.value([...path, "duration"], "`duration` is not a number of seconds and is left out.", "Write seconds, e.g. `12.5`.");
  return null;
}
