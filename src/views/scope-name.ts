import { mainScope, type RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

/** The steps that lead to a call's state, outermost first (`sub/deep`); undefined of the run's own. */
export function scopeName({ program, state }: { readonly program: Program; readonly state: RunState }, scope: string): string | undefined {
  const names: string[] = [];
  for (let id = scope; id !== mainScope;) {
    const { part, parent } = state.scopes[id] ?? {};
    const block = program.blocks[callOf(state, id) ?? ""];
    names.unshift(block?.kind === "call" ? block.as : (part ?? id));
    id = parent ?? mainScope;
  }
  return names.length === 0 ? undefined : names.join("/");
}

/** The block of the call that a scope was opened for. */
function callOf({ strands }: RunState, scope: string): string | undefined {
  for (const { frames, calls = [] } of Object.values(strands)) {
    const found = [...frames.filter((frame) => frame.kind === "call"), ...calls].find((call) => call.scope === scope);
    if (found !== undefined) return found.block;
  }
  return undefined;
}
