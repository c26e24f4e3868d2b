import { expect, test } from "vitest";
import type { Commit, Store, WaitingParts, WorkPlace } from "../../ports/index.ts";
import type { OpenedStore } from "../store.contract.ts";
import { commitOf, nothing, startRun } from "./sample.contract.ts";

const minute = 60_000;

export function workContract(opened: () => OpenedStore): void {
  const makeRun = (store: Store, waiting?: WaitingParts): Promise<string> =>
    startRun(store, { commit: waiting === undefined ? {} : { waiting } });

  async function commit(store: Store, run: string, more: Partial<Commit>): Promise<void> {
    const head = (await store.readRun(run))?.head ?? 0;
    expect(await store.commit(run, head, { ...nothing, ...more })).toMatchObject({ ok: true });
  }

  /** How many parts are found of each of these runs, in the order in which they are found. */
  async function found(store: Store, ...runs: readonly string[]): Promise<readonly (readonly [string, number])[]> {
    return (await store.findWork({ limit: 1000 })).filter(({ run }) => runs.includes(run)).map(({ run, parts }) => [run, parts]);
  }

  test("parts that nobody has are found, until a commit says that there are none", async () => {
    const { store, reopen } = opened();
    const [none, two] = [await makeRun(store), await makeRun(store, { free: 2, held: [] })];
    const other = await reopen();
    expect(await found(other, none, two)).toEqual([[two, 2]]);
    const [row] = (await other.findWork({ limit: 1000 })).filter(({ run }) => run === two);
    expect(row).toMatchObject({ run: two, workflow: "demo", head: 1, parts: 2 });
    await commit(store, two, {});
    expect(await found(other, two)).toEqual([[two, 2]]);
    await commit(store, two, { waiting: { free: 0, held: [] } });
    expect(await found(other, two)).toEqual([]);
    await commit(store, two, { waiting: { free: 1, held: [] } });
    await commit(store, two, { waiting: null });
    expect(await found(other, two)).toEqual([]);
    await other.close();
  });

  test("a part that somebody holds is found when its lease is over, was given back, or is not there", async () => {
    const { store } = opened();
    const keys = ["work/lives", "work/ends", "work/given back", "work/never \ud800"];
    await store.acquire("work/lives", "me", 1, minute);
    await store.acquire("work/ends", "me", 1, minute);
    await store.acquire("work/given back", "me", 1, minute);
    const run = await makeRun(store, { free: 1, held: keys });
    expect(await found(store, run)).toEqual([[run, 2]]);
    await store.acquire("work/ends", "me", 2, 0);
    await store.releaseLease("work/given back", "me");
    expect(await found(store, run)).toEqual([[run, 4]]);
    await store.acquire("work/never \ud800", "me", 1, minute);
    await store.acquire("work/given back", "you", 1, minute);
    expect(await found(store, run)).toEqual([[run, 2]]);
  });

  test("a part that waits for a time is found from then on", async () => {
    const { store } = opened();
    const now = await store.now();
    const [past, future, both] = [
      await makeRun(store, { free: 0, held: [], due: now - 1 }),
      await makeRun(store, { free: 0, held: [], due: now + 60 * minute }),
      await makeRun(store, { free: 1, held: [], due: now + 60 * minute }),
    ];
    expect(await found(store, past, future, both)).toEqual([
      [past, 1],
      [both, 1],
    ]);
  });

  test("the run that changed longest ago is found first, at most so many, and one that was removed is not found", async () => {
    const { store } = opened();
    const one = await makeRun(store, { free: 1, held: [] });
    const two = await makeRun(store, { free: 1, held: [] });
    expect(await found(store, one, two)).toEqual([
      [one, 1],
      [two, 1],
    ]);
    let now = await store.now();
    // A change is later only when the clock has moved.
    for (const before = now; now <= before;) now = await store.now();
    await store.commit(one, 1, commitOf());
    expect((await found(store, one, two)).map(([run]) => run)).toEqual([two, one]);
    expect(await store.findWork({ limit: 1 })).toHaveLength(1);
    await store.removeRun(one);
    expect(await found(store, one, two)).toEqual([[two, 1]]);
  });

  test("those behind one that was found are found page by page, and each of them alone", async () => {
    const { store } = opened();
    const runs: string[] = [];
    // Several of one moment, too.
    for (let n = 0; n < 7; n += 1) runs.push(await makeRun(store, { free: 1, held: [] }));
    await makeRun(store);
    const pages: (readonly string[])[] = [];
    for (let after: WorkPlace | undefined; ;) {
      const page = await store.findWork({ limit: 3, after });
      pages.push(page.map(({ run }) => run));
      if (page.length < 3) break;
      after = page.at(-1)?.place;
    }
    expect(pages.flat().filter((run) => runs.includes(run))).toEqual(runs);
    expect(new Set(pages.flat()).size).toBe(pages.flat().length);
    for (const run of runs) expect(await store.findWork({ limit: 9, run })).toEqual([expect.objectContaining({ run, parts: 1 })]);
    expect(await store.findWork({ limit: 9, run: "none \ud800" })).toEqual([]);
  });
}
