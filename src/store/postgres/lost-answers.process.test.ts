import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitSent, openDatabaseProxy, type DatabaseProxy } from "../../../test/support/database-proxy.ts";
import { openTestStore, type Opened, type OpenedTestStore } from "../../../test/support/postgres-store.ts";
import { added, commitOf, item, pins, record, startRun } from "../contract/sample.contract.ts";
import { entryOf, readAll } from "../transcripts.contract.ts";
import { chunkBytes } from "./blob-rows.ts";

let direct: OpenedTestStore;
let proxy: DatabaseProxy;
/** Its connections can be cut; it has one, so that tests know which. */
let cut: Opened;
let folder = "";

beforeAll(async () => {
  direct = await openTestStore();
  await direct.store.putBlob(Buffer.from("The tables are there."));
  proxy = await openDatabaseProxy(direct.place.url);
  cut = direct.open({ url: proxy.url, connections: 1 });
  folder = mkdtempSync(join(tmpdir(), "waymark-lost-"));
});
afterAll(async () => {
  await direct.clean();
  await proxy.close();
  await rm(folder, { recursive: true });
});

interface Write {
  /** Prepares it and answers what is done through the connection that is cut. */
  readonly make: () => Promise<() => Promise<unknown>>;
  readonly answers: unknown;
  /** What is to be seen afterwards. */
  readonly seen: () => Promise<unknown>;
  readonly leaves: unknown;
  /** What is sent last; the end of a transaction of several statements if not given. */
  readonly sent?: string;
}

let run = "";
const large = Buffer.alloc(2 * chunkBytes + 1, 7);
const big = { hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string, bytes: large.length };
const anyId = expect.any(String) as string;
const newRun = async (): Promise<void> => void (run = await startRun(direct.store));
const journal = async (): Promise<number> => (await direct.store.readRecords(run, 0, 100)).length;
const limit = { name: "pool", blockedUntil: 5, reason: "full", seenBy: "r", guesses: 1 };
const place = (platform: string): { readonly platform: string; readonly platformId: string } => ({ platform, platformId: "here" });

const writes: Readonly<Record<string, Write>> = {
  "a new run": {
    make: async () => {
      const pinned = await pins(direct.store);
      run = "made";
      return () => cut.store.createRun({ id: run, workflow: "w", ...pinned }, commitOf());
    },
    answers: { head: 1 },
    seen: journal,
    leaves: 1,
  },
  "a commit with records": {
    make: async () => (await newRun(), () => cut.store.commit(run, 1, commitOf({ records: [record(), record({ key: "k" })] }))),
    answers: { ok: true, head: 3 },
    seen: journal,
    leaves: 3,
  },
  "a commit behind this process's own": {
    make: async () => {
      await newRun();
      await cut.store.commit(run, 1, commitOf());
      return () => cut.store.commit(run, 2, commitOf());
    },
    answers: { ok: true, head: 3 },
    seen: journal,
    leaves: 3,
    sent: "where name = 'schema') = ",
  },
  "a summary without records behind this process's own commit": {
    make: async () => {
      await newRun();
      await cut.store.commit(run, 1, commitOf());
      const line = JSON.stringify({ workflow_id: crypto.randomUUID(), done: 7 });
      return () => cut.store.commit(run, 2, { records: [], items: [], summary: { status: "running", line } });
    },
    answers: { ok: true, head: 2 },
    seen: async () => (await direct.database.query("select 1 from remote_agent_workflow_runs where current_step_index = 7")).length,
    leaves: 1,
    sent: "where name = 'schema') = ",
  },
  "a commit with items alone": {
    make: async () => {
      await newRun();
      await direct.store.applyItems(run, [added([item("a", { waitsFor: 5 })])]);
      const settled = { type: "dependency_settled", list: "files", of: "x", ids: ["a"] } as const;
      return () => cut.store.commit(run, 1, { records: [], items: [settled] });
    },
    answers: { ok: true, head: 1 },
    seen: async () => (await direct.store.readItem(run, "files", "a"))?.waitsFor,
    leaves: 4,
  },
  "items that are rebuilt": {
    make: async () => {
      await newRun();
      await direct.store.applyItems(run, [added([item("a", { waitsFor: 5 })])]);
      return () => cut.store.applyItems(run, [{ type: "dependency_settled", list: "files", of: "x", ids: ["a"] }]);
    },
    answers: undefined,
    seen: async () => (await direct.store.readItem(run, "files", "a"))?.waitsFor,
    leaves: 4,
  },
  "a removed run": {
    make: async () => (await newRun(), () => cut.store.removeRun(run, 1)),
    answers: true,
    seen: () => direct.store.readRun(run),
    leaves: undefined,
  },
  "a lease": {
    make: async () => () => cut.store.acquire("lease", "me", 4, 60_000),
    answers: expect.objectContaining({ granted: true }),
    seen: () => direct.store.readLease("lease"),
    leaves: expect.objectContaining({ owner: "me", fence: 4 }),
    sent: "insert into waymark_store.lease",
  },
  "a blocked pool": {
    make: async () => () => cut.store.blockPool(limit, undefined),
    answers: expect.objectContaining(limit),
    seen: () => direct.store.readPools(),
    leaves: [expect.objectContaining(limit)],
  },
  "a large blob": {
    make: async () => () => cut.store.putBlob(large),
    answers: big,
    seen: async () => (await direct.store.readBlob((await direct.store.putBlob(large)).hash))?.length,
    leaves: large.length,
  },
  "a file that is taken over": {
    make: async () => {
      const path = join(folder, "file");
      writeFileSync(path, Buffer.concat([large, large]));
      return () => cut.store.adoptBlob(path);
    },
    answers: { ...big, bytes: 2 * large.length },
    seen: async () => (await direct.database.query<{ n: string }>("select count(*) as n from waymark_store.blob_chunk"))[0]?.n,
    leaves: "8",
  },
  "what an agent did": {
    make: async () => {
      const entries = ["one", "two"].map((text) => entryOf("t", { type: "message", text }));
      return () => cut.transcripts.append(entries);
    },
    answers: undefined,
    seen: async () => (await readAll(cut.transcripts.read("t"))).map(({ position }) => position),
    leaves: [1, 2],
  },
  "a conversation": {
    make: async () => () => cut.conversations.openConversation(place("p")),
    answers: { id: anyId, ...place("p") },
    seen: async () => (await direct.database.query("select 1 from remote_agent_conversations where platform_type = 'p'")).length,
    leaves: 1,
  },
  "a message": {
    make: async () => {
      const { id: conversation } = await cut.conversations.openConversation(place("m"));
      return () => cut.conversations.takeMessage({ conversation, key: "k", person: "ann", text: "hello" });
    },
    answers: expect.objectContaining({ key: "k", id: anyId }),
    seen: async () => (await cut.conversations.openMessages("m")).length,
    leaves: 1,
  },
  "a session": {
    make: async () => {
      const { id: conversation } = await cut.conversations.openConversation(place("s"));
      return () => cut.conversations.keepSession({ conversation, agent: "a", session: "s" });
    },
    answers: undefined,
    seen: async () => (await direct.database.query("select 1 from remote_agent_sessions")).length,
    leaves: 1,
  },
};

