import { mainStrand } from "../../../kernel/index.ts";
import { actorOf, type Caller, type EngineContext, decide, type RunHandle } from "../../../engine/index.ts";
import { begunRuns } from "./checklist-run.ts";

/** Work was opened again while the run waited to be completed: it goes back to the files. */
export async function revive(context: EngineContext, caller: Caller, handle: RunHandle): Promise<boolean> {
  const { state } = handle;
  const waits = state.strands[mainStrand]?.waits;
  const action = waits?.on === "action" ? state.actions[waits.id] : undefined;
  const holder = state.strands[mainStrand]?.holder;
  const open = begunRuns(handle).reduce((sum, { lists }) => sum + (state.lists[lists.files]?.by.pending ?? 0), 0);
  if (action?.what !== "complete_workflow" || holder === undefined || open === 0) return false;
  const decision = await decide(context, handle, [
    {
      input: {
        type: "report",
        action: action.id,
        holder,
        fence: state.strands[mainStrand]?.fence ?? 0,
        outcome: { ok: true, value: { again: true } },
        write: true,
        at: await context.store.now(),
        by: actorOf(caller),
      },
      key: `report:${action.id}`,
    },
  ]);
  return decision.kind === "accepted";
}
