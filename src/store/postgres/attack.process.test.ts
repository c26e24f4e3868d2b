import { randomBytes } from "node:crypto";
import { mkdtempSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestStore, type OpenedTestStore } from "../../../test/support/postgres-store.ts";
import { openDatabaseProxy, commitSent } from "../../../test/support/database-proxy.ts";
import { added, change, commitOf, item, record, startRun } from "../contract/sample.contract.ts";

let opened: OpenedTestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.clean());

const long = (): string => randomBytes(6000).toString("hex");
const said = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return "ok";
  } catch (error) {
    return `${(error as any).code}: ${(error as Error).message.slice(0, 160)}`;
  }
};

test("long", async () => {
  const { store } = opened;
  const { conversations } = opened.open();
  const run = await startRun(store);
  const results: Record<string, string> = {};
  results.runId = await said(() => startRun(store, { id: long() }));
  results.workflow = await said(() => startRun(store, { workflow: long() }));
  results.recordKey = await said(async () =>
    store.commit(run, (await store.readRun(run))!.head, commitOf({ records: [record({ key: long() })] })),
  );
  results.itemId = await said(() => change(store, run, added([item(long(), { order: "a", root: "a" })])));
  results.itemOrd = await said(() => change(store, run, added([item("o", { order: long() })])));
  results.itemParent = await said(() => change(store, run, added([item("p", { parent: long() })])));
  results.itemRoot = await said(() => change(store, run, added([item("r", { root: long() })])));
  results.facetValue = await said(() => change(store, run, added([item("f", { facets: { t: long() } })])));
  results.depends = await said(() => change(store, run, added([item("d", { dependsOn: [long()] })])));
  results.list = await said(() => change(store, run, added([item("l")], long())));
  results.lease = await said(() => store.acquire(long(), "me", 1, 1000));
  results.leaseOwner = await said(() => store.acquire("k", long(), 1, 1000));
  results.pool = await said(() => store.blockPool({ name: long(), blockedUntil: 1, reason: "", seenBy: "", guesses: 1 }, undefined));
  results.platformId = await said(() => conversations.openConversation({ platform: "x", platformId: long() }));
  const { id: conversation } = await conversations.openConversation({ platform: "x", platformId: "1" });
  results.messageKey = await said(() => conversations.takeMessage({ conversation, key: long(), person: "a", text: long() }));
  results.template = await said(() => conversations.keepTemplate({ name: long(), description: "", content: long() }));
  results.folder = await said(() => conversations.keepCodebase({ name: long(), folder: long() }));
  results.session = await said(() => conversations.keepSession({ conversation, agent: long(), session: long() }));
  console.log(JSON.stringify(results, null, 1));
});

test("ended_at", async () => {
  const { store } = opened;
  for (const ended_at of [
    "2026",
    "+010000-01-01T00:00:00.000Z",
    "Thu Nov 19 2026 17:39:49 GMT+0000 (UTC)",
    "-000001-01-01T00:00:00.000Z",
    "2026-11-19T10:00:00.000Z",
    "12",
    "0",
  ]) {
    const run = await startRun(store);
    console.log(
      ended_at,
      await said(() =>
        store.commit(
          run,
          1,
          commitOf({ summary: { status: "completed", line: JSON.stringify({ workflow_id: crypto.randomUUID(), ended_at }) } }),
        ),
      ),
    );
  }
});

test("numbers", async () => {
  const { store } = opened;
  const run = await startRun(store);
  const results: Record<string, string> = {};
  for (const attempts of [2 ** 31, 2 ** 53 - 1, 2 ** 53 + 2, 1.5])
    results[`attempts ${attempts}`] = await said(async () => {
      await change(store, run, added([item(`n${attempts}`, { attempts })]));
      const got = (await store.readItem(run, "files", `n${attempts}`))!.attempts;
      if (got !== attempts) throw new Error(`got ${got}`);
    });
  for (const blockedUntil of [2 ** 60, -5, 1.5, 1e300])
    results[`blocked ${blockedUntil}`] = await said(async () => {
      await change(store, run, added([item(`b${blockedUntil}`, { blockedUntil })]));
      const got = (await store.readItem(run, "files", `b${blockedUntil}`))!.blockedUntil;
      if (got !== blockedUntil) throw new Error(`got ${got}`);
    });
  results.limitInf = await said(() => store.readRecords(run, 0, Infinity));
  results.negative = await said(() => store.readRecords(run, -1, 1));
  console.log(JSON.stringify(results, null, 1));
});

test("uncertain of first", async () => {
  const proxy = await openDatabaseProxy(opened.place.url);
  const { store } = opened.open({ url: proxy.url, connections: 1, waitMs: 300 });
  const run = await startRun(store);
  await store.commit(run, 1, commitOf());
  proxy.leadTo(9);
  console.log("first, refused:", await said(() => store.commit(run, 2, commitOf())));
  console.log("acquire, refused:", await said(() => store.acquire("kk", "m", 1, 5)));
  await proxy.close();
});
test("uncertain of each", async () => {
  const proxy = await openDatabaseProxy(opened.place.url);
  const { store } = opened.open({ url: proxy.url, connections: 1, waitMs: 1000 });
  await store.now();
  await store.acquire("k1", "m", 1, 60000);
  proxy.cut("insert into waymark_store.lease", "after");
  const asked = said(() => store.acquire("k2", "m", 1, 60000));
  while (proxy.cuts() === 0) await opened.store.now();
  proxy.leadTo(9);
  console.log("each, uncertain:", await asked, await opened.store.readLease("k2"));
  await proxy.close();
});
test("locked after lost commit", async () => {
  const proxy = await openDatabaseProxy(opened.place.url);
  const { store } = opened.open({ url: proxy.url, connections: 1, waitMs: 60000 });
  const run = await startRun(store);
  proxy.cut(commitSent, "after");
  const asked = said(() => store.commit(run, 1, commitOf({ records: [record({ key: "kk" })] })));
  while (proxy.cuts() === 0) await opened.store.now();
  await opened.database.query("do $$ begin perform 1 from waymark_store.run for update; perform pg_sleep(17); end $$");
  console.log("locked:", await asked, (await opened.store.readRun(run))!.head);
  await proxy.close();
});
test("snapshot of removed", async () => {
  const { store } = opened;
  const codes: Record<string, number> = {};
  for (let n = 0; n < 60; n += 1) {
    const run = await startRun(store);
    const all = await Promise.all([
      said(() => store.writeSnapshot(run, 1, "{}")),
      said(() => store.removeRun(run)),
      said(() => store.writeSnapshot(run, 1, "{}")),
      said(() => store.commit(run, 1, commitOf())),
      said(() => store.dropItems(run)),
    ]);
    for (const one of all) codes[one.replace(/run-\d+/g, "X")] = (codes[one.replace(/run-\d+/g, "X")] ?? 0) + 1;
  }
  console.log(codes);
});
test("blob border", async () => {
  const { store } = opened;
  const folder = mkdtempSync(join(tmpdir(), "att-"));
  for (const size of [0, 1, 1048575, 1048576, 1048577, 2097152, 20_000_000]) {
    const bytes = randomBytes(size);
    const facts = await store.putBlob(bytes);
    const path = join(folder, "f");
    const other = randomBytes(size);
    writeFileSync(path, other);
    const adopted = await store.adoptBlob(path);
    console.log(
      size,
      Buffer.from((await store.readBlob(facts.hash))!).equals(bytes),
      Buffer.from((await store.readBlob(adopted.hash))!).equals(other),
    );
  }
  rmSync(folder, { recursive: true });
});
