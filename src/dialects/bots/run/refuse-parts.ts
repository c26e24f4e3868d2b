import { mainStrand } from "../../../kernel/index.ts";
import { handsOutWork, heldStrand, pulled } from "../../../engine/index.ts";
import type { BotPlace } from "./bot-run.ts";
import type { Closing } from "./closed-action.ts";
import { opensNothing } from "./close-refusals.ts";

/**
 * A called workflow that hands out its work to everyone who asks has no action of the bot to close, and a close does not ask for work: who holds
 * none of it is refused, and nothing is handed out or held.
 */
export async function refuseParts({ context, caller, handle }: Closing, place: BotPlace): Promise<void> {
  if (!handsOutWork(handle) || heldStrand(handle, caller) !== undefined) return;
  const main = handle.state.strands[mainStrand];
  for (const strand of [...pulled(handle), ...(main === undefined ? [] : [main])]) await context.holding.refuseHeld(handle, strand, caller);
  throw opensNothing(place);
}
