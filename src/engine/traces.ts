import type { Json } from "../base/index.ts";
import type { Settings } from "./settings.ts";

/** One evaluation of a computed field. Kept in memory only: a cache's history, not the run's. */
export interface Trace {
  readonly run: string;
  readonly scope: string;
  readonly field: string;
  readonly at: number;
  readonly trigger: string;
  readonly input: Json;
  readonly output: Json;
  readonly ms: number;
  readonly error?: string;
}

/** The last entries of each run, with long values cut. */
export class Traces {
  readonly #entries = new Map<string, Trace[]>();
  readonly #totals = new Map<string, number>();
  readonly #settings: Pick<Settings, "traceEntries" | "valuePreviewBytes">;

  constructor(settings: Pick<Settings, "traceEntries" | "valuePreviewBytes">) {
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
    return text.length <= most ? value : `${text.slice(0, most)}... (${text.length} characters)`;
  }
}
