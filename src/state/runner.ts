import type { Json } from "../base/index.ts";

/** What this room needs of a sandbox. */
export interface Runner {
  evaluate(request: {
    readonly space: string;
    readonly code: string;
    readonly bindings: Readonly<Record<string, Json>>;
  }): Promise<RunnerResult>;
  /** A request is likely to come soon: what sleeps may wake up meanwhile. */
  expect?(): void;
}
export type RunnerResult =
  | { readonly ok: true; readonly value: Json; readonly ms: number }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly ms: number };

/** One evaluation of a computed field. */
export interface FieldTrace {
  readonly run: string;
  readonly scope: string;
  readonly field: string;
  readonly trigger: string;
  readonly input: Json;
  readonly output: Json;
  readonly ms: number;
  readonly error?: string;
}
