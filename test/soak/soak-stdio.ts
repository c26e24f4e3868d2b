import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { hostileText, hostileValue } from "./hostile-values.ts";
import { Random } from "./random.ts";
import type { Share } from "./soak-yaml.ts";
import type { Tally } from "./tally.ts";

/** Writes broken lines to a real server process; after each one it must still answer. */
export async function soakStdio(root: string, { seed, from, cases }: Share, tally: Tally): Promise<void> {
  const base = await mkdtemp(join(tmpdir(), "waymark-soak-"));
  const env = {
    ...process.env,
    HOME: join(base, "home"),
    XDG_DATA_HOME: join(base, "data"),
    XDG_CONFIG_HOME: join(base, "config"),
    WAYMARK_LOG: "error",
  };
  const child = spawn(process.execPath, [join(root, "dist", "waymark.js"), "mcp", "--tools", "all"], { cwd: base, env, stdio: "pipe" });
  const server = new Line(child);
  await tally.case(from, () =>
    server.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "soak", version: "1.0.0" } }),
  );
  server.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  for (let index = from + 1; index < from + cases; index += 1) {
    const line = brokenLine(new Random(seed, "stdio", index));
    await tally.case(
      index,
      async () => {
        server.write(line);
        return server.ask("ping", {});
      },
      line.slice(0, 300),
    );
    if (server.ended !== undefined) {
      tally.fail(`The server process ended: ${server.ended}. It wrote: ${server.errors.slice(-600)}`);
      break;
    }
  }
  child.stdin.end();
  const code = await server.end;
  if (code !== 0) tally.fail(`The server ended with ${String(code)} after its client had gone.`);
  await rm(base, { recursive: true, force: true });
}

function brokenLine(random: Random): string {
  const request = JSON.stringify({
    jsonrpc: "2.0",
    id: `x${random.below(1_000_000)}`,
    method: random.pick(["tools/call", "ping", "initialize", hostileText(random)]),
    params: { name: "workflow_status", arguments: hostileValue(random) },
  });
  const at = random.below(request.length);
  switch (random.below(9)) {
    case 0:
      return request.slice(0, at);
    case 1:
      return request.slice(0, at) + hostileText(random).replaceAll("\n", " ") + request.slice(at);
    case 2:
      return JSON.stringify(hostileValue(random)) ?? "";
    case 3:
      return `[${request},${request}]`;
    case 4:
      return request.replace('"2.0"', JSON.stringify(hostileValue(random, 1)));
    case 5:
      return request.replace(/"id":"[^"]*"/, `"id":${JSON.stringify(hostileValue(random, 1)) ?? "null"}`);
    case 6:
      return JSON.stringify({ jsonrpc: "2.0", method: `notifications/${hostileText(random)}`, params: hostileValue(random) });
    case 7:
      return random.chance(0.02) ? `"${"x".repeat(2_000_000)}"` : hostileText(random).replaceAll("\n", " ");
    default:
      return JSON.stringify({ jsonrpc: "2.0", id: `y${random.below(1_000_000)}`, result: hostileValue(random) });
  }
}

/** A child that speaks in lines. */
class Line {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (line: string) => void>();
  readonly end: Promise<number | string | null>;
  ended: string | undefined;
  errors = "";
  #last = 0;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.end = new Promise((resolve) => {
      child.on("exit", (code, signal) => {
        this.ended = `code ${String(code)}, signal ${String(signal)}`;
        resolve(code ?? signal);
      });
    });
    child.stdin.on("error", () => undefined);
    child.stderr.on("data", (text: Buffer) => (this.errors += text.toString("utf8")));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id } = JSON.parse(line) as { readonly id?: number };
      if (typeof id === "number") this.#waiting.get(id)?.(line);
    });
  }

  write(line: string): void {
    this.#child.stdin.write(`${line.replaceAll("\n", " ").replaceAll("\r", " ")}\n`);
  }

  ask(method: string, params: object): Promise<string> {
    this.#last += 1;
    const id = 1_000_000 + this.#last;
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, () => resolve(`still answers ${method}`)));
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return answer;
  }
}
