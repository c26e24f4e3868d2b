import { isList, isObject, type Json, type JsonObject } from "../../../../base/index.ts";
import { readTime, type DocumentPath } from "../../../../source/index.ts";
import { Fields, nameOf, writtenForm, type Form } from "./session-reader.ts";
import { decisionStatuses, reviewStrategies, sessionStates, type DecisionStatus, type SessionState } from "./session-vocabulary.ts";

/** One question to a person, as `user_decisions` keeps it. */
export interface DecisionRecord {
  readonly decision_id: string;
  readonly question: string;
  readonly status: DecisionStatus;
  readonly answer: string | null;
  readonly asked_at: string;
  readonly resolved_at: string | null;
  readonly resolution_reason: string | null;
  /** The state that raised the question; for a gate its own name. The only durable return address. */
  readonly state_context: SessionState;
  readonly kept: JsonObject;
}

export const designDecision = "UD-APPROVE-DESIGN";
export const strategyDecision = "UD-REVIEW-STRATEGY";
/** The decisions with fixed ids, and the state each belongs to. They are at most once in a file and are updated in place. */
export const gateDecisions: Readonly<Record<string, SessionState>> = {
  [designDecision]: "APPROVE_DESIGN",
  [strategyDecision]: "REVIEW_STRATEGY",
};

/** What makes a record invalid, a sentence each; nothing for a valid one. */
export function decisionFaults(record: DecisionRecord): readonly string[] {
  const { status, answer, resolved_at, resolution_reason } = record;
  const faults: string[] = [];
  if (record.decision_id.trim() === "") faults.push("A decision has an empty `decision_id`.");
  if (record.question.trim() === "") faults.push("A decision has no question.");
  if (readTime(record.asked_at, 0) === undefined) faults.push("`asked_at` is not a time.");
  if (!sessionStates.includes(record.state_context)) faults.push("`state_context` is not a state.");
  if (resolved_at !== null && readTime(resolved_at, 0) === undefined) faults.push("`resolved_at` is not a time.");
  if (status === "pending") {
    for (const [key, value] of Object.entries({ answer, resolved_at, resolution_reason }))
      if (value !== null) faults.push(`A pending decision has \`${key}\`; it is null until the person has answered.`);
    return faults;
  }
  if (resolved_at === null) faults.push(`The decision is ${status} but has no \`resolved_at\`.`);
  if (status === "answered" && isBlank(answer)) faults.push("The decision is answered but its `answer` is empty.");
  if (status !== "answered" && isBlank(resolution_reason)) faults.push(`The decision is ${status} but has no \`resolution_reason\`.`);
  return faults;
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === "";
}

/** The next free `UD-<N>`: one above the highest number among the ids given. */
export function mintDecisionId(ids: Iterable<string>): string {
  let highest = 0;
  for (const id of ids) highest = Math.max(highest, Number(/^UD-(\d{1,9})$/.exec(id)?.[1] ?? 0));
  return `UD-${highest + 1}`;
}

/** `pass` lets the state be left; `changes` is a valid answer that does not; anything else must be asked again. */
export type GateAnswer = "pass" | "changes" | "invalid";

const reservation =
  /[?]|\b(?:no|not|never|nope|stop|wait|but|unless|except|however|don'?t|won'?t|isn'?t|cannot|can'?t|later|if|once|after|until|changes?)\b/i;

/**
 * What the answer to a gate means. `approved` may carry a remark, but none that takes the approval back or ties it to a condition:
 * a person who writes that has to choose again.
 */
export function gateAnswer(decisionId: string, answer: string | null): GateAnswer {
  const text = (answer ?? "").trim();
  if (decisionId === strategyDecision) return reviewStrategies.some((word) => word === text) ? "pass" : "invalid";
  if (decisionId !== designDecision) return "invalid";
  if (/^changes-requested:\s*\S/.test(text)) return "changes";
  const [, remark] = /^approved(?![\w-])(.*)$/s.exec(text) ?? [];
  return remark !== undefined && !reservation.test(remark) ? "pass" : "invalid";
}

/** Whether a gate's record lets its state be left: valid, answered, and with a passing answer. */
export function passesGate(record: DecisionRecord | undefined): boolean {
  if (record === undefined || record.status !== "answered" || decisionFaults(record).length > 0) return false;
  return gateDecisions[record.decision_id] === record.state_context && gateAnswer(record.decision_id, record.answer) === "pass";
}

/** `notes`: what was written in other forms, as it was. Notes are history: they never satisfy a gate. */
type ReadDecisions = { readonly records: readonly DecisionRecord[]; readonly notes: readonly Json[] };

