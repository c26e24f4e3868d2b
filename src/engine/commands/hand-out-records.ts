import { own } from "../../base/index.ts";
import { sameHolder, type Action, type Decision, type RunState } from "../../kernel/index.ts";
import type { JournalRecord } from "../../ports/index.ts";
import type { Caller } from "../caller.ts";
import type { EngineContext } from "../context.ts";
import { findEvent, recordsWith } from "../journal-records.ts";
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

/** Whether who held an action ended it: by a report, or by a question to a person. */
export async function isClosedByHolder(context: EngineContext, run: string, id: string): Promise<boolean> {
  return (await isReported(context, run, id)) || (await context.store.findRecord(run, askKey(id))) !== undefined;
}

/** Under which the question of the holder of an action is recorded. */
export function askKey(action: string): string {
  return `ask:${action}`;
}

/** The journal's record of the report or answer that closed a hand-out. */
export async function closingRecord({ store }: EngineContext, { id: run, state }: AskedIn, id: string): Promise<JournalRecord | undefined> {
  return (await store.findRecord(run, `report:${id}`)) ?? (await store.findRecord(run, answerKey(state, id)));
}

/** Who made a report or gave an answer, where that is another than the caller. */
export function otherReporter(caller: Caller, record: Pick<JournalRecord, "actor"> | undefined): { readonly by?: string } {
  if (record === undefined || sameHolder(caller.holder, record.actor)) return {};
  return { by: `${record.actor.kind} \`${record.actor.name}\`` };
}

/** What the caller worked on is another one's: taken over, or reported by it. undefined where it is not, or nobody has done it. */
export async function readLoss(
  context: EngineContext,
  caller: Caller,
  handle: AskedIn,
  { id, strand }: Pick<Action, "id" | "strand">,
): Promise<{ readonly by?: string } | undefined> {
  const { holder } = handle.state.strands[strand] ?? {};
  if (own(handle.state.actions, id) !== undefined) return holder === undefined || sameHolder(holder, caller.holder) ? undefined : {};
  const record = await closingRecord(context, handle, id);
  if (record !== undefined) return sameHolder(caller.holder, record.actor) ? undefined : otherReporter(caller, record);
  const how = await findEvent(context, handle.id, id, (event) =>
    event.type === "action_closed" && event.action === id ? event.how : undefined,
  );
  return how === "taken_over" ? {} : undefined;
}

/** How a hand-out ended without a report: the tasks that it handed out have all ended, or its time ran out. */
export async function endOf(
  context: EngineContext,
  { id: run }: Pick<RunHandle, "id">,
  id: string,
): Promise<"joined" | "late" | undefined> {
  return findEvent(context, run, id, (event, { cause, decoded }) => {
    if (event.type !== "action_closed" || event.action !== id) return undefined;
    if (event.how === "joined") return "joined";
    return event.how === "cancelled" && cause === "woke" && JSON.stringify(decoded).includes('"TIMEOUT"') ? "late" : undefined;
  });
}

/** Whether a hand-out of this id was open before and is not any more, however it ended. */
export async function hasEnded(context: EngineContext, run: string, id: string): Promise<boolean> {
  const ended = await findEvent(context, run, id, (event) => {
    const closed = event.type === "action_closed" ? event.action : event.type === "decision_closed" ? event.decision : undefined;
    return closed === id ? true : undefined;
  });
  return ended === true;
}

/** The strand where a hand-out was opened, however long ago. */
export async function strandOf(context: EngineContext, run: string, id: string): Promise<string | undefined> {
  return findEvent(context, run, id, (event) => {
    const opened = event.type === "action_opened" ? event.action : event.type === "decision_opened" ? event.decision : undefined;
    return opened?.id === id ? opened.strand : undefined;
  });
}

/** What was handed out under a step's name, oldest first, and which of it ended with its tasks. */
export async function handedOutBefore(
  context: EngineContext,
  run: string,
  name: string,
  isMeant: (each: Action | Decision) => boolean,
): Promise<{ readonly opened: readonly (Action | Decision)[]; readonly joined: ReadonlySet<string> }> {
  const opened = new Map<string, Action | Decision>();
  const joined = new Set<string>();
  for await (const { decoded } of recordsWith(context, run, ['"joined"', JSON.stringify(name).slice(1)])) {
    for (const event of decoded) {
      const each = event.type === "action_opened" ? event.action : event.type === "decision_opened" ? event.decision : undefined;
      if (each !== undefined && isMeant(each)) opened.set(each.id, each);
      if (event.type === "action_closed" && event.how === "joined") joined.add(event.action);
    }
  }
  return { opened: [...opened.values()], joined };
}
