import { defined } from "../../base/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import { isKnownAudience } from "../note-audience.ts";

/** Keeps what a person said for a run, and refuses what is for nobody. `known`: something has the name that it waits for, or it waits for none. */
export async function note(
  context: EngineContext,
  caller: Caller,
  { run, text, target }: { readonly run: string; readonly text: string; readonly target?: string },
): Promise<{ readonly known: boolean }> {
  const handle = await context.runs.open(run);
  if (text.trim() === "") throw refused("ENGINE_BAD_VALUE", "The note is empty. Nothing was changed.", "Say what the agent should know.");
  const known = target === undefined || (await isKnownAudience(context, handle, target));
  await commitOrThrow(context, handle, { type: "note", text, ...(await stampOf(context, caller)), ...defined({ target }) });
  return { known };
}
