import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runPage } from "../support/run-page.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/first-workflow.md"), "utf8");
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

test("the page has at most 900 words", () => {
  expect(page.split(/\s+/).filter((word) => word !== "").length).toBeLessThanOrEqual(900);
});

test("every block of the page works, in order, in an empty folder", () => {
  const done = runPage("docs/first-workflow.md");
  folders.push(done.base);
  expect(done.status, `${done.stdout}\n${done.stderr}`).toBe(0);
  expect(done.stdout).toContain("refused, as it should be");
  expect(done.stdout).toContain("Tidy a.txt. 2 left.");
  expect(done.stdout).toContain("All 2 notes are tidy.");
  expect(done.stdout).toMatch(/completed/);
  expect(existsSync(join(done.work, ".waymark/store"))).toBe(true);
  expect(done.blocks).toBeGreaterThanOrEqual(12);
});
