import { textOf, type JsonObject } from "../base/index.ts";
import { frontOf, localsOf, type Action, type Decision } from "../kernel/index.ts";
import type { Write } from "../program/index.ts";
import { namesOf, resolveScript, resolveTree, type ValueOf } from "../state/index.ts";
import { functionsOf } from "./answer-need.ts";
import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";
import { runGlobals } from "./run-globals.ts";

/**
 * The writes that follow a step, as its author wrote them: paths and names are filled in, only what depends on the result is left open.
 * undefined when the step has none of its own.
 */
export async function handedWrites(
  context: EngineContext,
  handle: Pick<RunHandle, "id" | "program" | "state">,
  open: Action | Decision,
): Promise<readonly JsonObject[] | undefined> {
  const block = open.block === undefined ? undefined : handle.program.blocks[open.block];
  if (block?.kind !== "do" || open.paths.length === 0 || block.what === "state_update") return undefined;
  const valueOf = valuesIn(context, handle, open.strand);
  return Promise.all(block.writes.map((write, index) => handedWrite(write, open.paths[index] ?? "", valueOf)));
}

async function handedWrite({ op, value, transform }: Write, path: string, valueOf: ValueOf): Promise<JsonObject> {
  const target = { path, ...(op === "set" ? {} : { operation: op }) };
  if (transform !== undefined) return { ...target, transform: await resolveScript(textOf(transform.of), valueOf) };
  return { ...target, value: value === undefined ? "{{ result }}" : await resolveTree(value.of, valueOf) };
}

/** Values of expressions where the strand stands. What reads the result, or a name that only the result may bring, has none yet. */
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
