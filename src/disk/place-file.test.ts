import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { placeFile } from "./place-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waymark-place-"));
});
afterEach(() => rm(folder, { recursive: true }));

const place = (path: string, text: string): Promise<void> => placeFile(path, (beside) => writeFile(beside, text, { flag: "wx" }), 0o700);

test("folders are made with their mode, and a file is replaced as a whole while others read it", async () => {
  const path = join(folder, "a", "b", "file.json");
  await place(path, "old");
  expect((await stat(join(folder, "a"))).mode & 0o777).toBe(0o700);
  const texts = ["old".repeat(50_000), "new".repeat(60_000)];
  await place(path, texts[0]!);
  const writing = (async () => {
    for (let round = 0; round < 20; round += 1) await place(path, texts[round % 2]!);
  })();
  for (let round = 0; round < 40; round += 1) expect(texts.includes(await readFile(path, "utf8"))).toBe(true);
  await writing;
  expect(await readdir(join(folder, "a", "b"))).toEqual(["file.json"]);
});

test("when writing or placing fails, the old file is untouched and nothing is left beside it", async () => {
  const path = join(folder, "file.json");
  await place(path, "old");
  const half = async (beside: string): Promise<void> => {
    await writeFile(beside, "half");
    throw new Error("full");
  };
  await expect(placeFile(path, half)).rejects.toThrow("full");
  await expect(place(folder, "a folder is there")).rejects.toMatchObject({
    code: expect.stringMatching(/EISDIR|ENOTEMPTY|EEXIST/) as string,
  });
  expect(await readFile(path, "utf8")).toBe("old");
  expect(await readdir(folder)).toEqual(["file.json"]);
});
