import { own, type JsonObject } from "../../../../base/index.ts";
import type { DocumentPath } from "../../../../source/index.ts";
import type { ActionState } from "./bot-views.ts";
import { readDottedName } from "./dotted-name.ts";
import { isActionState, textUnder, type ViewReader } from "./view-reader.ts";

/** Whom an event is about. */
export interface EventNames {
  readonly bot?: string;
  readonly behaviour?: string;
  readonly action: string;
  /** As far as the entry says it. */
  readonly state?: ActionState;
}

/**
 * Names of an entry, which are either under keys of their own or one dotted name where the state is expected; then the state
 * is in `status`.
 */
export function readEventNames(view: ViewReader, held: JsonObject, path: DocumentPath): EventNames | undefined {
  const word = own(held, "action_state");
  const named = typeof word === "string" && !isActionState(word) ? readDottedName(word) : undefined;
  const written = textUnder(view, held, ["action"], path);
  const action = (written === undefined ? undefined : readDottedName(written)) ?? named;
  if (action === undefined) return undefined;
  const text = textUnder(view, held, ["behavior"], path);
  const behaviour = text === undefined ? undefined : readDottedName(text);
  const bot = textUnder(view, held, ["bot"], path) ?? action.bot ?? behaviour?.behaviour;
  const status = isActionState(word) ? word : own(held, "status");
  const name = behaviour?.last ?? action.behaviour;
  return {
    action: action.last,
    ...(name === undefined ? {} : { behaviour: name }),
    ...(bot === undefined ? {} : { bot }),
    ...(isActionState(status) ? { state: status } : {}),
  };
}
