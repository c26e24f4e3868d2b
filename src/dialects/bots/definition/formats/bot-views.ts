import { defined, isList, isObject, own, type Diagnostic, type Json, type JsonObject } from "../../../../base/index.ts";
import {
  readTime,
  formatDocumentPath,
  readJson,
  withoutMark,
  type Zone,
  type DocumentPath,
  type ParsedFile,
} from "../../../../source/index.ts";
import { plainName } from "../vocabulary.ts";

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

const mostProblems = 50;
const deepest = 200;

/** Reads values of one view file and collects what is wrong with it; places are looked up only when something is. */
export interface ViewReader {
  readonly zone: Zone;
  readonly problems: Diagnostic[];
  /** The file has one value per line; paths begin with the line, counted from 0. */
  byLine: boolean;
  /** A value that cannot be used; everything else still counts. */
  value(path: DocumentPath, message: string, fix: string): void;
  disagree(path: DocumentPath, message: string, fix: string): void;
  unreadable(message: string, place?: { line: number; column: number }): void;
}

export function openView(text: string, file: string, zone: Zone): ViewReader {
  const problems: Diagnostic[] = [];
  let parsed: ParsedFile | undefined;
  const say = (code: string, path: DocumentPath, [message, fix]: readonly [string, string]): void => {
    if (problems.length >= mostProblems) return;
    const at = formatDocumentPath(path);
    const line = Number(path[0] ?? 0) + 1;
    if (!view.byLine) parsed ??= readJson({ path: file, text }).file;
    const place = parsed?.placeOf(path, "value") ?? { file, line, column: 1 };
    problems.push({ code, severity: "warning", message, fix, ...(at !== "" && { path: at }), place });
  };
  const view: ViewReader = {
    zone,
    problems,
    byLine: false,
    value: (path, ...words) => say("BOTS_VIEW_VALUE", path, words),
    disagree: (path, ...words) => say("BOTS_VIEW_DISAGREES", path, words),
    unreadable: (message, place = { line: 1, column: 1 }) =>
      void problems.push({
        code: "BOTS_VIEW_UNREADABLE",
        severity: "error",
        message,
        fix: "Correct the place shown, or take the file away; it is never overwritten silently.",
        place: { file, ...place },
      }),
  };
  return view;
}

/** The JSON value of a text; undefined when it is none. */
export function parsedJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(withoutMark(text)) as Json;
    return isDeep(value, deepest) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Why a text is not JSON, and where. */
export function complainOfJson(view: ViewReader, text: string, file: string): void {
  const first = readJson({ path: file, text }).problems.find(({ fault }) => fault === "syntax" || fault === "too_deep");
  const { line = 1, column = 1 } = first?.place ?? {};
  view.unreadable(`\`${file}\` is not JSON: ${first?.message ?? "it cannot be read."}`, { line, column });
}

function isDeep(value: Json, left: number): boolean {
  if (left === 0) return true;
  if (isList(value)) return value.some((each) => isDeep(each, left - 1));
  return isObject(value) && Object.values(value).some((each) => isDeep(each, left - 1));
}

/** The first of several keys that has a text; null and missing are the same. */
export function textUnder(view: ViewReader, held: JsonObject, keys: readonly string[], path: DocumentPath): string | undefined {
  for (const key of keys) {
    const value = own(held, key);
    if (value === undefined || value === null) continue;
    if (typeof value === "string" && value.trim() !== "") return value;
    view.value([...path, key], `\`${key}\` is not a text and is left out.`, "Write a name in quotes.");
  }
  return undefined;
}

export function timeUnder(view: ViewReader, held: JsonObject, key: string, path: DocumentPath): string | null {
  const value = own(held, key);
  if (value === undefined || value === null) return null;
  const time = typeof value === "string" ? readTime(value, view.zone) : undefined;
  if (time === undefined)
    view.value([...path, key], `\`${key}\` is not a time and is left out.`, "Write it like `2026-03-02T10:15:00.000Z`.");
  return time ?? null;
}

export function isActionState(value: Json | undefined): value is ActionState {
  return (actionStates as readonly unknown[]).includes(value);
}

/** What is under keys that have no meaning here. */
export function withoutKeys(held: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(held).filter(([key]) => !known.includes(key)));
}

/** Whom an event is about, and what it says of it, as far as the entry tells. */
interface EventNames extends Omit<DottedName, "last"> {
  readonly action: string;
  readonly state: ActionState | undefined;
}

/**
 * Names of an entry, which are either under keys of their own or one dotted name where the state is expected; then the state
 * is in `status`.
 */
export function readEventNames(view: ViewReader, held: JsonObject, path: DocumentPath): EventNames | undefined {
  const word = own(held, "action_state");
  const named = typeof word === "string" && !isActionState(word) ? readDottedName(word) : undefined;
  const action = readDottedName(textUnder(view, held, ["action"], path)) ?? named;
  if (action === undefined) return undefined;
  const behaviour = readDottedName(textUnder(view, held, ["behavior"], path));
  const bot = textUnder(view, held, ["bot"], path) ?? action.bot ?? behaviour?.behaviour;
  const status = isActionState(word) ? word : own(held, "status");
  return { action: action.last, behaviour: behaviour?.last ?? action.behaviour, bot, state: isActionState(status) ? status : undefined };
}

export interface DottedName extends Readonly<Record<"bot" | "behaviour", string | undefined>> {
  readonly last: string;
}

/** `bot.behaviour.action`, read from the right; anything further left belongs to the bot. Numbers of folders are dropped. */
export function readDottedName(text: string | undefined): DottedName | undefined {
  if (text === undefined) return undefined;
  const parts = text.split(".").map((part) => plainName(part.trim()));
  if (parts.some((part) => part === "")) return undefined;
  const last = parts.pop() ?? "";
  const behaviour = parts.pop();
  return { last, behaviour, bot: parts.length === 0 ? undefined : parts.join(".") };
}
