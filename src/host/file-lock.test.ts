import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withFileLock } from "./file-lock.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each(["", String(process.pid)])("a lock is had although whoever broke it before died at that, with `%s` in its file", async (text) => {
  const lock = join(folder, "file.lock");
  // No process has this number on any system.
  writeFileSync(lock, JSON.stringify({ pid: 2 ** 30, host: hostname(), id: "gone" }));
  writeFileSync(`${lock}.break`, text);
  const past = new Date(Date.now() - 60_000);
  utimesSync(`${lock}.break`, past, past);
  let worked = false;
  expect(await withFileLock(lock, async () => void (worked = true))).toBe(true);
  expect(worked).toBe(true);
  expect([existsSync(lock), existsSync(`${lock}.break`)]).toEqual([false, false]);
});
