import { defined, isWaymarkError, type JsonObject } from "../../base/index.ts";
import { isOpen, mainScope, mainStrand, sameHolder } from "../../kernel/index.ts";
import { maskSecrets } from "../../views/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import type { EngineContext } from "../context.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import { endLeftAgents } from "../end-abandoned.ts";
import { keepRefusal } from "../keep-refusal.ts";
import type { RunHandle } from "../run-cache.ts";

/** Ends a run, and answers its state. */
export async function end(
  context: EngineContext,
  caller: Caller,
  { run, status, reason }: { readonly run: string; readonly status: "completed" | "failed" | "cancelled"; readonly reason?: string },
): Promise<{ readonly status: string; readonly final: JsonObject }> {
  const handle = await context.runs.open(run);
  const { program } = handle;
  await refuseOthersWork(context, caller, handle);
  const input = { type: "end" as const, status, ...(await stampOf(context, caller)), ...defined({ reason }) };
  await commitOrThrow(context, handle, input).catch(async (error: unknown) => {
    const asksPerson = Object.values(handle.state.decisions).some((each) => each.status === "pending" && each.answerBy === "person");
    if (isWaymarkError(error) && error.code === "RUN_NOT_DONE" && asksPerson)
      await keepRefusal(context, caller, handle, { what: `end as ${status}`, code: error.code, message: error.message });
    throw error;
  });
  await endLeftAgents(context);
  const flat = await context.evaluator.flat(program, run, handle.state.scopes, mainScope);
  const final = context.leaves.shownState(handle, mainScope, flat);
  return { status: handle.state.status, final: maskSecrets(final, program, handle.state) };
}

/** What another one alive works on is ended by a person, or by who drives the run. */
async function refuseOthersWork(context: EngineContext, caller: Caller, handle: RunHandle): Promise<void> {
  const { status, strands } = handle.state;
  const drives = sameHolder(strands[mainStrand]?.holder, caller.holder);
  if (status !== "running" || caller.holder.kind === "person" || drives) return;
  for (const strand of Object.values(strands)) if (isOpen(strand.status)) await context.holding.refuseHeld(handle, strand, caller);
}
