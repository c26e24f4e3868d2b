import { defined, isObject, type JsonObject } from "../../../base/index.ts";
import { findingData, type ReportedRule } from "../../../findings/index.ts";
import type { Item } from "../../../program/index.ts";
import { reportedRow } from "./reported-instance.ts";

type Fields = Readonly<Record<string, unknown>>;

const entryFields = ["file", "entry", "type", "text", "topic_id", "phase", "required"] as const;

/** A row of a run as a line: an instance like a finding of a scan, anything else with what it asks for; both with their status. */
export function rowLine(row: Item, rules: ReadonlyMap<string, ReportedRule>, workflow?: string): JsonObject {
  const { id, status, reason, facets } = row;
  const kind = facets["kind"] ?? "entry";
  // How it was fixed says nothing once it is found again.
  const fixed = row.label === "auto_fixed" || row.label === "by_hand";
  const label = fixed && status !== "completed" ? undefined : (row.label ?? (facets["flag"] === "yes" ? "flagged" : undefined));
  return {
    ...(kind === "instance" ? findingData(reportedRow(row, rules)) : rowFields(row, kind)),
    id,
    kind,
    // The tool that found it looks again before it counts.
    status: status === "completed" && facets["verify"] === "waiting" ? "to_verify" : status,
    ...defined({ reason, label, workflow }),
  };
}

function rowFields({ id, facets, data: held }: Item, kind: string): JsonObject {
  const data = isObject(held) ? held : {};
  if (kind === "file") return defined({ file: id, type: facets["object"] ?? data["language"], size: data["size"] });
  return chosen(entryFields, { ...data, text: data["description"] });
}

/** Those that have a value, in this order. */
function chosen(names: readonly string[], from: Fields): JsonObject {
  return defined(Object.fromEntries(names.map((name) => [name, from[name]]))) as JsonObject;
}
