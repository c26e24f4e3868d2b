import { randomBytes, createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BlobCopies } from "./blob-copies.ts";

test("a copy that somebody removes while it is looked at is made again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waymark-copies-"));
  const bytes = randomBytes(300_000);
  const hash = createHash("sha256").update(bytes).digest("hex");
  const copies = new BlobCopies(folder);
  for (let round = 0; round < 50; round += 1) {
    const path = await copies.file(hash, async () => bytes);
    await Promise.all([copies.file(hash, async () => bytes), rm(path)]);
  }
  expect((await readFile(await copies.file(hash, async () => bytes))).equals(bytes)).toBe(true);
  await rm(folder, { recursive: true });
});
