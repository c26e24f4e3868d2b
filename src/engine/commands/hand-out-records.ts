import { own } from "../../base/index.ts";
import type { Event, RunState } from "../../kernel/index.ts";
import type { JournalRecord } from "../../ports/index.ts";
import type { EngineContext } from "../context.ts";
import { decodeJournal } from "../journal-codec.ts";
import { recordsWith } from "../journal-records.ts";
import type { RunHandle } from "../run-cache.ts";

type AskedIn = Pick<RunHandle, "id" | "state">;

/** Whether a question was answered as it was asked last, however long ago. */
export async function isAnswered({ store }: EngineContext, { id: run, state }: AskedIn, id: string): Promise<boolean> {
  return (await store.findRecord(run, answerKey(state, id))) !== undefined;
}

function answerKey(state: RunState, id: string): string {
  return `answer:${id}:${own(state.decisions, id)?.revision ?? 1}`;
}

/** Whether an action was reported, however long ago. */
export async function isReported({ store }: EngineContext, run: string, id: string): Promise<boolean> {
  return (await store.findRecord(run, `report:${id}`)) !== undefined;
}

/** The journal's record of the report or answer that closed a hand-out. */
export async function closingRecord({ store }: EngineContext, { id: run, state }: AskedIn, id: string): Promise<JournalRecord | undefined> {
  return (await store.findRecord(run, `report:${id}`)) ?? (await store.findRecord(run, answerKey(state, id)));
}

/** How a hand-out ended without a report: the tasks that it handed out have all ended, or its time ran out. */
export async function endOf(context: EngineContext, handle: RunHandle, id: string): Promise<"joined" | "late" | undefined> {
  for await (const { cause, events } of recordsWith(context, handle, [`"${id}"`])) {
    const late = cause === "woke" && events.includes('"TIMEOUT"');
    if (!late && !events.includes('"joined"')) continue;
    const decoded = await decodeJournal<readonly Event[]>(context.store, events);
    const closed = decoded.find((event) => event.type === "action_closed" && event.action === id);
    if (closed?.type !== "action_closed") continue;
    if (closed.how === "joined") return "joined";
    if (late && closed.how === "cancelled") return "late";
  }
  return undefined;
}

/** Whether a hand-out of this id was open before and is not any more, however it ended. */
export async function hasEnded(context: EngineContext, handle: RunHandle, id: string): Promise<boolean> {
  for await (const { events } of recordsWith(context, handle, [`"${id}"`])) {
    const decoded = await decodeJournal<readonly Event[]>(context.store, events);
    if (decoded.some((event) => idClosedBy(event) === id)) return true;
  }
  return false;
}

function idClosedBy(event: Event): string | undefined {
  if (event.type === "action_closed") return event.action;
  return event.type === "decision_closed" ? event.decision : undefined;
}
