import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insideWorkspace, isAbsoluteAnywhere, isBelow, pathFromInput } from "./workspace-path.ts";

let workspace: string;
let outside: string;
beforeAll(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-path-")));
  workspace = join(base, "project");
  outside = join(base, "project-other");
  mkdirSync(join(workspace, "src"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(workspace, "src", "a.ts"), "");
  writeFileSync(join(outside, "secret"), "");
  symlinkSync(outside, join(workspace, "out"));
  symlinkSync(join(outside, "not-yet"), join(workspace, "dangling"));
  symlinkSync("src", join(workspace, "in"));
  symlinkSync("round", join(workspace, "round"));
});
afterAll(() => rmSync(dirname(workspace), { recursive: true }));

test("existing and future paths in the workspace are inside", async () => {
  for (const path of ["", ".", "src/a.ts", "src/new/deep/b.ts", "src/../src", "in/a.ts", "in/new", "..hidden", "src\\a.ts"]) {
    expect([path, await insideWorkspace(workspace, path)]).toEqual([path, true]);
  }
  expect(await insideWorkspace(workspace, join(workspace, "src"))).toBe(true);
});

test("climbing, neighbours with the same beginning, links and dangling links are outside", async () => {
  for (const path of [
    "..",
    "../project-other",
    "../project-other/secret",
    "src/../../x",
    "out",
    "out/secret",
    "out/new/file",
    "dangling",
    "dangling/x",
    "round",
    "..\\x",
  ]) {
    expect([path, await insideWorkspace(workspace, path)]).toEqual([path, false]);
  }
  expect(await insideWorkspace(workspace, join(outside, "secret"))).toBe(false);
});

test("a path made of plain names is never below its neighbour", () => {
  const name = fc.stringMatching(/^[a-z.]{1,6}$/);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 5 }), (names) => {
      const path = join("/home/project", ...names);
      const climbed = !(path === "/home/project" || path.startsWith("/home/project/"));
      expect(isBelow("/home/project", path)).toBe(!climbed);
    }),
  );
});

test("input of any system is read", () => {
  expect(pathFromInput("c:\\Users\\me\\x")).toBe("C:/Users/me/x");
  expect(pathFromInput("src/a.ts")).toBe("src/a.ts");
  for (const path of ["/x", "\\x", "C:\\x", "c:x", "\\\\server\\share"]) expect(isAbsoluteAnywhere(path)).toBe(true);
  for (const path of ["x", "./x", "../x", "a:b/c".slice(2)]) expect(isAbsoluteAnywhere(path)).toBe(false);
});
