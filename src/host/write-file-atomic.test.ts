import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeFileAtomic } from "./write-file-atomic.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-write-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("writes a new file, folders included, and leaves nothing beside it", async () => {
  const path = join(folder, "deep", "er", "a.txt");
  await writeFileAtomic(path, "héllo");
  expect(readFileSync(path, "utf8")).toBe("héllo");
  expect(readdirSync(join(folder, "deep", "er"))).toEqual(["a.txt"]);
});

test.skipIf(process.platform === "win32")("keeps the mode of the file it replaces unless told otherwise", async () => {
  const path = join(folder, "tool.sh");
  writeFileSync(path, "old");
  chmodSync(path, 0o750);
  await writeFileAtomic(path, "new");
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["new", 0o750]);
  await writeFileAtomic(path, "newer", 0o600);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a failure names the file, keeps the old one and leaves nothing behind", async () => {
  writeFileSync(join(folder, "plain"), "kept");
  await expect(writeFileAtomic(join(folder, "plain", "x"), "new")).rejects.toMatchObject({ code: "HOST_WRITE_FAILED" });
  expect(readFileSync(join(folder, "plain"), "utf8")).toBe("kept");
  const before = readdirSync(folder);
  await expect(writeFileAtomic(join(folder, "deep"), "a folder stands there")).rejects.toMatchObject({ code: "HOST_WRITE_FAILED" });
  expect(readdirSync(folder)).toEqual(before);
});

test("many writers at once leave one whole text", async () => {
  const path = join(folder, "raced");
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
  await Promise.all(texts.map((text) => writeFileAtomic(path, text)));
  expect(texts).toContain(readFileSync(path, "utf8"));
});
