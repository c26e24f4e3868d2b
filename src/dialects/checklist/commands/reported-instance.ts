import { defined, fieldOf, isObject, type JsonObject } from "../../../base/index.ts";
import type { ReportedEdit, ReportedFinding, ReportedRule } from "../../../findings/index.ts";
import type { Instance, Suppression } from "../../../ports/index.ts";
import type { Item } from "../../../program/index.ts";

/** What a finding is of beside its instance. */
interface Found {
  readonly file: string;
  /** The rule that found it; undefined for one of a tool. */
  readonly rule: ReportedRule | undefined;
  readonly fingerprint: string;
  readonly fixes?: readonly ReportedEdit[] | undefined;
  readonly suppressed?: Suppression | undefined;
  readonly workflow?: string | undefined;
}

/** What a scan and a row of a run know of an instance. */
type Known = Pick<Instance, "pattern" | "type" | "auto" | "text"> & Partial<Instance>;

export function reportedInstance(instance: Known, { file, rule, ...found }: Found): ReportedFinding {
  const { line, column, endLine, endColumn, pattern, type, auto, text, seedType, why, guide, step, help, severity, message } = instance;
  const place = defined({ line, column, endLine, endColumn }) as Pick<ReportedFinding, "line" | "column" | "endLine" | "endColumn">;
  return {
    file,
    ...place,
    severity: severity ?? rule?.severity ?? "warning",
    rule: pattern,
    message: message ?? firstText(instance.action, rule?.description, rule?.name, pattern),
    type,
    text,
    autoFixable: auto,
    fingerprint: found.fingerprint,
    ...(defined({ seedType, why, guide, step, help: help ?? rule?.help, workflow: found.workflow }) as Partial<ReportedFinding>),
    ...(instance.secret === true ? { secret: true } : {}),
    ...(found.fixes === undefined ? {} : { fixes: found.fixes }),
    ...(found.suppressed === undefined ? {} : { suppressed: found.suppressed }),
  };
}

function firstText(...texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text !== "") ?? "";
}

/** An instance that a run has a row of. */
export function reportedRow(row: Item, rules: ReadonlyMap<string, ReportedRule>, workflow?: string): ReportedFinding {
  const data: JsonObject = isObject(row.data) ? row.data : {};
  const { end_line: endLine, end_column: endColumn, seed_type: seedType, ...rest } = data;
  const instance = { ...rest, ...defined({ endLine, endColumn, seedType }) } as unknown as Known;
  const finding = reportedInstance(instance, {
    file: fieldOf(data, "file"),
    rule: rules.get(instance.pattern),
    fingerprint: row.id,
    workflow,
  });
  return {
    ...finding,
    status: row.facets["verdict"] ?? (row.facets["verify"] === "waiting" && row.status === "completed" ? "to_verify" : row.status),
    ...(row.reason === undefined ? {} : { reason: row.reason }),
  };
}
