import { actorOf, type Caller } from "./caller.ts";
import type { EngineContext } from "./context.ts";
import { decide } from "./decide.ts";
import type { RunHandle } from "./run-cache.ts";

/** Keeps in the journal that a caller tried what is not theirs to do. Nothing else changes. */
export async function keepRefusal(
  context: EngineContext,
  caller: Caller,
  handle: RunHandle,
  refusal: { readonly what: string; readonly code: string; readonly message: string },
): Promise<void> {
  const { what, code, message } = refusal;
  const at = await context.store.now();
  await decide(context, handle, [{ input: { type: "refusal", what, code, message, at, by: actorOf(caller) } }]);
}
