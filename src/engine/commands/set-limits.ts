import type { Budget } from "../../program/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import type { EngineContext } from "../context.ts";
import { commitOrThrow } from "../commit-inputs.ts";

export async function setLimits(
  context: EngineContext,
  caller: Caller,
  { run, budget }: { readonly run: string; readonly budget: Budget },
): Promise<void> {
  await commitOrThrow(context, await context.runs.open(run), { type: "limits", budget, ...(await stampOf(context, caller)) });
}
