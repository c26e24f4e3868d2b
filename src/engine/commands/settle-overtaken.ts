import { type Action, sameHolder } from "../../kernel/index.ts";
import type { Standing } from "../../views/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import type { EngineContext } from "../context.ts";
import type { Draft } from "../draft.ts";
import { taskFacts } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";

/**
 * Before an action is handed out its leaf looks whether it is still to be done. True: it was settled, and another position follows. Only for
 * its holder: who looks at a run changes nothing.
 */
export async function settleOvertaken(context: EngineContext, caller: Caller, handle: RunHandle, standing: Standing): Promise<boolean> {
  if (standing.kind !== "action" || handle.state.status !== "running") return false;
  const { action } = standing;
  const strand = handle.state.strands[action.strand];
  if (strand?.holder === undefined || !sameHolder(strand.holder, caller.holder)) return false;
  const { at, leaf } = context.leaves.ofAction(context, handle, action);
  const found = await leaf.overtaken?.(at, action);
  if (found === undefined) return false;
  const { outcome, change = async () => ({}) } = found;
  const stamp = await stampOf(context, caller);
  if (outcome === undefined) {
    const reason = "what is open was looked at again";
    await commitOrThrow(context, handle, {
      input: async (draft: Draft) => ({ type: "items", change: await change(draft), reason, ...stamp }),
    });
    return false;
  }
  const input = { type: "report" as const, action: action.id, holder: caller.holder, fence: strand.fence, outcome, write: true, ...stamp };
  await commitOrThrow(context, handle, {
    input: async (draft: Draft) => ({ ...input, change: await change(draft) }),
    key: reportKey(action),
    ...taskFacts(handle, strand),
  });
  return true;
}

/** A report is made once. */
export function reportKey({ id }: Action): string {
  return `report:${id}`;
}
