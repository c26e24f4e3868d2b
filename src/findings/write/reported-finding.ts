import { defined, type JsonObject } from "../../base/index.ts";
import type { Severity, Suppression } from "../../ports/index.ts";

/** A finding as it is reported to people and to other tools. What it holds of a secret is masked. */
export interface ReportedFinding {
  /** Relative to the folder that results are about, with `/`; absolute where it is outside. */
  readonly file: string;
  /** From 1, columns in UTF-16 units, the end exclusive. What agents record has a line at most. */
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly severity: Severity;
  /** Id of the pattern, `<tool>/<rule>` of a tool, or the category that an agent gave. */
  readonly rule: string;
  readonly message: string;
  /** Page about the rule. */
  readonly help?: string;
  /** Kind of the match, where one rule has several. */
  readonly type?: string;
  readonly seedType?: string;
  /** Text of the match. */
  readonly text?: string;
  /** It is about a secret, which the text holds masked. */
  readonly secret?: true;
  readonly autoFixable: boolean;
  /** Why the engine does not fix it. */
  readonly why?: string;
  readonly fixes?: readonly ReportedEdit[];
  readonly suppressed?: Suppression;
  /** Stays the same when lines move; no other finding of the results has it. */
  readonly fingerprint: string;
  readonly guide?: string;
  readonly step?: string;
  /** The workflow that is called, when it is one of its findings. */
  readonly workflow?: string;
  /** In a run: what has become of it, and why. */
  readonly status?: string;
  readonly reason?: string;
}

/** What is put in the place of a part of the file. */
export interface ReportedEdit {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

/** A rule of a workflow, as `info`, the catalogue and SARIF show it. */
export interface ReportedRule {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly severity: Severity;
  readonly category?: string;
  /** What to do about what it finds. */
  readonly advice?: string;
  /** Page about the rule. */
  readonly help?: string;
}

/** What results are about. */
export interface ResultsAbout {
  readonly workflow: string;
  readonly version: string;
  /** Absolute path of the folder that `file` is relative to, with `/`. */
  readonly root: string;
  readonly rules: readonly ReportedRule[];
  /** Counts, asked for when all findings have passed. */
  readonly summary: () => JsonObject;
}

/** Results in pieces: however many findings there are, none is held after it was written. */
export type Results = AsyncGenerator<string, void, undefined>;

/** A run has fixed it: it is not there any more. */
export function isFixed({ status }: ReportedFinding): boolean {
  return status === "completed";
}

/** It is there and nobody has settled that it may stay. */
export function isStanding(finding: ReportedFinding): boolean {
  const { suppressed, status } = finding;
  return suppressed === undefined && !isFixed(finding) && !isDismissed(status);
}

export function isDismissed(status: string | undefined): boolean {
  return status === "skipped" || status === "dismissed";
}

/** A finding under the names that programs read. */
export function findingData(finding: ReportedFinding): JsonObject {
  const { file, line, column, endLine, endColumn, severity, rule, message, type, autoFixable, text, fixes, ...more } = finding;
  const { seedType, why, guide, step, help, fingerprint, suppressed, status, reason, workflow } = more;
  return defined({
    file,
    line,
    column,
    end_line: endLine,
    end_column: endColumn,
    severity,
    rule,
    message,
    type,
    auto_fixable: autoFixable,
    text,
    seed_type: seedType,
    why,
    guide,
    step,
    help,
    fingerprint,
    suppressed: suppressed && defined({ ...suppressed }),
    fixes: fixes?.map((edit) => ({
      line: edit.line,
      column: edit.column,
      end_line: edit.endLine,
      end_column: edit.endColumn,
      text: edit.text,
    })),
    status,
    reason,
    workflow,
  });
}
