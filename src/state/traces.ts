import { type Json, cutText } from "../base/index.ts";
import type { FieldTrace } from "./runner.ts";

export interface Trace extends FieldTrace {
  readonly at: number;
}

/** How many are kept of each run, and at how many characters their values are cut. */
interface TraceLimits {
  readonly traceEntries: number;
  readonly valuePreviewBytes: number;
}

/** The last evaluations of the computed fields of each run. Kept in memory only: a cache's history, not the run's. */
export class Traces {
  readonly #entries = new Map<string, Trace[]>();
  readonly #totals = new Map<string, number>();
  readonly #settings: TraceLimits;

  constructor(settings: TraceLimits) {
    this.#settings = settings;
  }

  add(trace: Trace): void {
    const held = this.#entries.get(trace.run) ?? [];
    held.push({ ...trace, input: this.#cut(trace.input), output: this.#cut(trace.output) });
    if (held.length > this.#settings.traceEntries) held.splice(0, held.length - this.#settings.traceEntries);
    this.#entries.set(trace.run, held);
    this.#totals.set(trace.run, (this.#totals.get(trace.run) ?? 0) + 1);
  }

  of(run: string, field?: string): readonly Trace[] {
    return (this.#entries.get(run) ?? []).filter((trace) => field === undefined || trace.field === field);
  }

  total(run: string): number {
    return this.#totals.get(run) ?? 0;
  }

  forget(run: string): void {
    this.#entries.delete(run);
    this.#totals.delete(run);
  }

  #cut(value: Json): Json {
    const text = JSON.stringify(value) ?? "null";
    const most = this.#settings.valuePreviewBytes;
    return text.length <= most ? value : cutText(text, most);
  }
}
