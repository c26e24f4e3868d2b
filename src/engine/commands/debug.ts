import type { Json, JsonObject } from "../../base/index.ts";
import { mainScope, mainStrand } from "../../kernel/index.ts";
import { analyse } from "../../state/index.ts";
import type { EngineContext } from "../context.ts";
import { stepHistory, type StepRecord } from "./look.ts";

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
  return context.traces.of(run, field).map((trace) => ({
    field: trace.field,
    timestamp: new Date(trace.at).toISOString(),
    trigger: trace.trigger,
    input: trace.input,
    output: trace.output,
    ...(includeTiming ? { duration_ms: trace.ms } : {}),
    ...(trace.error === undefined ? {} : { error: trace.error }),
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

export interface TransformationTest {
  readonly success: boolean;
  readonly output?: Json;
  readonly error?: string;
  readonly execution_time_ms: number;
}

/** Runs a transformation in the sandbox without touching any run. */
export async function testTransformation(
  context: EngineContext,
  transform: string,
  input: Json,
  names: JsonObject = {},
): Promise<TransformationTest> {
  const analysed = analyse(transform);
  if ("error" in analysed)
    return {
      success: false,
      error: `${analysed.error.message} (line ${analysed.error.line}, column ${analysed.error.column})`,
      execution_time_ms: 0,
    };
  const bindings: Record<string, Json> = {};
  for (const name of analysed.names) bindings[name] = Object.hasOwn(names, name) ? (names[name] ?? null) : null;
  const result = await context.sandbox.evaluate({ space: "test", code: analysed.code, bindings: { ...bindings, input } });
  if (result.ok) return { success: true, output: result.value, execution_time_ms: result.ms };
  return { success: false, error: result.message, execution_time_ms: result.ms };
}
