import type { Event } from "../../kernel/index.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import { journal } from "./look.ts";

export type RunWarning = Extract<Event, { readonly type: "warned" }>;

interface Read {
  after: number;
  readonly found: Map<string, RunWarning>;
}

/** What each engine has read of a run's journal so far: a server is asked again and again. */
const journalsRead = new WeakMap<EngineContext, Map<string, Read>>();
const journalsKept = 50;

/** What the run was warned about, each once: loops that were cut off first, then the newest. */
export async function runWarnings(context: EngineContext, { id, head }: RunHandle): Promise<readonly RunWarning[]> {
  const seen = readOf(context, id);
  while (seen.after < head) {
    const records = await context.store.readRecords(id, seen.after, 500);
    for (const { position, events } of records) {
      seen.after = Math.max(seen.after, position);
      // The text tells whether it is worth reading; a record that is in a blob as a whole does not.
      if (!events.includes('"warned"') && !events.startsWith('{"$blob"')) continue;
      const [entry] = await journal(context, id, position - 1, 1);
      for (const event of entry?.events ?? []) if (event.type === "warned") seen.found.set(`${event.code} ${event.message}`, event);
    }
    if (records.length === 0) break;
  }
  const newest = [...seen.found.values()].toReversed();
  return [...newest.filter(({ code }) => code === "LOOP_LIMIT"), ...newest.filter(({ code }) => code !== "LOOP_LIMIT")];
}

function readOf(context: EngineContext, run: string): Read {
  const known = journalsRead.get(context) ?? new Map<string, Read>();
  journalsRead.set(context, known);
  const seen = known.get(run) ?? { after: 0, found: new Map<string, RunWarning>() };
  if (!known.has(run) && known.size >= journalsKept) known.clear();
  known.set(run, seen);
  return seen;
}
