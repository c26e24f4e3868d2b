import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundleChild } from "../../../test/crash/bundle-child.ts";
import type { ChildLine, ChildTask, StorePlace } from "../../../test/crash/store-child.ts";
import { startChild, type StartedChild } from "../../../test/support/start-child.ts";
import type { Store } from "../../ports/index.ts";
import { startRun } from "./sample.contract.ts";

export interface ProcessPlace {
  /** Nothing is there yet. */
  readonly place: StorePlace;
  readonly open: () => Promise<Store>;
  /** The schemas that processes noted with `upgrade`. */
  readonly upgraded: () => Promise<readonly number[]>;
  /** A number of further places with nothing there. */
  readonly more: (count: number) => Promise<readonly StorePlace[]>;
  readonly clean: () => Promise<void>;
}

export interface ProcessSuite {
  readonly open: () => Promise<ProcessPlace>;
  /** The newest schema. */
  readonly schema: number;
  /** How often all writers are killed, and how many new stores are made by several at once. */
  readonly rounds: number;
  readonly creations: number;
}

/** Every promise is kept: the record is where it was said to be, and its blob can be read. */
export async function expectKept(store: Store, run: string, lines: readonly ChildLine[]): Promise<void> {
  const records = new Map((await store.readRecords(run, 0, 1_000_000)).map(({ key, position }) => [key, position]));
  for (const { key, head } of lines) expect(records.get(key)).toBe(head);
  for (const blob of lines.flatMap((line) => line.blob ?? [])) expect(await store.readBlob(blob)).toBeDefined();
  expect(await store.verify()).toEqual([]);
}

/** What every store must do when several processes use it and some are killed. Every test has a place of its own. */
export function processContract(name: string, { open, schema, rounds, creations }: ProcessSuite): void {
  describe(`${name} keeps the contract of processes`, () => {
    let program = "";
    let current: ProcessPlace;
    const children: ChildProcess[] = [];
    beforeAll(async () => {
      program = await bundleChild("store-child.ts");
    });
    beforeEach(async () => {
      current = await open();
    });
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill("SIGKILL");
      await current.clean();
    });
    const start = (task: ChildTask): StartedChild => {
      const started = startChild(program, task);
      children.push(started.child);
      return started;
    };
    const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
      const store = await current.open();
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    };

    test("four processes append to one run at once while others come and go: no gap, no duplicate, no error", async () => {
      const run = await withStore(startRun);
      const writers = [0, 1, 2, 3].map((n) => start({ do: "append", place: current.place, run, name: `w${n}`, count: 60 }));
      const visitors = [0, 1].map((n) => start({ do: "visit", place: current.place, run, name: `v${n}`, count: 15 }));
      const said = (await Promise.all([...writers, ...visitors].map(({ ended }) => ended))).flat();
      expect(said.filter(({ code }) => code !== undefined)).toEqual([]);
      expect(said).toHaveLength(4 * 60 + 2 * 15);
      await withStore(async (store) => {
        expect(await store.readRun(run)).toMatchObject({ head: 1 + said.length });
        await expectKept(store, run, said);
      });
    });

    test("a decider that is much slower than the others is not starved", async () => {
      const run = await withStore(startRun);
      const fast = [0, 1].map((n) => start({ do: "append", place: current.place, run, name: `fast${n}`, count: 1_000_000 }));
      while (!fast.every(({ lines }) => lines.length > 5)) await sleep(10);
      const slow = start({ do: "append", place: current.place, run, name: "slow", count: 4, thinkMs: 25 });
      const said = await slow.ended;
      for (const { child } of fast) child.kill("SIGKILL");
      await Promise.all(fast.map(({ ended }) => ended));
      expect(said.map(({ code, key }) => code ?? key)).toEqual(["slow-0", "slow-1", "slow-2", "slow-3"]);
      // It did lose races, or the test shows nothing.
      expect(said.at(-1)?.lost).toBeGreaterThan(0);
      await withStore((store) => expectKept(store, run, said));
    });

    test("whatever was acknowledged survives kill -9", async () => {
      const names = ["a", "b", "c"];
      await withStore(async (store) => {
        for (const id of names) await startRun(store, { id });
      });
      const promised = new Map<string, ChildLine[]>(names.map((name) => [name, []]));
      for (let round = 0; round < rounds; round += 1) {
        const writers = names.map((run) => ({
          run,
          ...start({ do: "append", place: current.place, run, name: `round${round}`, count: 1_000_000, blobs: true }),
        }));
        while (!writers.every(({ lines }) => lines.length > 3)) await sleep(5);
        await sleep(Math.random() * 60);
        for (const { child } of writers) child.kill("SIGKILL");
        for (const { run, ended } of writers) promised.get(run)?.push(...(await ended));
        await withStore(async (store) => {
          for (const name of names) await expectKept(store, name, promised.get(name) ?? []);
        });
      }
      expect([...promised.values()].flat().filter(({ code }) => code !== undefined)).toEqual([]);
    });

    test.each(["a new store", "an older store"])(
      "of processes that open %s with a newer schema at once exactly one upgrades it",
      async (which) => {
        if (which === "an older store") await withStore(startRun);
        const openers = [0, 1, 2].map(() => start({ do: "upgrade", place: current.place }));
        while (!openers.every(({ lines }) => lines.length > 0)) await sleep(5);
        for (const { child } of openers) child.stdin?.write("go\n");
        for (const said of await Promise.all(openers.map(({ ended }) => ended))) expect(said.at(-1)).toEqual({ schema: schema + 1 });
        const all = Array.from({ length: schema + 1 }, (_, index) => index + 1);
        expect(await current.upgraded()).toEqual(which === "an older store" ? [schema + 1] : all);
      },
    );

    test("processes that make the same new store at the same moment all get it", async () => {
      const places = await current.more(creations);
      const task = { do: "create", places, from: Date.now() + 1_000, everyMs: 50 } as const;
      const said = await Promise.all([start(task), start(task), start(task)].map((one) => one.ended));
      expect(said.flat().filter((line) => line.code !== undefined)).toEqual([]);
      expect(said.map((lines) => lines.length)).toEqual([creations, creations, creations]);
    });
  });
}
