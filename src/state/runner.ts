import type { Json, JsonObject } from "../base/index.ts";
import type { Warning } from "../kernel/index.ts";
import type { Expr } from "../program/index.ts";
import { analyse } from "./analyse.ts";
import type { RunScope } from "./names.ts";

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
type RunnerResult =
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

/** Clock and dice of one request. */
export interface Functions {
  now(): string;
  uuid(): string;
}

export interface EvaluateRequest extends RunScope {
  readonly exprs: Readonly<Record<string, Expr>>;
  /** Those behind the first that is true are left out. */
  readonly first?: boolean;
  readonly locals: JsonObject;
  readonly globals: JsonObject;
  readonly functions: Functions;
}

export type Evaluated = { readonly warnings: readonly Warning[] } & (
  | { readonly ok: true; readonly values: Readonly<Record<string, Json>>; readonly replaced: JsonObject }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly final?: true }
);

type PatternResult = { readonly ok: true; readonly matches: boolean } | { readonly ok: false; readonly message: string };

/** Tries an author's regular expression in the sandbox, so that a catastrophic one is cut off. */
export async function testPattern(runner: Runner, pattern: string, text: string): Promise<PatternResult> {
  const result = await runner.evaluate({ space: "pattern", code: "return new RegExp(pattern).test(text);", bindings: { pattern, text } });
  return result.ok
    ? { ok: true, matches: result.value === true }
    : { ok: false, message: `The pattern \`${pattern}\` cannot be used: ${result.message}` };
}

export interface TransformationTest {
  readonly success: boolean;
  readonly output?: Json;
  readonly error?: string;
  readonly execution_time_ms: number;
}

/** Runs a transformation in the sandbox without touching any run. */
export async function testTransformation(
  { sandbox }: { readonly sandbox: Runner },
  transform: string,
  input: Json,
  names: JsonObject = {},
): Promise<TransformationTest> {
  const analysed = analyse(transform);
  if ("error" in analysed) {
    const { message, line, column } = analysed.error;
    return { success: false, error: `${message} (line ${line}, column ${column})`, execution_time_ms: 0 };
  }
  const bindings: Record<string, Json> = {};
  for (const name of analysed.names) bindings[name] = Object.hasOwn(names, name) ? (names[name] ?? null) : null;
  const result = await sandbox.evaluate({ space: "test", code: analysed.code, bindings: { ...bindings, input } });
  const outcome = result.ok ? { success: true, output: result.value } : { success: false, error: result.message };
  return { ...outcome, execution_time_ms: result.ms };
}

/** A value the code needs under the name `bind`: what `name` means, or one property of it. */
export interface Read {
  readonly bind: string;
  readonly name: string;
  readonly key?: string;
}
