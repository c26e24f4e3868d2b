import { isList, splitPath, textOf, type Json, type JsonObject } from "../base/index.ts";
import { applyUpdates, targetOf, type Given, type Need, type RunState, type Update } from "../kernel/index.ts";
import type { Expr, Program } from "../program/index.ts";
import { namesOf } from "./check-expr.ts";
import type { Evaluator } from "./evaluator.ts";
import type { Evaluated, Functions } from "./runner.ts";

/** What expressions of runs are evaluated with. */
export interface Evaluation {
  readonly evaluator: Evaluator;
  readonly functions: () => Promise<Functions>;
}

/** A run at the state that expressions read. */
export interface RunAt {
  readonly id: string;
  readonly program: Program;
  readonly state: RunState;
}

type EvaluateNeed = Extract<Need, { readonly type: "evaluate" }>;

/** Evaluates expressions for a strand, before anything is committed. */
export async function answerExpressions(evaluation: Evaluation, run: RunAt, need: EvaluateNeed): Promise<Given> {
  const { handedOut } = need;
  const at = handedOut === undefined ? run : { ...run, state: { ...run.state, scopes: { ...run.state.scopes, [need.scope]: handedOut } } };
  const outcome = await evaluateIn(evaluation, at, need);
  if (!outcome.ok) {
    const { ok: _, ...failed } = outcome;
    return { type: "error", ...failed };
  }
  if (need.write === true) {
    const refused = await refusedByComputed(evaluation.evaluator, at, need, outcome.values);
    if (refused !== undefined) return { type: "error", code: "COMPUTED_REFUSED", message: refused };
  }
  const reads = handedOut === undefined ? {} : { reads: readsState(need) };
  return { type: "values", values: outcome.values, replaced: outcome.replaced, warnings: outcome.warnings, ...reads };
}

export async function evaluateIn(
  { evaluator, functions }: Evaluation,
  { id: run, program, state }: RunAt,
  { scope, exprs, locals, front, first = false }: Pick<EvaluateNeed, "scope" | "exprs" | "locals" | "front" | "first">,
): Promise<Evaluated> {
  const { scopes } = state;
  const ahead = front === undefined ? {} : await evaluator.flat(program, run, scopes, front);
  const names = { locals: { ...ahead, ...locals }, globals: runGlobals(state), functions: await functions() };
  return evaluator.evaluate({ run, program, scopes, scope, exprs, first, ...names });
}

/** The state a part begins with; an expression in it that fails is the answer, not an exception. */
export async function answerDefaults(
  { evaluator, functions }: Evaluation,
  { id: run, program }: Pick<RunAt, "id" | "program">,
  { part, inputs }: { readonly part: string; readonly inputs: JsonObject },
): Promise<Extract<Given, { readonly type: "scope" | "error" }>> {
  try {
    return { type: "scope", ...(await evaluator.initialise({ run, program, part, inputs, functions: await functions() })) };
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (typeof code !== "string" || !code.startsWith("EXPRESSION_")) throw error;
    return { type: "error", code, message };
  }
}

/** The expressions that read more than what the step itself brings. */
function readsState({ exprs, locals }: EvaluateNeed): readonly string[] {
  return Object.keys(exprs).filter((key) => namesOf(exprs[key] as Expr).some((name) => !Object.hasOwn(locals, name)));
}

/** Fields with `on_error: propagate` may refuse a write: they are evaluated on the state as it would be. */
async function refusedByComputed(
  evaluator: Evaluator,
  run: RunAt,
  need: EvaluateNeed,
  values: Readonly<Record<string, Json>>,
): Promise<string | undefined> {
  const frame = run.state.strands[need.strand]?.frames.at(-1);
  const block = frame === undefined ? undefined : run.program.blocks[frame.block];
  if (frame?.kind !== "do" || block?.kind !== "do") return undefined;
  const updates = block.writes.flatMap(({ op }, index): readonly Update[] => {
    const path = values[`path:${index}`];
    const target = targetOf(isList(path) ? path.map(textOf) : (splitPath(frame.paths?.[index] ?? "") ?? []));
    const value = values[`value:${index}`] ?? need.locals["result"] ?? null;
    return target.ok ? [{ ...target.value, op, value }] : [];
  });
  return verifyUpdates(evaluator, run, need.scope, updates);
}

/** Why a field that must not fail would fail after these updates; undefined when all is well. */
export async function verifyUpdates(
  evaluator: Evaluator,
  { id, program, state }: RunAt,
  scopeId: string,
  updates: readonly Update[],
): Promise<string | undefined> {
  const scope = state.scopes[scopeId];
  const part = scope === undefined ? undefined : program.parts[scope.part];
  if (scope === undefined || part?.computed.every((field) => field.onError !== "propagate") !== false) return undefined;
  const written = applyUpdates(scope, updates);
  if (!written.ok) return undefined;
  const verified = await evaluator.verify(id, program, { ...state.scopes, [scopeId]: written.value }, scopeId);
  return verified.ok ? undefined : `The computed field \`${verified.field}\` refuses this: ${verified.message}`;
}

/** Names every expression of a run can read, behind everything the workflow itself defines. */
function runGlobals({ id, workflow, lists, options }: RunState): JsonObject {
  const work = Object.entries(lists).map(([list, { total, by, facets }]) => [list, { counts: { total, ...by }, by: facets }]);
  const names = { workflow_id: id, run_id: id, session_id: id, run_uuid: options.uuid ?? id, workflow_name: workflow };
  return { ...names, work: Object.fromEntries(work) as JsonObject };
}
