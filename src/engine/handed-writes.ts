import { textOf, type JsonObject } from "../base/index.ts";
import { frontOf, localsOf, matchStored, withoutStored, type Action, type Decision } from "../kernel/index.ts";
import type { Write } from "../program/index.ts";
import { namesOf, resolveScript, resolveTree, type ValueOf } from "../state/index.ts";
import { functionsOf, runGlobals } from "./answer-need.ts";
import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";

/** What is left to be written for an open step. */
export interface LeftWrites {
  /** As the author wrote them: paths and names are filled in, only what depends on the result is left open; not of a `state_update`. */
  readonly writes?: readonly JsonObject[];
  /** Places of those in all writes of the step. */
  readonly left: readonly number[];
}

/** undefined when the step has no writes of its own. What its holder wrote since the hand-out is not left, and changes no expression. */
export async function leftWrites(
  context: EngineContext,
  { id, program, state }: Pick<RunHandle, "id" | "program" | "state">,
  open: Action | Decision,
): Promise<LeftWrites | undefined> {
  const block = open.block === undefined ? undefined : program.blocks[open.block];
  if (block?.kind !== "do" || open.paths.length === 0) return undefined;
  const { frames = [], scope: at = "" } = state.strands[open.strand] ?? {};
  const scope = state.scopes[at];
  const frame = frames.at(-1);
  const stored = frame?.kind === "do" ? (frame.stored ?? []) : [];
  const scopes = scope === undefined || stored.length === 0 ? state.scopes : { ...state.scopes, [at]: withoutStored(scope, stored) };
  const valueOf = valuesIn(context, { id, program, state: { ...state, scopes } }, open.strand);
  const given = block.what === "state_update" && "args" in open ? open.args : undefined;
  const all =
    given === undefined
      ? await Promise.all(block.writes.map((write, index) => handedWrite(write, open.paths[index] ?? "", valueOf)))
      : block.writes.map((_, index) => ({ value: given[`value${index}`] ?? null }));
  const made = matchStored(
    block.writes.map(({ op }, index) => {
      const value = all[index]?.["value"];
      return { path: open.paths[index] ?? "", op, ...(value === undefined ? {} : { value }) };
    }),
    stored,
  );
  const left = [...made.keys()].filter((index) => made[index] === undefined);
  return { left, ...(given === undefined ? { writes: all.filter((_, index) => left.includes(index)) } : {}) };
}

async function handedWrite({ op, value, transform }: Write, path: string, valueOf: ValueOf): Promise<JsonObject> {
  const target = { path, ...(op === "set" ? {} : { operation: op }) };
  if (transform !== undefined) return { ...target, transform: await resolveScript(textOf(transform.of), valueOf) };
  return { ...target, value: value === undefined ? "{{ result }}" : await resolveTree(value.of, valueOf) };
}

/** Values of expressions where the strand is. What reads the result, or a name that only the result may bring, has none yet. */
function valuesIn(
  context: EngineContext,
  { id: run, program, state }: Pick<RunHandle, "id" | "program" | "state">,
  strandId: string,
): ValueOf {
  const strand = state.strands[strandId];
  const frames = strand?.frames ?? [];
  const scope = strand?.scope ?? "";
  return async (js) => {
    const names = namesOf({ as: "js", of: js });
    if (names.includes("result")) return undefined;
    const { front } = frontOf(frames);
    const locals = { ...(front === undefined ? {} : await context.evaluator.flat(program, run, state.scopes, front)), ...localsOf(frames) };
    const known = Object.fromEntries(names.map((name) => [name, { as: "text" as const, of: `{{ ${name} }}` }]));
    const evaluated = await context.evaluator.evaluate({
      run,
      program,
      scopes: state.scopes,
      scope,
      exprs: { ...known, "": { as: "js", of: js } },
      locals,
      globals: runGlobals(state),
      functions: await functionsOf(context),
    });
    if (!evaluated.ok || names.some((name) => evaluated.values[name] === `{{ ${name} }}`)) return undefined;
    return evaluated.values[""];
  };
}
