/** The built command line as real processes: what memory streams cannot show. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const dist = resolve(import.meta.dirname, "../../dist");
const product = join(dist, "waymark.js");
const base = mkdtempSync(join(tmpdir(), "waymark-product-"));
const work = join(base, "work");
const env = { PATH: process.env["PATH"] ?? "", HOME: join(base, "home"), WAYMARK_ALLOW_UNATTENDED: "1" };

function waymark(argv: readonly string[], input = ""): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [product, ...argv], { cwd: work, env, input, encoding: "utf8", timeout: 60_000 });
}

function document(argv: readonly string[], input = ""): Record<string, unknown> {
  const done = waymark(["--json", ...argv], input);
  if (done.status !== 0) throw new Error(`exit ${String(done.status)}\n${done.stdout}\n${done.stderr}`);
  return JSON.parse(done.stdout) as Record<string, unknown>;
}

function start(argv: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [product, ...argv], { cwd: work, env });
}

/** Collects a stream until the text fits. */
async function until(child: ChildProcessWithoutNullStreams, stream: "stdout" | "stderr", pattern: RegExp): Promise<string> {
  let text = "";
  for await (const chunk of child[stream]) {
    text += String(chunk);
    if (pattern.test(text)) return text;
  }
  throw new Error(`The process ended before ${String(pattern)} was seen: ${text}`);
}

/** What esbuild says of a file that it made. */
interface Made {
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** The files of the bundle that are loaded together with one of them, and every package that is part of them or stands beside them. */
function loadedWith(first: string): { readonly files: readonly string[]; readonly packages: readonly string[] } {
  const { outputs } = JSON.parse(readFileSync(join(dist, "meta.json"), "utf8")) as { outputs: Readonly<Record<string, Made>> };
  const files = new Set([first]);
  const packages = new Set<string>();
  for (const file of files) {
    const { imports, inputs } = outputs[file]!;
    for (const { path, kind, external } of imports) {
      if (external === true) packages.add(path);
      else if (kind !== "dynamic-import") files.add(path);
    }
    for (const path of Object.keys(inputs)) packages.add(/.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path);
  }
  const foreign = [...packages].filter((name) => !name.startsWith("src/") && !isBuiltin(name));
  return { files: [...files].toSorted(), packages: foreign.toSorted() };
}

/** The files of the bundle that a process ran. */
function filesRun(coverage: string): string[] {
  const reports = readdirSync(coverage).map(
    (name) => JSON.parse(readFileSync(join(coverage, name), "utf8")) as { result: { url: string }[] },
  );
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url)).filter((url) => url.startsWith("file:"));
  return urls.map((url) => relative(dirname(dist), fileURLToPath(url)).replaceAll(sep, "/")).toSorted();
}

const workflows: Readonly<Record<string, string>> = {
  hello:
    'name: hello\ndescription: d\nversion: "1.0.0"\nsteps:\n  - { id: a, type: user_message, message: hi }\n  - { id: b, type: user_message, message: ho }\n',
  gate: 'name: gate\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: ok, type: user_input, answer_by: person, prompt: "Ship it?" }]\n',
  slow: `name: slow
description: d
version: "1.0.0"
steps:
  - { id: long, type: shell_command, command: "echo $$ > pid; test -f quick || sleep 600" }
  - { id: after, type: user_message, message: done }
`,
};

