import { defined, type Json } from "../../base/index.ts";
import { mainScope, mainStrand } from "../../kernel/index.ts";
import type { EngineContext } from "../context.ts";
import { stepHistory, type StepRecord } from "./journal.ts";

export interface TraceView {
  readonly field: string;
  readonly timestamp: string;
  readonly trigger: string;
  readonly input: Json;
  readonly output: Json;
  readonly duration_ms?: number;
  readonly error?: string;
}

/** Evaluations of computed fields by this process, oldest first; every field is read once, so a fresh process has something to show. */
export async function traceTransformations(
  context: EngineContext,
  run: string,
  field?: string,
  includeTiming = true,
): Promise<readonly TraceView[]> {
  const handle = await context.runs.open(run);
  await context.evaluator.flat(handle.program, run, handle.state.scopes, mainScope);
  return context.traces.of(run, field).map(({ field: of, at, trigger, input, output, ms, error }) => ({
    field: of,
    timestamp: new Date(at).toISOString(),
    trigger,
    input,
    output,
    ...defined({ duration_ms: includeTiming ? ms : undefined, error }),
  }));
}

export interface DebugInfo {
  readonly current_step: string;
  readonly step_history: readonly StepRecord[];
  readonly state_size: { readonly raw_bytes: number; readonly computed_bytes: number; readonly total_transformations: number };
  readonly performance: {
    readonly avg_transformation_time: number;
    readonly slowest_transformations: readonly { readonly field: string; readonly avg_ms: number }[];
  };
}

export async function debugInfo(context: EngineContext, run: string): Promise<DebugInfo> {
  const handle = await context.runs.open(run);
  const { state, program } = handle;
  const scope = state.scopes[mainScope];
  const flat = await context.evaluator.flat(program, run, state.scopes, mainScope);
  const names = (program.parts[scope?.part ?? ""]?.computed ?? []).map((field) => field.name);
  const computed = Object.fromEntries(names.map((name) => [name, flat[name] ?? null]));
  const traces = context.traces.of(run);
  const byField = new Map<string, number[]>();
  for (const trace of traces) byField.set(trace.field, [...(byField.get(trace.field) ?? []), trace.ms]);
  const slowest = [...byField]
    .map(([field, times]) => ({ field, avg_ms: average(times) }))
    .sort((a, b) => b.avg_ms - a.avg_ms)
    .slice(0, 5);
  return {
    current_step: state.strands[mainStrand]?.frames.at(-1)?.block ?? "",
    step_history: await stepHistory(context, run, 200),
    state_size: { raw_bytes: bytes(scope?.raw ?? {}), computed_bytes: bytes(computed), total_transformations: context.traces.total(run) },
    performance: { avg_transformation_time: average(traces.map((trace) => trace.ms)), slowest_transformations: slowest },
  };
}

function average(times: readonly number[]): number {
  return times.length === 0 ? 0 : Math.round((times.reduce((sum, ms) => sum + ms, 0) / times.length) * 1000) / 1000;
}

function bytes(value: Json): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
