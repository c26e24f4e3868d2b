import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { GroupRecords } from "./group-records.ts";
import type { Log } from "./log.ts";
import { ServerTools } from "./mcp-tools.ts";
import { identify } from "./process-identity.ts";
import type { ServerConfig } from "./settings.ts";

/** Below the project, so that the servers find the SDK. */
const cache = join(import.meta.dirname, "../../node_modules/.cache/waymark-host-test", `tools-${process.pid}`);
let base: string;
let tools: ServerTools;
let warnings: string[];

const factory = `
import { McpServer } from "@modelcontextprotocol/server";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import * as z from "zod";
export const label = process.env.LABEL ?? "plain";
export function create() {
  const server = new McpServer({ name: label, version: "1.0.0" });
  const text = (value) => ({ content: [{ type: "text", text: value }] });
  const tool = (name, shape, perform, annotations) => server.registerTool(name, { description: name, inputSchema: z.object(shape), annotations }, perform);
  tool("add", { a: z.number(), b: z.number() }, ({ a, b }) => ({ ...text("sum"), structuredContent: { sum: a + b } }));
  tool("json_text", {}, () => text('{"lint": [1, 2]}'));
  tool("plain_text", {}, () => text("hello"));
  tool("two_texts", {}, () => ({ content: [{ type: "text", text: "1" }, { type: "text", text: "2" }] }));
  tool("picture", {}, () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }));
  tool("nothing", {}, () => ({ content: [] }));
  tool("broken", {}, () => ({ ...text("the disk is on fire"), isError: true }));
  tool("environment", {}, () => ({ content: [], structuredContent: { cwd: process.cwd(), token: process.env.WAYMARK_TOKEN ?? null, label } }));
  tool("slow", { file: z.string() }, ({ file }, ctx) => new Promise((done) => {
    writeFileSync(file + ".started", "");
    ctx.mcpReq.signal.addEventListener("abort", () => { writeFileSync(file, "cancelled"); done(text("late")); });
  }));
  tool("die", { file: z.string() }, ({ file }) => { appendFileSync(file, "x"); process.exit(1); });
  tool("die_once", { file: z.string() }, ({ file }) => { if (!existsSync(file)) { writeFileSync(file, "x"); process.exit(1); } return text("second"); }, { idempotentHint: true });
  tool("bear_child", { file: z.string() }, ({ file }) => {
    const child = spawn("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 0.1; done"], { stdio: ["ignore", "ignore", "inherit"] });
    writeFileSync(file, String(child.pid));
    return text("born");
  });
  tool("dotted.name", {}, () => text("dotted"));
  if (label !== "plain") tool("only_" + label, {}, () => text(label));
  return server;
}
`;

beforeAll(() => {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "factory.mjs"), factory);
  writeFileSync(
    join(cache, "stdio.mjs"),
    `import { appendFileSync } from "node:fs";
    import { serveStdio } from "@modelcontextprotocol/server/stdio"; import { create } from "./factory.mjs";
    if (process.env.STARTS) appendFileSync(process.env.STARTS, process.pid + "\\n");
    process.stdout.write("this line is no message\\n");
    serveStdio(create, process.env.MODERN ? { legacy: "reject" } : {});`,
  );
  writeFileSync(
    join(cache, "http.mjs"),
    `import { createServer } from "node:http";
    import { createMcpHandler } from "@modelcontextprotocol/server"; import { toNodeHandler } from "@modelcontextprotocol/node"; import { create } from "./factory.mjs";
    const handle = toNodeHandler(createMcpHandler(create));
    const server = createServer((req, res) => void handle(req, res)).listen(Number(process.argv[2]), "127.0.0.1", () => console.log(server.address().port));`,
  );
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-tools-")));
  warnings = [];
});
afterEach(async () => {
  await tools.close();
  rmSync(base, { recursive: true, force: true });
});

function use(servers: Record<string, ServerConfig>): void {
  const env = { ...process.env, WAYMARK_TOKEN: "secret-token" };
  const log: Log = (_level, message) => void warnings.push(message);
  tools = new ServerTools({ servers, workspace: base, env, groups: new GroupRecords(join(base, "store"), log), log });
}

function stdio(env: Record<string, string> = {}): ServerConfig {
  return { command: process.execPath, args: [join(cache, "stdio.mjs")], env: { STARTS: join(base, "starts"), ...env }, from: "project" };
}

