import { isList, isObject, textOf, type Json, type JsonObject, isoTime } from "../../../base/index.ts";
import { sessionNumbers, sessionStatuses, sessionTexts, type SharedWorkflowSession, type SharedWorkflowState } from "./shared-state.ts";
import { statusBar } from "./status-bar.ts";

/** An ended run stays listed for ten minutes. */
export const endedRunsStayMs = 600_000;
export interface MergedState {
  readonly text: string;
  /** What was wrong with the file as it was; those parts are gone. */
  readonly damaged?: string;
}

/**
 * The whole file with one session put in. Sessions of other runs are kept as they are; runs that ended more
 * than ten minutes ago leave. The order depends on the sessions alone: by start, then by id.
 */
export function mergeSharedState(existing: string | undefined, session: SharedWorkflowSession, now: number): MergedState {
  const { sessions, damaged } = readSessions(existing);
  const byId = new Map<string, JsonObject>();
  for (const other of sessions) byId.set(idOf(other), other);
  byId.set(session.id, session as unknown as JsonObject);
  const kept = [...byId.values()].filter((entry) => !hasLeft(entry, now)).sort(byStart);
  const shown = statusBar({ activeWorkflows: kept.filter(isWhole) as unknown as readonly SharedWorkflowSession[] });
  const state = { version: "2.0", activeWorkflows: kept, statusBar: { ...shown }, lastUpdated: isoTime(now) };
  const text = `${JSON.stringify(state, null, 2)}\n`;
  return damaged === undefined ? { text } : { text, damaged };
}

/** undefined when the text is not a shared state of this version. Sessions that lack what every session has are left out. */
export function parseSharedState(text: string): SharedWorkflowState | undefined {
  const state = parsed(text);
  if (!isObject(state) || state["version"] !== "2.0" || !isList(state["activeWorkflows"])) return undefined;
  const updated = state["lastUpdated"];
  const bar = state["statusBar"];
  return {
    ...(isObject(bar) ? { statusBar: { text: textOf(bar["text"]), tooltip: textOf(bar["tooltip"]) } } : {}),
    version: "2.0",
    activeWorkflows: state["activeWorkflows"].filter(isWhole) as unknown as readonly SharedWorkflowSession[],
    lastUpdated: typeof updated === "string" ? updated : "",
  };
}

function readSessions(existing: string | undefined): { readonly sessions: readonly JsonObject[]; readonly damaged?: string } {
  if (existing === undefined || existing.trim() === "") return { sessions: [] };
  const state = parsed(existing);
  if (!isObject(state)) return { sessions: [], damaged: "The state file was not a JSON object; it was created again." };
  if (state["version"] !== "2.0") return { sessions: [], damaged: "The state file had another version than 2.0; it was created again." };
  const list = state["activeWorkflows"];
  if (!isList(list)) return { sessions: [], damaged: "The state file had no list of workflows; it was created again." };
  const sessions = list.filter(isSession);
  if (sessions.length === list.length) return { sessions };
  return {
    sessions,
    damaged: `${list.length - sessions.length} of ${list.length} sessions in the state file could not be read and were left out.`,
  };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as Json;
  } catch {
    return undefined;
  }
}

function isSession(entry: Json): entry is JsonObject {
  return isObject(entry) && typeof entry["id"] === "string" && entry["id"] !== "";
}

function isWhole(entry: Json): boolean {
  if (!isSession(entry)) return false;
  const named = sessionTexts.every((key) => typeof entry[key] === "string") && sessionStatuses.some((status) => status === entry["status"]);
  return named && sessionNumbers.every((key) => typeof entry[key] === "number");
}

function idOf(session: JsonObject): string {
  return textOf(session["id"]);
}

function hasLeft(session: JsonObject, now: number): boolean {
  const status = session["status"];
  const named = session["endedAt"];
  const ended = typeof named === "string" ? named : status === "completed" || status === "cancelled" ? session["lastUpdated"] : undefined;
  if (typeof ended !== "string") return false;
  const at = Date.parse(ended);
  return Number.isNaN(at) || now - at > endedRunsStayMs;
}

function byStart(left: JsonObject, right: JsonObject): number {
  return compare(textOf(left["startedAt"]), textOf(right["startedAt"])) || compare(idOf(left), idOf(right));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
