import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent, TranscriptEntry, Transcripts } from "../ports/index.ts";
import { fileTranscripts } from "../store/index.ts";
import { InterruptedSessions } from "./interrupted-sessions.ts";

let folder: string;
let transcripts: Transcripts;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waymark-interrupted-"));
  transcripts = fileTranscripts({ folder });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const about = { run: "r", step: "plan", strand: "main", agent: "a" };
const add = (event: AgentEvent, of: Partial<TranscriptEntry> = {}): Promise<void> =>
  transcripts.append([{ ...about, action: "a1", at: 0, event, ...of }]);
const session = (sessionId: string, resumed: "new" | "lost" = "new"): AgentEvent => ({ type: "session", sessionId, resumed });
const result = (of: Partial<Extract<AgentEvent, { type: "result" }>>): AgentEvent => ({
  type: "result",
  sessionId: "s",
  stop: "end",
  text: "",
  usage: {},
  denied: [],
  ...of,
});
let isReported: boolean;
beforeEach(() => void (isReported = true));
const find = (of: Partial<typeof about> = {}): Promise<string | undefined> =>
  new InterruptedSessions(transcripts, () => Promise.resolve(isReported)).find({ ...about, ...of });

test("nothing was interrupted in a run without a transcript", async () => {
  expect(await find()).toBeUndefined();
});

test("a conversation without a result was interrupted, of this step, strand and agent alone", async () => {
  await add(session("s1"));
  expect(await find()).toBe("s1");
  expect([await find({ step: "other" }), await find({ strand: "t1" }), await find({ agent: "b" }), await find({ run: "r2" })]).toEqual(
    Array(4).fill(undefined),
  );
});

test.each(["crash", "transport", "limit", "overloaded"] as const)("a turn that ended with %s was interrupted", async (errorKind) => {
  await add(session("s1"));
  await add(result({ stop: "error", errorKind }));
  expect(await find()).toBe("s1");
});

test("a cancelled turn was interrupted; one that ended or failed by itself was not", async () => {
  await add(session("s1"));
  await add(result({ stop: "cancelled" }));
  expect(await find()).toBe("s1");
  await add(result({ stop: "end" }));
  expect(await find()).toBeUndefined();
  await add(session("s2"));
  await add(result({ stop: "error", errorKind: "auth" }));
  expect(await find()).toBeUndefined();
});

test("a turn that ended was interrupted where nobody reported it", async () => {
  await add(session("s1"));
  await add(result({ stop: "end" }));
  isReported = false;
  expect(await find()).toBe("s1");
});

test("a conversation that was lost does not count", async () => {
  await add(session("s1", "lost"));
  expect(await find()).toBeUndefined();
});

test("each entry is read once, also where others add to the transcript meanwhile", async () => {
  let read = 0;
  const sessions = new InterruptedSessions(
    {
      read: async function* (run, wish) {
        for await (const entry of transcripts.read(run, wish)) {
          read += 1;
          yield entry;
        }
      },
    },
    () => Promise.resolve(true),
  );
  for (let step = 1; step <= 20; step += 1) {
    expect(await sessions.find({ ...about, step: `${step}` })).toBeUndefined();
    await add(session(`s${step}`), { step: `${step}` });
    if (step < 20) await add(result({}), { step: `${step}` });
  }
  expect(await sessions.find({ ...about, step: "20" })).toBe("s20");
  expect(read).toBe(39);
});
