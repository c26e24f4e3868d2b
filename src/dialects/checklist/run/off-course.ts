import { type Json, fieldOf } from "../../../base/index.ts";
import type { Action } from "../../../kernel/index.ts";
import { actorOf, type Caller, refused, type EngineContext, decide, type RunHandle } from "../../../engine/index.ts";
import { actionWord } from "./action-word.ts";

/** Refuses a report that is not about what is open. */
export type Drift = (kind: string, message: string, fix: string) => Promise<never>;

/** Counts the refusal, so that the run's measures show it, and throws it. */
export async function refuseDrift(
  { context, handle, caller }: { readonly context: EngineContext; readonly handle: RunHandle; readonly caller: Caller },
  kind: string,
  message: string,
  fix: string,
): Promise<never> {
  const at = await context.store.now();
  if (handle.state.status === "running")
    await decide(context, handle, [
      { input: { type: "items", change: { count: { [`refused:${kind}`]: 1 } }, reason: `refused: ${kind}`, at, by: actorOf(caller) } },
    ]);
  throw refused("ENGINE_OFF_COURSE", `${message} Nothing was recorded.`, fix, { kind });
}

export function describe(action: Action): string {
  const item = action.args["item"];
  if (action.what !== "check") return `\`${action.what}\``;
  return `\`${actionWord(item)}\` of \`${shortItem(item)}\` in ${fieldOf(item, "file")}`;
}

function shortItem(item: Json | undefined): string {
  const entry = fieldOf(item, "entry");
  return entry === "" ? fieldOf(item, "id") : entry;
}
