/** Every block of docs/own-checklist.md works, in order, in an empty folder. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runPage } from "../support/run-page.ts";

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

test("from nothing to a pull request whose report says what was done and left", { timeout: 120_000 }, () => {
  const done = runPage("docs/own-checklist.md");
  folders.push(done.base);
  // The last line is for CI: nothing is left that Waymark could fix by itself.
  expect(done.status, `${done.stdout}\n${done.stderr}`).toBe(0);
  expect(done.stdout).toContain("Batch b1: 2 of 2 instances done in 2 files");
  expect(done.stdout).toContain("2 of 2 files, 4 of 4 instances done");
  const text = (file: string): string => readFileSync(join(done.work, file), "utf8");
  expect(text("src/cart.ts")).toContain("return Array.from({ length: count }, () => 0);");
  expect(text("src/grid.ts")).toMatch(/= \[\];\n[^]*new Array\(80\)/);
  expect(text("report.md")).toContain("The length of a grid is what is meant; nothing is filled in.");
  expect(text("report.md")).toMatch(/Auto-applied: 2/);
});
