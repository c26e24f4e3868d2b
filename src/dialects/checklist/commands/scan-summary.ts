import { counted, type JsonObject } from "../../../base/index.ts";
import { renderTable } from "../../../cli/index.ts";
import type { ReportedFinding } from "../../../findings/index.ts";
import type { FileScan } from "../../../ports/index.ts";

const problemsShown = 50;

/** Counts what a scan says as it passes by; keeps no file and no finding. */
export class ScanSummary {
  readonly #types = new Map<string, { count: number; auto: number; readonly seed: string | undefined }>();
  readonly #severities = new Map<string, number>();
  readonly #problems = new Map<string, { count: number; readonly shown: string[] }>();
  #files = 0;
  #withFindings = 0;
  #lastFile: string | undefined;
  #suppressed = 0;
  /** All that were found, and those that could be fixed automatically. */
  readonly found = { instances: 0, auto: 0 };

  /** A file that was looked at. */
  file({ path, problems, suppressed = [] }: FileScan): void {
    this.#files += 1;
    this.#suppressed += suppressed.length;
    for (const { code, message } of problems) this.problem({ code, message: message.includes(path) ? message : `\`${path}\`: ${message}` });
  }

  /** What was found in it and counts. */
  finding({ file, rule, type = rule, seedType, autoFixable, severity }: ReportedFinding): void {
    this.found.instances += 1;
    if (file !== this.#lastFile) this.#withFindings += 1;
    this.#lastFile = file;
    const sum = this.#types.get(type) ?? { count: 0, auto: 0, seed: seedType };
    sum.count += 1;
    sum.auto += autoFixable ? 1 : 0;
    this.found.auto += autoFixable ? 1 : 0;
    this.#types.set(type, sum);
    this.#severities.set(severity, (this.#severities.get(severity) ?? 0) + 1);
  }

  problem({ code, message }: Pick<FileScan["problems"][number], "code" | "message">): void {
    const held = this.#problems.get(code) ?? { count: 0, shown: [] };
    held.count += 1;
    if (held.shown.length < problemsShown) held.shown.push(message);
    this.#problems.set(code, held);
  }

  /** For programs. */
  data(): JsonObject {
    return {
      files: this.#files,
      files_with_findings: this.#withFindings,
      findings: this.found.instances,
      auto_fixable: this.found.auto,
      suppressed: this.#suppressed,
      by_severity: Object.fromEntries(this.#severities),
      by_type: Object.fromEntries([...this.#types].map(([type, { count }]) => [type, count])),
      problems: [...this.#problems].map(([code, { count, shown }]) => ({ code, count, messages: [...shown] })),
    };
  }

  /** For stderr: it must not mix with what the scan prints. */
  lines(ms: number): string[] {
    const { instances, auto: fixable } = this.found;
    const where = instances === 0 ? "" : ` in ${counted(this.#withFindings, "file")}, ${fixable} auto-fixable`;
    const left = this.#suppressed === 0 ? "" : ` ${counted(this.#suppressed, "suppressed one is", "suppressed ones are")} left out.`;
    const head = `Scanned ${counted(this.#files, "file")} in ${(ms / 1000).toFixed(1)} s: ${counted(instances, "instance")}${where}.${left}`;
    const rows = [...this.#types]
      .sort(([a, a1], [b, b1]) => b1.count - a1.count || (a < b ? -1 : 1))
      .map(([type, { count, auto, seed }]) => [
        `  ${type}`,
        String(count),
        auto === 0 ? "" : `${auto} auto-fixable`,
        seed === undefined || seed === type ? "" : `(${seed})`,
      ]);
    const problems = [...this.#problems].flatMap(([code, { count, shown }]) => [
      `${counted(count, "problem")} (${code}):`,
      ...shown.map((message) => `  ${message}`),
      ...(count > shown.length ? [`  and ${count - shown.length} more`] : []),
    ]);
    return [head, ...renderTable(rows), ...problems];
  }
}
