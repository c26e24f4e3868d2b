import { isObject, type Json, type JsonObject } from "../../base/index.ts";
import type { ChecklistRow, ScannedFile } from "./row-kinds.ts";

/** Place and kind of an instance, under the names that `scan` and `items` print. */
export interface InstanceLine {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly pattern: string;
  readonly type: string;
  readonly auto_fixable: boolean;
  readonly text: string;
  /** Older name of the type. */
  readonly seed_type?: string;
  /** Why the engine does not fix it. */
  readonly why?: string;
  readonly guide?: string;
  readonly step?: string;
}

export function scannedLine(file: string, instance: ScannedFile["instances"][number]): InstanceLine {
  const { line, column, endLine, endColumn, pattern, type, auto, text, seedType, why, guide, step } = instance;
  return {
    file,
    line,
    column,
    end_line: endLine,
    end_column: endColumn,
    pattern,
    type,
    auto_fixable: auto,
    text,
    ...(seedType === undefined ? {} : { seed_type: seedType }),
    ...(why === undefined ? {} : { why }),
    ...(guide === undefined ? {} : { guide }),
    ...(step === undefined ? {} : { step }),
  };
}

/** A row of a run as a line: an instance like one of a scan, anything else with what it asks for; both with how they stand. */
export function rowLine(row: ChecklistRow, workflow?: string): JsonObject {
  const data = isObject(row.data) ? row.data : {};
  const kind = row.facets["kind"] ?? "entry";
  return present({
    ...(kind === "instance" ? instanceFields(data) : entryFields(row, data, kind)),
    id: row.id,
    kind,
    status: row.status,
    reason: row.reason,
    label: row.label ?? (row.facets["flag"] === "yes" ? "flagged" : undefined),
    workflow,
  });
}

function instanceFields(data: JsonObject): Readonly<Record<string, Json | undefined>> {
  return {
    file: data["file"],
    line: data["line"],
    column: data["column"],
    end_line: data["end_line"],
    end_column: data["end_column"],
    pattern: data["pattern"],
    type: data["type"],
    auto_fixable: data["auto"],
    text: data["text"],
    seed_type: data["seed_type"],
    why: data["why"],
    guide: data["guide"],
    step: data["step"],
  };
}

function entryFields(row: ChecklistRow, data: JsonObject, kind: string): Readonly<Record<string, Json | undefined>> {
  if (kind === "file") return { file: row.id, type: row.facets["object"] ?? data["language"], size: data["size"] };
  return {
    file: data["file"],
    entry: data["entry"],
    type: data["type"],
    text: data["description"],
    topic_id: data["topic_id"],
    phase: data["phase"],
    required: data["required"],
  };
}

function present(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, Json] => field[1] !== undefined));
}
