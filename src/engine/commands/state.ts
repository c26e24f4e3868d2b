import { canonicalJson, defined, isWaymarkError, own, splitPath, type Json, type JsonObject } from "../../base/index.ts";
import { handOutOfKey, isPersonPresent, mainScope, mainStrand, targetOf, type Action, type Update } from "../../kernel/index.ts";
import { maskSecrets, scopeName } from "../../views/index.ts";
import type { WriteOperation } from "../../program/index.ts";
import { dependencyGraph, verifyUpdates } from "../../state/index.ts";
import { actorOf, stampOf, type Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import { keepRefusal } from "../keep-refusal.ts";
import { resolveStrand } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import { refuseTriedAgain } from "./attempts.ts";

export interface StateUpdate {
  readonly path: string;
  readonly operation?: WriteOperation;
  readonly value?: Json;
}

const operations: readonly WriteOperation[] = ["set", "append", "increment", "decrement", "multiply", "merge"];

export interface ReadState {
  readonly state: JsonObject;
  readonly version: number;
  /** The steps of the call whose state it is; undefined of the run's own. */
  readonly of?: string;
}

/** The flat view of the run's own state: state, overlaid by raw, overlaid by computed. */
export async function readState(context: EngineContext, run: string, paths?: readonly string[]): Promise<ReadState> {
  return readScope(context, await context.runs.open(run), mainScope, paths);
}

/** The same of the state that a write at this moment would change: where the run, or the task, is. Of a run that is over, its own. */
export async function readOpenState(
  context: EngineContext,
  { run, task, paths }: { readonly run: string; readonly task?: string; readonly paths?: readonly string[] },
): Promise<ReadState> {
  const handle = await context.runs.open(run);
  const strand = await writtenStrand(context, handle, { ...(task === undefined ? {} : { task }), handOut: undefined });
  return readScope(context, handle, handle.state.status === "running" ? scopeAt(handle, strand) : mainScope, paths);
}

function scopeAt({ state }: RunHandle, strand: string = mainStrand): string {
  return state.strands[strand]?.scope ?? mainScope;
}

async function readScope(context: EngineContext, handle: RunHandle, scope: string, paths?: readonly string[]): Promise<ReadState> {
  const { program, id, state } = handle;
  const read =
    paths === undefined
      ? context.leaves.shownState(handle, scope, await context.evaluator.flat(program, id, state.scopes, scope))
      : await context.evaluator.read(program, id, state.scopes, scope, paths);
  return { state: maskSecrets(read, program, state), ...versionOf(handle, scope) };
}

function versionOf(handle: RunHandle, scope: string): Omit<ReadState, "state"> {
  return { version: handle.state.scopes[scope]?.version ?? 0, ...defined({ of: scopeName(handle, scope) }) };
}

export interface UpdateStateRequest {
  readonly run: string;
  readonly task?: string;
  readonly updates: readonly StateUpdate[];
  readonly expectedVersion?: number;
  /** A client's own key makes a repeat harmless. It counts for this task and these updates: with others it is another write. */
  readonly key?: string;
}

export interface WrittenState extends Omit<ReadState, "state"> {
  readonly changed: JsonObject;
  readonly recorded: "now" | "before";
}

/** Writes by a holder, all or nothing. Answers the computed fields that changed by it. */
export async function updateState(context: EngineContext, caller: Caller, request: UpdateStateRequest): Promise<WrittenState> {
  const handle = await context.runs.open(request.run);
  const { key } = request;
  const handOut = key === undefined ? undefined : handOutOfKey(key);
  const strand = await writtenStrand(context, handle, { ...request, handOut });
  const scope = scopeAt(handle, strand);
  await refuseFixed(context, caller, handle, scope);
  const updates = request.updates.map(updateOf);
  const known = key === undefined ? undefined : await recordKey(context, handle, request, updates);
  if (known !== undefined && (await context.store.findRecord(handle.id, known)) !== undefined)
    return { ...versionOf(handle, scope), changed: {}, recorded: "before" };
  await refuseTriedAgain(context, handle);
  const refusedBy = await verifyUpdates(context.evaluator, handle, scope, updates);
  if (refusedBy !== undefined)
    throw refused("COMPUTED_REFUSED", `${refusedBy} Nothing was written.`, "Write values that the field can work with.", {});
  const before = await context.evaluator.flat(handle.program, handle.id, handle.state.scopes, scope);
  const open = stepWritten(handle, caller, { handOut, strand });
  if (open !== undefined) await context.holding.takeReported(handle, open, caller);
  const decision = await commitOrThrow(context, handle, {
    input: {
      type: "set",
      scope,
      updates,
      ...(await stampOf(context, caller)),
      ...(handOut === undefined ? shownTo(context, caller, handle) : { handOut }),
      ...defined({ strand, expectedVersion: request.expectedVersion }),
      ...(caller.holder.kind === "person" ? {} : { holder: caller.holder }),
    },
    ...defined({ key: known }),
  }).catch(async (error: unknown) => {
    if (isWaymarkError(error) && error.code === "STATE_OF_PERSON")
      await keepRefusal(context, caller, handle, { what: "write state", code: error.code, message: error.message });
    throw error;
  });
  const changed = await computedSince(context, handle, scope, before);
  return { ...versionOf(handle, scope), changed, recorded: decision.kind === "repeated" ? "before" : "now" };
}

/** The open step that a write is for: the one it names, or at the command line the one that nobody has taken yet. */
function stepWritten(
  { state }: RunHandle,
  { holder }: Caller,
  { handOut, strand: id }: { readonly handOut: string | undefined; readonly strand: string | undefined },
): Action | undefined {
  if (handOut !== undefined) return own(state.actions, handOut);
  const strand = holder.kind === "person" ? state.strands[id ?? mainStrand] : undefined;
  return strand?.fence === 0 && strand.waits?.on === "action" ? state.actions[strand.waits.id] : undefined;
}

/** Computed fields of the scope that are not what they were. */
async function computedSince(
  context: EngineContext,
  { id, program, state }: RunHandle,
  scope: string,
  before: JsonObject,
): Promise<JsonObject> {
  const after = await context.evaluator.flat(program, id, state.scopes, scope);
  const names = (program.parts[state.scopes[scope]?.part ?? ""]?.computed ?? []).map((field) => field.name);
  return Object.fromEntries(
    names.filter((name) => before[name] !== after[name] && after[name] !== undefined).map((name) => [name, after[name] as Json]),
  );
}

/** The open hand-outs that an agent was shown. A person at the command line has no connection that could be remembered. */
function shownTo({ handOuts }: EngineContext, caller: Caller, { id, state }: RunHandle): { readonly shown?: readonly string[] } {
  if (caller.holder.kind === "person") return {};
  const open = [...Object.keys(state.actions), ...Object.keys(state.decisions)];
  return { shown: open.filter((each) => handOuts.isShown(caller, id, each)) };
}

/** Agents do not write the state of a dialect that keeps it itself. */
async function refuseFixed(context: EngineContext, caller: Caller, handle: RunHandle, scope: string): Promise<void> {
  const fixed = context.leaves.runtimeOf(handle, scope)?.fixedState;
  if (fixed === undefined || isPersonPresent(actorOf(caller))) return;
  const message = `The state of run \`${handle.id}\` is kept by Waymark alone: ${fixed.why}.`;
  await keepRefusal(context, caller, handle, { what: "write state", code: fixed.code, message });
  throw refused(fixed.code, `${message} Nothing was written.`, "Report the open step instead.", {});
}

/**
 * What a step was handed out with is the key of all of its writes: only the same one again is a repeat. A key of the client's own counts
 * for its task, not for the caller: who takes over after a lost reply says the same again, and agents of other tasks choose equal keys.
 */
async function recordKey(
  context: EngineContext,
  handle: RunHandle,
  { key = "", task }: Pick<UpdateStateRequest, "key" | "task">,
  updates: readonly Update[],
): Promise<string> {
  const hashOf = (value: unknown): string => context.host.sha256(canonicalJson(value));
  if (handOutOfKey(key) !== undefined) return `set:${key}:${hashOf(updates)}`;
  const target = await resolveStrand(context, handle, task);
  const row = target.kind === "strand" ? handle.state.strands[target.strand]?.item : { list: target.list, id: target.item };
  return `set:${key}:${hashOf([row === undefined ? mainStrand : [row.list, row.id], updates])}`;
}

/** The strand whose step the write is for, when it says so. */
async function writtenStrand(
  context: EngineContext,
  handle: RunHandle,
  { task, handOut }: Pick<UpdateStateRequest, "task"> & { readonly handOut: string | undefined },
): Promise<string | undefined> {
  if (handOut !== undefined) return (own(handle.state.actions, handOut) ?? own(handle.state.decisions, handOut))?.strand;
  if (task === undefined) return undefined;
  const target = await resolveStrand(context, handle, task);
  return target.kind === "strand" ? target.strand : undefined;
}

function updateOf(update: StateUpdate): Update {
  const keys = splitPath(update.path);
  if (keys === undefined)
    throw refused(
      "ENGINE_BAD_PATH",
      `\`${update.path}\` is not a path. Nothing was written.`,
      'Write paths like `raw.results` or `raw.results["a.ts"]`.',
      {},
    );
  const target = targetOf(keys);
  if (!target.ok) throw refused("ENGINE_BAD_PATH", `${target.message} Nothing was written.`, "Use a path below `raw.` or `state.`.", {});
  const op = update.operation ?? "set";
  if (!operations.includes(op))
    throw refused(
      "ENGINE_BAD_VALUE",
      `\`${String(op)}\` is not an operation. Nothing was written.`,
      `Use one of ${operations.join(", ")}.`,
      {},
    );
  const value = update.value ?? (op === "increment" || op === "decrement" || op === "multiply" ? 1 : null);
  return { ...target.value, op, value };
}

export async function dependencies(
  context: EngineContext,
  run: string,
  field: string,
): Promise<{ readonly direct_deps: readonly string[]; readonly all_deps: readonly string[]; readonly dependents: readonly string[] }> {
  const handle = await context.runs.open(run);
  const part = handle.program.parts[handle.program.main];
  if (part === undefined) throw refused("ENGINE_BAD_VALUE", "The program has no main part.", undefined, {});
  const graph = dependencyGraph(part);
  return { direct_deps: graph.direct(field), all_deps: graph.all(field), dependents: graph.dependents(field) };
}
