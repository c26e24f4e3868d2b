import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OpenedStore } from "../store.contract.ts";
import { commitOf, record, refusal, startRun } from "./sample.contract.ts";

export function blobContract(opened: () => OpenedStore): void {
  const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
  const oldFile = (path: string): Promise<void> => utimes(path, new Date(Date.now() - 36_000_000), new Date(Date.now() - 36_000_000));

  test("bytes are kept by their hash, once, and can be opened as a file", async () => {
    const { store, reopen } = opened();
    const bytes = randomBytes(100_000);
    const facts = { hash: sha256(bytes), bytes: bytes.length };
    expect(await store.readBlob(facts.hash)).toBeUndefined();
    expect(await store.putBlob(bytes)).toEqual(facts);
    expect(await store.putBlob(bytes)).toEqual(facts);
    expect(Buffer.from((await store.readBlob(facts.hash)) ?? []).equals(bytes)).toBe(true);
    expect((await readFile(await store.blobFile(facts.hash))).equals(bytes)).toBe(true);
    const other = await reopen();
    expect(await other.readBlob(facts.hash)).toHaveLength(bytes.length);
    await other.close();
  });

  test("no bytes at all are bytes", async () => {
    const { store } = opened();
    const { hash, bytes } = await store.putBlob(new Uint8Array());
    expect({ hash, bytes }).toEqual({ hash: sha256(new Uint8Array()), bytes: 0 });
    expect(await store.readBlob(hash)).toHaveLength(0);
  });

  test("many may put the same bytes at once", async () => {
    const { store, reopen } = opened();
    const other = await reopen();
    const bytes = randomBytes(50_000);
    const all = await Promise.all(Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? store : other).putBlob(bytes)));
    expect(new Set(all.map(({ hash }) => hash))).toEqual(new Set([sha256(bytes)]));
    expect(await store.readBlob(sha256(bytes))).toHaveLength(bytes.length);
    await other.close();
  });

  test("a finished file is taken over, also when its bytes are already there", async () => {
    const { store } = opened();
    const folder = await mkdtemp(join(tmpdir(), "waymark-adopt-"));
    const bytes = randomBytes(3_000_000);
    for (const name of ["first", "second"]) {
      const path = join(folder, name);
      await writeFile(path, bytes);
      await oldFile(path);
      expect(await store.adoptBlob(path)).toEqual({ hash: sha256(bytes), bytes: bytes.length });
      expect(existsSync(path)).toBe(false);
    }
    expect((await readFile(await store.blobFile(sha256(bytes)))).equals(bytes)).toBe(true);
    // It is young, however old the file was.
    await store.collectBlobs();
    expect(await store.readBlob(sha256(bytes))).toHaveLength(bytes.length);
    await rm(folder, { recursive: true });
  });

  test("what is not a file of its own is not taken over", async () => {
    const { store } = opened();
    const folder = await mkdtemp(join(tmpdir(), "waymark-adopt-"));
    await writeFile(join(folder, "real"), "real");
    await symlink(join(folder, "real"), join(folder, "link"));
    for (const path of [join(folder, "missing"), folder, join(folder, "link")])
      await expect(store.adoptBlob(path)).rejects.toMatchObject(refusal("STORE_NO_FILE"));
    expect(existsSync(join(folder, "real"))).toBe(true);
    await rm(folder, { recursive: true });
  });

  test("a name that is not a hash never becomes a path", async () => {
    const { store } = opened();
    for (const name of ["", "../../etc/passwd", "AB".repeat(32), `${"a".repeat(63)}/`, "a".repeat(65)]) {
      await expect(store.readBlob(name)).rejects.toMatchObject(refusal("STORE_BAD_HASH"));
      await expect(store.blobFile(name)).rejects.toMatchObject(refusal("STORE_BAD_HASH"));
    }
  });

  test("changed bytes are noticed", async () => {
    const { store, damageBlob } = opened();
    const { hash } = await store.putBlob(randomBytes(100));
    await damageBlob(hash, "something else");
    await expect(store.readBlob(hash)).rejects.toMatchObject(refusal("STORE_CORRUPT"));
    await damageBlob(hash, undefined);
  });

  test("a file with bytes that are not there is refused", async () => {
    const { store } = opened();
    await expect(store.blobFile(sha256(Buffer.from("no such bytes")))).rejects.toMatchObject(refusal("STORE_NO_BLOB"));
  });

  test("bytes of any size come back whole, as a file too", async () => {
    const { store, reopen } = opened();
    const other = await reopen();
    for (const size of [1_048_575, 1_048_576, 1_048_577, 3_500_000]) {
      const bytes = randomBytes(size);
      const { hash } = await store.putBlob(bytes);
      expect(Buffer.from((await other.readBlob(hash)) ?? []).equals(bytes)).toBe(true);
      expect((await readFile(await other.blobFile(hash))).equals(bytes)).toBe(true);
    }
    await other.close();
  });

  test("collecting removes what no run refers to and what is old, and nothing else", async () => {
    const { store, ageBlob } = opened();
    const put = async (): Promise<string> => (await store.putBlob(randomBytes(64))).hash;
    const marker = (hash: string): string => JSON.stringify({ value: { $blob: hash, bytes: 64 } });
    const [inEvents, inFacts, inSnapshot, renewed, young, old, gone] = [
      await put(),
      await put(),
      await put(),
      await put(),
      await put(),
      await put(),
      await put(),
    ];
    const run = await startRun(store, { commit: { records: [record({ events: `[${marker(inEvents)}]`, facts: marker(inFacts) })] } });
    const doomed = await startRun(store, { commit: { records: [record({ events: `[${marker(gone)}]` })] } });
    await store.writeSnapshot(run, 1, marker(inSnapshot));
    await store.removeRun(doomed);
    await store.collectBlobs();
    const { program = "", sources = "" } = (await store.readRun(run)) ?? {};
    for (const hash of [inEvents, inFacts, inSnapshot, renewed, old, gone, program, sources]) await ageBlob(hash, 61);
    await store.putBlob((await store.readBlob(renewed))!);
    expect(await store.collectBlobs()).toEqual({ removed: 2, bytes: 128 });
    for (const hash of [old, gone]) expect(await store.readBlob(hash)).toBeUndefined();
    for (const hash of [inEvents, inFacts, inSnapshot, renewed, young, program, sources]) expect(await store.readBlob(hash)).toBeDefined();
    expect(await store.verify()).toEqual([]);
  });

  test("blobs of a snapshot that came too late stay, since its writer counts on them", async () => {
    const { store, ageBlob } = opened();
    const run = await startRun(store);
    await store.writeSnapshot(run, 5, "{}");
    const { hash } = await store.putBlob(randomBytes(64));
    await store.writeSnapshot(run, 3, JSON.stringify({ value: { $blob: hash, bytes: 64 } }));
    await ageBlob(hash, 61);
    await store.collectBlobs();
    expect(await store.readBlob(hash)).toBeDefined();
  });

  test("a blob that a run refers to and that is missing is found by the check", async () => {
    const { store } = opened();
    const hash = sha256(Buffer.from("never put"));
    const run = await startRun(store);
    await store.commit(run, 1, commitOf({ records: [record({ events: JSON.stringify([{ $blob: hash, bytes: 9 }]) })] }));
    expect(await store.verify()).toEqual([expect.stringContaining(hash)]);
    await store.removeRun(run);
    expect(await store.verify()).toEqual([]);
  });
}
