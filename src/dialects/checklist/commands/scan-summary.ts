import { counted, shorten } from "../../../base/index.ts";
import { renderTable, type Output } from "../../../cli/index.ts";
import type { FileScan, Instance } from "../../../ports/index.ts";

const problemsShown = 50;
const textShown = 90;

/** Counts what a scan says as it passes by; keeps no file and no instance. */
export class ScanSummary {
  readonly #types = new Map<string, { count: number; auto: number; readonly seed: string | undefined }>();
  readonly #problems = new Map<string, { count: number; readonly shown: string[] }>();
  #files = 0;
  #withInstances = 0;
  /** All that were found, and those that could be fixed automatically. */
  readonly found = { instances: 0, auto: 0 };

  add(scan: FileScan): void {
    this.#files += 1;
    this.found.instances += scan.instances.length;
    if (scan.instances.length > 0) this.#withInstances += 1;
    for (const { type, seedType, auto } of scan.instances) {
      const sum = this.#types.get(type) ?? { count: 0, auto: 0, seed: seedType };
      sum.count += 1;
      sum.auto += auto ? 1 : 0;
      this.found.auto += auto ? 1 : 0;
      this.#types.set(type, sum);
    }
    for (const { code, message } of scan.problems)
      this.problem({ code, message: message.includes(scan.path) ? message : `\`${scan.path}\`: ${message}` });
  }

  problem({ code, message }: Pick<FileScan["problems"][number], "code" | "message">): void {
    const held = this.#problems.get(code) ?? { count: 0, shown: [] };
    held.count += 1;
    if (held.shown.length < problemsShown) held.shown.push(message);
    this.#problems.set(code, held);
  }

  /** For stderr: it must not mix with what the scan prints. */
  lines(ms: number): string[] {
    const { instances, auto: fixable } = this.found;
    const where = instances === 0 ? "" : ` in ${counted(this.#withInstances, "file")}, ${fixable} auto-fixable`;
    const head = `Scanned ${counted(this.#files, "file")} in ${(ms / 1000).toFixed(1)} s: ${counted(instances, "instance")}${where}.`;
    const rows = [...this.#types]
      .sort(([a, left], [b, right]) => right.count - left.count || (a < b ? -1 : 1))
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

/** The instances of one file, for people. */
export function showFile(out: Output, file: string, instances: readonly Instance[]): void {
  out.line(out.paint("bold", file));
  const rows = instances.map(({ line, column, type, auto, text }) => [
    `  ${line}:${column}`,
    type,
    auto ? "auto-fixable" : "",
    shorten(text.replace(/\s+/g, " "), textShown),
  ]);
  for (const row of renderTable(rows)) out.line(row);
}
