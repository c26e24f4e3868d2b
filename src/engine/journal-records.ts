import type { Event, Holder } from "../kernel/index.ts";
import type { JournalRecord } from "../ports/index.ts";
import { readEvents } from "../state/index.ts";
import type { EngineContext } from "./context.ts";

const recordsPerRead = 500;

/** A record of the journal with its events, decoded. */
export interface ReadRecord extends JournalRecord {
  readonly decoded: readonly Event[];
}

/**
 * The records after a position whose events hold one of the texts, oldest first; all of them without texts. One that is kept in a blob as
 * a whole does not show its text, so it is always among them.
 */
export async function* recordsWith(
  { store }: Pick<EngineContext, "store">,
  run: string,
  texts: readonly string[] = [""],
  from = 0,
): AsyncGenerator<ReadRecord> {
  for (let after = from; ;) {
    const records = await store.readRecords(run, after, recordsPerRead);
    for (const record of records)
      if (record.events.startsWith('{"$blob"') || texts.some((text) => record.events.includes(text)))
        yield { ...record, decoded: await readEvents(store, record) };
    if (records.length < recordsPerRead) return;
    after = records.at(-1)?.position ?? after;
  }
}

/** What an event says that names an id, wherever in the journal it is. */
export async function findEvent<T>(
  context: Pick<EngineContext, "store">,
  run: string,
  id: string,
  read: (event: Event, record: ReadRecord) => T | undefined,
): Promise<T | undefined> {
  for await (const record of recordsWith(context, run, [`"${id}"`]))
    for (const event of record.decoded) {
      const found = read(event, record);
      if (found !== undefined) return found;
    }
  return undefined;
}

/**
 * Who worked on the run last, of all or of one kind, also when nobody holds it now. A person who took it from a worker and reported nothing
 * has only looked.
 */
export async function lastHolder(context: Pick<EngineContext, "store">, run: string, kind?: Holder["kind"]): Promise<Holder | undefined> {
  let last: Holder | undefined;
  let looks: Holder | undefined;
  for await (const { decoded, actor } of recordsWith(context, run, ['"claimed"', '"action_closed"']))
    for (const event of decoded) {
      if (event.type === "claimed" && (kind ?? event.holder.kind) !== event.holder.kind) continue;
      if (event.type === "claimed" && event.holder.kind === "person" && last?.kind === "worker") looks = event.holder;
      else if (event.type === "claimed") last = event.holder;
      else if (event.type === "action_closed" && actor.kind === "person") last = looks ?? last;
    }
  return last;
}
