import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { Session, type GlobalOptions } from "./session.ts";
import type { CliWorld } from "./world.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-find-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const folder = (...names: string[]): string => {
  const path = join(base, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};

function workspaceOf(cwd: string, places: Partial<Pick<CliWorld, "home" | "temporaryFolders">> = {}, options: GlobalOptions = {}): string {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const world = { stdin, stdout, stderr, env: {}, cwd, home: "/home/x", temporaryFolders: [], definitionFolders: [".waymark"], ...places };
  return new Session(world as unknown as CliWorld, options).workspace;
}

test("the workspace is the nearest folder upwards with a .waymark", () => {
  folder("a", ".waymark");
  expect(workspaceOf(folder("a", "b", "c"))).toBe(join(base, "a"));
});

test("it is not looked for beyond the project", () => {
  folder("outer", ".waymark");
  folder("outer", "project", ".git");
  expect(workspaceOf(folder("outer", "project", "src"))).toBe(join(base, "outer", "project"));
});

test("the home folder and those for temporary files are not workspaces, also when they are named by a link", () => {
  for (const name of ["home", "temp"]) {
    folder(name, ".waymark");
    symlinkSync(join(base, name), join(base, `${name}-link`));
  }
  const places = { home: join(base, "home-link"), temporaryFolders: [join(base, "temp-link")] };
  for (const name of ["home", "temp"]) {
    expect(workspaceOf(folder(name, "thing"), places)).toBe(join(base, name, "thing"));
    expect(() => workspaceOf(join(base, name), places)).toThrow(expect.objectContaining({ code: "CLI_NO_WORKSPACE" }));
  }
});

test("a folder that is named is used as named", () => {
  const home = folder("own");
  expect(workspaceOf(home, { home }, { workspace: "." })).toBe(home);
  expect(workspaceOf(folder("a", "b"), {}, { workspace: "c/../d" })).toBe(join(base, "a", "b", "d"));
});
