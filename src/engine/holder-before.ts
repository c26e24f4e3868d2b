import { mainStrand, sameHolder, type Holder } from "../kernel/index.ts";
import type { Caller } from "./caller.ts";
import type { EngineContext } from "./context.ts";
import { handsOutWork } from "./hands-out.ts";
import { readLife } from "./holding.ts";
import { freeTask, openStrand } from "./resolve-strand.ts";
import type { RunHandle } from "./run-cache.ts";

/** Who is alive and has what follows in a run, or in a task of it, before the caller: the caller would be refused it. */
export async function holderBefore(
  context: EngineContext,
  caller: Caller,
  handle: RunHandle,
  task: string = mainStrand,
): Promise<Holder | undefined> {
  const { state } = handle;
  const strand = state.strands[openStrand(state, task) ?? ""];
  if (state.status !== "running" || strand?.holder === undefined || sameHolder(strand.holder, caller.holder)) return undefined;
  const isShared = strand.id === mainStrand && (handsOutWork(handle) || (await freeTask(context, handle, caller)) !== undefined);
  const { alive } = await readLife(context, handle.id, strand);
  return alive === undefined || isShared ? undefined : strand.holder;
}
