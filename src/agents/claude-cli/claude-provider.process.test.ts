import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { children, ofType, runTurn } from "../../../test/agents/run-turn.ts";
import { DrivenTime } from "../../../test/support/driven-time.ts";
import { systemAlarms } from "../../host/index.ts";
import type { Alarms, Turn } from "../../ports/index.ts";
import { ClaudeProvider } from "./claude-provider.ts";

let folder: string;
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-claude-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A command that writes down how it was called, prints these lines, and ends as the code says. */
function claude(
  lines: readonly unknown[],
  more: { readonly code?: string; readonly alarms?: Alarms; readonly model?: string } = {},
): ClaudeProvider {
  const program = join(folder, "claude.mjs");
  const printed = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(
    program,
    `import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
     const args = process.argv.slice(2);
     const config = args[args.indexOf("--mcp-config") + 1];
     let prompt = "";
     if (args[0] !== "--version") for await (const chunk of process.stdin) prompt += chunk;
     const servers = args.includes("--mcp-config") ? { mode: (statSync(config).mode & 0o777).toString(8), text: readFileSync(config, "utf8"), config } : undefined;
     writeFileSync(${JSON.stringify(join(folder, "called"))}, JSON.stringify({ args, prompt, servers, cwd: process.cwd() }));
     for (const line of ${JSON.stringify(printed)}) console.log(line);
     ${more.code ?? ""}`,
  );
  const provider = new ClaudeProvider({
    spec: {
      name: "claude",
      protocol: "claude-cli",
      command: [process.execPath, program],
      env: [],
      modes: {},
      usage: { tokens: "turn", cost: "session" },
      resume: "resume",
      textFilters: [],
      ...(more.model === undefined ? {} : { model: more.model }),
    },
    children,
    time: { alarms: more.alarms ?? systemAlarms, now: () => Date.UTC(2026, 0, 1) },
    env: { PATH: process.env["PATH"] ?? "" },
    version: "1.0.0",
    workspace: folder,
  });
  onTestFinished(() => provider.close());
  return provider;
}

const run = (provider: ClaudeProvider, turn: Partial<Turn> = {}, onEvent?: Parameters<typeof runTurn>[2]) =>
  runTurn(provider, { cwd: folder, ...turn }, onEvent);

const called = () =>
  JSON.parse(readFileSync(join(folder, "called"), "utf8")) as {
    args: string[];
    prompt: string;
    cwd: string;
    servers?: { mode: string; text: string; config: string };
  };
/** The value of an option. */
const option = (name: string): string | undefined => called().args[called().args.indexOf(name) + 1];

const init = { type: "system", subtype: "init", session_id: "s1" };
const said = (text: string) => ({ type: "assistant", session_id: "s1", message: { content: [{ type: "text", text }] } });
const ended = { type: "result", subtype: "success", is_error: false, result: "Done.", session_id: "s1", total_cost_usd: 0.25 };

test("a turn gives session, messages, tools, usage and what was denied", async () => {
  const provider = claude([
    init,
    said("I look."),
    {
      type: "assistant",
      message: {
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } },
        ],
      },
    },
    { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "text", is_error: false }] } },
    said("Done."),
    {
      ...ended,
      usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 2 },
      permission_denials: [{ tool_name: "Bash", tool_use_id: "t2", tool_input: { command: "rm x" } }],
    },
  ]);
  const { events, result } = await run(provider, { prompt: "Look at `a`." });
  expect(events[0]).toEqual({ type: "session", sessionId: "s1", resumed: "new" });
  expect(ofType(events, "message").map(({ text }) => text)).toEqual(["I look.", "Done."]);
  expect(ofType(events, "tool").map(({ name, status }) => `${name} ${status}`)).toEqual(["Read running", "Read done"]);
  expect(result).toEqual({
    type: "result",
    sessionId: "s1",
    stop: "end",
    text: "Done.",
    usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 2, costUsd: 0.25 },
    denied: ["Bash: rm x"],
  });
  expect(called()).toMatchObject({ prompt: "Look at `a`.", cwd: folder });
});

