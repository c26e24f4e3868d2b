import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { fakeProvider, ofType, runTurn } from "../../../test/agents/run-turn.ts";
import { DrivenTime } from "../../../test/support/driven-time.ts";
import type { Turn } from "../../ports/index.ts";
import type { AcpProvider } from "./acp-provider.ts";

let folder: string;
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-acp-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Wish = NonNullable<Parameters<typeof fakeProvider>[0]>;

function open(wish: Wish = {}): AcpProvider {
  const provider = fakeProvider(wish);
  onTestFinished(() => provider.close());
  return provider;
}

const misbehaving = (kind: string, wish: Wish = {}): AcpProvider => open({ ...wish, args: [`--kind=${kind}`, ...(wish.args ?? [])] });

function scripted(script: unknown, wish: Wish = {}): AcpProvider {
  const file = join(folder, "script.json");
  writeFileSync(file, JSON.stringify(script));
  return open({ ...wish, args: [`--script=${file}`, ...(wish.args ?? [])] });
}

const run = (provider: AcpProvider, turn: Partial<Turn> = {}, onEvent?: Parameters<typeof runTurn>[2]) =>
  runTurn(provider, { cwd: folder, ...turn }, onEvent);

/** Everything that the fake agent was asked. */
const log = (): { method: string; params: Record<string, unknown>; env: string[] }[] =>
  readFileSync(join(folder, "log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as never);

describe("a turn", () => {
  test("gives text, whole messages around tools, thinking, plan, usage and a result", async () => {
    const provider = scripted([
      {
        do: [
          { say: "First this." },
          { think: "hm" },
          { plan: ["a", "b"] },
          { notice: "slow today" },
          { write: { file: "out.md", text: "written" } },
          { say: "Then that." },
          { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } },
        ],
      },
    ]);
    const { events, result } = await run(provider, { permission: { level: "edit" } });
    expect(ofType(events, "session")).toEqual([{ type: "session", sessionId: result.sessionId, resumed: "new" }]);
    expect(ofType(events, "text").map(({ text }) => text)).toEqual(["First ", "this.", "Then ", "that."]);
    expect(ofType(events, "message").map(({ text }) => text)).toEqual(["First this.", "Then that."]);
    expect(ofType(events, "thinking")).toEqual([{ type: "thinking", text: "hm" }]);
    expect(ofType(events, "plan")[0]?.items).toEqual([
      { text: "a", status: "pending" },
      { text: "b", status: "pending" },
    ]);
    expect(ofType(events, "notice")).toEqual([{ type: "notice", level: "warn", text: "slow today" }]);
    expect(ofType(events, "tool").map(({ name, status }) => `${name} ${status}`)).toEqual(["write pending", "write running", "write done"]);
    expect(ofType(events, "permission")).toEqual([{ type: "permission", tool: "write: out.md", decision: "allow" }]);
    expect(result).toMatchObject({ stop: "end", text: "Then that.", usage: { inputTokens: 10, outputTokens: 5 }, denied: [] });
    expect(readFileSync(join(folder, "out.md"), "utf8")).toBe("written");
  });

  test("calls an MCP server over HTTP with its token, without a word in the environment", async () => {
    const heard: string[] = [];
    const server = createServer((request, response) => {
      heard.push(request.headers.authorization ?? "none");
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "step 42" }] } }));
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const mcp = [{ name: "waymark", url, headers: { Authorization: "Bearer secret" } }];
    const provider = scripted([{ do: [{ call: { tool: "next", with: {} } }] }], {
      args: [`--log=${join(folder, "log")}`],
      env: { WAYMARK_TOKEN: "t", OTHER: "x", LC_ALL: "C" },
    });
    const { events, result } = await run(provider, { mcp });
    expect(result).toMatchObject({ stop: "end", denied: [] });
    expect(heard).toEqual(["Bearer secret", "Bearer secret", "Bearer secret"]);
    expect(JSON.stringify(ofType(events, "tool").at(-1)?.output)).toContain("step 42");
    expect(log()[0]?.env.toSorted()).toEqual(["LC_ALL", "PATH"]);
  });

  test("declares neither files nor terminals, but notices and the vendor's failures", async () => {
    const clientMeta = { jetbrains: { air: { version: 1, capabilities: ["sessionFailure"] } } };
    await run(open({ args: [`--log=${join(folder, "log")}`], spec: { clientMeta } }));
    expect(log()[0]).toMatchObject({
      method: "initialize",
      params: {
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          session: { notices: {} },
          _meta: clientMeta,
        },
      },
    });
  });

  test("a size that it has no model for is its usual model, and people are told once", async () => {
    const provider = open({ args: [`--log=${join(folder, "log")}`], spec: { model: "large" } });
    const { events, result } = await run(provider, { model: "medium" });
    expect(result.stop).toBe("end");
    const told =
      "`fake` has no model for `medium`, so its usual model is used. Name one in its entry below `agents` in the configuration: `models: { medium: <model> }`.";
    expect(events).toContainEqual({ type: "notice", level: "warn", text: told, once: true });
    expect((await run(provider, { model: "@mini" })).result.stop).toBe("end");
    expect((await run(provider, { model: "small" })).events.filter(({ type }) => type === "notice")).toEqual([]);
    const set = log().filter(({ method }) => method === "session/set_config_option");
    expect(set.map(({ params }) => params["value"])).toEqual(["large", "large", "small"]);
    const unknown = await run(provider, { model: "huge" });
    expect(unknown.result).toMatchObject({ error: expect.stringContaining("`models: { huge: <model> }`") as string });
  });

  test("sets auth, mode and model, and refuses a model or a mode that the agent does not have", async () => {
    const spec = { auth: "fake-login", modes: { read: "plan", edit: "missing" } };
    const provider = open({ args: [`--log=${join(folder, "log")}`], spec });
    const first = await run(provider, { model: "large" });
    const again = await run(provider, { model: "large", session: first.result.sessionId });
    expect(again.result.stop).toBe("end");
    const asked = log().map(({ method, params }) => [method, params["methodId"] ?? params["modeId"] ?? params["value"]]);
    expect(asked.filter(([, value]) => value !== undefined)).toEqual([
      ["authenticate", "fake-login"],
      ["session/set_config_option", "large"],
      ["session/set_mode", "plan"],
    ]);
    const { result } = await run(provider, { model: "huge" });
    expect(result).toMatchObject({ stop: "error", errorKind: "setup", error: expect.stringContaining("`small`, `large`") as string });
    const edits = await run(provider, { permission: { level: "edit" } });
    const why = "The agent does not have the mode `missing`. It offers `default`, `plan`.";
    expect(edits.result).toMatchObject({ stop: "error", errorKind: "setup", error: why });
    expect(log().filter(({ method }) => method === "session/prompt")).toHaveLength(2);
  });

  test("asks for JSON where a schema is given, and passes the raw wire on", async () => {
    const wire: string[] = [];
    const provider = scripted([{ match: "JSON Schema", do: [{ say: "{}" }] }]);
    const outputSchema = { type: "object" };
    const { result } = await run(provider, {
      outputSchema,
      onRaw: (direction, message) => wire.push(`${direction} ${JSON.stringify(message)}`),
    });
    expect(result.text).toBe("{}");
    expect(wire[0]).toContain('out {"jsonrpc":"2.0"');
    expect(wire.some((line) => line.startsWith("in ") && line.includes("agent_message_chunk"))).toBe(true);
    const second: string[] = [];
    await run(provider, { onRaw: (direction, message) => second.push(`${direction} ${JSON.stringify(message)}`) });
    expect(second[0]).toContain('"method":"session/new"');
  });

  test.each([
    ["refusal", "error", "refused"],
    ["max_tokens", "max_tokens", undefined],
    ["max_turn_requests", "max_turns", undefined],
  ])("a turn that stops with %s is %s", async (reason, stop, errorKind) => {
    const { result } = await run(scripted([{ do: [{ stop: reason }] }]));
    expect([result.stop, result.errorKind]).toEqual([stop, errorKind]);
  });

  test("text that begins as the filters say is a notice", async () => {
    const provider = scripted([{ do: [{ say: "Info: loaded" }, { say: "Hello." }] }], { spec: { textFilters: ["Info:"] } });
    const { events, result } = await run(provider);
    expect(ofType(events, "notice").map(({ text }) => text)).toEqual(["Info:"]);
    expect(result.text).toBe("loadedHello.");
  });

  test("one process serves turns at the same time", async () => {
    const provider = open({ args: [`--log=${join(folder, "log")}`] });
    const both = await Promise.all([run(provider), run(provider)]);
    expect(new Set(both.map(({ result }) => result.sessionId)).size).toBe(2);
    expect(log().filter(({ method }) => method === "initialize")).toHaveLength(1);
  });

  test("a process is replaced after 50 sessions", async () => {
    const provider = open({ args: [`--log=${join(folder, "log")}`] });
    for (let turn = 0; turn < 51; turn += 1) await run(provider);
    expect(log().filter(({ method }) => method === "initialize")).toHaveLength(2);
  });
});