const call = (method: string, params = {}, timeoutMs = 60_000, signal?: AbortSignal) =>
  tools.call(method, params, signal === undefined ? { timeoutMs } : { timeoutMs, signal });
const starts = (): number[] =>
  existsSync(join(base, "starts")) ? readFileSync(join(base, "starts"), "utf8").trim().split("\n").map(Number) : [];

function isKnown(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function runs(pid: number): boolean {
  try {
    return isKnown(pid) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("results become values: structured, JSON text, text, texts, blocks, errors", async () => {
  use({ build: stdio() });
  expect(tools.configured).toBe(true);
  expect(starts()).toEqual([]);
  expect(await call("add", { a: 2, b: 3 })).toEqual({ ok: true, value: { sum: 5 } });
  expect(await call("json_text")).toEqual({ ok: true, value: { lint: [1, 2] } });
  expect(await call("plain_text")).toEqual({ ok: true, value: "hello" });
  expect(await call("two_texts")).toEqual({ ok: true, value: "1\n2" });
  expect(await call("picture")).toEqual({ ok: true, value: [{ type: "image", data: "AAAA", mimeType: "image/png" }] });
  expect(await call("nothing")).toEqual({ ok: true, value: "" });
  expect(await call("broken")).toEqual({ ok: false, message: "the disk is on fire" });
  expect(await call("add", { a: "x" })).toMatchObject({ ok: false });
  expect(await call("not_there")).toBeUndefined();
  expect(starts().length).toBe(1);
});

test("methods are found by tool, server.tool and server:tool; an unclear one is refused", async () => {
  use({ one: stdio({ LABEL: "one" }), two: stdio({ LABEL: "two" }) });
  expect(await call("only_two")).toEqual({ ok: true, value: "two" });
  expect(await call("one.only_one")).toEqual({ ok: true, value: "one" });
  expect(await call("two:plain_text")).toEqual({ ok: true, value: "hello" });
  expect(await call("two.dotted.name")).toEqual({ ok: true, value: "dotted" });
  expect(await call("one.only_two")).toBeUndefined();
  expect(await call("plain_text")).toMatchObject({ ok: false, message: expect.stringContaining("`one.plain_text` or `two.plain_text`") });
  expect(starts().length).toBe(2);
});

test("a server runs in the workspace, or its own folder, without Waymark's tokens", async () => {
  mkdirSync(join(base, "sub"));
  use({ here: stdio({ LABEL: "here" }), sub: { ...stdio({ LABEL: "sub" }), cwd: "sub" } });
  expect(await call("here.environment")).toEqual({ ok: true, value: { cwd: base, token: null, label: "here" } });
  expect(await call("sub.environment")).toEqual({ ok: true, value: { cwd: join(base, "sub"), token: null, label: "sub" } });
});

test("many calls at once share one server", async () => {
  use({ build: stdio() });
  const sums = await Promise.all(Array.from({ length: 20 }, (_, index) => call("add", { a: index, b: 1 })));
  expect(sums).toEqual(Array.from({ length: 20 }, (_, index) => ({ ok: true, value: { sum: index + 1 } })));
  expect(starts().length).toBe(1);
});

test("a call that takes too long or is cancelled ends, and the server hears of it", async () => {
  use({ build: stdio() });
  await call("plain_text");
  expect(await call("slow", { file: join(base, "one") }, 200)).toEqual({ ok: false, message: "The tool did not answer within 200 ms." });
  const cancel = new AbortController();
  const work = call("slow", { file: join(base, "two") }, 60_000, cancel.signal);
  while (!existsSync(join(base, "two.started"))) await delay(20);
  cancel.abort();
  expect(await work).toEqual({ ok: false, message: "The tool call was cancelled." });
  for (const name of ["one", "two"]) while (!existsSync(join(base, name))) await delay(20);
  expect(await call("plain_text", {}, 60_000, AbortSignal.abort())).toMatchObject({ ok: false });
  expect(await call("plain_text")).toEqual({ ok: true, value: "hello" });
});

test("a server that died between calls is started again", async () => {
  use({ build: stdio() });
  await call("plain_text");
  process.kill(starts()[0]!, "SIGKILL");
  // A process is known until its parent has heard of its end, and its last thread may end after the one that `runs` asks for.
  while (isKnown(starts()[0]!)) await delay(10);
  expect(await call("plain_text")).toEqual({ ok: true, value: "hello" });
  expect(starts().length).toBe(2);
});

test("a call during which the server died is repeated only when the tool says that does no harm", async () => {
  use({ build: stdio() });
  expect(await call("die", { file: join(base, "died") })).toMatchObject({ ok: false, message: expect.stringContaining("not known") });
  expect(readFileSync(join(base, "died"), "utf8")).toBe("x");
  expect(await call("die_once", { file: join(base, "once") })).toEqual({ ok: true, value: "second" });
  expect(warnings.length).toBe(2);
});

test("a server is recorded while it runs, so that it is found when this process is killed", async () => {
  const records = (): unknown[] =>
    readdirSync(join(base, "store", "groups")).map((name) => JSON.parse(readFileSync(join(base, "store", "groups", name), "utf8")));
  use({ build: stdio() });
  await call("plain_text");
  expect(records()).toEqual([{ leader: identify(starts()[0]!), owner: identify(process.pid) }]);
  await tools.close();
  expect(records()).toEqual([]);
});

test("closing ends the server and what it started", async () => {
  use({ build: stdio() });
  await call("bear_child", { file: join(base, "child") });
  const all = [starts()[0]!, Number(readFileSync(join(base, "child"), "utf8"))];
  expect(all.every(runs)).toBe(true);
  await tools.close();
  expect(all.filter(runs)).toEqual([]);
  expect(await call("plain_text")).toMatchObject({ ok: false, message: expect.stringContaining("closing") });
});

test("a server that cannot start is told by name and reason, and the others still work", async () => {
  const broken: ServerConfig = {
    command: process.execPath,
    args: ["-e", "console.error('no such setting'); process.exit(1)"],
    env: {},
    from: "project",
  };
  use({ broken, absent: { command: "no-such-program-here", args: [], env: {}, from: "user" }, good: stdio() });
  expect(await call("plain_text")).toEqual({ ok: true, value: "hello" });
  expect(await call("broken.x")).toMatchObject({
    ok: false,
    message: expect.stringMatching(/`broken` could not be reached.*no such setting/),
  });
  expect(await call("absent.x")).toMatchObject({ ok: false, message: expect.stringContaining("`absent`") });
  expect(await call("not_there")).toMatchObject({ ok: false, message: expect.stringContaining("`broken`") });
});

test("a server that never answers costs the caller only its time, and closing does not wait for it", async () => {
  const script = `require("fs").writeFileSync(${JSON.stringify(join(base, "mute"))}, String(process.pid)); setInterval(() => {}, 1000)`;
  use({ mute: { command: process.execPath, args: ["-e", script], env: {}, from: "user" } });
  const work = call("x");
  while (!existsSync(join(base, "mute")) || readFileSync(join(base, "mute"), "utf8") === "") await delay(20);
  expect(await call("x", {}, 100)).toEqual({ ok: false, message: "The tool did not answer within 100 ms." });
  const pid = Number(readFileSync(join(base, "mute"), "utf8"));
  expect(runs(pid)).toBe(true);
  await tools.close();
  expect(runs(pid)).toBe(false);
  expect(await work).toMatchObject({ ok: false, message: expect.stringContaining("`mute`") });
});

test("a server that speaks only the newest revision is understood", async () => {
  use({ modern: stdio({ MODERN: "1" }) });
  expect(await call("add", { a: 1, b: 1 })).toEqual({ ok: true, value: { sum: 2 } });
});

test("a server on a loopback address works, also after it was restarted", async () => {
  const first = await serve(0);
  use({ web: { url: `http://127.0.0.1:${first.port}/mcp`, from: "project" } });
  expect(await call("web.add", { a: 1, b: 2 })).toEqual({ ok: true, value: { sum: 3 } });
  first.child.kill("SIGKILL");
  await once(first.child, "close");
  expect(await call("web.add", { a: 1, b: 2 })).toMatchObject({ ok: false, message: expect.stringContaining("`web`") });
  await serve(first.port);
  expect(await call("web.add", { a: 2, b: 2 })).toEqual({ ok: true, value: { sum: 4 } });
});

async function serve(port: number): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [join(cache, "http.mjs"), String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, port: Number(line.toString()) };
}
