import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestStore } from "../../../test/support/postgres-store.ts";
import type { TranscriptEntry } from "../../ports/index.ts";
import { startRun } from "../contract/sample.contract.ts";

let bench: Awaited<ReturnType<typeof openTestStore>>;
beforeAll(async () => {
  bench = await openTestStore();
});
afterAll(() => bench.clean());

const rows = async (): Promise<readonly string[]> =>
  (await bench.database.query<{ run: string }>("select distinct run from waymark_store.transcript_entry order by run")).map(
    ({ run }) => run,
  );

function said(run: string): TranscriptEntry {
  return { run, action: "a", step: "s", strand: "main", agent: "x", at: 1, event: { type: "message", text: "Hello." } };
}

test("what agents did in a run goes with it, and what is added afterwards with what is over", async () => {
  const { store } = bench;
  const { transcripts } = bench.open();
  const [gone, kept] = [await startRun(store), await startRun(store)];
  await transcripts.append([said(gone), said(kept)]);
  await store.removeRun(gone);
  expect(await rows()).toEqual([kept]);
  await transcripts.append([said(gone)]);
  await store.collectBlobs();
  expect(await rows()).toEqual([kept]);
});