describe("a process after a failure", () => {
  const starts = (): number => log().filter(({ method }) => method === "initialize").length;
  const afterOne = async (turn: object, args: readonly string[] = []): Promise<number> => {
    const provider = scripted([{ ...turn, match: "first" }, { do: [{ say: "ok" }] }], { args: [`--log=${join(folder, "log")}`, ...args] });
    await run(provider, { prompt: "first" });
    expect((await run(provider, { prompt: "second" })).result).toMatchObject({ stop: "end", text: "ok" });
    return starts();
  };

  test.each([
    ["an error in the place of the answer", { do: [{ error: { code: -32_603, message: "Internal error." } }] }],
    ["a refusal", { do: [{ stop: "refusal" }] }],
  ])("%s: the next turn has a new one", async (_what, turn) => {
    expect(await afterOne(turn)).toBe(2);
  });

  test.each([
    ["a limit", { do: [{ error: { code: -32_603, message: "429 Too Many Requests" } }] }],
    ["a missing login", { do: [{ error: { code: -32_000, message: "Please log in." } }] }],
    ["an overloaded provider", { do: [{ error: { code: -32_603, message: "529 overloaded" } }] }],
    ["an answer that was cut off", { do: [{ stop: "max_tokens" }] }],
  ])("%s is none of the process, which is kept", async (_what, turn) => {
    expect(await afterOne(turn)).toBe(1);
  });

  test("is kept where another could not continue its sessions", async () => {
    expect(await afterOne({ do: [{ stop: "refusal" }] }, ["--no-resume", "--no-load"])).toBe(1);
  });
});

