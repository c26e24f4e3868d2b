import { expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import type { EngineContext } from "../engine/index.ts";
import type { TranscriptEntry } from "../ports/index.ts";
import { TranscriptKeeper } from "./keep-transcript.ts";

const about = { run: "r", action: "a1", step: "one", strand: "main", agent: "a" };

function keeper(append: (entries: readonly TranscriptEntry[]) => Promise<void>): { keeper: TranscriptKeeper; logged: string[] } {
  const logged: string[] = [];
  const context = {
    store: { now: () => Promise.resolve(7) },
    host: { log: (_level: string, text: string) => logged.push(text), alarms: new DrivenTime().alarms },
    transcripts: { append },
  } as unknown as EngineContext;
  return { keeper: new TranscriptKeeper(context, about), logged };
}

test("entries are written together, at once where a crash must find them", async () => {
  const batches: string[][] = [];
  const { keeper: kept } = keeper((entries) => Promise.resolve(void batches.push(entries.map(({ event }) => event.type))));
  await kept.add({ type: "prompt", text: "Do it." });
  expect(batches).toEqual([]);
  await kept.add({ type: "session", sessionId: "s", resumed: "new" });
  expect(batches).toEqual([["prompt", "session"]]);
  for (let said = 0; said < 64; said += 1) await kept.add({ type: "message", text: "x" });
  expect(batches[1]).toHaveLength(64);
  await kept.add({ type: "message", text: "last" });
  await kept.flush();
  await kept.flush();
  expect(batches.slice(2)).toEqual([["message"]]);
});

test("pieces of a message are shown and not kept", async () => {
  const batches: unknown[] = [];
  const { keeper: kept } = keeper((entries) => Promise.resolve(void batches.push(entries)));
  expect(await kept.add({ type: "text", text: "Hel" })).toEqual({ ...about, at: 7, event: { type: "text", text: "Hel" } });
  await kept.flush();
  expect(batches).toEqual([]);
});

test("a transcript that cannot be written is said, and stops nothing", async () => {
  const { keeper: kept, logged } = keeper(() => Promise.reject(new Error("The disk is full.")));
  await kept.add({ type: "session", sessionId: "s", resumed: "new" });
  expect(logged).toEqual(["A transcript could not be written."]);
});
