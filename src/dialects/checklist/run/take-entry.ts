import { isObject, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import { noResult, rowsOf, type GivenReport, type HandedOut, type Taken } from "../../../engine/index.ts";
import { checklistAt, type ChecklistConfig } from "./checklist-run.ts";
import { checkEntry, type SaidOfEntry } from "./check-entry.ts";
import { describe, refuseDrift, type Drift } from "./off-course.ts";
import { reportChange } from "./report-change.ts";

/** Takes the report of an entry, an instance, a phase or a batch: its rules are kept on every path that a report can come. */
export const takeEntry: NonNullable<HandedOut<ChecklistConfig>["take"]> = async (at, action, report): Promise<Taken> => {
  const { engine: context, handle } = at;
  const run = checklistAt(at);
  const said = saidOf(report);
  if (said === undefined) throw noResult(action, { status: "completed, skipped (+ skip_reason) or failed (+ error)" });
  const drift: Drift = (kind, message, fix) =>
    refuseDrift({ context, handle, caller: report.caller }, kind, `${message} Open is ${describe(action)}.`, fix);
  const checked = await checkEntry({ context, handle, run }, action, said, drift);
  return {
    outcome: { ok: true, value: { status: checked.status, skip_reason: said.skipReason ?? "", error: said.error ?? "" } },
    change: (draft) =>
      reportChange({ context, run }, rowsOf(context, handle.id, draft), { action, request: checked, counts: draft.state.lists }),
    said: {
      ...(checked.topics.length === 0 ? {} : { expanded: checked.topics.map(({ topic }) => topic) }),
      ...(checked.dropped.length === 0 ? {} : { dropped: checked.dropped.map((each) => ({ ...each })) }),
    },
  };
};

const statuses: Readonly<Record<string, SaidOfEntry["status"]>> = {
  success: "completed",
  completed: "completed",
  skipped: "skipped",
  failed: "failed",
};

/** What the report says, wherever it says it; undefined when it does not say what came of the entry. */
function saidOf({ status, result, error, more = {} }: GivenReport): SaidOfEntry | undefined {
  const held: Readonly<Record<string, Json | undefined>> = isObject(result) ? result : {};
  const text = (name: string): string | undefined => {
    const value = more[name] ?? held[name];
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  };
  const list = (name: string, other = name): readonly JsonObject[] | undefined => {
    const value = more[name] ?? held[name] ?? held[other];
    return Array.isArray(value) ? (value as readonly unknown[] as readonly Json[]).filter(isObject) : undefined;
  };
  const failure = error ?? text("error");
  const reason = text("skip_reason");
  const named = status ?? text("status") ?? (reason !== undefined ? "skipped" : failure !== undefined ? "failed" : undefined);
  const became = named === undefined ? undefined : statuses[named];
  if (became === undefined) return undefined;
  const action = more["action"];
  const findings = list("findings");
  const changes = list("proposed_changes");
  const topics = list("expand_checklist", "topics");
  return {
    status: became,
    ...(typeof action === "string" ? { action } : {}),
    ...(reason === undefined ? {} : { skipReason: reason }),
    ...(failure === undefined ? {} : { error: failure }),
    ...(findings === undefined ? {} : { findings: findings.map((each) => ({ severity: "info", ...each })) as never }),
    ...(changes === undefined ? {} : { changes: changes as never }),
    ...(topics === undefined ? {} : { topics: topics.map(topicOf) }),
    ...(more["identical"] === true ? { identical: true } : {}),
  };
}

/** Clients name the parts of a topic in two ways. */
function topicOf({ topic_id: id, topic, relevance_score: score, relevance, description, title }: JsonObject): {
  readonly topic: string;
  readonly relevance?: number;
  readonly description?: string;
} {
  const [worth, text] = [score ?? relevance, description ?? title];
  return {
    topic: textOf(id ?? topic ?? ""),
    ...(typeof worth === "number" ? { relevance: worth } : {}),
    ...(typeof text === "string" ? { description: text } : {}),
  };
}
