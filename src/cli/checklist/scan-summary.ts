import { counted, renderTable, shorten, type Output } from "../index.ts";
import type { InstanceLine } from "./instance-line.ts";
import type { ScannedFile, ScanProblem } from "./row-kinds.ts";

const problemsShown = 50;
const textShown = 90;

interface TypeSum {
  count: number;
  auto: number;
  seed: string | undefined;
}

/** Counts what a scan says as it passes by; keeps no file and no instance. */
export class ScanSummary {
  readonly #types = new Map<string, TypeSum>();
  readonly #problems = new Map<string, { count: number; readonly shown: string[] }>();
  #files = 0;
  #withInstances = 0;
  #instances = 0;
  #auto = 0;

  get instances(): number {
    return this.#instances;
  }

  get autoFixable(): number {
    return this.#auto;
  }

  add(scan: ScannedFile): void {
    this.#files += 1;
    this.#instances += scan.instances.length;
    if (scan.instances.length > 0) this.#withInstances += 1;
    for (const { type, seedType, auto } of scan.instances) {
      const sum = this.#types.get(type) ?? { count: 0, auto: 0, seed: seedType };
      sum.count += 1;
      if (auto) {
        sum.auto += 1;
        this.#auto += 1;
      }
      this.#types.set(type, sum);
    }
    for (const { code, message } of scan.problems)
      this.problem({ code, message: message.includes(scan.path) ? message : `\`${scan.path}\`: ${message}` });
  }

  problem({ code, message }: ScanProblem): void {
    const held = this.#problems.get(code) ?? { count: 0, shown: [] };
    held.count += 1;
    if (held.shown.length < problemsShown) held.shown.push(message);
    this.#problems.set(code, held);
  }

  /** For stderr: it must not mix with what the scan prints. */
  lines(ms: number): string[] {
    const where = this.#instances === 0 ? "" : ` in ${counted(this.#withInstances, "file")}, ${this.#auto} auto-fixable`;
    const head = `Scanned ${counted(this.#files, "file")} in ${(ms / 1000).toFixed(1)} s: ${counted(this.#instances, "instance")}${where}.`;
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
export function showFile(out: Output, file: string, lines: readonly InstanceLine[]): void {
  out.line(out.paint("bold", file));
  const rows = lines.map((each) => [
    `  ${each.line}:${each.column}`,
    each.type,
    each.auto_fixable ? "auto-fixable" : "",
    shorten(each.text.replace(/\s+/g, " "), textShown),
  ]);
  for (const row of renderTable(rows)) out.line(row);
}
