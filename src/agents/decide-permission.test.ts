import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../base/index.ts";
import { mayDo, type Rules } from "./decide-permission.ts";
import { partsOf } from "./request-parts.ts";
import { describeRequest, type ToolRequest } from "./tool-request.ts";

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "waymark-permission-")));
  mkdirSync(join(cwd, "src"));
  symlinkSync(tmpdir(), join(cwd, "away"));
  mkdirSync(join(cwd, ".git"));
  symlinkSync(".git", join(cwd, "repository"));
  symlinkSync(join(tmpdir(), "not-there-yet"), join(cwd, "dangling"));
  symlinkSync("circle", join(cwd, "circle"));
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
    ["a search without a name for what looks like a path", request("search", { pattern: "/etc/passwd" }), ""],
    ["reading by an address under another key", request("read", { uri: "file:///etc/passwd" }), ""],
    ["reading outside under a key that nobody knows", request("read", { path: "src/a.ts", place: "/etc/passwd" }), "all"],
    ["reading outside under a key of edits", request("read", { target_file: "/etc/passwd" }), ""],
    ["listing outside", request("read", { dir: "/etc" }), ""],
    ["searching from another root", request("search", { root: "..", query: "x" }), ""],
    ["reading outside deep in the input", request("read", { path: "src", more: [{ also: ["../../x"] }] }), "all"],
    ["reading outside in JSON inside of the input", request("read", { arguments: '{"path": "/etc/passwd"}' }), ""],
    ["reading outside by an address of a relative form", request("read", { path: "file:../../x" }), ""],
    ["a path with space around it", request("read", { path: " /etc/passwd" }), ""],
    ["alternatives of a pattern that lead out", request("search", { glob: "{src,/etc}/*", query: "x" }), ""],
    ["a pattern that can go up further than it says", request("search", { glob: "**/**/../../x", query: "x" }), ""],
    ["going up behind a link", request("read", { path: "away/../x" }), ""],
    ["going up inside", request("read", { path: "src/../src/a.ts" }), "read edit all"],
    ["a line of a file", request("read", { path: "Makefile:12" }), "read edit all"],
    ["a link to a file outside that does not exist", request("edit", { path: "dangling" }), ""],
    ["a link to itself", request("edit", { path: "circle" }), ""],
    ["an input that nothing is known of", request("read", { script: "touch x" }), "all"],
    ["an input that nothing is known of, of another name", request("read", { description: "look", body: "touch x" }), "all"],
    ["reading what is not said", request("read"), "all"],
    ["a text alone", request("read", "touch x"), "all"],
    ["a list of what the folder has", request("search", {}), "read edit all"],
    ["notes", request("think", { todos: [{ content: "/etc", status: "pending" }] }), "read edit all"],
    ["new content that is shown as reading", request("read", { path: "src/a.ts", content: "x" }), "edit all"],
    ["content that begins like a path", request("edit", { path: "src/a.ts", old_string: "// a", newString: "/etc" }), "edit all"],
    [
      "a patch of `diff` that leaves the folder",
      request("edit", { path: "src/a.ts", diff: "--- a/src/a.ts\n+++ b/../../x\n@@ -1 +1 @@" }),
      "",
    ],
    ["a patch of `diff`", request("edit", { path: "src/a.ts", diff: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@" }), "edit all"],
    ["a change of git's settings", request("edit", { path: ".git/config" }), "all"],
    ["a change of git's settings in other capitals", request("edit", { file_path: "src/../.GIT/hooks/x" }), "all"],
    ["a change of the file that a worktree has", request("edit", { path: "./.git" }), "all"],
    ["a change of a nested repository", request("delete", { path: "src/.git/HEAD" }), "all"],
    ["a change of git's settings behind a link", request("edit", { path: "repository/config" }), "all"],
    ["a change of git's settings by another spelling", request("edit", { path: ".g\u200cit /config" }), "all"],
    ["a change of Waymark's store", request("edit", { changes: { ".waymark/store/a": {} } }), "all"],
    ["a patch of Waymark's settings", request("edit", "*** Update File: .waymark/config.yaml"), "all"],
    ["a move to git's settings", request("move", { old_path: "src/a.ts", new_path: ".git/config" }), "all"],
    ["a deletion of the folder itself", request("delete", { path: "." }), "all"],
    ["a deletion by a pattern", request("delete", { path: ".g?t" }), "all"],
    ["a file whose name only begins so", request("edit", { path: ".github/workflows/a.yml" }), "edit all"],
    ["reading git's settings", request("read", { path: ".git/config" }), "read edit all"],
    ["a command", request("execute", { command: "ls" }), "all"],
    ["a command deep in the input", request("read", { path: "src", more: { cmd: "ls" } }), "all"],
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

  test.each<[string, Json, boolean]>([
    ["a second command beside it", { command: "npm test", script: "touch x" }, false],
    ["arguments that are a text for the shell", { command: "npm test", args: "&& touch x" }, false],
    ["arguments that are a plain text", { command: "npm", args: "test" }, true],
    ["variables", { command: "npm test", env: { NODE_OPTIONS: "--require ./x" } }, false],
    ["another folder", { command: "npm test", cwd: "/etc" }, false],
    ["its own folder and a word about it", { command: "npm test", workdir: "src", timeout: 3, description: "~ tests" }, true],
    ["no variables", { command: "npm test", env: {}, shell: true }, true],
  ])("with %s", (_title, input, expected) => {
    expect(mayDo(request("execute", input), { permission: { level: "edit", commands: ["npm test"] }, cwd })).toBe(expected);
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
    [request("execute", { server: "waymark", tool: "workflow_next", arguments: { command: "x" } }, { ofServer: true })],
    [request("read", { file: "/x" }, { name: "mcp__waymark__workflow_progress" })],
  ])("a tool of the turn's own server is always allowed: %j", (asked) => {
    expect(mayDo(asked, rules("read", { mcp, tools: { allowed: [] } }))).toBe(true);
    expect(mayDo(asked, rules("read"))).toBe(false);
  });

  test.each<[string, ToolRequest]>([
    ["a command", request("execute", { command: "touch x", server: "waymark" })],
    ["a command that calls itself another tool", request("other", { command: "touch x", server: "waymark" })],
    ["a command under another key", request("other", { code: "touch x", server_name: "waymark" })],
    ["a command with nothing else", request("execute", { server: "waymark", tool: "sh", arguments: { command: "touch x" } })],
    ["a tool with a name of its own", request("other", { server: "waymark", arguments: "touch x" }, { name: "shell" })],
    ["a file outside", request("edit", { path: "/etc/x", server: "waymark" })],
    ["a file that it touches", request("other", { server: "waymark" }, { files: ["/etc/x"] })],
    ["a server's call with more in it", request("execute", { server: "waymark", command: "touch x" }, { ofServer: true })],
    ["a command by its id", request("execute", { command: "touch x" }, { id: "mcp__waymark__x" })],
    ["a reading by its id", request("read", { path: "/etc/passwd" }, { id: "mcp_waymark_x" })],
    ["a command by its name", request("execute", { command: "touch x" }, { name: "mcp__waymark__x" })],
  ])("%s does not become one of the server's tools by what a model writes", (_title, asked) => {
    for (const level of ["read", "edit"] as const) expect(mayDo(asked, rules(level, { mcp }))).toBe(false);
    expect(mayDo(asked, rules("all", { mcp, tools: { allowed: [] } }))).toBe(false);
  });

  test("a tool of another server needs all", () => {
    expect(mayDo(request("other", {}, { name: "mcp__other__x" }), rules("edit", { mcp }))).toBe(false);
  });

  test("names and kinds that the turn excludes are refused, whatever the level", () => {
    const bash = request("execute", { command: "ls" }, { name: "Bash" });
    expect(mayDo(bash, rules("all", { tools: { denied: ["Bash"] } }))).toBe(false);
    expect(mayDo(bash, rules("all", { tools: { denied: ["execute"] } }))).toBe(false);
    expect(mayDo(bash, rules("all", { tools: { denied: ["EXECUTE"] } }))).toBe(false);
    expect(mayDo(request("execute", { command: "ls" }, { name: "bash" }), rules("all", { tools: { denied: ["Bash"] } }))).toBe(false);
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
  expect(partsOf(request("execute", { command: [] })).commands).toEqual([]);
  expect(partsOf(request("read", { paths: ["a", 1] })).paths).toEqual(["a"]);
});

describe("whatever keys and values a request has", () => {
  const mcp = [{ name: "waymark", url: "http://127.0.0.1:1/mcp" }];
  const known = ["path", "uri", "dir", "content", "query", "server", "tool", "arguments", "description", "old_string", "changes", "env"];
  const word = fc.oneof(fc.constantFrom("src", "src/a.ts", "waymark", "npm test", "x", ""), fc.string());
  const key = fc.oneof(fc.constantFrom(...known), fc.string());
  const value = fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word, { maxLength: 3 }), fc.dictionary(key, word, { maxKeys: 3 }));
  const input = fc.dictionary(key, value, { maxKeys: 5 });
  const kind = fc.option(fc.constantFrom("read", "search", "think", "edit", "delete", "move", "execute", "fetch", "other", "new"), {
    nil: undefined,
  });
  const about = fc.record({ id: word, files: fc.array(fc.constantFrom("src", "src/a.ts"), { maxLength: 2 }) });
  const limits = { mcp, permission: { level: "edit", commands: ["npm test"] } } as const;
  const outside = fc.constantFrom(
    "/etc/passwd",
    "../x",
    "~/x",
    "file:///etc/passwd",
    "away/x",
    "src/../../x",
    "dangling",
    "https://x.org/",
  );
  /** The same input with one more thing in it, at the top or below. */
  const holding = (held: JsonObject): fc.Arbitrary<JsonObject> =>
    fc.tuple(input, fc.boolean()).map(([given, deep]) => (deep ? { ...given, deep: [held] } : { ...given, ...held }));

  test("no command is granted at read, and at edit none that is not listed", () => {
    const command = fc.tuple(
      fc.constantFrom("command", "cmd", "script", "Command", "argv"),
      fc.constantFrom("touch x", "npm test; id", ["sh", "-c", "id"]),
    );
    const asked = fc.tuple(
      kind,
      command.chain(([name, line]) => holding({ [name]: line })),
      about,
    );
    fc.assert(
      fc.property(asked, ([of, given, more]) => {
        expect(mayDo(request(of, given, more), rules("read", limits))).toBe(false);
      }),
    );
    fc.assert(fc.property(asked, ([of, given, more]) => !mayDo(request(of, given, more), { cwd, ...limits })));
    const executed = fc.tuple(input, about);
    fc.assert(fc.property(executed, ([given, more]) => !mayDo(request("execute", given, more), rules("read", limits))));
  });

  test("no change is granted at read", () => {
    const change = fc.constantFrom("edit", "delete", "move");
    fc.assert(fc.property(change, input, about, (of, given, more) => !mayDo(request(of, given, more), rules("read", { mcp }))));
  });

  test("no path outside is granted, whatever key names it", () => {
    const name = key.filter((one) => !/^(?:description|query|content|old_string)$/.test(one));
    const asked = fc.tuple(
      kind,
      fc.tuple(name, outside).chain(([one, path]) => holding({ [one]: path })),
      about,
    );
    fc.assert(
      fc.property(asked, ([of, given, more]) => {
        fc.pre(!isOwn(given));
        expect(mayDo(request(of, given, more), { cwd, ...limits })).toBe(false);
        expect(mayDo(request(of, given, more), rules("read", { mcp }))).toBe(false);
      }),
    );
  });

  test("no change of `.git` or `.waymark` is granted at edit", () => {
    const guarded = fc.constantFrom(".git", ".git/config", "src/.Git/x", ".waymark/store/x", "repository/config", "./.WAYMARK", ".git.");
    const change = fc.constantFrom("edit", "delete", "move");
    const asked = fc.tuple(
      change,
      guarded.chain((path) => holding({ new_path: path })),
      about,
    );
    fc.assert(fc.property(asked, ([of, given, more]) => !mayDo(request(of, given, more), { cwd, ...limits })));
  });
});

/** A call of the server's tool, as an agent without names wraps it. */
const isOwn = (given: JsonObject): boolean =>
  given["server"] === "waymark" && Object.keys(given).every((one) => ["server", "tool", "arguments"].includes(one));
