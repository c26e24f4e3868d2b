import { randomUUID } from "node:crypto";
import type { TranscriptEntry, Transcripts } from "../../ports/index.ts";
import { boundedEvent } from "../bounded-event.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import { deleteEntries, insertEntries, selectEntries } from "./transcript-rows.ts";

const readTogether = 200;

/** Transcripts in the database of the store. A position is the number of the entry in its run. */
export function createPostgresTranscripts(database: PostgresDatabase): Transcripts {
  /** Calls of this process happen one after another, in the order in which they were made; one that fails is in nobody's way. */
  let before: Promise<unknown> = Promise.resolve();
  const inTurn = (write: () => Promise<void>): Promise<void> => {
    const done = before.then(write);
    before = done.catch(() => undefined);
    return done;
  };
  return {
    append: async (entries) => {
      const kept = entries.filter(({ event }) => event.type !== "text");
      if (kept.length === 0) return;
      const batch = randomUUID();
      // Always in the same order, so that two who append to the same runs wait for each other only once.
      const runs = [...new Set(kept.map(({ run }) => run))].sort();
      await inTurn(() =>
        database.write(async (db) => {
          for (const run of runs) await insertEntries(db, run, batch, kept.filter((entry) => entry.run === run).map(textOf));
        }),
      );
    },
    read: async function* (run, { action, step, after = 0, limit = Infinity } = {}) {
      let left = limit;
      let last = after;
      while (left > 0) {
        const wish = { action, step, after: last, limit: Math.min(left, readTogether) };
        const rows = await database.read(
          () => [],
          (db) => selectEntries(db, run, wish),
        );
        for (const { position, entry } of rows) yield { ...(JSON.parse(entry) as TranscriptEntry), position };
        if (rows.length < wish.limit) return;
        left -= rows.length;
        last = rows.at(-1)!.position;
      }
    },
    remove: (run) => inTurn(() => database.each((db) => deleteEntries(db, run))),
  };
}

function textOf(entry: TranscriptEntry): { readonly action: string; readonly step: string; readonly entry: string } {
  return { action: entry.action, step: entry.step, entry: JSON.stringify({ ...entry, event: boundedEvent(entry.event) }) };
}
