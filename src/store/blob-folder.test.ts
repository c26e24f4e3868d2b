import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BlobFolder } from "./blob-folder.ts";

let folder = "";
let blobs: BlobFolder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-blobs-"));
  blobs = new BlobFolder(folder, async (work) => work());
});
afterAll(() => rmSync(folder, { recursive: true }));

function age(path: string): void {
  const old = new Date(Date.now() - 2 * 3_600_000);
  utimesSync(path, old, old);
}

test("what an interrupted put left behind is collected when it is old; other files stay", async () => {
  const { hash } = await blobs.put(Buffer.from("kept"));
  const beside = (name: string): string => join(dirname(blobs.path(hash)), name);
  for (const name of ["old.tmp", "young.tmp", "note.txt"]) writeFileSync(beside(name), "x");
  for (const name of ["old.tmp", "note.txt"]) age(beside(name));
  expect(await blobs.collect(() => true)).toEqual({ removed: 0, bytes: 0 });
  expect(
    readdirSync(dirname(blobs.path(hash)))
      .filter((name) => name !== hash)
      .sort(),
  ).toEqual(["note.txt", "young.tmp"]);
});

test("a blob that is put again while it is being collected is there afterwards", async () => {
  for (let round = 0; round < 40; round += 1) {
    const bytes = randomBytes(50);
    const { hash } = await blobs.put(bytes);
    age(blobs.path(hash));
    const [again, { removed }] = await Promise.all([blobs.put(bytes), blobs.collect(() => false)]);
    expect(again.hash).toBe(hash);
    expect(removed).toBeLessThanOrEqual(1);
    expect(await blobs.read(hash)).toBeDefined();
    rmSync(blobs.path(hash));
  }
});

test("a file on another disk is copied and then removed", async (context) => {
  const elsewhere = "/dev/shm";
  if (!existsSync(elsewhere) || statSync(elsewhere).dev === statSync(folder).dev) return context.skip("there is no second disk here");
  const source = mkdtempSync(join(elsewhere, "waymark-adopt-"));
  try {
    const bytes = randomBytes(300_000);
    writeFileSync(join(source, "output"), bytes);
    const { hash } = await blobs.adopt(join(source, "output"));
    expect(readFileSync(blobs.path(hash)).equals(bytes)).toBe(true);
    expect(readdirSync(source)).toEqual([]);
    expect(readdirSync(dirname(blobs.path(hash)))).toEqual([hash]);
  } finally {
    rmSync(source, { recursive: true });
  }
});

test("a put that cannot be written leaves nothing and says where", async () => {
  const wrong = new BlobFolder(join(folder, "a-file"), async (work) => work());
  writeFileSync(join(folder, "a-file"), "");
  await expect(wrong.put(Buffer.from("x"))).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining(join(folder, "a-file")),
  });
  const blocked = blobs.path("c".repeat(64));
  mkdirSync(dirname(blocked), { recursive: true });
  await expect(blobs.read("c".repeat(64))).resolves.toBeUndefined();
});