describe("permission", () => {
  const tools = [
    { write: { file: "in.md", text: "x" } },
    { write: { file: "../out.md", text: "x" } },
    { run: "echo ok" },
    { run: "npm test; rm x" },
    { tool: { name: "Read", kind: "read", input: { path: "in.md" }, title: "rm -rf /" } },
    { tool: { name: "Fetch", kind: "fetch", input: { url: "http://x" } } },
  ];
  test.each([
    [{ level: "read" as const }, ["write: in.md", "write: ../out.md", "shell: echo ok", "shell: npm test; rm x", "Fetch"]],
    [{ level: "edit" as const }, ["write: ../out.md", "shell: echo ok", "shell: npm test; rm x", "Fetch"]],
    [{ level: "edit" as const, commands: ["echo ok", "npm test"] }, ["write: ../out.md", "shell: npm test; rm x", "Fetch"]],
    [{ level: "all" as const }, ["write: ../out.md"]],
  ])("%j denies exactly what it does not cover, and names it", async (permission, denied) => {
    const { result } = await run(scripted([{ do: tools }]), { permission });
    expect(result.denied).toEqual(denied);
    expect(existsSync(join(folder, "in.md"))).toBe(permission.level !== "read");
  });

  test("a tool that the turn excludes is denied, and ends the turn when it is used without asking", async () => {
    const asking = await run(scripted([{ do: [{ run: "echo ok" }] }]), { permission: { level: "all" }, tools: { denied: ["shell"] } });
    expect(asking.result).toMatchObject({ stop: "end", denied: ["shell: echo ok"] });
    const using = await run(scripted([{ do: [{ run: "echo ok", ask: false }, { hang: true }] }]), {
      permission: { level: "all" },
      tools: { allowed: ["read"] },
    });
    expect(using.result).toMatchObject({ stop: "error", errorKind: "refused" });
  });

  test("a tool that calls itself running before it asks has not run", async () => {
    const provider = scripted([{ do: [{ tool: { name: "shell", kind: "execute", input: { command: "ls" }, early: true } }] }]);
    const { result } = await run(provider, { permission: { level: "all" }, tools: { denied: ["shell"] } });
    expect(result).toMatchObject({ stop: "end", denied: ["shell: ls"] });
  });

  test("a tool of which the agent gives neither name nor kind may be Waymark's own, so it does not end the turn", async () => {
    const provider = scripted([{ do: [{ tool: { title: "waymark_next", kind: "other", ask: false } }] }]);
    const { result } = await run(provider, { tools: { allowed: ["read"] } });
    expect(result).toMatchObject({ stop: "end" });
  });

  test("the agent's own questions after an abort are answered as cancelled", async () => {
    const stop = new AbortController();
    const provider = scripted([{ do: [{ say: "wait" }, { hang: true }] }]);
    const { result } = await run(provider, { signal: stop.signal }, ({ type }) => void (type === "text" && stop.abort()));
    expect(result).toMatchObject({ stop: "cancelled" });
    expect(result).not.toHaveProperty("error");
  });
});

