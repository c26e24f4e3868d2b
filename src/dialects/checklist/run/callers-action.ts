import { mainStrand, type Action, type Decision } from "../../../kernel/index.ts";
import { type Caller, heldStrand, type RunHandle } from "../../../engine/index.ts";

/** What the caller has in hand: an action, a question, or nothing. */
export function openOf(
  handle: RunHandle,
  caller: Caller,
): { readonly strand: string; readonly action?: Action; readonly question?: Decision } {
  const { state } = handle;
  const strand = heldStrand(handle, caller) ?? mainStrand;
  const waits = state.strands[strand]?.waits;
  if (waits?.on === "action") {
    const action = state.actions[waits.id];
    return action === undefined ? { strand } : { strand, action };
  }
  if (waits?.on === "decision") {
    const question = state.decisions[waits.id];
    return question === undefined || question.status !== "pending" ? { strand } : { strand, question };
  }
  return { strand };
}
