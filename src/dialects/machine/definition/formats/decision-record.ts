import type { JsonObject } from "../../../../base/index.ts";
import { readTime } from "../../../../source/index.ts";
import { reviewStrategies, sessionStates, type DecisionStatus, type SessionState } from "./session-vocabulary.ts";

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
