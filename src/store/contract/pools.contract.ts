import { expect, test } from "vitest";
import type { OpenedStore } from "../store.contract.ts";

const full = { name: "team", blockedUntil: 9_000, reason: "The limit is reached.", seenBy: "wf-1", guesses: 0 };

export function poolContract(opened: () => OpenedStore): void {
  test("a pool that is at its limit is seen by everybody who has the store open, with when it was seen", async () => {
    const { store, reopen } = opened();
    const before = await store.now();
    const seen = await store.blockPool({ ...full, name: "seen" }, undefined);
    expect(seen).toEqual({ ...full, name: "seen", seenAt: expect.any(Number) as number });
    expect(seen?.seenAt).toBeGreaterThanOrEqual(before);
    const other = await reopen();
    expect(await other.readPool("seen")).toEqual(seen);
    await other.close();
  });

  test("the newest word about a pool counts, also a shorter time; of two that read the same, the first", async () => {
    const { store } = opened();
    const before = await store.blockPool({ ...full, name: "newest", blockedUntil: 9e12, guesses: 3 }, undefined);
    expect(await store.blockPool({ ...full, name: "newest", reason: "not read" }, undefined)).toBeUndefined();
    const seen = await store.blockPool({ ...full, name: "newest", reason: "again" }, before);
    expect(await store.blockPool({ ...full, name: "newest", reason: "late" }, before)).toBeUndefined();
    expect(await store.readPool("newest")).toEqual(seen);
    expect(seen).toMatchObject({ blockedUntil: 9_000, reason: "again", guesses: 0 });
  });

  test("a pool is known after its time has passed, until it is freed; freeing it twice is nothing", async () => {
    const { store } = opened();
    await store.blockPool({ ...full, name: "passed", blockedUntil: 1 }, undefined);
    expect(await store.readPool("passed")).toMatchObject({ blockedUntil: 1 });
    await store.freePool("passed");
    await store.freePool("passed");
    expect(await store.readPool("passed")).toBeUndefined();
  });

  test("pools are listed by name, whatever their names are", async () => {
    const { store } = opened();
    for (const name of ["p b", "p\u0000a", "p ä"]) await store.blockPool({ ...full, name }, undefined);
    const names = (await store.readPools()).map(({ name }) => name).filter((name) => name.startsWith("p") && name !== "passed");
    expect(names.toSorted()).toEqual(["p b", "p\u0000a", "p ä"].toSorted());
  });
}
