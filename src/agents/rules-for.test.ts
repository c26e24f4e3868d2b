import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mayDo } from "./decide-permission.ts";
import { rulesFor } from "./rules-for.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-leaves-"));
  symlinkSync(folder, join(folder, "link"));
  symlinkSync(tmpdir(), join(folder, "away"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const leaves = ["out/plan.md", "away/plan.md"];
const may = (kind: string, input: object, more: object = {}): boolean => {
  const request = { id: "1", kind, files: [], input: { ...input } };
  const turn = { prompt: "", cwd: folder, permission: { level: "read" as const }, leaves, ...more };
  return mayDo(request, rulesFor(request, turn));
};

test("who may only read may write exactly what the step must leave, by any path that means it", () => {
  expect(may("edit", { path: "out/plan.md" })).toBe(true);
  expect(may("edit", { path: join(folder, "out/plan.md") })).toBe(true);
  expect(may("edit", { path: "out/../out/plan.md" })).toBe(true);
  expect(may("edit", { path: "out/plan.md" }, { cwd: join(folder, "link") })).toBe(true);
  expect(may("edit", { path: join(folder, "out/plan.md") }, { cwd: join(folder, "link") })).toBe(true);
});

test.each([
  ["another file", "edit", { path: "out/other.md" }],
  ["another file beside it", "edit", { paths: ["out/plan.md", "src/a.ts"] }],
  ["another file under a key that nobody knows", "edit", { path: "out/plan.md", place: "src/a.ts" }],
  ["no file", "edit", { text: "x" }],
  ["its removal", "delete", { path: "out/plan.md" }],
  ["a command", "execute", { command: "touch out/plan.md", path: "out/plan.md" }],
  ["a file that a link leads out to", "edit", { path: "away/plan.md" }],
])("it does not allow %s", (_what, kind, input) => {
  expect(may(kind, input)).toBe(false);
});

test("a tool that the workflow rules out stays ruled out, and without files to leave nothing is written", () => {
  expect(may("edit", { path: "out/plan.md" }, { tools: { denied: ["edit"] } })).toBe(false);
  expect(may("edit", { path: "out/plan.md" }, { leaves: undefined })).toBe(false);
});
