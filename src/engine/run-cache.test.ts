import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AlwaysBench } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";
import { encodeSnapshot } from "../state/journal-codec.ts";
import { RunCache } from "./run-cache.ts";
import { doctor } from "./commands/doctor.ts";
import { readState, updateState } from "./commands/state.ts";
import { start } from "./commands/start.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
/** Texts of the snapshots that were to be written; the first one is refused, as by a full disk. */
const snapshots: string[] = [];
beforeAll(async () => {
  engine = await bench.open({
    storeMethods: ["writeSnapshot"],
    store: (_name, args, call) => {
      snapshots.push(String(args[2]));
      return snapshots.length === 1 ? Promise.reject(new Error("no space left on device")) : call();
    },
  });
});
afterAll(() => bench.close());

const blobsIn = (text: string): string[] => [...text.matchAll(/\{"\$blob":"([0-9a-f]{64})"/g)].map(([, hash = ""]) => hash);

/** Removes every blob that nothing refers to, as happens when nobody puts it again for an hour. */
async function collectAll(): Promise<void> {
  const blobs = join(engine.folder, ".waymark/store/blobs");
  const long = new Date(Date.now() - 7_200_000);
  for (const entry of readdirSync(blobs, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), long, long);
  await engine.context.store.collectBlobs();
}

test("after a snapshot that could not be written, the next one counts on none of its blobs and is whole", async () => {
  const { context } = engine;
  await engine.define(
    "cache:long",
    "name: cache:long\ndefault_state: { raw: { log: [] } }\nsteps: [{ id: a, type: user_message, message: x }]\n",
  );
  const caller = engine.caller();
  const { run } = await start(context, caller, { workflow: "cache:long" });
  const until = async (count: number, step: (turn: number) => Parameters<typeof updateState>[2]["updates"]): Promise<void> => {
    for (let turn = 0; snapshots.length < count; turn += 1) {
      expect(turn).toBeLessThan(60);
      await updateState(context, caller, { run, updates: step(turn) });
      await context.runs.settle();
    }
  };

  await until(1, (turn) => [{ path: "raw.log", operation: "append", value: `${turn} ${"x".repeat(10_000)}` }]);
  expect(await context.store.readSnapshot(run)).toBeUndefined();
  const [list = "", ...others] = blobsIn(snapshots[0]!);
  expect(others).toEqual([]);
  await collectAll();
  expect(await context.store.readBlob(list)).toBeUndefined();

  // The list stays as it is, so that its blob would be taken as kept.
  await until(2, (turn) => [{ path: "raw.other", value: `${turn} ${"y".repeat(10_000)}` }]);
  expect((await context.store.readSnapshot(run))?.text).toBe(snapshots[1]);
  expect(blobsIn(snapshots[1]!)).toEqual([list]);
  expect(await context.store.readBlob(list)).toBeDefined();

  const fresh = await bench.open();
  expect(await readState(fresh.context, run)).toEqual(await readState(context, run));
  expect((await doctor(fresh.context, run)).problems).toEqual([]);
});

test("a run whose snapshot has everything knows when its newest record was made", async () => {
  const { store, runs } = engine.context;
  await engine.define("cache:short", "name: cache:short\nsteps: [{ id: a, type: user_message, message: x }]\n");
  const { run } = await start(engine.context, engine.caller(), { workflow: "cache:short" });
  const { state, head } = await runs.open(run);
  await store.writeSnapshot(run, head, (await encodeSnapshot(store, state, new WeakMap())).text);
  const newest = (await store.readRecords(run, 0, 1_000)).at(-1);
  expect(await new RunCache(store, { prepare: () => Promise.resolve(), check: () => Promise.resolve() }).open(run)).toMatchObject({
    state,
    head,
    tail: 0,
    lastAt: newest?.at,
  });
});
