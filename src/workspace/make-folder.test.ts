import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), "waymark-folder-")));
  root = join(base, "root");
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("makes the folder with those above it, and does not mind one that is there", () => {
  expect(makeFolder(root, "a/b/c")).toBe(true);
  expect(makeFolder(root, "a/b/c")).toBe(true);
  expect(existsSync(join(root, "a/b/c"))).toBe(true);
});

test("makes nothing outside of the root: not by its name, not behind a link", () => {
  mkdirSync(join(base, "outside"));
  symlinkSync(join(base, "outside"), join(root, "link"));
  for (const path of ["../x", "/x", "link/x"]) expect(makeFolder(root, path), path).toBe(false);
  expect(existsSync(join(base, "x"))).toBe(false);
  expect(existsSync(join(base, "outside/x"))).toBe(false);
});

test("follows a link that stays inside, and throws where a file is in the way", () => {
  mkdirSync(join(root, "real"));
  symlinkSync(join(root, "real"), join(root, "link"));
  expect(makeFolder(root, "link/x")).toBe(true);
  expect(existsSync(join(root, "real/x"))).toBe(true);
  writeFileSync(join(root, "file"), "");
  expect(() => makeFolder(root, "file/x")).toThrow(/EEXIST|ENOTDIR/);
});
