import { isList, type Json, type JsonObject, splitPath, textOf } from "../base/index.ts";
import { applyUpdates, type Given, type Need, type RunState, targetOf, type Update } from "../kernel/index.ts";
import type { Expr } from "../program/index.ts";
import { namesOf } from "../state/index.ts";
import type { EngineContext } from "./context.ts";
import type { Draft } from "./draft.ts";
import type { RunHandle } from "./run-cache.ts";

type Run = Pick<RunHandle, "id" | "program">;

/** Answers what a strand needs, before the commit: expressions in the sandbox, items from the store. */
export async function answerNeed(context: EngineContext, run: Run, draft: Draft, need: Need): Promise<Given> {
  switch (need.type) {
    case "evaluate":
      return evaluate(context, run, draft.state, need);
    case "select": {
      const { list, query, limit, notRoots } = need;
      return { type: "items", items: await draft.items.select(context.store, run.id, { list, query, limit, notRoots }) };
    }
    case "dependants":
      return { type: "dependants", ...(await draft.items.dependants(context.store, run.id, need.list, need.id)) };
    case "defaults":
      return defaultsOf(context, run, need);
  }
}

/** The state a part begins with; an expression in it that fails is the answer, not an exception. */
export async function defaultsOf(
  context: EngineContext,
  run: Run,
  { part, inputs }: { readonly part: string; readonly inputs: JsonObject },
): Promise<Extract<Given, { readonly type: "scope" | "error" }>> {
  try {
    return {
      type: "scope",
      ...(await context.evaluator.initialise({ run: run.id, program: run.program, part, inputs, functions: await functionsOf(context) })),
    };
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (typeof code !== "string" || !code.startsWith("EXPRESSION_")) throw error;
    return { type: "error", code, message };
  }
}

export async function functionsOf(context: EngineContext): Promise<{ now(): string; uuid(): string }> {
  const at = await context.store.now();
  context.clock.at = at;
  return { now: () => new Date(at).toISOString(), uuid: () => context.host.uuid() };
}

async function evaluate(
  context: EngineContext,
  run: Run,
  state: RunState,
  need: Extract<Need, { readonly type: "evaluate" }>,
): Promise<Given> {
  const { handedOut } = need;
  const scopes = handedOut === undefined ? state.scopes : { ...state.scopes, [need.scope]: handedOut };
  const front = need.front === undefined ? {} : await context.evaluator.flat(run.program, run.id, scopes, need.front);
  const outcome = await context.evaluator.evaluate({
    run: run.id,
    program: run.program,
    scopes,
    scope: need.scope,
    exprs: need.exprs,
    locals: { ...front, ...need.locals },
    globals: runGlobals(state),
    functions: await functionsOf(context),
  });
  if (!outcome.ok) return { type: "error", code: outcome.code, message: outcome.message, warnings: outcome.warnings };
  if (need.write === true) {
    const refused = await refusedByComputed(context, { run, state: { ...state, scopes } }, need, outcome.values);
    if (refused !== undefined) return { type: "error", code: "COMPUTED_REFUSED", message: refused };
  }
  const reads = handedOut === undefined ? {} : { reads: readsState(need) };
  return { type: "values", values: outcome.values, replaced: outcome.replaced, warnings: outcome.warnings, ...reads };
}

/** The expressions that read more than what the step itself brings. */
function readsState({ exprs, locals }: Extract<Need, { readonly type: "evaluate" }>): readonly string[] {
  return Object.keys(exprs).filter((key) => namesOf(exprs[key] as Expr).some((name) => !Object.hasOwn(locals, name)));
}

interface Standpoint {
  readonly run: Run;
  readonly state: RunState;
}

/** Fields with `on_error: propagate` may refuse a write: they are evaluated on the state as it would be. */
async function refusedByComputed(
  context: EngineContext,
  { run, state }: Standpoint,
  need: Extract<Need, { readonly type: "evaluate" }>,
  values: Readonly<Record<string, Json>>,
): Promise<string | undefined> {
  const scope = state.scopes[need.scope];
  const part = scope === undefined ? undefined : run.program.parts[scope.part];
  if (scope === undefined || part?.computed.every((field) => field.onError !== "propagate") !== false) return undefined;
  const frame = state.strands[need.strand]?.frames.at(-1);
  const block = frame === undefined ? undefined : run.program.blocks[frame.block];
  if (frame?.kind !== "do" || block?.kind !== "do") return undefined;
  const updates: Update[] = [];
  for (const [index, write] of block.writes.entries()) {
    const path = values[`path:${index}`];
    const target = targetOf(isList(path) ? path.map(textOf) : (splitPath(frame.paths?.[index] ?? "") ?? []));
    const value = values[`value:${index}`] ?? need.locals["result"] ?? null;
    if (target.ok) updates.push({ ...target.value, op: write.op, value });
  }
  return verifyUpdates(context, { run, state }, need.scope, updates);
}

/** Why a field that must not fail would fail after these updates; undefined when all is well. */
export async function verifyUpdates(
  context: EngineContext,
  { run, state }: Standpoint,
  scopeId: string,
  updates: readonly Update[],
): Promise<string | undefined> {
  const scope = state.scopes[scopeId];
  const part = scope === undefined ? undefined : run.program.parts[scope.part];
  if (scope === undefined || part?.computed.every((field) => field.onError !== "propagate") !== false) return undefined;
  const written = applyUpdates(scope, updates);
  if (!written.ok) return undefined;
  const verified = await context.evaluator.verify(run.id, run.program, { ...state.scopes, [scopeId]: written.value }, scopeId);
  return verified.ok ? undefined : `The computed field \`${verified.field}\` refuses this: ${verified.message}`;
}

/** Names every expression of a run can read, behind everything the workflow itself defines. */
export function runGlobals(state: RunState): JsonObject {
  return {
    workflow_id: state.id,
    run_id: state.id,
    session_id: state.id,
    workflow_name: state.workflow,
    work: Object.fromEntries(
      Object.entries(state.lists).map(([id, counts]) => [id, { counts: { total: counts.total, ...counts.by }, by: counts.facets }]),
    ),
  };
}
