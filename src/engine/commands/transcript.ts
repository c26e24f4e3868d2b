import type { JsonObject } from "../../base/index.ts";
import type { TranscriptEntry, Transcripts } from "../../ports/index.ts";
import { maskSecrets } from "../../views/index.ts";
import type { EngineContext } from "../context.ts";

export type ShownEntry = TranscriptEntry & { readonly position: number };

/** What agents did in a run, as people may read it: without the values of secret inputs. Rejects with ENGINE_NO_RUN. */
export async function* transcript(
  context: EngineContext,
  run: string,
  wish?: Parameters<Transcripts["read"]>[1],
): AsyncGenerator<ShownEntry, void, undefined> {
  const handle = await context.runs.open(run);
  for await (const { event, ...entry } of context.transcripts.read(run, wish)) {
    const masked = maskSecrets(event as unknown as JsonObject, handle.program, handle.state);
    // The kind of an event and its counts are Waymark's own: that a secret is the same word or number says nothing about it.
    const own = { type: event.type, ...("usage" in event ? { usage: event.usage } : {}) };
    yield { ...entry, event: { ...masked, ...own } as ShownEntry["event"] };
  }
}
