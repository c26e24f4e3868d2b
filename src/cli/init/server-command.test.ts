import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { serverCommand, splitCommand, startsWaymark } from "./server-command.ts";

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

  test("by the program on the PATH", () => {
    expect(serverCommand({ env: { PATH: `/nowhere:${program("bin")}` }, platform: "linux", self }, empty)).toEqual(["waymark", "mcp"]);
  });

  test("but not by one that a package runner put there for a moment", () => {
    const path = program("_npx", "abc", "node_modules", ".bin");
    expect(serverCommand({ env: { PATH: path }, platform: "linux", self }, empty)).toEqual([...self, "mcp"]);
    const run = ["/usr/bin/node", "/home/x/.npm/_npx/abc/node_modules/waymark/dist/waymark.js"];
    expect(serverCommand({ env: { PATH: path }, platform: "linux", self: run }, empty)).toEqual(["npx", "-y", "waymark", "mcp"]);
  });

  test("by the project's own installation first", () => {
    program("project", "node_modules", ".bin");
    expect(serverCommand({ env: { PATH: program("bin") }, platform: "linux", self }, join(base, "project"))[0]).toBe("npx");
  });

  test("by the files of this process on Windows, where scripts are not found without a shell", () => {
    expect(serverCommand({ env: { PATH: program("bin") }, platform: "win32", self }, empty)).toEqual([...self, "mcp"]);
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
