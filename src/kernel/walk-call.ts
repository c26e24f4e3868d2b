import type { Json, JsonObject } from "../base/index.ts";
import { apply } from "./apply.ts";
import { enter, leaveFrame } from "./enter-leave.ts";
import type { CallFrame, Frame } from "./frame.ts";
import type { Given, Need } from "./input.ts";
import { askWhatNow } from "./interrupted-leaf.ts";
import type { RunState, Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** Inputs, then a scope of its own with its default state, then the body, then `onComplete` in the caller's scope. */
export function walkCall(turn: Turn, strand: string, frame: CallFrame, given: Given | undefined): Need | undefined {
  const { part, inputs, as, onComplete } = turn.blockOf(frame);
  if (frame.phase === "complete") return leaveFrame(turn, strand, "done");
  if (frame.phase === "inside") {
    const outer = frame.outer ?? turn.strand(strand).scope;
    closeScope(turn, { scope: frame.scope ?? "", into: outer, as });
    turn.move(strand, { phase: "complete" }, { scope: outer });
    return onComplete === undefined ? undefined : enter(turn, strand, onComplete);
  }
  if (frame.doubt !== undefined) return askWhatNow(turn, strand, { block: frame.block, step: frame.doubt });
  if (given?.type === "scope") return openScope(turn, strand, frame, given);
  if (given?.type !== "values" && frame.inputs === undefined) return turn.evaluate(strand, inputs);
  const known = given?.type === "values" ? inputsOf(turn, part, given.values) : (frame.inputs ?? {});
  if (given?.type === "values") turn.move(strand, { inputs: known });
  return { type: "defaults", strand, part, inputs: known };
}

function openScope(turn: Turn, strand: string, frame: CallFrame, given: Extract<Given, { readonly type: "scope" }>): undefined {
  const { scope: outer } = turn.strand(strand);
  const { part } = turn.blockOf(frame);
  const { raw, state, fixed } = given;
  const scope = turn.mint("c");
  const gone = unusedScopes(turn.state);
  const made = { scope, part, inputs: frame.inputs ?? {}, raw, state, fixed, parent: outer };
  turn.emit({ type: "scope_opened", ...made, ...(gone.length === 0 ? {} : { gone }) });
  turn.move(strand, { phase: "inside", scope, outer }, { scope });
  enter(turn, strand, turn.partOf(turn.strand(strand)).root);
}

/** The finished call takes the name. Whatever had it before stays as long as something refers to it. */
function closeScope(turn: Turn, closed: { readonly scope: string; readonly into: string; readonly as: string }): void {
  const named = apply(turn.state, { type: "scope_closed", ...closed, gone: [] });
  turn.emit({ type: "scope_closed", ...closed, gone: unusedScopes(named) });
}

/** What the caller gives, and defaults for the rest. */
function inputsOf(turn: Turn, part: string, values: Readonly<Record<string, Json>>): JsonObject {
  const specs = Object.entries(turn.program.parts[part]?.inputs ?? {});
  const defaults = specs.flatMap(([name, spec]) => (spec.default === undefined ? [] : [[name, spec.default] as const]));
  return { ...Object.fromEntries(defaults), ...values };
}

/**
 * Scopes that nothing can read or write any more: no strand works in them or goes back to them, no `onComplete` of their call is
 * running, no stopped task is in them, and no scope in use has them under a name. The newest scope of a part is always in use:
 * the next call reads what one that was broken off left.
 */
export function unusedScopes({ scopes, strands }: Pick<RunState, "scopes" | "strands">): string[] {
  const used = new Set<string>();
  const open = [...Object.keys(scopes).filter((id) => scopes[id]?.parent === undefined), ...newestOfParts(scopes)];
  for (const strand of Object.values(strands)) open.push(...scopesOf(strand));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const scope = used.has(id) ? undefined : scopes[id];
    if (scope === undefined) continue;
    used.add(id);
    open.push(...Object.values(scope.calls), ...(scope.parent === undefined ? [] : [scope.parent]));
  }
  return Object.keys(scopes).filter((id) => !used.has(id));
}

/** Ids count up, so the newest of two is the longer one, or the later in the alphabet. */
function newestOfParts(scopes: RunState["scopes"]): Iterable<string> {
  const newest = new Map<string, string>();
  for (const [id, { part }] of Object.entries(scopes)) {
    const held = newest.get(part) ?? "";
    if (id.length > held.length || (id.length === held.length && id > held)) newest.set(part, id);
  }
  return newest.values();
}

function scopesOf({ scope, frames }: Pick<Strand, "scope" | "frames">): string[] {
  return [scope, ...frames.flatMap(scopesOfFrame)];
}

function scopesOfFrame(frame: Frame): string[] {
  if (frame.kind === "call") return [frame.scope, frame.outer].filter((id) => id !== undefined);
  if (frame.kind === "rescue") return frame.inner === undefined ? [] : [frame.inner];
  if (frame.kind === "choose") return frame.before?.frames.flatMap(scopesOfFrame) ?? [];
  return frame.kind === "work" ? Object.values(frame.kept ?? {}).flatMap(scopesOf) : [];
}
