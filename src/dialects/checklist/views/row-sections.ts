import { textOf, type Json, type JsonObject, defined } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";
import type { ChecklistFacts, ChecklistRows, Severity } from "../definition/index.ts";
import { type TableSection, table } from "./render-report.ts";
import {
  changedBy,
  fileOf,
  fileStatus,
  isFlagged,
  isInstance,
  numberIn,
  severities,
  severityOf,
  shortId,
  textIn,
  typeNames,
  overall,
} from "./facts-and-rows.ts";
import { changeData, findingData } from "./session-json.ts";

const issuesShown = 10;

/** Tables that page through rows. Each reads the rows again, so none holds a list; those that would be empty by the counts read nothing. */
export function rowSections(facts: ChecklistFacts, rows: ChecklistRows): readonly TableSection[] {
  const { findings, changes } = facts;
  const all = (of: Parameters<typeof overall>[1]): number => overall(facts, of);
  const skipped = all(({ files, entries, instances }) => files.skipped + entries.by.skipped + (instances?.skipped ?? 0));
  const settled = all(({ instances }) => instances?.settled ?? 0);
  const attention = all(({ entries, instances }) => entries.by.failed + (instances?.failed ?? 0) + (instances?.flagged ?? 0));
  const changed = all(({ files }) => files.changed);
  const blocked = all(({ files }) => files.blocked);
  const read = (count: number, of: AsyncIterable<JsonObject>): Pick<TableSection, "rows"> => ({ rows: count > 0 ? of : [] });
  // A column more where one table has files of several workflows.
  const workflow = rows.called().length === 0 ? "" : ", workflow";
  const ofFinding = "severity, file, line, category, description: Finding, suggestion, related_topic: Topic";
  const ofChange = `file, auto_fixed: Auto-fixed, by_hand: By hand, changes_applied: Proposed changes applied${workflow}`;
  const needsAttention = (row: Item): boolean => row.parent !== undefined && (row.status === "failed" || isFlagged(row));
  const places = (picks: (row: Item) => boolean): AsyncIterable<JsonObject> => placesIn(rows, picks);
  return [
    table("top_issues", "Top issues", "severity, file, line, description: Issue, suggestion", read(findings.total, gravest(rows))),
    table(
      "findings_by_file",
      "Findings by file",
      "file, total: Findings, critical, error, warning, info",
      read(findings.total, findingsByFile(rows)),
    ),
    table("findings", "Findings", ofFinding, read(findings.total, findingsBySeverity(rows))),
    table("changes", "Changes applied and proposed", "file, lines, status, impact, rationale, error", read(changes.total, changesIn(rows))),
    table("files_changed", "Files Changed", ofChange, read(changed, changedFiles(rows))),
    table(
      "skipped",
      "Skipped, with reasons",
      `file, line, item, reason${workflow}`,
      read(
        skipped - settled,
        places(({ status, facets }) => status === "skipped" && facets["settled"] === undefined),
      ),
    ),
    table(
      "settled_by_engine",
      "Settled by the engine, with reasons",
      `file, line, item, reason${workflow}`,
      read(
        settled,
        places(({ status, facets }) => status === "skipped" && facets["settled"] !== undefined),
      ),
    ),
    table("attention", "Failed and flagged places", `file, line, item, state, reason${workflow}`, read(attention, places(needsAttention))),
    table("blocked_files", "Blocked files", `file, reason${workflow}`, read(blocked, blockedFiles(rows))),
  ];
}

async function* gravest(rows: ChecklistRows): AsyncGenerator<JsonObject> {
  yield* await topIssues(rows, issuesShown);
}

async function* findingsByFile(rows: ChecklistRows): AsyncGenerator<JsonObject> {
  const counts = new Map<string, Record<Severity, number>>();
  for await (const row of rows.findings()) {
    const file = fileOf(row);
    const count = counts.get(file) ?? { critical: 0, error: 0, warning: 0, info: 0 };
    count[severityOf(row)] += 1;
    counts.set(file, count);
  }
  const total = (count: Record<Severity, number>): number => severities.reduce((sum, severity) => sum + count[severity], 0);
  const sorted = [...counts].sort(([, left], [, right]) => total(right) - total(left));
  for (const [file, count] of sorted) yield { file, total: total(count), ...count };
}

