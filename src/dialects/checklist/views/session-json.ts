import { type Json, type JsonObject, defined, isoTime } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";
import type { CalledFacts, ChecklistFacts, ChecklistRows } from "../definition/index.ts";
import {
  dataOf,
  describedAs,
  fileOf,
  fileStatus,
  isInstance,
  numberIn,
  severityOf,
  shortId,
  textIn,
  truthIn,
  typeNames,
} from "./facts-and-rows.ts";

/**
 * The whole session as one JSON document, in pieces: files, checklist entries and instances pass through one at a time. Findings and
 * proposed changes are kept by file while they are placed, for they come in the order of their reports.
 */
export async function* sessionJson(facts: ChecklistFacts, rows: ChecklistRows): AsyncGenerator<string, void, undefined> {
  yield `{\n${fields({
    id: facts.run,
    workflow_type: facts.workflow.type,
    // The five words that sessions are stored with; a cancelled run is a failed one that says so.
    ...(facts.status === "cancelled" ? { status: "failed", cancelled: true } : { status: facts.status }),
    created_at: isoTime(facts.createdAt),
    updated_at: isoTime(facts.updatedAt),
    file_glob_pattern: facts.glob.length === 1 ? (facts.glob[0] ?? "") : `{${facts.glob.join(",")}}`,
  })},\n"file_inventory": [`;
  const findings = await byFile(rows.findings(), findingData);
  const changes = await byFile(rows.changes(), changeData);
  let place = 0;
  let current: number | undefined;
  let firstOpen: number | undefined;
  for await (const file of rows.files()) {
    const status = fileStatus(file);
    if (status === "in_progress") current ??= place;
    if (status === "pending") firstOpen ??= place;
    yield `${place === 0 ? "" : ","}\n{${fields({ path: file.id, status, ...errorOf(file) })},"checklist":[`;
    yield* listed(rows.rowsUnder(file.id), checklistItem);
    yield `],"findings":[${take(findings, file.id)}],"proposed_changes":[${take(changes, file.id)}]}`;
    place += 1;
  }
  yield `\n],\n${fields({
    current_phase: facts.phase,
    current_file_index: current ?? firstOpen ?? Math.max(0, place - 1),
    files_completed: facts.files.completed,
    files_total: facts.files.total,
  })},\n"findings": [`;
  yield* listed(rows.findings(), (row) => ({ file: fileOf(row), ...findingData(row) }));
  yield `],\n"proposed_changes": [`;
  yield* listed(rows.changes(), (row) => ({ file: fileOf(row), ...changeData(row) }));
  yield "],\n";
  if (facts.called !== undefined) yield* calledSessions(facts.called, rows);
  yield `"options": ${JSON.stringify(defined({ ...facts.options, changed_since: facts.changedSince }))}\n}\n`;
}

/** Files of the workflows that the run calls, each with a checklist of its own. */
async function* calledSessions(called: readonly CalledFacts[], rows: ChecklistRows): AsyncGenerator<string, void, undefined> {
  yield `"called_workflows": [`;
  for (const [at, { type, status, files }] of called.entries()) {
    const counts = { workflow_type: type, status, files_completed: files.completed, files_total: files.total };
    yield `${at === 0 ? "" : ","}\n{${fields(counts)},"file_inventory":[`;
    const part = rows.called().find(({ workflow }) => workflow === type);
    let first = true;
    for await (const file of part?.files() ?? []) {
      yield `${first ? "" : ","}\n{${fields({ path: file.id, status: fileStatus(file), ...errorOf(file) })},"checklist":[`;
      if (part !== undefined) yield* listed(part.rowsUnder(file.id), checklistItem);
      yield "]}";
      first = false;
    }
    yield "]}";
  }
  yield "],\n";
}

function fields(entries: JsonObject): string {
  return Object.entries(entries)
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
    .join(",");
}

async function* listed(rows: AsyncIterable<Item>, dataFor: (row: Item) => JsonObject): AsyncGenerator<string, void, undefined> {
  let first = true;
  for await (const row of rows) {
    yield `${first ? "" : ","}\n${JSON.stringify(dataFor(row))}`;
    first = false;
  }
}

async function byFile(rows: AsyncIterable<Item>, dataFor: (row: Item) => JsonObject): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for await (const row of rows) {
    const file = fileOf(row);
    const texts = found.get(file);
    if (texts === undefined) found.set(file, [JSON.stringify(dataFor(row))]);
    else texts.push(JSON.stringify(dataFor(row)));
  }
  return found;
}

function take(found: Map<string, string[]>, file: string): string {
  const texts = found.get(file) ?? [];
  found.delete(file);
  return texts.join(",");
}

/** A checklist entry or an instance as clients know it. */
export function checklistItem(row: Item): JsonObject {
  const instance = isInstance(row);
  return defined({
    id: shortId(row),
    type: instance ? "pattern_instance" : (textIn(row, "type") ?? "custom"),
    description: describedAs(row),
    status: row.status,
    topic_id: textIn(row, "topic", "topic_id"),
    topic_relevance_score: numberIn(row, "relevance", "relevance_score"),
    ...(instance ? { pattern_match: patternMatch(row) } : {}),
    verdict: instance ? row.facets["verdict"] : undefined,
    result: row.result,
    ...errorOf(row),
  });
}

function patternMatch(row: Item): JsonObject {
  return defined({
    pattern_id: textIn(row, "pattern"),
    line_number: numberIn(row, "line") ?? 0,
    column: numberIn(row, "column"),
    end_line: numberIn(row, "endLine", "end_line"),
    match_text: textIn(row, "text", "match_text") ?? "",
    match_context: textIn(row, "context"),
    ...typeNames(row),
    suggested_replacement: textIn(row, "suggestion"),
    requires_manual_review: truthIn(row, "auto") !== true,
    guide: textIn(row, "guide"),
    version_step: textIn(row, "step"),
  });
}

/** A reason says why it was skipped or failed, else why it was opened again. */
function errorOf(row: Item): JsonObject {
  if (row.reason === undefined) return {};
  if (row.status === "skipped") return { skip_reason: row.reason };
  return row.status === "failed" || row.blockedUntil !== undefined ? { error: row.reason } : { note: row.reason };
}

export function findingData(row: Item): JsonObject {
  return defined({
    line: numberIn(row, "line"),
    severity: severityOf(row),
    category: textIn(row, "category"),
    description: textIn(row, "description", "message") ?? "",
    suggestion: textIn(row, "suggestion"),
    related_topic: textIn(row, "related_topic", "relatedTopic"),
  });
}

export function changeData(row: Item): JsonObject {
  const data = dataOf(row);
  const code = (name: string, other: string): Json | undefined => data[name] ?? data[other];
  return defined({
    line_start: numberIn(row, "line_start", "lineStart"),
    line_end: numberIn(row, "line_end", "lineEnd"),
    original_code: code("original_code", "originalCode"),
    proposed_code: code("proposed_code", "proposedCode"),
    rationale: textIn(row, "rationale"),
    impact: textIn(row, "impact"),
    auto_applicable: truthIn(row, "auto_applicable", "autoApplicable"),
    // Proposed until something was done about it.
    status: row.status === "completed" ? "applied" : row.status === "failed" || row.status === "skipped" ? row.status : "proposed",
    ...errorOf(row),
  });
}
