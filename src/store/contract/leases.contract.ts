import { expect, test } from "vitest";
import type { OpenedStore } from "../store.contract.ts";
import { commitOf, record, startRun } from "./sample.contract.ts";

export function leaseContract(opened: () => OpenedStore): void {
  const minute = 60_000;

  test("a free lease is granted, and refused to others while it is in force", async () => {
    const { store, reopen } = opened();
    const before = await store.now();
    const { granted, lease } = await store.acquire("free", "me", 7, minute);
    expect(granted).toBe(true);
    expect(lease).toMatchObject({ key: "free", owner: "me", fence: 7 });
    expect(lease.beatAt).toBeGreaterThanOrEqual(before);
    expect(lease.expiresAt).toBe(lease.beatAt + minute);
    const other = await reopen();
    expect(await other.acquire("free", "you", 8, minute)).toEqual({ granted: false, lease });
    expect(await other.readLease("free")).toEqual(lease);
    await other.close();
  });

  test("the owner may take its own lease again, with a new fence", async () => {
    const { store } = opened();
    await store.acquire("again", "me", 1, minute);
    expect(await store.acquire("again", "me", 2, 2 * minute)).toMatchObject({ granted: true, lease: { fence: 2 } });
    expect(await store.readLease("again")).toMatchObject({ owner: "me", fence: 2 });
  });

  test("an expired lease can be read and taken by another", async () => {
    const { store } = opened();
    await store.acquire("expired", "dead", 1, 0);
    expect(await store.readLease("expired")).toMatchObject({ owner: "dead" });
    expect(await store.acquire("expired", "me", 2, minute)).toMatchObject({ granted: true, lease: { owner: "me", fence: 2 } });
  });

  test("a beat extends the owner's leases in force, never an expired one, and shortens none", async () => {
    const { store } = opened();
    await store.acquire("beat/short", "beater", 1, 10_000);
    await store.acquire("beat/long", "beater", 1, 10 * minute);
    await store.acquire("beat/expired", "beater", 1, 0);
    await store.acquire("beat/other", "other", 1, 10_000);
    const before = new Map((await store.readLeases("beat/")).map((lease) => [lease.key, lease]));
    expect(await store.beat("beater", minute)).toBe(2);
    const after = new Map((await store.readLeases("beat/")).map((lease) => [lease.key, lease]));
    expect(after.get("beat/short")?.expiresAt).toBe((after.get("beat/short")?.beatAt ?? 0) + minute);
    expect(after.get("beat/long")?.expiresAt).toBe(before.get("beat/long")?.expiresAt);
    expect(after.get("beat/expired")).toEqual(before.get("beat/expired"));
    expect(after.get("beat/other")).toEqual(before.get("beat/other"));
    expect(await store.beat("nobody", minute)).toBe(0);
  });

  test("an owner gives back all its leases below a prefix", async () => {
    const { store } = opened();
    for (const [key, owner] of [
      ["back/a/1", "giver"],
      ["back/a/2", "giver"],
      ["back/b", "giver"],
      ["back/a/3", "keeper"],
    ] as const)
      await store.acquire(key, owner, 1, minute);
    await store.releaseLeases("giver", "back/a/");
    expect((await store.readLeases("back/")).map(({ key }) => key)).toEqual(["back/a/3", "back/b"]);
    await store.releaseLeases("giver", "back/");
    expect((await store.readLeases("back/")).map(({ key }) => key)).toEqual(["back/a/3"]);
  });

  test("only the owner releases a lease", async () => {
    const { store } = opened();
    await store.acquire("released", "me", 1, minute);
    await store.releaseLease("released", "you");
    expect(await store.readLease("released")).toMatchObject({ owner: "me" });
    await store.releaseLease("released", "me");
    expect(await store.readLease("released")).toBeUndefined();
    await store.releaseLease("released", "me");
  });

  test("leases are listed by the exact begin of their keys", async () => {
    const { store } = opened();
    for (const key of ["p_x/b", "p_x/a", "pax/a", "p_x", "P_x/a", "p%x/a"]) await store.acquire(key, "me", 1, minute);
    const keys = async (prefix: string): Promise<string[]> => (await store.readLeases(prefix)).map((lease) => lease.key);
    expect(await keys("p_x/")).toEqual(["p_x/a", "p_x/b"]);
    expect(await keys("p%")).toEqual(["p%x/a"]);
    expect(await keys("none")).toEqual([]);
  });

  test("of many who want a lease at once one gets it", async () => {
    const { store, reopen } = opened();
    const other = await reopen();
    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : other).acquire("wanted", `w${index}`, index, minute)),
    );
    expect(tries.filter(({ granted }) => granted)).toHaveLength(1);
    expect(new Set(tries.map(({ lease }) => lease.owner)).size).toBe(1);
    await other.close();
  });

  test("a commit that depends on a lease is written while the lease is the owner's, in force or expired, and not when it is another's or nobody's", async () => {
    const { store } = opened();
    const run = await startRun(store);
    const commit = commitOf({ records: [record()] });
    const held = { key: "effect", owner: "me" };
    const { head } = (await store.readRun(run))!;
    expect(await store.commit(run, head, commit, { held })).toEqual({ ok: false, head, lost: true });
    await store.acquire("effect", "me", 1, minute);
    expect(await store.commit(run, head, commit, { held })).toEqual({ ok: true, head: head + 1 });
    await store.acquire("effect", "me", 1, 0);
    expect(await store.commit(run, head + 1, commit, { held })).toEqual({ ok: true, head: head + 2 });
    await store.acquire("effect", "you", 2, minute);
    expect(await store.commit(run, head + 2, commit, { held })).toEqual({ ok: false, head: head + 2, lost: true });
    expect(await store.commit(run, head + 2, commit, { held, locked: true })).toEqual({ ok: false, head: head + 2, lost: true });
    expect(await store.commit(run, head + 2, commit)).toEqual({ ok: true, head: head + 3 });
  });
}
