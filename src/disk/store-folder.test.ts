import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeStoreFolder } from "./store-folder.ts";

let base = "";
let folder = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-store-folder-"));
  folder = join(base, "deep", "store");
});
afterEach(() => rmSync(base, { recursive: true }));

test("a new store folder is hidden from git", () => {
  expect(makeStoreFolder(folder)).toBe(true);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  expect(makeStoreFolder(folder)).toBe(false);
});

test.skipIf(process.platform === "win32")("only its user can enter a new one", () => {
  makeStoreFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test.each(["groups", "transcripts", "tmp", "blobs"])("one that only has `%s` is hidden, too", (name) => {
  mkdirSync(join(folder, name), { recursive: true });
  expect(makeStoreFolder(folder)).toBe(true);
  expect(readdirSync(folder).toSorted()).toEqual([".gitignore", name]);
});

test("what a person wrote into it stays, and a folder with other things is not hidden", () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "groups\n");
  makeStoreFolder(folder);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("groups\n");
  const own = join(base, "own");
  mkdirSync(own);
  writeFileSync(join(own, "README.md"), "mine");
  makeStoreFolder(own);
  expect(readdirSync(own)).toEqual(["README.md"]);
});
