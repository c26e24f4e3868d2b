import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { mayDo, type Rules } from "./decide-permission.ts";
import { commandOf, describeRequest, pathsOf, type ToolRequest } from "./tool-request.ts";

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "waymark-permission-")));
  mkdirSync(join(cwd, "src"));
  symlinkSync(tmpdir(), join(cwd, "away"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const request = (kind: string | undefined, input?: Json, more: Partial<ToolRequest> = {}): ToolRequest => ({
  id: "1",
  files: [],
  ...(kind === undefined ? {} : { kind }),
  ...(input === undefined ? {} : { input }),
  ...more,
});
const rules = (level: "read" | "edit" | "all", more: Partial<Rules> = {}): Rules => ({ permission: { level }, cwd, ...more });
/** The levels at which a request is allowed. */
const levels = (asked: ToolRequest): string => (["read", "edit", "all"] as const).filter((level) => mayDo(asked, rules(level))).join(" ");

describe("by kind and input", () => {
  test.each<[string, ToolRequest, string]>([
    ["reading", request("read", { path: "src/a.ts" }), "read edit all"],
    ["searching everywhere in the folder", request("search", { query: "x" }), "read edit all"],
    ["thinking", request("think"), "read edit all"],
    ["an edit", request("edit", { file_path: "src/new/a.ts" }), "edit all"],
    ["a deletion", request("delete", { path: "src/a.ts" }), "edit all"],
    ["an edit of files named beside the input", request("edit", undefined, { files: ["src/a.ts"] }), "edit all"],
    ["an edit by a map of changes", request("edit", { changes: { "src/a.ts": {} } }), "edit all"],
    ["a patch", request("edit", { input: "*** Begin Patch\n*** Add File: src/a.ts\n+x" }), "edit all"],
    ["an edit that is spelled in another way", request("edit", { filepath: "../a.ts", diff: "x" }), ""],
    ["an edit of no file", request("edit", { text: "x" }), ""],
    ["a patch that leaves the folder", request("edit", "*** Update File: ../a.ts"), ""],
    ["reading outside", request("read", { path: "/etc/passwd" }), ""],
    ["an edit behind a link", request("edit", { path: "away/a.ts" }), ""],
    ["a move whose target is outside", request("move", { old_path: "src/a.ts", new_path: "../a.ts" }), ""],
    ["one of several paths outside", request("read", { paths: ["src/a.ts", "../b"] }), ""],
    ["a file in the home folder", request("read", { path: "~/.ssh/id" }), ""],
    ["a file by its address", request("read", { path: "file:///etc/passwd" }), ""],
    ["a file by an address that hides where it leads", request("edit", { path: "file:///%2e%2e/etc/passwd" }), ""],
    ["a search for files outside by pattern", request("search", { pattern: "/etc/*" }, { name: "Glob" }), ""],
    ["a search that leaves the folder by its filter", request("search", { pattern: "x", glob: "../**" }), ""],
    ["a search for text that looks like a path", request("search", { pattern: "/api/users" }, { name: "Grep" }), "read edit all"],
    ["a command", request("execute", { command: "ls" }), "all"],
    ["a command that is shown as reading", request("read", { command: "cat src/a.ts" }), "all"],
    ["an execution without a command", request("execute"), "all"],
    ["fetching", request("fetch", { url: "http://x" }), "all"],
    ["another tool", request("other", {}), "all"],
    ["a tool without a kind", request(undefined, {}), "all"],
  ])("%s", (_title, asked, expected) => {
    expect(levels(asked).trim()).toBe(expected);
  });
});

describe("commands that extend edit", () => {
  const may = (command: Json, line = "npm test"): boolean =>
    mayDo(request("execute", { command }), { permission: { level: "edit", commands: [line] }, cwd });

  test.each([
    ["npm test", true],
    ["  npm   test  ", true],
    ["npm test -- --grep 'a b'", true],
    ["npm tests", false],
    ["npm", false],
    ["npx npm test", false],
    ["npm test; rm -rf x", false],
    ["npm test && true", false],
    ["npm test $(id)", false],
    ["npm test `id`", false],
    ["npm test > out", false],
    ["npm test\nrm x", false],
    ["npm test a\nrm x", false],
    ["X=1 npm test", false],
  ])("`%s`: %s", (command, expected) => {
    expect(may(command)).toBe(expected);
  });

  test("are compared word by word when the agent gives words, with or without a shell", () => {
    expect(may(["npm", "test"])).toBe(true);
    expect(may(["npm", "test", "a;b"])).toBe(false);
    expect(may(["bash", "-lc", "npm test"])).toBe(true);
    expect(may(["bash", "-lc", "npm test; id"])).toBe(false);
    expect(may(["bash", "npm test"])).toBe(false);
  });

  test("do not help at the level read, and an empty line allows nothing", () => {
    expect(mayDo(request("execute", { command: "npm test" }), { permission: { level: "read", commands: ["npm test"] }, cwd })).toBe(false);
    expect(may("ls", " ")).toBe(false);
  });

  test("nothing with a character of the shell after the line is ever allowed", () => {
    const mark = fc.constantFrom("&", ";", "|", "<", ">", "$", "`", "(", ")", "{", "}", "\n");
    fc.assert(fc.property(fc.string(), mark, fc.string(), (before, character, after) => !may(`npm test ${before}${character}${after}x`)));
  });
});

describe("servers and names", () => {
  const mcp = [{ name: "waymark", url: "http://127.0.0.1:1/mcp" }];

  test.each([
    [request("other", {}, { name: "mcp__waymark__workflow_next" })],
    [request("other", { server: "waymark", tool: "workflow_next" })],
    [request("other", {}, { id: "mcp_waymark_workflow_next-17" })],
  ])("a tool of the turn's own server is always allowed: %j", (asked) => {
    expect(mayDo(asked, rules("read", { mcp, tools: { allowed: [] } }))).toBe(true);
    expect(mayDo(asked, rules("read"))).toBe(false);
  });

  test("a tool of another server needs all", () => {
    expect(mayDo(request("other", {}, { name: "mcp__other__x" }), rules("edit", { mcp }))).toBe(false);
  });

  test("names and kinds that the turn excludes are refused, whatever the level", () => {
    const bash = request("execute", { command: "ls" }, { name: "Bash" });
    expect(mayDo(bash, rules("all", { tools: { denied: ["Bash"] } }))).toBe(false);
    expect(mayDo(bash, rules("all", { tools: { denied: ["execute"] } }))).toBe(false);
    expect(mayDo(bash, rules("all", { tools: { allowed: ["Read"] } }))).toBe(false);
    expect(mayDo(bash, rules("all", { tools: { allowed: ["Bash"] } }))).toBe(true);
    expect(mayDo(bash, rules("read", { tools: { allowed: ["Bash"] } }))).toBe(false);
  });
});

test("a request is described by its command or its first file", () => {
  expect(describeRequest(request("execute", { cmd: "ls -l" }, { name: "Bash" }))).toBe("Bash: ls -l");
  expect(describeRequest(request("execute", { command: "git", args: ["push"] }))).toBe("execute: git push");
  expect(describeRequest(request("edit", { path: "a" }))).toBe("edit: a");
  expect(describeRequest(request(undefined))).toBe("tool");
  expect(commandOf(request("execute", { command: [] }))).toBeUndefined();
  expect(pathsOf(request("read", { paths: ["a", 1] }))).toEqual(["a"]);
});
