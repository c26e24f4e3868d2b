import { defined, isList, isObject, own, type Json, type JsonObject } from "../../../../base/index.ts";
import { withoutMark, type DocumentPath } from "../../../../source/index.ts";
import type { ActivityEntry, ReadLog, ViewOptions } from "./bot-views.ts";
import {
  readEventNames,
  complainOfJson,
  isActionState,
  openView,
  parsedJson,
  timeUnder,
  withoutKeys,
  type ViewReader,
} from "./view-reader.ts";

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
