import type { JournalRecord } from "../ports/index.ts";
import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";

const recordsPerRead = 500;

/** The journal's records whose events hold one of the texts, oldest first. */
export async function* recordsWith(
  { store }: EngineContext,
  { id: run, head }: Pick<RunHandle, "id" | "head">,
  texts: readonly string[],
): AsyncGenerator<JournalRecord> {
  for (let after = 0; after < head;) {
    const records = await store.readRecords(run, after, recordsPerRead);
    for (const record of records) if (texts.some((text) => record.events.includes(text))) yield record;
    const last = records.at(-1)?.position;
    if (last === undefined) return;
    after = last;
  }
}