describe("sessions", () => {
  const recall = [{ match: "again", do: [{ recall: true }] }, { do: [{ say: "noted" }] }];
  const keep = (): string[] => [`--state=${join(folder, "sessions")}`];

  test("a live session is continued as it is", async () => {
    const provider = scripted(recall);
    const first = await run(provider, { prompt: "one" });
    const { events, result } = await run(provider, { prompt: "again", session: first.result.sessionId });
    expect(ofType(events, "session")[0]?.resumed).toBe("live");
    expect(result.text).toBe("Before: one");
  });

  test.each([
    ["resumed", []],
    ["loaded", ["--no-resume"]],
    ["loaded", ["--no-resume", "--kind=late-replay"]],
  ] as const)("in a new process it is %s %j, without the replay in its events", async (resumed, args) => {
    const first = await run(scripted(recall, { args: keep() }), { prompt: "one" });
    const { events, result } = await run(scripted(recall, { args: [...keep(), ...args] }), {
      prompt: "again",
      session: first.result.sessionId,
    });
    expect(ofType(events, "session")[0]?.resumed).toBe(resumed);
    expect(ofType(events, "message").map(({ text }) => text)).toEqual(["Before: one"]);
    expect(result.stop).toBe("end");
  });

  test.each([
    ["the agent does not have it", ["--kind=lost-session"], "resume" as const],
    ["its history is empty", ["--no-resume", "--kind=empty-history"], "resume" as const],
    ["the agent cannot continue sessions", ["--no-resume", "--no-load"], "resume" as const],
    ["its settings say that resume does not work", [], "none" as const],
  ])("it is lost when %s, and nothing is prompted", async (_title, args, resume) => {
    const first = await run(scripted(recall, { args: keep() }), { prompt: "one" });
    const provider = scripted(recall, { args: [...keep(), ...args, `--log=${join(folder, "log")}`], spec: { resume } });
    const { events, result } = await run(provider, { prompt: "again", session: first.result.sessionId });
    expect(ofType(events, "session")).toEqual([{ type: "session", sessionId: first.result.sessionId, resumed: "lost" }]);
    expect(result).toMatchObject({ stop: "error", errorKind: "lost" });
    expect(log().some(({ method }) => method === "session/prompt")).toBe(false);
  });

  test("it is lost where its id is none that agents give, and the agent does not hear of it", async () => {
    const provider = scripted(recall, { args: [...keep(), `--log=${join(folder, "log")}`] });
    for (const fork of [{}, { fork: true }] as const) {
      const { events, result } = await run(provider, { prompt: "again", session: "--settings={}", ...fork });
      expect(ofType(events, "session")).toEqual([{ type: "session", sessionId: "--settings={}", resumed: "lost" }]);
      expect(result).toMatchObject({ stop: "error", errorKind: "lost" });
    }
    expect(log().filter(({ method }) => method?.startsWith("session/"))).toEqual([]);
  });

  test("a live session that needs another server is opened again", async () => {
    const provider = scripted(recall, { args: keep() });
    const first = await run(provider, { prompt: "one" });
    const mcp = [{ name: "waymark", url: "http://127.0.0.1:1/mcp" }];
    const { events } = await run(provider, { prompt: "again", session: first.result.sessionId, mcp });
    expect(ofType(events, "session")[0]?.resumed).toBe("resumed");
  });
});

