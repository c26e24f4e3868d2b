import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isOnPath, ownCommand, splitCommand, startsWaymark, teamCommand } from "./server-command.ts";

const base = mkdtempSync(join(tmpdir(), "waymark-command-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function program(...folder: string[]): string {
  const path = join(base, ...folder);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "waymark"), "");
  chmodSync(join(path, "waymark"), 0o755);
  return path;
}

describe("how clients start the server", () => {
  const self = ["/usr/bin/node", "/opt/waymark/dist/waymark.js"];
  const empty = join(base, "empty");
  mkdirSync(empty);

  test("in files of a team, by the name of the program, wherever this one runs from", () => {
    expect(teamCommand(empty)).toEqual(["waymark", "mcp"]);
  });

  test("in files of a team, by the project's own dependency where it has one", () => {
    program("project", "node_modules", ".bin");
    expect(teamCommand(join(base, "project"))).toEqual(["waymark", "mcp"]);
    writeFileSync(join(base, "project", "package.json"), '{ "devDependencies": { "waymark": "1" } }');
    expect(teamCommand(join(base, "project"))).toEqual(["npx", "--no-install", "waymark", "mcp"]);
  });

  test("in a file of one's own, by the program on the PATH, else by the files of this process", () => {
    expect(ownCommand({ env: { PATH: `/nowhere:${program("bin")}` }, platform: "linux", self })).toEqual(["waymark", "mcp"]);
    expect(ownCommand({ env: { PATH: "/nowhere" }, platform: "linux", self })).toEqual([...self, "mcp"]);
    expect(ownCommand({ env: { PATH: program("bin") }, platform: "win32", self })).toEqual([...self, "mcp"]);
  });

  test("a program that a package runner put on the PATH for a moment does not count", () => {
    expect(isOnPath(program("_npx", "abc", "node_modules", ".bin"))).toBe(false);
    expect(isOnPath(program("bin"))).toBe(true);
  });
});

test.each([
  ["npx -y waymark mcp", ["npx", "-y", "waymark", "mcp"]],
  [`node "a b/w.js" 'it''s' mcp`, ["node", "a b/w.js", "its", "mcp"]],
  [String.raw`"C:\\tools\\w" mcp`, [String.raw`C:\tools\w`, "mcp"]],
])("%s is split into words", (line, words) => expect(splitCommand(line)).toEqual(words));

test("only entries that start Waymark are taken for ours", () => {
  expect(startsWaymark({ command: "node", args: ["/x/waymark.js", "mcp"] })).toBe(true);
  expect(startsWaymark({ type: "local", command: ["waymark", "mcp"] })).toBe(true);
  expect(startsWaymark({ command: "waymark-viewer" })).toBe(false);
});
