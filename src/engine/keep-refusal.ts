import { stampOf, type Caller } from "./caller.ts";
import type { EngineContext } from "./context.ts";
import { commitInputs } from "./commit-inputs.ts";
import type { RunHandle } from "./run-cache.ts";

/** Keeps in the journal that a caller tried what is not theirs to do. Nothing else changes. */
export async function keepRefusal(
  context: EngineContext,
  caller: Caller,
  handle: RunHandle,
  refusal: { readonly what: string; readonly code: string; readonly message: string },
): Promise<void> {
  await commitInputs(context, handle, [{ input: { type: "refusal", ...refusal, ...(await stampOf(context, caller)) } }]);
}