describe("an agent that misbehaves", () => {
  test("garbage on stdout is noticed and tolerated", async () => {
    const { events, result } = await run(misbehaving("garbage"));
    expect(ofType(events, "notice")).toHaveLength(3);
    expect(result).toMatchObject({ stop: "end", text: "Still here." });
  });

  test("death in mid-turn is a crash with exit code and last words, and the next turn gets a new process", async () => {
    const provider = misbehaving("death");
    const { result } = await run(provider);
    expect(result).toMatchObject({ stop: "error", errorKind: "crash", text: "I begin." });
    expect(result.error).toBe("The agent `fake` ended with code 7. Its last words: fake agent: out of memory");
    expect((await run(provider)).result.errorKind).toBe("crash");
  });

  test("a program that does not exist is a crash, not an exception", async () => {
    const { result } = await run(open({ spec: { command: ["/nowhere/agent"] } }));
    expect(result).toMatchObject({ stop: "error", errorKind: "crash", error: expect.stringContaining("ENOENT") as string, sessionId: "" });
  });

  test("a turn without work, and one with a false report, end as they are: the caller looks at the files", async () => {
    expect((await run(misbehaving("empty-turn"))).result).toMatchObject({ stop: "end", text: "" });
    expect((await run(misbehaving("false-report"))).result).toMatchObject({ stop: "end", text: "I wrote report.md as you asked." });
    expect(existsSync(join(folder, "report.md"))).toBe(false);
  });

  test("endless text is cut and stopped", async () => {
    const { events, result } = await run(misbehaving("endless-text"));
    expect(result).toMatchObject({ stop: "error", error: "The agent wrote more than 20000000 characters in one turn." });
    expect(result.text).toHaveLength(1_000_000);
    expect(ofType(events, "notice")[0]?.text).toContain("the rest is left out");
  });

  test("a denied tool is in the result", async () => {
    const { result } = await run(misbehaving("denied-tool"), { permission: { level: "edit" } });
    expect(result).toMatchObject({ stop: "end", denied: ["write: /etc/waymark-fake", "shell: rm -rf /"] });
  });

  test("updates of another session are ignored", async () => {
    const { events } = await run(misbehaving("foreign-session"));
    expect(ofType(events, "message").map(({ text }) => text)).toEqual(["Mine."]);
  });

  test("repeated updates are told once", async () => {
    const { events } = await run(misbehaving("duplicate-updates"));
    expect(ofType(events, "tool").map(({ status }) => status)).toEqual(["running", "done"]);
    expect(ofType(events, "plan")).toHaveLength(1);
  });

  test.each([
    ["limit", "limit", Date.UTC(2026, 0, 2, 3, 4, 5)],
    ["typed-limit", "limit", Date.UTC(2026, 0, 2, 3, 4, 5)],
    ["system-error", "unknown", undefined],
    ["auth", "auth", undefined],
    ["overloaded", "overloaded", undefined],
  ])("%s is an error of the kind %s, whatever the turn says", async (kind, errorKind, resetAt) => {
    const { result } = await run(misbehaving(kind));
    expect([result.stop, result.errorKind, result.resetAt]).toEqual(["error", errorKind, resetAt]);
  });

  test("a cancelled turn is cancelled, also when the agent ends it as done", async () => {
    const stop = new AbortController();
    const { result } = await run(
      misbehaving("end-after-cancel"),
      { signal: stop.signal },
      ({ type }) => void (type === "text" && stop.abort()),
    );
    expect(result.stop).toBe("cancelled");
  });
});