const aliases = { id: "decision_id", answered_at: "resolved_at" };
const textOrNull = (fields: Fields, key: string): string | null => fields.text(key) ?? null;
const recordForm: Form<{ readonly [K in keyof DecisionRecord]: DecisionRecord[K] | undefined } & { readonly kept: JsonObject }> = {
  decision_id: (fields, key) => fields.text(key),
  question: (fields, key) => fields.text(key),
  status: (fields, key) => fields.word(key, decisionStatuses),
  answer: textOrNull,
  asked_at: (fields, key) => fields.time(key),
  resolved_at: (fields, key) => fields.time(key) ?? null,
  resolution_reason: textOrNull,
  state_context: (fields, key) => fields.word(key, sessionStates),
};

/**
 * Records of any known form. What is incomplete becomes a note. A record that contradicts itself, and a gate that is recorded twice,
 * becomes pending again, with the originals as notes: a doubtful answer is asked for once more and never counts.
 */
export function readDecisions(fields: Fields): ReadDecisions {
  const notes: Json[] = [];
  const list = fields.value("user_decisions");
  if (list === undefined) return { records: [], notes };
  if (!isList(list)) {
    fields.wrongType(["user_decisions"], "a list of decisions");
    return { records: [], notes: [list] };
  }
  const found = list.flatMap((value, index) => {
    const record = readRecord(fields, value, ["user_decisions", index]);
    const faults = record === undefined ? [] : decisionFaults(record);
    if (record === undefined || faults.length > 0) notes.push(value);
    if (record === undefined) return [];
    for (const fault of faults) fields.error(["user_decisions", index], "MACHINE_DECISION_INVALID", `is not valid. ${fault}`, invalidFix);
    return [{ record: faults.length > 0 ? asPending(record) : record, index, value }];
  });
  return { records: withoutTwins(fields, found, notes), notes };
}

/** Undefined for what is not a whole record. */
function readRecord(fields: Fields, value: Json, path: DocumentPath): DecisionRecord | undefined {
  const { problems } = fields.reader;
  const before = problems.length;
  const note = (why: string): undefined => {
    // A note is kept as it was, so its single values are not worth reporting.
    problems.length = before;
    const fix = "Ask the question again, so that a whole record exists.";
    fields.warn(path, "MACHINE_DECISION_NOTE", `${why}. It is kept as a note and satisfies no gate.`, fix);
  };
  if (typeof value === "string") return note("is a plain text");
  if (!isObject(value)) return note("is neither a record nor a text");
  const own = new Fields(fields.reader, value, path).withAliases("MACHINE_DECISION_ALIAS", aliases);
  const read = own.read(recordForm);
  const missing = Object.entries(read).flatMap(([key, held]) => (held === undefined ? [`\`${key}\``] : []));
  if (missing.length > 0) return note(`has no usable ${missing.join(", ")}`);
  const record = read as DecisionRecord;
  const { decision_id } = record;
  if (!/^UD-\d+$/.test(decision_id) && !Object.hasOwn(gateDecisions, decision_id)) {
    const says = `is \`${decision_id}\`; it is accepted as it is.`;
    own.warn(["decision_id"], "MACHINE_ID_FORM", says, "New decisions are numbered `UD-1`, `UD-2`.");
  }
  for (const key of ["answer", "resolved_at", "resolution_reason"])
    if (!Object.hasOwn(own.held, key))
      own.reader.warn(path, "MACHINE_MISSING_KEY", `${nameOf([...path, key])} is missing and is read as null.`, "Write `null`.");
  return record;
}

const invalidFix = "Let it be asked again; the record is read as pending, and what was there is kept as a note.";

function asPending(record: DecisionRecord): DecisionRecord {
  return { ...record, status: "pending", answer: null, resolved_at: null, resolution_reason: null };
}

type Found = { readonly record: DecisionRecord; readonly index: number; readonly value: Json };

/** Ids are unique: a gate that is there twice is open again, any other twin gets the next free number. */
function withoutTwins({ reader }: Fields, found: readonly Found[], notes: Json[]): DecisionRecord[] {
  const byId = new Map<string, DecisionRecord>();
  const all = new Set(found.map(({ record }) => record.decision_id));
  for (const { record, index, value } of found) {
    const { decision_id: id } = record;
    const first = byId.get(id);
    if (first === undefined) {
      byId.set(id, record);
      continue;
    }
    const gate = Object.hasOwn(gateDecisions, id);
    const fresh = mintDecisionId(all);
    const path = ["user_decisions", index];
    const outcome = gate ? "The gate counts as open" : `The second is read as \`${fresh}\``;
    reader.error(path, "MACHINE_DUPLICATE_ID", `The decision \`${id}\` is there twice. ${outcome}.`, "Keep one record for each id.");
    if (gate) {
      notes.push(recordJson(first), value);
      byId.set(id, asPending(first));
    } else {
      all.add(fresh);
      byId.set(fresh, { ...record, decision_id: fresh });
    }
  }
  return [...byId.values()];
}

/** A record in the documented form, keys of others last. */
export function recordJson(record: DecisionRecord): JsonObject {
  return writtenForm(recordForm, { ...record });
}
