import type { JsonObject } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";
import type { ChecklistRows } from "../definition/index.ts";
import { fileOf, numberIn, present, severities, severityOf, textIn } from "./row-data.ts";

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
  return present({
    file: fileOf(row),
    line: numberIn(row, "line"),
    severity: severityOf(row),
    description: textIn(row, "description", "message") ?? "",
    suggestion: textIn(row, "suggestion"),
  });
}