describe("limits of time", () => {
  /** Runs a turn and moves the time as soon as the agent said something, or at once. */
  async function runLate(kind: string, turn: Partial<Turn>, ms: number[], heard = "text"): Promise<Awaited<ReturnType<typeof run>>> {
    const time = new DrivenTime();
    const provider = misbehaving(kind, { alarms: time.alarms });
    let moved = Promise.resolve();
    const move = (): void => {
      moved = moved.then(async () => {
        for (const one of ms.splice(0)) await time.advance(one);
      });
    };
    const ended = run(provider, turn, ({ type }) => void (type === heard && move()));
    const done = await ended;
    await moved;
    return done;
  }

  test("an agent that is silent too long is asked to stop, and the turn is a time-out", async () => {
    const { result } = await runLate("hang", { idleMs: 1000 }, [999, 1]);
    expect(result).toMatchObject({
      stop: "error",
      errorKind: "timeout",
      error: "The agent was silent for 1 seconds.",
      text: "Let me think.",
    });
  });

  test("the limit of a turn ends it", async () => {
    const { result } = await runLate("hang", { limitMs: 2000 }, [2000]);
    expect(result).toMatchObject({ stop: "error", errorKind: "timeout", error: "The turn took longer than 2 seconds." });
  });

  test("an agent that does not stop is killed after one second", async () => {
    const { result } = await runLate("deaf", { idleMs: 1000 }, [1000, 1000]);
    expect(result).toMatchObject({ stop: "error", errorKind: "timeout" });
  });

  test.each(["slow-start", "slow-session"])("%s ends the turn after a minute", async (kind) => {
    const time = new DrivenTime();
    const provider = misbehaving(kind, { alarms: time.alarms, args: [`--log=${join(folder, "log")}`] });
    const method = kind === "slow-start" ? "initialize" : "session/new";
    const ended = run(provider);
    await expect
      .poll(() => existsSync(join(folder, "log")) && log().some((entry) => entry.method === method), { timeout: 60_000 })
      .toBe(true);
    await time.advance(60_000);
    expect((await ended).result).toMatchObject({
      stop: "error",
      errorKind: "timeout",
      error: `The agent did not answer \`${method}\` within 60 seconds.`,
    });
  });

  test("a turn that ended is not cancelled, and its process stays, however much time passes", async () => {
    const time = new DrivenTime();
    const provider = open({ alarms: time.alarms, args: [`--log=${join(folder, "log")}`] });
    const first = await run(provider);
    await time.advance(3_600_000);
    const { events } = await run(provider, { session: first.result.sessionId });
    expect(ofType(events, "session")[0]?.resumed).toBe("live");
    expect(log().some(({ method }) => method === "session/cancel")).toBe(false);
    expect(time.nearest()).toBeUndefined();
  });

  test("a turn that is aborted before the agent started ends at once", async () => {
    const { result } = await run(misbehaving("slow-start"), { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ stop: "cancelled", sessionId: "" });
  });
});

test("nothing of the agent runs after it is closed, and one that was closed starts again", async () => {
  const provider = open();
  const pid = async (): Promise<number> => Number((await run(provider)).result.sessionId.split("-")[1]);
  const first = await pid();
  expect(isRunning(first)).toBe(true);
  await provider.close();
  expect(isRunning(first)).toBe(false);
  expect(await pid()).not.toBe(first);
});

/** A process that is dead and only waits to be collected does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("what an agent is: version, modes and models", async () => {
  expect(await open().probe(folder)).toEqual({ answers: true, version: "1.2.3", modes: ["default", "plan"], models: ["small", "large"] });
  expect(await open({ spec: { command: ["/nowhere/agent"] } }).probe(folder)).toMatchObject({ answers: false });
});
