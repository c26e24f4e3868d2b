import type { Event } from "../../kernel/index.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import { recordsWith } from "../journal-records.ts";
import { keptIn } from "../kept-in.ts";
import { entryOf } from "./journal.ts";

export type RunWarning = Extract<Event, { readonly type: "warned" }>;

interface Read {
  after: number;
  readonly found: Map<string, RunWarning>;
}

/** What each engine has read of a run's journal so far: a server is asked again and again. */
const journalsRead = new WeakMap<EngineContext, Map<string, Read>>();
const journalsKept = 50;

/** What the run was warned about, each once: loops that were cut off first, then the newest. */
export async function runWarnings(context: EngineContext, handle: RunHandle): Promise<readonly RunWarning[]> {
  const { id, head } = handle;
  const seen = readOf(context, id);
  for await (const record of seen.after < head ? recordsWith(context, id, ['"warned"'], seen.after) : [])
    for (const event of entryOf(handle, record).events)
      if (event.type === "warned") seen.found.set(`${event.code} ${event.message}`, event);
  seen.after = Math.max(seen.after, head);
  const newest = [...seen.found.values()].toReversed();
  return [...newest.filter(({ code }) => code === "LOOP_LIMIT"), ...newest.filter(({ code }) => code !== "LOOP_LIMIT")];
}

function readOf(context: EngineContext, run: string): Read {
  const known = journalsRead.get(context) ?? new Map<string, Read>();
  journalsRead.set(context, known);
  return keptIn(known, { key: run, most: journalsKept, make: () => ({ after: 0, found: new Map<string, RunWarning>() }) });
}
