import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { ofType, runTurn } from "../../../test/agents/run-turn.ts";
import { DrivenTime } from "../../../test/support/driven-time.ts";
import type { AgentProvider, McpHttp } from "../../ports/index.ts";
import { parseScript } from "./parse-script.ts";
import { openScript } from "./script-provider.ts";

let folder: string;
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-script-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const time = new DrivenTime();
function open(yaml: string): Promise<AgentProvider> {
  writeFileSync(join(folder, "script.yaml"), yaml);
  return openScript("dry", { file: join(folder, "script.yaml") }, { alarms: time.alarms, now: time.now });
}

/** An MCP server that answers in a stream or as one body, and notes what it is asked. */
async function serve(form: "stream" | "body", result: unknown): Promise<{ server: McpHttp; heard: string[] }> {
  const heard: string[] = [];
  const http = createServer((request, response) => {
    void textOf(request).then((text) => {
      const message = JSON.parse(text) as { id?: number; method: string };
      heard.push(`${message.method} ${request.headers["authorization"] ?? ""} ${String(request.headers["mcp-session-id"] ?? "")}`.trim());
      if (message.id === undefined) return response.writeHead(202).end();
      const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: message.method === "initialize" ? {} : result });
      response.writeHead(200, { "content-type": form === "stream" ? "text/event-stream" : "application/json", "mcp-session-id": "m1" });
      return response.end(form === "stream" ? `event: message\ndata: ${answer}\n\n` : answer);
    });
  });
  await new Promise<void>((done) => void http.listen(0, "127.0.0.1", done));
  onTestFinished(() => void http.close());
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return { server: { name: "waymark", url, headers: { authorization: "Bearer t" } }, heard };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

test("a turn says, writes and stops as the script has it, with what the pattern found", async () => {
  const provider = await open(`
turns:
  - match: 'plan for (?<what>\\w+)'
    times: 1
    do:
      - say: I plan $<what>.
      - say: Now I write.
      - write: { file: docs/plan.md, text: "# $<what> $<other>" }
  - do: [{ say: Something else. }]
    stop: max_tokens
`);
  const first = await runTurn(provider, { cwd: folder, prompt: "Write the plan for cats", permission: { level: "edit" } });
  expect(ofType(first.events, "message").map(({ text }) => text)).toEqual(["I plan cats.", "Now I write."]);
  expect(first.result).toMatchObject({ stop: "end", text: "Now I write.", sessionId: "dry-1" });
  expect(readFileSync(join(folder, "docs/plan.md"), "utf8")).toBe("# cats $<other>");
  const second = await runTurn(provider, { cwd: folder, prompt: "Write the plan for dogs", session: "dry-1" });
  expect(second.result).toMatchObject({ stop: "max_tokens", text: "Something else." });
  expect(ofType(second.events, "session")[0]?.resumed).toBe("resumed");
});

test("it keeps to the permission of the turn", async () => {
  const provider = await open("turns: [{ do: [{ write: { file: a, text: x } }, { write: { file: ../b, text: x } }] }]");
  expect((await runTurn(provider, { cwd: folder })).result.denied).toEqual(["write: a", "write: ../b"]);
  expect((await runTurn(provider, { cwd: folder, permission: { level: "edit" } })).result.denied).toEqual(["write: ../b"]);
  expect([existsSync(join(folder, "a")), existsSync(join(folder, "../b"))]).toEqual([true, false]);
});

test.each(["stream", "body"] as const)("it calls the turn's MCP server for real: %s", async (form) => {
  const { server, heard } = await serve(form, { content: [{ type: "text", text: "step 42" }] });
  const provider = await open("turns: [{ do: [{ call: { tool: workflow_next, with: { run: r } } }] }]");
  const { events } = await runTurn(provider, { cwd: folder, mcp: [server] });
  expect(heard).toEqual(["initialize Bearer t", "notifications/initialized Bearer t m1", "tools/call Bearer t m1"]);
  expect(ofType(events, "tool").at(-1)).toMatchObject({ name: "workflow_next", status: "done", output: "step 42" });
});

