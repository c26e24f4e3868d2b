import type { Action, Event } from "../../kernel/index.ts";
import type { EngineContext } from "../context.ts";
import { decodeJournal } from "../journal-codec.ts";
import type { RunHandle } from "../run-cache.ts";

const recordsPerRead = 500;

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
  for await (const event of eventsWith(context, handle, ['"joined"', JSON.stringify(named.step)])) {
    if (event.type === "action_opened" && isMeant(event.action)) opened.set(event.action.id, event.action);
    const closed = event.type === "action_closed" && event.how === "joined" ? opened.get(event.action) : undefined;
    if (closed !== undefined) joined.push(closed);
  }
  return joined.length === 1 ? joined[0] : undefined;
}

/** Events of the records that hold one of the texts. */
async function* eventsWith({ store }: EngineContext, { id: run, head }: RunHandle, texts: readonly string[]): AsyncGenerator<Event> {
  for (let after = 0; after < head;) {
    const records = await store.readRecords(run, after, recordsPerRead);
    for (const { events } of records)
      if (texts.some((text) => events.includes(text))) yield* await decodeJournal<readonly Event[]>(store, events);
    const last = records.at(-1)?.position;
    if (last === undefined) return;
    after = last;
  }
}
