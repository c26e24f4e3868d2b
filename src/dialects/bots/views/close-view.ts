import { defined, type JsonObject } from "../../../base/index.ts";
import type { BotPlace } from "./bot-place.ts";

/** What closing an action came to. */
export interface ClosedFacts {
  readonly bot: string;
  readonly completed: BotPlace;
  /** The action after it, when the behaviour has one. */
  readonly next?: string;
  readonly completedBehaviour?: string;
  readonly nextBehaviour?: BotPlace;
  /** Where the bot is, when that is not what follows the action. */
  readonly now?: BotPlace;
  /** Nothing is left to do. */
  readonly finished: boolean;
  /** It was closed before: nothing was changed. */
  readonly repeated: boolean;
  /** What could not be done; it is reported with the place as well. */
  readonly left?: readonly string[];
}

/** The reply to a "done": in the keys that callers of bots know, and as a sentence. */
export function closeView(closed: ClosedFacts): { readonly text: string; readonly data: JsonObject } {
  const { completed, next, completedBehaviour, nextBehaviour } = closed;
  const message = messageOf(closed);
  return {
    text: message,
    data: {
      status: "completed",
      completed_action: completed.action,
      next_action: next ?? null,
      ...defined({ completed_behavior: completedBehaviour }),
      ...(nextBehaviour !== undefined && { next_behavior: nextBehaviour.behaviour, next_behavior_action: nextBehaviour.action }),
      message,
      ...(closed.repeated && { recorded: "before" }),
      ...defined({ not_done: closed.left }),
    },
  };
}

function messageOf({ bot, completed, next, completedBehaviour, nextBehaviour, now, finished, repeated }: ClosedFacts): string {
  const done = `${completed.action} of ${completed.behaviour} ${repeated ? "was completed before; nothing was changed." : "is completed."}`;
  const over = completedBehaviour === undefined ? "" : ` The workflow of ${completedBehaviour} is complete.`;
  if (next !== undefined) return `${done}${over}\nWhen done, proceed to ${next}`;
  if (nextBehaviour !== undefined) return `${done}${over} Next is ${nextBehaviour.behaviour}, with ${nextBehaviour.action}.`;
  if (now !== undefined) return `${done}${over} ${bot} is at ${now.behaviour}.${now.action}.`;
  return `${done}${over}${finished ? ` All behaviours of ${bot} are complete.` : ""}`;
}
