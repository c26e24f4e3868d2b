import type { Event } from "../../kernel/index.ts";
import type { EngineContext } from "../context.ts";
import { decodeJournal } from "../journal-codec.ts";
import type { RunHandle } from "../run-cache.ts";

const recordsPerRead = 500;

/** How a hand-out ended without a report: the tasks that it handed out have all ended, or its time ran out. */
export async function endOf(context: EngineContext, handle: RunHandle, id: string): Promise<"joined" | "late" | undefined> {
  for await (const { cause, text } of recordsNaming(context, handle, id)) {
    const late = cause === "woke" && text.includes('"TIMEOUT"');
    if (!late && !text.includes('"joined"')) continue;
    const events = await decodeJournal<readonly Event[]>(context.store, text);
    const closed = events.find((event) => event.type === "action_closed" && event.action === id);
    if (closed?.type !== "action_closed") continue;
    if (closed.how === "joined") return "joined";
    if (late && closed.how === "cancelled") return "late";
  }
  return undefined;
}

/** Whether a hand-out of this id was open before and is not any more, however it ended. */
export async function hasEnded(context: EngineContext, handle: RunHandle, id: string): Promise<boolean> {
  for await (const { text } of recordsNaming(context, handle, id)) {
    const events = await decodeJournal<readonly Event[]>(context.store, text);
    if (events.some((event) => idClosedBy(event) === id)) return true;
  }
  return false;
}

function idClosedBy(event: Event): string | undefined {
  if (event.type === "action_closed") return event.action;
  return event.type === "decision_closed" ? event.decision : undefined;
}

/** The journal's records that have this id in them, oldest first. */
async function* recordsNaming(
  { store }: EngineContext,
  { id: run, head }: RunHandle,
  id: string,
): AsyncGenerator<{ readonly cause: string; readonly text: string }> {
  for (let after = 0; after < head;) {
    const records = await store.readRecords(run, after, recordsPerRead);
    for (const { cause, events } of records) if (events.includes(`"${id}"`)) yield { cause, text: events };
    const last = records.at(-1)?.position;
    if (last === undefined) return;
    after = last;
  }
}