beforeAll(() => {
  mkdirSync(join(work, ".waymark/workflows"), { recursive: true });
  mkdirSync(env.HOME);
  for (const [name, text] of Object.entries(workflows)) writeFileSync(join(work, `.waymark/workflows/${name}.yaml`), text);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("the product", () => {
  test("needs nothing but the parser to print help", () => {
    const coverage = join(base, "coverage");
    const help = spawnSync(process.execPath, [product, "--help"], {
      cwd: work,
      env: { ...env, NODE_V8_COVERAGE: coverage },
      encoding: "utf8",
    });
    expect(help.stdout).toContain("Exit codes:");
    const { files, packages } = loadedWith("dist/waymark.js");
    expect(filesRun(coverage)).toEqual(files);
    expect(packages).toEqual(["commander"]);
  });

  test("reads no definition to list the tools of its server", () => {
    const coverage = join(base, "coverage-mcp");
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const messages = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: hello },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
    ];
    const server = spawnSync(process.execPath, [product, "mcp"], {
      cwd: work,
      env: { ...env, NODE_V8_COVERAGE: coverage },
      input: messages.map((message) => `${JSON.stringify(message)}\n`).join(""),
      encoding: "utf8",
    });
    expect(server.stdout).toContain('"workflow_start"');
    const { outputs } = JSON.parse(readFileSync(join(dist, "meta.json"), "utf8")) as { outputs: Readonly<Record<string, Made>> };
    const parts = filesRun(coverage).flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
    expect(parts).toContain("src/mcp/serve-clients.ts");
    expect(parts.filter((path) => path.endsWith("/definition/index.ts") || path.includes("node_modules/yaml/"))).toEqual([]);
  });

  test("loads the protocol of coding agents only with the first agent", () => {
    const { outputs } = JSON.parse(readFileSync(join(dist, "meta.json"), "utf8")) as { outputs: Readonly<Record<string, Made>> };
    const holding = Object.entries(outputs).filter(([, { inputs }]) =>
      Object.keys(inputs).some((path) => path.includes("@agentclientprotocol")),
    );
    expect(holding.map(([file]) => file)).toEqual([expect.stringMatching(/^dist\/acp-provider-/)]);
    const importing = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ path }) => path === holding[0]?.[0]));
    expect(importing.map(({ kind }) => kind)).toEqual(["dynamic-import"]);
  });

  test("drives a run over several processes", () => {
    const run = String(document(["start", "hello"])["run_id"]);
    expect(waymark(["next", run]).stdout).toContain("message: hi");
    expect(waymark(["done", run]).stdout).toContain("message: ho");
    expect(waymark(["done", run])).toMatchObject({ status: 0, stdout: expect.stringContaining("is completed") });
    expect(waymark(["doctor"])).toMatchObject({ status: 0 });
  });

  test("ends with 2 for wrong usage and 5 when the store cannot be used, without a stack", () => {
    expect(waymark(["nexx"])).toMatchObject({ status: 2, stderr: expect.stringContaining("Did you mean `next`?") });
    writeFileSync(join(work, "not-a-folder"), "");
    const done = waymark(["--store", "not-a-folder/store", "start", "hello"]);
    expect(done.status, done.stderr).toBe(5);
    expect(done.stderr).toMatch(/^✗ .*\((?:STORE|HOST)_[A-Z_]+\)\n→ /m);
    expect(done.stderr).not.toMatch(/^\s+at /m);
  });

  test("answers for a person are refused when they come through a pipe", () => {
    const run = String(document(["start", "gate"])["run_id"]);
    const piped = waymark(["decide", run], "yes\n");
    expect(piped).toMatchObject({ status: 2, stderr: expect.stringContaining("CLI_PERSON_ONLY") });
    expect(waymark(["done", run, "--result", "yes"]).status).toBe(2);
    expect(document(["status", run])).toMatchObject({ questions: [{ question: "Ship it?" }] });
  });

  test("survives a reader that goes away", async () => {
    const run = String(document(["start", "hello"])["run_id"]);
    const child = start(["journal", run, "--jsonl"]);
    child.stdout.destroy();
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
  });

  test("stopped twice while a command runs, it ends the command, keeps the run, and the next process takes it up", async () => {
    document(["allow", "slow", "--yes"]);
    const child = start(["start", "slow"]);
    let said = "";
    const waits = new Promise<void>((done) => {
      child.stderr.on("data", (chunk) => /Press Ctrl-C again/.test((said += String(chunk))) && done());
    });
    while (!existsSync(join(work, "pid")) || readFileSync(join(work, "pid"), "utf8").trim() === "")
      await new Promise((done) => setTimeout(done, 20));
    child.kill("SIGINT");
    await waits;
    child.kill("SIGINT");
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
    expect(() => process.kill(Number(readFileSync(join(work, "pid"), "utf8")), 0)).toThrow("ESRCH");
    writeFileSync(join(work, "quick"), "");
    const [run] = waymark(["runs", "--ids", "--workflow", "slow"]).stdout.trim().split("\n");
    expect(waymark(["next", run ?? ""]).stdout).toContain("message: done");
  });
});

describe("servers", () => {
  test("serve writes address and token to a private file, and removes it on SIGTERM", async () => {
    const child = start(["serve", "--json"]);
    const { url, file } = JSON.parse(await until(child, "stdout", /\n/)) as { url: string; file: string };
    expect(new URL(url).hostname).toMatch(/^(?:127\.0\.0\.1|localhost|\[::1\])$/);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(file.startsWith(work)).toBe(false);
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBeGreaterThanOrEqual(400);
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number];
    expect({ code, left: existsSync(file) }).toEqual({ code: 0, left: false });
  });

  test("mcp speaks the protocol on stdout and ends with its client", async () => {
    const child = start(["mcp"]);
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    };
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    const [line = ""] = (await until(child, "stdout", /\n/)).split("\n");
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: expect.stringMatching(/waymark/i) } } });
    child.stdin.end();
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
    expect(waymark(["mcp", "--json"])).toMatchObject({ status: 2, stdout: "" });
  });
});