test("servers are in a file that only the user can read, and which is removed; the token is not in the arguments", async () => {
  const mcp = [{ name: "waymark", url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer secret" } }];
  await run(claude([init, ended]), { mcp });
  const { servers, args } = called();
  expect(servers?.mode).toBe("600");
  expect(JSON.parse(servers?.text ?? "")).toEqual({
    mcpServers: { waymark: { type: "http", url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer secret" } } },
  });
  expect(args.join(" ")).not.toContain("secret");
  expect(existsSync(servers?.config ?? "")).toBe(false);
  expect(option("--allowedTools")).toMatch(/,mcp__waymark$/);
});

test.each<[Turn["permission"], Turn["tools"], string, readonly string[], readonly string[]]>([
  [{ level: "read" }, undefined, "default", ["Read"], ["Write", "Bash"]],
  [{ level: "edit", commands: ["npm test"] }, undefined, "acceptEdits", ["Write", "Bash(npm test)", "Bash(npm test:*)"], ["Bash"]],
  [{ level: "all" }, undefined, "acceptEdits", ["Write", "Bash", "WebFetch"], []],
  [{ level: "all" }, { allowed: ["Read", "Bash"] }, "acceptEdits", ["Read", "Bash"], ["Write", "WebFetch"]],
])("permission %j with tools %j is said by flags", async (permission, tools, mode, allowed, absent) => {
  await run(claude([init, ended], { model: "opus" }), {
    permission,
    ...(tools === undefined ? {} : { tools: { ...tools, denied: ["Task"] } }),
  });
  const names = (option("--allowedTools") ?? "").split(",");
  expect(option("--permission-mode")).toBe(mode);
  expect(allowed.filter((name) => !names.includes(name))).toEqual([]);
  expect(absent.filter((name) => names.includes(name))).toEqual([]);
  expect(option("--model")).toBe("opus");
  const denied = option("--disallowedTools")?.split(",") ?? [];
  expect(denied.includes("Task")).toBe(tools !== undefined);
  expect(denied.includes("Edit(.git/**)")).toBe(permission.level === "edit");
});

test("tools that a workflow names by kind or in other capitals are those of the command", async () => {
  await run(claude([init, ended]), {
    permission: { level: "all" },
    tools: { allowed: ["read", "bash", "Other"], denied: ["EXECUTE", "glob"] },
  });
  expect(option("--allowedTools")).toBe("Read,NotebookRead,Bash");
  expect(option("--disallowedTools")).toBe("Bash,BashOutput,KillShell,Glob");
});

test("who may only read may edit what the step must leave, by a rule for that file", async () => {
  await run(claude([init, ended]), { permission: { level: "read" }, leaves: ["out/plan.md", "out/*"] });
  const edits = (option("--allowedTools") ?? "").split(",").filter((name) => /^(?:Edit|Write)/.test(name));
  expect(edits).toEqual(["Edit(out/plan.md)"]);
});

test("a session is resumed by its id, without the cost of its earlier turns", async () => {
  const { events, result } = await run(claude([init, ended]), { session: "s1" });
  expect(option("--resume")).toBe("s1");
  expect(ofType(events, "session")[0]?.resumed).toBe("resumed");
  expect(result.usage).toEqual({});
});

test("a session that the command does not have is lost", async () => {
  const code = 'console.error("No conversation found with session ID: gone"); process.exit(1);';
  const { events, result } = await run(claude([], { code }), { session: "gone" });
  expect(ofType(events, "session")).toEqual([{ type: "session", sessionId: "gone", resumed: "lost" }]);
  expect(result).toMatchObject({ stop: "error", errorKind: "lost" });
  const asResult = {
    ...ended,
    subtype: "error_during_execution",
    is_error: true,
    result: "",
    errors: ["No conversation found with session ID: gone"],
  };
  expect((await run(claude([asResult]), { session: "gone" })).result.errorKind).toBe("lost");
});

test.each(["--settings={}", "-p", "a b", "../other", "", "x".repeat(201)])(
  "an id that is none of a session is never an argument: %s",
  async (session) => {
    const { events, result } = await run(claude([init, ended]), { session });
    expect(ofType(events, "session")).toEqual([{ type: "session", sessionId: session, resumed: "lost" }]);
    expect(result).toMatchObject({ stop: "error", errorKind: "lost" });
    expect(existsSync(join(folder, "called"))).toBe(false);
  },
);

test.each([
  [[init, { ...ended, is_error: true, result: "Claude AI usage limit reached|1767330245" }], "", "limit", 1_767_330_245_000],
  [[init, { ...ended, is_error: true, result: "Invalid API key" }], "", "auth", undefined],
  [[init, said("Hello")], "process.exit(9);", "crash", undefined],
  [[], 'console.error("Please log in"); process.exit(1);', "auth", undefined],
])("failure %#", async (lines, code, errorKind, resetAt) => {
  const { result } = await run(claude(lines, { code }));
  expect([result.stop, result.errorKind, result.resetAt]).toEqual(["error", errorKind, resetAt]);
});

test("too many turns is a stop of its own, and a line that is not JSON is noticed", async () => {
  const { events, result } = await run(claude(["Warning: old", init, { ...ended, subtype: "error_max_turns" }]));
  expect(result.stop).toBe("max_turns");
  expect(ofType(events, "notice")[0]?.text).toContain("Warning: old");
});

test("an aborted turn kills the command, and so does silence", async () => {
  const hang = "setInterval(() => undefined, 1000);";
  const stop = new AbortController();
  const aborted = await run(
    claude([init, said("wait")], { code: hang }),
    { signal: stop.signal },
    ({ type }) => void (type === "text" && stop.abort()),
  );
  expect(aborted.result.stop).toBe("cancelled");
  const time = new DrivenTime();
  let moved: Promise<void> | undefined;
  const silent = await run(claude([init, said("wait")], { code: hang, alarms: time.alarms }), { idleMs: 1000 }, ({ type }) => {
    if (type === "text") moved = time.advance(1000);
  });
  await moved;
  expect(silent.result).toMatchObject({ stop: "error", errorKind: "timeout" });
});

test("its version is asked for", async () => {
  expect(await claude(["2.0.14 (Claude Code)"]).probe(folder)).toEqual({ answers: true, version: "2.0.14", modes: [], models: [] });
  expect(await claude([], { code: 'console.error("broken"); process.exit(1);' }).probe(folder)).toMatchObject({
    answers: false,
    problem: "broken",
  });
});
