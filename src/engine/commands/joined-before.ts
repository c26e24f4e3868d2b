import type { Action, Event } from "../../kernel/index.ts";
import type { EngineContext } from "../context.ts";
import { decodeJournal } from "../journal-codec.ts";
import { recordsWith } from "../journal-records.ts";
import type { RunHandle } from "../run-cache.ts";

/** A step by the author's id, of any strand or of one. */
export interface NamedStep {
  readonly step: string;
  readonly strand?: string;
}

/** The hand-out of tasks that an author's id means: of that id one alone has ended with its tasks, and none is open. */
export async function joinedBefore(context: EngineContext, handle: RunHandle, named: NamedStep): Promise<Action | undefined> {
  const isMeant = ({ step, strand }: Action): boolean => step === named.step && (named.strand ?? strand) === strand;
  if (Object.values(handle.state.actions).some(isMeant)) return undefined;
  const opened = new Map<string, Action>();
  const joined: Action[] = [];
  for await (const { events } of recordsWith(context, handle, ['"joined"', JSON.stringify(named.step)])) {
    for (const event of await decodeJournal<readonly Event[]>(context.store, events)) {
      if (event.type === "action_opened" && isMeant(event.action)) opened.set(event.action.id, event.action);
      const closed = event.type === "action_closed" && event.how === "joined" ? opened.get(event.action) : undefined;
      if (closed !== undefined) joined.push(closed);
    }
  }
  return joined.length === 1 ? joined[0] : undefined;
}
