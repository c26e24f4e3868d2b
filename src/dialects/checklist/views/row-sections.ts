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
  overall,
} from "./facts-and-rows.ts";
import { changeData, findingData } from "./session-json.ts";

const issuesShown = 10;

/** Tables that page through rows. Each reads anew, so none holds a list; those that would be empty by the counts read nothing. */
export function rowSections(facts: ChecklistFacts, rows: ChecklistRows): readonly TableSection[] {
  const { findings, changes } = facts;
  const some = (of: Parameters<typeof overall>[1]): boolean => overall(facts, of) > 0;
  const skipped = some(({ files, entries, instances }) => files.skipped + entries.by.skipped + (instances?.skipped ?? 0));
  const attention = some(({ entries, instances }) => entries.by.failed + (instances?.failed ?? 0) + (instances?.flagged ?? 0));
  const read = (wanted: boolean, table: TableSection): TableSection => (wanted ? table : { ...table, rows: [] });
  return [
    read(findings.total > 0, issueTable(rows)),
    read(findings.total > 0, fileTable(rows)),
    read(findings.total > 0, findingTable(rows)),
    read(changes.total > 0, changeTable(rows)),
    read(
      some(({ files }) => files.changed),
      changedTable(rows),
    ),
    read(skipped, skippedTable(rows)),
    read(attention, attentionTable(rows)),
    read(
      some(({ files }) => files.blocked),
      blockedTable(rows),
    ),
  ];
}

function issueTable(rows: ChecklistRows): TableSection {
  return table("top_issues", "Top issues", "severity, file, line, description: Issue, suggestion", {
    rows: (async function* (): AsyncGenerator<JsonObject> {
      yield* await topIssues(rows, issuesShown);
    })(),
  });
}

function fileTable(rows: ChecklistRows): TableSection {
  return table("findings_by_file", "Findings by file", "file, total: Findings, critical, error, warning, info", {
    rows: findingsByFile(rows),
  });
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

function findingTable(rows: ChecklistRows): TableSection {
  return table("findings", "Findings", "severity, file, line, category, description: Finding, suggestion, related_topic: Topic", {
    rows: findingsBySeverity(rows),
  });
}

/** Once through the rows for each severity: nothing is sorted, nothing held. */
async function* findingsBySeverity(rows: ChecklistRows): AsyncGenerator<JsonObject> {
  for (const severity of severities)
    for await (const row of rows.findings()) if (severityOf(row) === severity) yield { file: fileOf(row), ...findingData(row) };
}

function changeTable(rows: ChecklistRows): TableSection {
  return table("changes", "Changes applied and proposed", "file, lines, status, impact, rationale, error", {
    rows: mapped(
      () => rows.changes(),
      (row) => {
        const data = changeData(row);
        const from = data["line_start"];
        const to = data["line_end"] ?? from;
        return {
          file: fileOf(row),
          ...data,
          ...(from === undefined ? {} : { lines: from === to ? from : `${textOf(from)}-${textOf(to)}` }),
        };
      },
    ),
  });
}

function changedTable(rows: ChecklistRows): TableSection {
  return table(
    "files_changed",
    "Files Changed",
    `file, auto_fixed: Auto-fixed, by_hand: By hand, changes_applied: Proposed changes applied${byWorkflow(rows)}`,
    { rows: changedFiles(rows) },
  );
}

async function* changedFiles(rows: ChecklistRows): AsyncGenerator<JsonObject> {
  const applied = new Map<string, number>();
  for await (const row of rows.changes()) if (row.status === "completed") applied.set(fileOf(row), (applied.get(fileOf(row)) ?? 0) + 1);
  for (const { workflow, ...part } of parts(rows))
    for await (const file of part.files()) {
      let auto = 0;
      let byHand = 0;
      for await (const row of part.below(file.id)) {
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

type Part = Pick<ChecklistRows, "files" | "below"> & { readonly workflow?: string };

/** The run's own files, then those of the workflows that it called. */
function parts(rows: ChecklistRows): readonly Part[] {
  return [{ files: () => rows.files(), below: (file) => rows.below(file) }, ...rows.called()];
}

/** A column more where files of several workflows stand in one table. */
function byWorkflow(rows: ChecklistRows): string {
  return rows.called().length === 0 ? "" : ", workflow";
}

function named(workflow: string | undefined): JsonObject {
  return workflow === undefined ? {} : { workflow };
}

function skippedTable(rows: ChecklistRows): TableSection {
  return table("skipped", "Skipped, with reasons", `file, line, item, reason${byWorkflow(rows)}`, {
    rows: places(rows, (row) => row.status === "skipped"),
  });
}

function attentionTable(rows: ChecklistRows): TableSection {
  return table("attention", "Failed and flagged places", `file, line, item, state, reason${byWorkflow(rows)}`, {
    rows: places(rows, (row) => row.parent !== undefined && (row.status === "failed" || isFlagged(row))),
  });
}

function blockedTable(rows: ChecklistRows): TableSection {
  const blocked = async function* (): AsyncGenerator<JsonObject> {
    for (const { workflow, ...part } of parts(rows))
      for await (const file of part.files())
        if (fileStatus(file) === "blocked") yield { file: file.id, reason: file.reason ?? "No reason was given.", ...named(workflow) };
  };
  return table("blocked_files", "Blocked files", `file, reason${byWorkflow(rows)}`, { rows: blocked() });
}

/** Files, entries and instances that a rule picks, in order. */
async function* places(rows: ChecklistRows, picks: (row: Item) => boolean): AsyncGenerator<JsonObject> {
  for (const { workflow, ...part } of parts(rows))
    for await (const file of part.files()) {
      if (picks(file)) yield { ...placeRow(file.id, file, "whole file"), ...named(workflow) };
      for await (const row of part.below(file.id)) if (picks(row)) yield { ...placeRow(file.id, row, itemText(row)), ...named(workflow) };
    }
}

function itemText(row: Item): string {
  return isInstance(row) ? (textIn(row, "text", "match_text") ?? shortId(row)) : (textIn(row, "description") ?? shortId(row));
}

function placeRow(file: string, row: Item, item: string): JsonObject {
  const reason: Json | undefined = row.reason ?? textIn(row, "why");
  const state = row.status === "failed" || !isFlagged(row) ? row.status : "flagged";
  return defined({ file, line: numberIn(row, "line"), item, type: textIn(row, "type"), state, reason });
}

async function* mapped(rows: () => AsyncIterable<Item>, dataFor: (row: Item) => JsonObject): AsyncGenerator<JsonObject> {
  for await (const row of rows()) yield dataFor(row);
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
