import type { Action, Decision, Event } from "../../kernel/index.ts";
import type { EngineContext } from "../context.ts";
import { decodeJournal } from "../journal-codec.ts";
import { recordsWith } from "../journal-records.ts";
import type { RunHandle } from "../run-cache.ts";

/** Everything that was handed out under a name, oldest first, and which of it ended with its tasks. */
export interface HandedOutBefore {
  readonly opened: readonly (Action | Decision)[];
  readonly joined: ReadonlySet<string>;
}

/** What the run's journal tells of hand-outs whose step ends in `name`. */
export async function handedOutBefore(
  context: EngineContext,
  handle: RunHandle,
  name: string,
  isMeant: (each: Action | Decision) => boolean,
): Promise<HandedOutBefore> {
  const opened = new Map<string, Action | Decision>();
  const joined = new Set<string>();
  for await (const { events } of recordsWith(context, handle, ['"joined"', JSON.stringify(name).slice(1)])) {
    for (const event of await decodeJournal<readonly Event[]>(context.store, events)) {
      const each = openedBy(event);
      if (each !== undefined && isMeant(each)) opened.set(each.id, each);
      if (event.type === "action_closed" && event.how === "joined") joined.add(event.action);
    }
  }
  return { opened: [...opened.values()], joined };
}

function openedBy(event: Event): Action | Decision | undefined {
  if (event.type === "action_opened") return event.action;
  return event.type === "decision_opened" ? event.decision : undefined;
}
