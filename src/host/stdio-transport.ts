import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { JSONRPCMessage, ReadBuffer, Transport } from "@modelcontextprotocol/client";
import { OutputTail } from "./capture-output.ts";
import type { GroupRecords } from "./group-records.ts";
import { ProcessGroup, groupOptions } from "./process-group.ts";
import type { CommandServer } from "./settings.ts";

/** The parts of the SDK this needs; handed in, because the SDK is loaded only when a tool is called. */
export interface Framing {
  readonly ReadBuffer: new (options?: { maxBufferSize?: number }) => ReadBuffer;
  readonly serializeMessage: (message: JSONRPCMessage) => string;
}

/** Messages larger than this end the connection. */
const largestMessage = 64 * 1024 * 1024;

/**
 * A tool server as a child process that talks over its stdin and stdout. Unlike the SDK's own transport it gives the server a
 * process group, so that closing the connection also ends what the server started. Windows starts only real programs this
 * way: scripts such as `npx` are written as `cmd` with the arguments `/c`, `npx` there.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"] & {};
  readonly #server: Required<CommandServer>;
  readonly #groups: GroupRecords;
  readonly #serialize: Framing["serializeMessage"];
  readonly #buffer: ReadBuffer;
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #forget: (() => void) | undefined;
  #errors: OutputTail | undefined;
  #closed = false;

  constructor(server: Required<CommandServer>, groups: GroupRecords, framing: Framing) {
    this.#server = server;
    this.#groups = groups;
    this.#serialize = framing.serializeMessage;
    this.#buffer = new framing.ReadBuffer({ maxBufferSize: largestMessage });
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#server;
    const child = spawn(command, args, { ...groupOptions, cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.#group = await ProcessGroup.of(child);
    // Without a gate: a server that is not recorded yet loses its stdin with this process.
    this.#forget = this.#groups.tryRecord(this.#group.pid);
    this.#child = child;
    this.#errors = new OutputTail(child.stderr, 4096);
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    for (const stream of [child.stdin, child.stdout]) stream.on("error", (error) => this.onerror?.(error));
    // The last answer may still be in the pipe when the server has exited, so its end is when the pipe ends; something the
    // server started may hold the pipe, though.
    child.once("close", () => void this.close());
    child.once("exit", () => setTimeout(() => void this.close(), 500).unref());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    const input = child?.stdin;
    const ended = child?.exitCode !== null || child.signalCode !== null;
    if (this.#closed || ended || !input?.writable) throw new NotSent();
    await new Promise<void>((done, failed) => {
      // A pipe without a reader: the server ended before it could take the message.
      const refuse = (error: Error & { code?: string }): void => failed(error.code === "EPIPE" ? new NotSent() : error);
      input.write(this.#serialize(message), (error) => (error ? refuse(error) : done()));
    });
  }

  /** Closes stdin, which a server takes as its end, then ends the whole group. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#buffer.clear();
      this.onclose?.();
      if (this.#group !== undefined) {
        this.#child?.stdin?.end();
        await Promise.race([this.#group.exited, delay(500)]);
      }
    }
    if (await this.#group?.end()) this.#forget?.();
    for (const stream of [this.#child?.stdin, this.#child?.stdout, this.#child?.stderr]) stream?.destroy();
  }

  /** The last line the server wrote to stderr, if any: the usual place of a reason for not starting. */
  lastError(): string | undefined {
    return this.#errors?.text().trim().split("\n").at(-1)?.slice(0, 300) || undefined;
  }

  #receive(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (cause) {
      this.onerror?.(asError(cause));
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (cause) {
        // One line that is not a message; the next may be.
        this.onerror?.(asError(cause));
      }
    }
  }
}

/** The message did not leave this process. */
export class NotSent extends Error {
  constructor() {
    super("The server is not running.");
  }
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
