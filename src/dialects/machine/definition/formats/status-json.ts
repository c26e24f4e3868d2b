import { isList, isObject, own, type Diagnostic, type Json, type JsonObject } from "../../../../base/index.ts";
import { readDecisions, recordJson, type DecisionRecord } from "./decisions.ts";
import { openJson, topFields, withKept, writtenForm, writtenJson, type Fields, type Form } from "./session-reader.ts";
import {
  ciResults,
  correctionRoles,
  correctionStatuses,
  repairLoops,
  sessionFiles,
  sessionStates,
  type CiResult,
  type CorrectionRole,
  type CorrectionStatus,
  type RepairLoop,
  type SessionState,
} from "./session-vocabulary.ts";

/** Where a session is. Keys are those of the file; null is what the file does not say. */
export interface SessionStatus {
  readonly current_state: SessionState | null;
  readonly session: string | null;
  readonly assumptions: readonly string[];
  readonly known_issues: readonly string[];
  readonly user_decisions: readonly DecisionRecord[];
  readonly gate_tracking: GateTracking | null;
  readonly runtime_flags: RuntimeFlags | null;
  /** By task id, or `meta`. */
  readonly retry_counts: Readonly<Record<string, RepairCounts>>;
  readonly last_ci_result: CiResult;
  readonly last_update: string | null;
  readonly blocker: Blocker | null;
  /** Decisions in other forms, as they were; written under `historic_decisions`. */
  readonly notes: readonly Json[];
  /** Keys of others, as written. */
  readonly kept: JsonObject;
}

/** A status that can be written: it says which state, which session and when. */
export type CompleteStatus = SessionStatus & {
  readonly current_state: SessionState;
  readonly session: string;
  readonly last_update: string;
};

export type RepairCounts = Readonly<Record<RepairLoop, number>>;

export interface GateTracking {
  readonly correction_status: CorrectionStatus;
  readonly last_correction_dispatch: { readonly agent: CorrectionRole | null; readonly task_id: "meta" | null; readonly at: string | null };
  readonly kept: JsonObject;
}

export interface RuntimeFlags {
  readonly copilot_instructions_exists: boolean | null;
  readonly copilot_checked_at: string | null;
  readonly kept: JsonObject;
}

export interface Blocker {
  readonly code: string;
  readonly detail: string;
  readonly since: string | null;
  readonly recovery: string;
}

export interface ReadStatus {
  /** Absent when the file is not a JSON object. */
  readonly status?: SessionStatus;
  readonly problems: readonly Diagnostic[];
}

const statusForm: Form<Omit<SessionStatus, "user_decisions" | "notes">> = {
  current_state: (fields, key) => fields.word(key, sessionStates) ?? null,
  session: (fields, key) => fields.text(key) ?? null,
  assumptions: (fields, key) => fields.texts(key),
  known_issues: (fields, key) => fields.texts(key),
  gate_tracking: readGateTracking,
  runtime_flags: (fields, key) => fields.map(key)?.read(flagForm) ?? null,
  retry_counts: readRetryCounts,
  last_ci_result: (fields, key) => fields.word(key, ciResults) ?? "unknown",
  last_update: (fields, key) => fields.time(key) ?? null,
  blocker: readBlocker,
};
const statusKeys = [...Object.keys(statusForm), "user_decisions", "historic_decisions"];

/** Reads any known form of the file and reports what is not as documented. Never throws. */
export function readStatus(text: string, file: string = sessionFiles.status): ReadStatus {
  const opened = openJson(text, file);
  const fields = topFields(opened);
  const { problems } = opened.reader;
  if (fields === undefined) return { problems };
  const { records, notes } = readDecisions(fields);
  const historic = fields.value("historic_decisions");
  reportOnMissing(fields);
  const status: SessionStatus = {
    ...fields.read(statusForm),
    user_decisions: records,
    notes: [...(isList(historic) ? historic : historic === undefined ? [] : [historic]), ...notes],
    kept: fields.kept(statusKeys),
  };
  reportOnOthers(fields, status.kept);
  return { status, problems };
}

function reportOnMissing(fields: Fields): void {
  const { reader } = fields;
  if (fields.value("current_state") === undefined)
    reader.error([], "MACHINE_MISSING_KEY", "`current_state` is missing: nothing says where the session is.", "Write one of the states.");
  for (const key of ["session", "assumptions", "known_issues", "user_decisions", "retry_counts", "last_ci_result", "last_update"])
    if (fields.value(key) === undefined)
      reader.warn([], "MACHINE_MISSING_KEY", `\`${key}\` is missing; it counts as empty.`, `Add \`${key}\`.`);
}

function reportOnOthers({ reader }: Fields, kept: JsonObject): void {
  const keys = Object.keys(kept);
  if (keys.length === 0) return;
  const list = keys
    .slice(0, 8)
    .map((key) => `\`${key.slice(0, 40)}\``)
    .join(", ");
  const more = keys.length > 8 ? ` and ${keys.length - 8} more` : "";
  const message = `The file also holds ${list}${more}. They are kept and never decide anything.`;
  reader.warn([], "MACHINE_FOREIGN_KEY", message, "Leave them, or remove them; task statuses are in `tasks.yaml` only.");
}