test.each(Object.keys(writes))("%s whose answer is lost is written once", async (name) => {
  const { make, answers, seen, leaves, sent = commitSent } = writes[name]!;
  const work = await make();
  const before = proxy.cuts();
  proxy.cut(sent, "after");
  expect(await work()).toEqual(answers);
  expect(proxy.cuts()).toBe(before + 1);
  expect(await seen()).toEqual(leaves);
});

test("what follows an entry whose answer was lost has the next number", async () => {
  proxy.cut(commitSent, "after");
  await cut.transcripts.append([entryOf("numbered", { type: "message", text: "one" })]);
  await cut.transcripts.append([entryOf("numbered", { type: "message", text: "two" })]);
  expect((await readAll(cut.transcripts.read("numbered"))).map(({ position }) => position)).toEqual([1, 2]);
});

test("what was not sent is written by the next attempt", async () => {
  await newRun();
  proxy.cut(commitSent, "before");
  expect(await cut.store.commit(run, 1, commitOf())).toEqual({ ok: true, head: 2 });
  expect(await journal()).toBe(2);
});

test("a commit that lost its answer is known although others have committed since", async () => {
  await newRun();
  proxy.cut(commitSent, "after");
  const asked = cut.store.commit(run, 1, commitOf());
  let head = 1;
  // The answer is lost when the row is there; the next attempt waits at least a moment, or finds the journal longer.
  while (head === 1) head = (await direct.store.readRun(run))!.head;
  await direct.store.commit(run, 2, commitOf());
  expect(await asked).toEqual({ ok: true, head: 2 });
  expect(await journal()).toBe(3);
});

test("a process that committed last is refused, waits or is told like every other one", async () => {
  const [mine, other] = [direct.open().store, direct.open().store];
  await newRun();
  const held = { key: run, owner: "me" };
  await mine.acquire(run, "me", 1, 60_000);
  expect(await mine.commit(run, 1, commitOf(), { held })).toEqual({ ok: true, head: 2 });
  expect(await mine.commit(run, 2, commitOf(), { held })).toEqual({ ok: true, head: 3 });
  await other.commit(run, 3, commitOf());
  expect(await mine.commit(run, 3, commitOf(), { held })).toEqual({ ok: false, head: 4 });
  expect(await mine.commit(run, 4, commitOf(), { held })).toEqual({ ok: true, head: 5 });
  await mine.releaseLease(run, "me");
  expect(await mine.commit(run, 5, commitOf(), { held })).toEqual({ ok: false, head: 5, lost: true });
  expect(await mine.commit(run, 5, commitOf())).toEqual({ ok: true, head: 6 });
  const duplicate = commitOf({ records: [record({ key: "k" }), record({ key: "k" })] });
  await expect(mine.commit(run, 6, duplicate)).rejects.toMatchObject({ code: "STORE_DUPLICATE_KEY", details: { key: "k" } });
  expect(await mine.commit(run, 6, commitOf())).toEqual({ ok: true, head: 7 });
  // Another one has the run's lock, and decides again.
  expect(await other.commit(run, 1, commitOf(), { locked: true })).toEqual({ ok: false, head: 7 });
  const waiting = mine.commit(run, 7, commitOf());
  expect(await other.commit(run, 7, commitOf(), { locked: true })).toEqual({ ok: true, head: 8 });
  expect(await waiting).toEqual({ ok: false, head: 8 });
  await other.removeRun(run);
  await expect(mine.commit(run, 7, commitOf())).rejects.toMatchObject({ code: "STORE_NO_RUN" });
});

test("a commit that was refused is refused again, though the answer was lost", async () => {
  await newRun();
  proxy.cut(commitSent, "after");
  expect(await cut.store.commit(run, 7, commitOf())).toEqual({ ok: false, head: 1 });
  expect(await journal()).toBe(1);
});
