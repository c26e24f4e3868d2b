import type { Json, JsonObject } from "../base/index.ts";
import { apply } from "./apply.ts";
import type { Given, Need } from "./input.ts";
import { askWhatNow } from "./lost-question.ts";
import { leaveFrame } from "./unwind.ts";
import type { Frame } from "./run-state.ts";
import { frontOf, localsOf, type Turn } from "./turn.ts";
import { enter } from "./enter.ts";
import { unusedScopes } from "./unused-scopes.ts";

type CallFrame = Extract<Frame, { readonly kind: "call" }>;

/** Inputs, then a scope of its own with its default state, then the body, then `onComplete` in the caller's scope. */
export function walkCall(turn: Turn, strandId: string, frame: CallFrame, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  if (block.kind !== "call") return undefined;
  const strand = turn.strand(strandId);
  if (frame.phase === "inputs") {
    if (frame.doubt !== undefined) return askWhatNow(turn, strand, { block: frame.block, step: frame.doubt }) as undefined;
    if (given === undefined && frame.inputs === undefined) {
      return {
        type: "evaluate",
        strand: strandId,
        exprs: block.inputs,
        scope: strand.scope,
        locals: localsOf(strand.frames),
        ...frontOf(strand.frames),
      };
    }
    if (given?.type === "values") {
      const inputs = inputsOf(turn, block.part, given.values);
      turn.emit({ type: "moved", strand: strandId, patch: { inputs } });
      return { type: "defaults", strand: strandId, part: block.part, inputs };
    }
    if (given === undefined) return { type: "defaults", strand: strandId, part: block.part, inputs: frame.inputs ?? {} };
    if (given.type !== "scope") return undefined;
    const scope = turn.mint("c");
    const { raw, state, fixed } = given;
    const gone = unusedScopes(turn.state);
    turn.emit({
      type: "scope_opened",
      scope,
      part: block.part,
      inputs: frame.inputs ?? {},
      raw,
      state,
      fixed,
      parent: strand.scope,
      ...(gone.length === 0 ? {} : { gone }),
    });
    turn.emit({ type: "moved", strand: strandId, patch: { phase: "inside", scope, outer: strand.scope }, scope });
    enter(turn, strandId, turn.partOf(turn.strand(strandId)).root);
    return undefined;
  }
  if (frame.phase === "inside") {
    const outer = frame.outer ?? strand.scope;
    closeScope(turn, { scope: frame.scope ?? "", into: outer, as: block.as });
    turn.emit({ type: "moved", strand: strandId, patch: { phase: "complete" }, scope: outer });
    if (block.onComplete !== undefined) enter(turn, strandId, block.onComplete);
    return undefined;
  }
  leaveFrame(turn, strandId, "done");
  return undefined;
}

/** The finished call takes the name. Whatever had it before stays as long as something refers to it. */
function closeScope(turn: Turn, closed: { readonly scope: string; readonly into: string; readonly as: string }): void {
  const named = apply(turn.state, { type: "scope_closed", ...closed, gone: [] });
  turn.emit({ type: "scope_closed", ...closed, gone: unusedScopes(named) });
}

function inputsOf(turn: Turn, partName: string, values: Readonly<Record<string, Json>>): JsonObject {
  const inputs: Record<string, Json> = {};
  for (const [name, spec] of Object.entries(turn.program.parts[partName]?.inputs ?? {})) {
    if (spec.default !== undefined) inputs[name] = spec.default;
  }
  return { ...inputs, ...values };
}