const trackingAliases = { status: "correction_status" };

/** The correction of a design that was sent back. A plain word in its place is its status. */
function readGateTracking(fields: Fields): GateTracking | null {
  const gates = fields.map("gate_tracking");
  if (gates === undefined) return null;
  const value = gates.value("APPROVE_DESIGN");
  const kept = gates.kept(["APPROVE_DESIGN"]);
  const none = { agent: null, task_id: null, at: null };
  if (typeof value === "string") {
    const fix = "Write a map with `correction_status` and `last_correction_dispatch`.";
    gates.warn(["APPROVE_DESIGN"], "MACHINE_TRACKING_FORM", "is a word; it is read as its `correction_status`.", fix);
    const word = gates.wordOf(value, ["APPROVE_DESIGN"], correctionStatuses);
    return { correction_status: word ?? "none", last_correction_dispatch: none, kept };
  }
  const held = gates.map("APPROVE_DESIGN");
  const own = held && held.withAliases("MACHINE_TRACKING_FORM", trackingAliases);
  const last = own && own.map("last_correction_dispatch");
  const dispatch = last && {
    agent: last.word("agent", correctionRoles) ?? null,
    task_id: last.word("task_id", ["meta"] as const) ?? null,
    at: last.time("at") ?? null,
  };
  const correction_status = own?.word("correction_status", correctionStatuses) ?? "none";
  return { correction_status, last_correction_dispatch: dispatch ?? none, kept };
}

const flagForm: Form<RuntimeFlags> = {
  copilot_instructions_exists: (fields, key) => fields.flag(key) ?? null,
  copilot_checked_at: (fields, key) => fields.time(key) ?? null,
};

function readRetryCounts(fields: Fields): Record<string, RepairCounts> {
  const counts = fields.map("retry_counts");
  if (counts === undefined) return {};
  const read = Object.entries(counts.held).flatMap(([task, value]): [string, RepairCounts][] => {
    if (isObject(value)) return [[task, readCounts(counts, task, value)]];
    counts.wrongType([task], "a map of repair loops");
    return [];
  });
  return Object.fromEntries(read);
}

function readCounts(fields: Fields, task: string, held: JsonObject): RepairCounts {
  const missing = repairLoops.filter((loop) => !Object.hasOwn(held, loop));
  const says = `does not count ${missing.join(", ")}; that is read as 0.`;
  if (missing.length > 0) fields.warn([task], "MACHINE_RETRY_COUNTS", says, "Write all four counts.");
  const count = (loop: RepairLoop): number => {
    const value = own(held, loop) ?? 0;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    fields.error([task, loop], "MACHINE_WRONG_TYPE", "is not a count and is read as 0.", "Write a whole number.");
    return 0;
  };
  return Object.fromEntries(repairLoops.map((loop) => [loop, count(loop)])) as RepairCounts;
}

function readBlocker(fields: Fields): Blocker | null {
  const value = fields.value("blocker");
  if (typeof value === "string") return { code: value, detail: "", since: null, recovery: "" };
  const blocker = fields.map("blocker");
  if (blocker === undefined) return null;
  return {
    code: blocker.text("code") ?? "",
    detail: blocker.text("detail") ?? "",
    since: blocker.time("since") ?? null,
    recovery: blocker.text("recovery") ?? "",
  };
}

export function isCompleteStatus(status: SessionStatus): status is CompleteStatus {
  return status.current_state !== null && status.session !== null && status.last_update !== null;
}

/** The documented form: always the same order, two spaces, a line break at the end, keys of others last. */
export function writeStatus(status: CompleteStatus): string {
  const { gate_tracking: gates, runtime_flags: flags, blocker, notes } = status;
  const fields: JsonObject = {
    current_state: status.current_state,
    session: status.session,
    assumptions: status.assumptions,
    known_issues: status.known_issues,
    user_decisions: status.user_decisions.map(recordJson),
    ...(gates === null ? {} : { gate_tracking: trackingJson(gates) }),
    ...(flags === null ? {} : { runtime_flags: writtenForm(flagForm, { ...flags }) }),
    retry_counts: Object.fromEntries(Object.entries(status.retry_counts).map(([task, counts]) => [task, inOrder(counts, repairLoops)])),
    last_ci_result: status.last_ci_result,
    last_update: status.last_update,
    ...(blocker === null ? {} : { blocker: inOrder(blocker, ["code", "detail", "since", "recovery"]) }),
    ...(notes.length === 0 ? {} : { historic_decisions: notes }),
  };
  return writtenJson(withKept(fields, status.kept, statusKeys));
}

function trackingJson({ correction_status, last_correction_dispatch: last, kept }: GateTracking): JsonObject {
  const last_correction_dispatch = inOrder(last, ["agent", "task_id", "at"]);
  return withKept({ APPROVE_DESIGN: { correction_status, last_correction_dispatch } }, kept);
}

function inOrder<K extends string>(held: Readonly<Record<K, Json>>, keys: readonly K[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, held[key]]));
}
