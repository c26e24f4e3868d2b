import { defined, isList, isObject, own, type Diagnostic, type Json, type JsonObject } from "../../../../base/index.ts";
import {
  formatDocumentPath,
  readJson,
  readTime,
  withoutMark,
  type DocumentPath,
  type ParsedFile,
  type Zone,
} from "../../../../source/index.ts";
import { actionStates, type ActionState } from "./bot-views.ts";
import { plainName } from "../vocabulary.ts";

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
  const where = first?.place;
  view.unreadable(
    `\`${file}\` is not JSON: ${first?.message ?? "it cannot be read."}`,
    where && { line: where.line, column: where.column },
  );
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

/** Whom an event is about. */
export interface EventNames {
  readonly bot?: string;
  readonly behaviour?: string;
  readonly action: string;
  /** As far as the entry says it. */
  readonly state?: ActionState;
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
  const name = behaviour?.last ?? action.behaviour;
  return { action: action.last, ...defined({ behaviour: name, bot, state: isActionState(status) ? status : undefined }) };
}

export interface DottedName {
  readonly bot?: string;
  readonly behaviour?: string;
  readonly last: string;
}

/** `bot.behaviour.action`, read from the right; anything further left belongs to the bot. Numbers of folders are dropped. */
export function readDottedName(text: string | undefined): DottedName | undefined {
  if (text === undefined) return undefined;
  const parts = text.split(".").map((part) => plainName(part.trim()));
  if (parts.some((part) => part === "")) return undefined;
  const last = parts.pop() ?? "";
  const behaviour = parts.pop();
  const bot = parts.join(".");
  return { last, ...defined({ behaviour, bot: bot === "" ? undefined : bot }) };
}