test("an error of a tool, and a server that is not there, are failed calls", async () => {
  const { server } = await serve("body", { isError: true, content: [{ type: "text", text: "no" }] });
  const provider = await open("turns: [{ do: [{ call: { tool: a } }, { call: { tool: b, server: other } }] }]");
  const { events } = await runTurn(provider, { cwd: folder, mcp: [server] });
  const ends = ofType(events, "tool").filter(({ status }) => status !== "running");
  expect(ends.map(({ status, output }) => [status, output])).toEqual([
    ["failed", "no"],
    ["failed", "The turn has no such MCP server."],
  ]);
});

test("errors are those of a real agent, and a prompt without a turn is one", async () => {
  const provider = await open(
    "turns: [{ match: x, error: { kind: limit, text: 'Full, try again in 2 hours.' } }, { match: y, error: 'HTTP 401' }]",
  );
  expect((await runTurn(provider, { cwd: folder, prompt: "x" })).result).toMatchObject({
    stop: "error",
    errorKind: "limit",
    resetAt: time.now() + 7_200_000,
  });
  expect((await runTurn(provider, { cwd: folder, prompt: "y" })).result.errorKind).toBe("auth");
  expect((await runTurn(provider, { cwd: folder, prompt: "z" })).result).toMatchObject({
    stop: "error",
    error: "The script has no turn for this prompt.",
  });
  expect((await runTurn(provider, { cwd: folder, prompt: "x", signal: AbortSignal.abort() })).result.stop).toBe("cancelled");
});

test.each([
  [[], "it needs a list `turns`"],
  [{ turns: [1] }, "`turns[0]` must be a map"],
  [{ turns: [{ mach: "x" }] }, "`turns[0]` has an unknown key `mach`; did you mean `match`?"],
  [{ turns: [{ match: 1 }] }, "`turns[0].match` must be a regular expression"],
  [{ turns: [{ match: "(" }] }, "`turns[0].match` is not a regular expression"],
  [{ turns: [{ times: 0 }] }, "`turns[0].times` must be a number from 1"],
  [{ turns: [{ do: {} }] }, "`turns[0].do` must be a list"],
  [{ turns: [{ do: [{ write: {} }] }] }, "`turns[0].do[0]` must be `say: text`"],
  [{ turns: [{ stop: "error" }] }, "`turns[0].stop` must be one of"],
  [{ turns: [{ error: {} }] }, "`turns[0].error` must be a text"],
  [{ turns: [{ error: { text: "x", kind: "y" } }] }, "`turns[0].error.kind` must be one of"],
])("a script that cannot be used says what is wrong: %j", (value, message) => {
  expect(() => parseScript(value)).toThrow(message);
});

test.each(["limit", "auth", "overloaded", "transport", "crash", "timeout", "refused", "lost", "unknown"])(
  "a failure of the kind %s has that kind, whatever its words are",
  async (kind) => {
    const provider = await openScript("dry", { script: { turns: [{ error: { kind, text: "HTTP 503" } }] }, in: "a.yaml" }, time);
    expect((await runTurn(provider, { cwd: folder, prompt: "x" })).result).toMatchObject({ stop: "error", errorKind: kind });
  },
);

test("what is wrong ends with one sign", async () => {
  const opened = openScript("dry", { script: { turns: [{ mach: "x" }] }, in: "a.yaml" }, { alarms: time.alarms, now: time.now });
  await expect(opened).rejects.toMatchObject({
    message: "The script `a.yaml` cannot be used: `turns[0]` has an unknown key `mach`; did you mean `match`?",
  });
});

test("a file that is not there is refused with its code", async () => {
  await expect(openScript("dry", { file: join(folder, "none.yaml") }, { alarms: time.alarms, now: time.now })).rejects.toMatchObject({
    code: "AGENTS_SCRIPT",
  });
});
