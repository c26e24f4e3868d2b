import { defined } from "../../base/index.ts";
import { mainScope } from "../../kernel/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { commitOrThrow } from "../commit-inputs.ts";

/** Keeps what a person said for a run. One whose dialect knows who could read it refuses what is for nobody. */
export async function note(
  context: EngineContext,
  caller: Caller,
  { run, text, target }: { readonly run: string; readonly text: string; readonly target?: string },
): Promise<void> {
  const handle = await context.runs.open(run);
  if (text.trim() === "") throw refused("ENGINE_BAD_VALUE", "The note is empty. Nothing was changed.", "Say what the agent should know.");
  const { leaves } = context;
  if (target !== undefined) await leaves.runtimeOf(handle)?.checkAudience?.(leaves.at(context, handle, mainScope), target);
  await commitOrThrow(context, handle, { type: "note", text, ...(await stampOf(context, caller)), ...defined({ target }) });
}
