import type { ReportedFinding } from "./reported-finding.ts";

/** A finding as a row for people: `place` is `file:line:column`. */
export interface FindingRow {
  readonly place: string;
  readonly severity: ReportedFinding["severity"];
  readonly rule: string;
  /** In one line. */
  readonly message: string;
  readonly finding: ReportedFinding;
}

/** Rows file by file, in the order in which files come. */
export async function* findingRows(findings: AsyncIterable<ReportedFinding>): AsyncGenerator<readonly FindingRow[], void, undefined> {
  let rows: FindingRow[] = [];
  for await (const finding of findings) {
    if (rows.length > 0 && !isSameGroup(rows[0]?.finding, finding)) {
      yield rows;
      rows = [];
    }
    rows.push(rowOf(finding));
  }
  if (rows.length > 0) yield rows;
}

function isSameGroup(first: ReportedFinding | undefined, next: ReportedFinding): boolean {
  return first?.file === next.file && first.workflow === next.workflow;
}

function rowOf(finding: ReportedFinding): FindingRow {
  const { severity, rule, message, workflow, status, reason } = finding;
  const state = status === undefined ? "" : `${status}${reason === undefined ? "" : ` (${reason})`}: `;
  const called = workflow === undefined ? "" : ` [${workflow}]`;
  return { place: placeOf(finding), severity, rule, message: `${state}${message}${called}`.replaceAll(/\s+/g, " ").trim(), finding };
}

export function placeOf({ file, line, column }: Pick<ReportedFinding, "file" | "line" | "column">): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** How rows are fitted into a terminal and coloured; without it they are as long as they are. */
export interface RowLook {
  /** A message in so many columns as the terminal has left. */
  readonly fit?: (message: string, taken: number) => string;
  readonly paint?: (severity: ReportedFinding["severity"], word: string) => string;
}

/** Rows of one file as lines, their columns below each other. */
export function rowLines(rows: readonly FindingRow[], { fit = same, paint = (_severity, word) => word }: RowLook = {}): readonly string[] {
  const width = (part: (row: FindingRow) => string): number => Math.max(...rows.map((row) => part(row).length));
  const [places, severities, rules] = [width(({ place }) => place), width(({ severity }) => severity), width(({ rule }) => rule)];
  const taken = places + severities + rules + 6;
  return rows.map(({ place, severity, rule, message }) => {
    const word = `${paint(severity, severity)}${" ".repeat(severities - severity.length)}`;
    return `${place.padEnd(places)}  ${word}  ${rule.padEnd(rules)}  ${fit(message, taken)}`.trimEnd().replace(/ +\n/, "\n");
  });
}

function same(message: string): string {
  return message;
}
