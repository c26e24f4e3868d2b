import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleChild } from "../../../test/crash/bundle-child.ts";
import type { ChildLine } from "../../../test/crash/store-child.ts";
import { openTestStore, type OpenedTestStore } from "../../../test/support/postgres-store.ts";
import { startChild } from "../../../test/support/start-child.ts";
import { commitOf, startRun } from "../contract/sample.contract.ts";

const hour = 3_600_000;
let program = "";
let opened: OpenedTestStore;

beforeAll(async () => {
  program = await bundleChild("store-child.ts");
  opened = await openTestStore();
});
afterAll(() => opened.clean());

async function take(owner: string, clockOffMs: number): Promise<ChildLine> {
  const { ended } = startChild(program, { do: "lease", place: opened.place, owner, ttlMs: hour / 2, clockOffMs });
  return (await ended)[0]!;
}

async function databaseTime(): Promise<number> {
  const [row] = await opened.database.query<{ now: number }>("select extract(epoch from now())::float8 * 1000 as now");
  return row!.now;
}

test("a computer whose clock is an hour early or late changes nothing: leases have the database's time", async () => {
  const { store, database } = opened;
  const run = await startRun(store);
  const begun = await databaseTime();
  const early = await take("early", -hour);
  expect(early).toMatchObject({ granted: true });
  const late = await take("late", hour);
  expect(late).toMatchObject({ granted: false, expiresAt: early.expiresAt });
  const over = await databaseTime();
  for (const { now = 0 } of [early, late]) {
    expect(now).toBeGreaterThanOrEqual(Math.floor(begun));
    expect(now).toBeLessThan(over + hour / 4);
  }
  expect(early.expiresAt).toBeGreaterThanOrEqual(Math.floor(begun) + hour / 2);
  expect(early.expiresAt).toBeLessThanOrEqual(over + hour / 2);
  // Once it has expired there, the other one takes it over, and the one before may write nothing more.
  await database.query("update waymark_store.lease set expires_at = 0");
  expect(await take("late", hour)).toMatchObject({ granted: true });
  const held = { key: "lease", owner: "early" };
  expect(await store.commit(run, 1, commitOf(), { held })).toEqual({ ok: false, head: 1, lost: true });
  expect(await store.commit(run, 1, commitOf(), { held: { ...held, owner: "late" } })).toEqual({ ok: true, head: 2 });
});
