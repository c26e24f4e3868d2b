import { isObject } from "../../base/index.ts";
import { nameInList, type Strand } from "../../kernel/index.ts";
import { readEvents } from "../../state/index.ts";
import type { EngineContext } from "../context.ts";
import { sharesOut, strandOfItem } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import { closingRecord } from "./hand-out-records.ts";

/** What is kept with a report or an answer of a sub-agent, for the reply when it is repeated. */
export interface TaskFacts {
  readonly task: string;
  readonly strand: string;
  readonly parent: string;
  /** Its row; absent in records of earlier versions. */
  readonly list?: string;
  readonly item?: string;
  /** It was a strand beside the main one that is not a task. */
  readonly entry?: true;
  /** How the task ended by this very report, if it did. */
  readonly ended?: "completed" | "failed" | "stopped";
}

const words = { done: "completed", failed: "failed", cancelled: "stopped" } as const;

/** The facts that were kept with the report or answer that closed a hand-out; undefined when it was not in a task. */
export async function readTaskFacts(context: EngineContext, handle: RunHandle, id: string): Promise<TaskFacts | undefined> {
  const record = await closingRecord(context, handle, id);
  const kept: unknown = record?.facts === undefined ? undefined : JSON.parse(record.facts);
  if (record === undefined || !isObject(kept) || typeof kept["task"] !== "string") return undefined;
  const facts = kept as unknown as TaskFacts;
  if (!record.events.includes('"strand_ended"')) return facts;
  const ends = (await readEvents(context.store, record)).filter((event) => event.type === "strand_ended");
  const end = facts.entry === true ? undefined : ends.find(({ strand }) => strand === facts.strand);
  return end === undefined ? facts : { ...facts, ended: words[end.status] };
}

/**
 * What a sub-agent calls its task after a report or an answer: a name that stays its own, also when the task is over and another one
 * gets its plain name. undefined outside tasks, and where the task is open again and free for everybody.
 */
export async function taskAfter(context: EngineContext, run: string, id: string): Promise<string | undefined> {
  const handle = await context.runs.open(run);
  const known = await readTaskFacts(context, handle, id);
  if (known?.entry === true) return hasMore(handle.state.strands[known.strand]) ? known.task : undefined;
  if (known?.list === undefined || known.item === undefined) return known?.task;
  const { list, item } = known;
  if (strandOfItem(handle.state, { list, id: item }) !== undefined) return known.task;
  const isFree = sharesOut(handle) && (await context.store.readItem(run, list, item))?.status === "pending";
  return isFree ? undefined : nameInList(item, list);
}

/** Whether there may be more to do in a strand beside the main one. A jump is over with its answer, though it may take a moment. */
function hasMore(strand: Strand | undefined): boolean {
  return strand !== undefined && strand.entry !== "jump";
}