/** Once through the rows for each severity: nothing is sorted, nothing held. */
async function* findingsBySeverity(rows: ChecklistRows): AsyncGenerator<JsonObject> {
  for (const severity of severities)
    for await (const row of rows.findings()) if (severityOf(row) === severity) yield { file: fileOf(row), ...findingData(row) };
}

async function* changesIn(rows: ChecklistRows): AsyncGenerator<JsonObject> {
  for await (const row of rows.changes()) {
    const data = changeData(row);
    const { line_start: from, line_end: to = from } = data;
    const lines = from === undefined ? {} : { lines: from === to ? from : `${textOf(from)}-${textOf(to)}` };
    yield { file: fileOf(row), ...data, ...lines };
  }
}

async function* changedFiles(rows: ChecklistRows): AsyncGenerator<JsonObject> {
  const applied = new Map<string, number>();
  for await (const row of rows.changes()) if (row.status === "completed") applied.set(fileOf(row), (applied.get(fileOf(row)) ?? 0) + 1);
  for (const { workflow, ...part } of parts(rows))
    for await (const file of part.files()) {
      let auto = 0;
      let byHand = 0;
      for await (const row of part.rowsUnder(file.id)) {
        const by = isInstance(row) ? changedBy(row) : undefined;
        if (by === "engine") auto += 1;
        if (by === "hand") byHand += 1;
      }
      const changes = workflow === undefined ? (applied.get(file.id) ?? 0) : 0;
      const known = workflow === undefined && file.facets["changed"] === "yes";
      if (known || auto + byHand + changes > 0)
        yield { file: file.id, auto_fixed: auto, by_hand: byHand, changes_applied: changes, ...named(workflow) };
    }
}

type WorkflowRows = Pick<ChecklistRows, "files" | "rowsUnder"> & { readonly workflow?: string };

/** The run's own files, then those of the workflows that it called. */
function parts(rows: ChecklistRows): readonly WorkflowRows[] {
  return [{ files: () => rows.files(), rowsUnder: (file) => rows.rowsUnder(file) }, ...rows.called()];
}

function named(workflow: string | undefined): JsonObject {
  return workflow === undefined ? {} : { workflow };
}

async function* blockedFiles(rows: ChecklistRows): AsyncGenerator<JsonObject> {
  for (const { workflow, ...part } of parts(rows))
    for await (const file of part.files())
      if (fileStatus(file) === "blocked") yield { file: file.id, reason: file.reason ?? "No reason was given.", ...named(workflow) };
}

/** Files, entries and instances that a rule picks, in order. */
async function* placesIn(rows: ChecklistRows, picks: (row: Item) => boolean): AsyncGenerator<JsonObject> {
  for (const { workflow, ...part } of parts(rows))
    for await (const file of part.files()) {
      // Of a file that was passed over entry by entry, the entries say why.
      if (picks(file) && file.facets["done"] !== "none") yield { ...placeRow(file.id, file), ...named(workflow) };
      for await (const row of part.rowsUnder(file.id)) if (picks(row)) yield { ...placeRow(file.id, row), ...named(workflow) };
    }
}

function placeRow(file: string, row: Item): JsonObject {
  const said = isInstance(row) ? textIn(row, "text", "match_text") : textIn(row, "description");
  const item = row.parent === undefined ? "whole file" : (said ?? shortId(row));
  const reason: Json | undefined = row.reason ?? textIn(row, "why");
  const state = row.status === "failed" || !isFlagged(row) ? row.status : "flagged";
  const type = isInstance(row) ? typeNames(row) : defined({ type: textIn(row, "type") });
  return defined({ file, line: numberIn(row, "line"), item, ...type, state, reason });
}

/** The gravest findings in the order of their reports, at most `most`; only so many are held. */
export async function topIssues(rows: Pick<ChecklistRows, "findings">, most: number): Promise<readonly JsonObject[]> {
  const held: Item[][] = severities.map(() => []);
  let gravestFull = severities.length;
  for await (const row of rows.findings()) {
    const place = severities.indexOf(severityOf(row));
    const list = held[place];
    if (place >= gravestFull || list === undefined || list.length >= most) continue;
    list.push(row);
    if (list.length >= most) gravestFull = place;
  }
  return held.flat().slice(0, Math.max(0, most)).map(issue);
}

function issue(row: Item): JsonObject {
  return defined({
    file: fileOf(row),
    line: numberIn(row, "line"),
    severity: severityOf(row),
    description: textIn(row, "description", "message") ?? "",
    suggestion: textIn(row, "suggestion"),
  });
}
