import type { CallToolResult } from "@modelcontextprotocol/client";
import { type Json, type JsonObject, cutText } from "../base/index.ts";
import type { ToolOutcome, Tools } from "../ports/index.ts";
import type { GroupRecords } from "./group-records.ts";
import type { Log } from "./log.ts";
import type { ServerConfig } from "./settings.ts";
import { openConnection, type CallLimits, type ToolConnection } from "./tool-connection.ts";
import type { Environment } from "./user-folders.ts";

export interface ToolOptions {
  readonly servers: Readonly<Record<string, ServerConfig>>;
  readonly workspace: string;
  readonly env: Environment;
  readonly groups: GroupRecords;
  readonly log: Log;
}

interface Target {
  readonly server: string;
  readonly tool: string;
}

const closing = "Waymark is closing its tool servers.";
const longestMessage = 4000;
const longestTimer = 2 ** 31 - 1;

/**
 * Tools of the configured servers. Nothing is started before the first call, and every server once for all callers. A method is
 * `tool`, `server.tool` or `server:tool`. Never rejects: what goes wrong is the outcome.
 */
export class ServerTools implements Tools {
  readonly #options: ToolOptions;
  readonly #connections = new Map<string, Promise<ToolConnection>>();
  readonly #stop = new AbortController();

  constructor(options: ToolOptions) {
    this.#options = options;
  }

  get configured(): boolean {
    return Object.keys(this.#options.servers).length > 0;
  }

  async call(method: string, params: JsonObject, options: CallLimits): Promise<ToolOutcome | undefined> {
    const deadline = performance.now() + options.timeoutMs;
    const done = new AbortController();
    try {
      return await Promise.race([this.#call(method, params, options, deadline), timeOver(options, done.signal)]);
    } finally {
      done.abort();
    }
  }

  /** Ends all servers, also those that are just starting. */
  async close(): Promise<void> {
    this.#stop.abort(new Error(closing));
    const open = [...this.#connections.values()];
    this.#connections.clear();
    await Promise.allSettled(open.map(async (connection) => await (await connection).close()));
  }

  async #call(method: string, params: JsonObject, { signal, timeoutMs }: CallLimits, deadline: number): Promise<ToolOutcome | undefined> {
    const found = await this.#find(method);
    if (found === undefined || "ok" in found) return found;
    for (let first = true; ; first = false) {
      const opened = await this.#connect(found.server).catch((cause: unknown) => unreachable(found.server, cause));
      if ("ok" in opened) return opened;
      const left = Math.min(deadline - performance.now(), longestTimer);
      if (left <= 0 || signal?.aborted) return late(timeoutMs);
      const end = await opened.call(found.tool, params, { timeoutMs: left, signal });
      if (end.kind === "answer") return outcomeOf(end.result, found.tool);
      if (end.kind === "late") return late(timeoutMs);
      const { server, tool } = found;
      if (end.kind === "refused") return failed(`The tool \`${tool}\` of \`${server}\` failed: ${end.reason}`);
      this.#options.log("warn", `The connection to the tool server \`${server}\` was lost during a call.`, { tool });
      if (!first || !(end.performed === "no" || isRepeatable(opened, tool)))
        return failed(
          `The connection to the tool server \`${server}\` was lost while it performed \`${tool}\`. Whether it took effect is not known.`,
        );
    }
  }

  /** The server that offers the method; an outcome when that is not certain. */
  async #find(method: string): Promise<Target | ToolOutcome | undefined> {
    const names = Object.keys(this.#options.servers);
    for (const server of names.filter((name) => method.startsWith(`${name}.`) || method.startsWith(`${name}:`))) {
      const tool = method.slice(server.length + 1);
      const offered = await this.#offers(server, tool);
      if (offered instanceof Error) return unreachable(server, offered);
      if (offered) return { server, tool };
    }
    const answers = await Promise.all(names.map(async (server) => ({ server, offered: await this.#offers(server, method) })));
    const offering = answers.filter(({ offered }) => offered === true).map(({ server }) => server);
    if (offering.length === 1) return { server: offering[0]!, tool: method };
    if (offering.length > 1) {
      const choices = offering.map((server) => `\`${server}.${method}\``).join(" or ");
      return failed(`Several tool servers offer \`${method}\`. Name one: ${choices}.`);
    }
    const silent = answers.find(({ offered }) => offered instanceof Error);
    return silent && unreachable(silent.server, silent.offered);
  }

  async #offers(server: string, tool: string): Promise<boolean | Error> {
    try {
      return (await this.#connect(server)).tools.has(tool);
    } catch (cause) {
      return cause instanceof Error ? cause : new Error(String(cause));
    }
  }

  /** The live connection, or a new one when there is none or the server has ended since. */
  async #connect(server: string): Promise<ToolConnection> {
    const open = this.#connections.get(server);
    if (open !== undefined) {
      const connection = await open;
      if (connection.alive) return connection;
      if (this.#connections.get(server) === open) this.#connections.delete(server);
      return await this.#connect(server);
    }
    if (this.#stop.signal.aborted) throw new Error(closing);
    const { workspace, env, groups, servers } = this.#options;
    const opening = openConnection({ server: servers[server]!, workspace, env, groups, stop: this.#stop.signal });
    this.#connections.set(server, opening);
    try {
      return await opening;
    } catch (cause) {
      if (this.#connections.get(server) === opening) this.#connections.delete(server);
      throw cause;
    }
  }
}

/** Whether the server itself says that a second call does no harm. */
function isRepeatable(connection: ToolConnection, tool: string): boolean {
  const hints = connection.tools.get(tool)?.annotations;
  return hints?.readOnlyHint === true || hints?.idempotentHint === true;
}

function failed(message: string): ToolOutcome {
  return { ok: false, message: cutText(message, longestMessage) };
}

function late(timeoutMs: number): ToolOutcome {
  return failed(`The tool did not answer within ${timeoutMs} ms.`);
}

/** Structured content first, then a single text read as JSON if it is JSON, then text, then whatever blocks there are. */
function outcomeOf(result: CallToolResult, tool: string): ToolOutcome {
  const blocks = result.content;
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (result.isError) return failed(texts.join("\n") || `The tool \`${tool}\` reported an error without a text.`);
  const structured = result.structuredContent as Json | undefined;
  if (structured !== undefined) return { ok: true, value: structured };
  if (texts.length === 0) return { ok: true, value: blocks.length === 0 ? "" : (blocks as unknown as readonly Json[]) };
  return { ok: true, value: texts.length === 1 ? jsonOrText(texts[0]!) : texts.join("\n") };
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function unreachable(server: string, cause: unknown): ToolOutcome {
  return failed(`The tool server \`${server}\` could not be reached: ${cause instanceof Error ? cause.message : String(cause)}`);
}

/** An outcome that comes when the caller's time is over or it cancels, whatever the server is doing; never after `done`. */
function timeOver({ timeoutMs, signal }: CallLimits, done: AbortSignal): Promise<ToolOutcome> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late(timeoutMs)), Math.min(timeoutMs, longestTimer));
    done.addEventListener("abort", () => clearTimeout(timer));
    const cancelled = (): void => resolve(failed("The tool call was cancelled."));
    if (signal?.aborted) cancelled();
    signal?.addEventListener("abort", cancelled, { once: true, signal: done });
  });
}
