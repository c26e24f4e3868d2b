import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findWorkspace } from "./session.ts";

const base = mkdtempSync(join(tmpdir(), "waymark-find-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const folder = (...names: string[]): string => {
  const path = join(base, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};

test("the workspace is the nearest folder upwards with a .waymark", () => {
  folder("a", ".waymark");
  expect(findWorkspace(folder("a", "b", "c"), "/home/x")).toBe(join(base, "a"));
});

test("it is not looked for beyond the project", () => {
  folder("outer", ".waymark");
  folder("outer", "project", ".git");
  expect(findWorkspace(folder("outer", "project", "src"), "/home/x")).toBe(join(base, "outer", "project", "src"));
});

test("the home folder, which holds the user's own workflows, is no workspace", () => {
  folder("home", ".waymark");
  expect(findWorkspace(folder("home", "thing"), join(base, "home"))).toBe(join(base, "home", "thing"));
});
