import { client, PROTOCOL_VERSION, RequestError, type AnyMessage, type ClientConnection } from "@agentclientprotocol/sdk";
import { isObject, type Json } from "../../base/index.ts";
import type { Child } from "../../ports/index.ts";
import { splitLines } from "../split-lines.ts";

/** What the agent says unasked. */
export interface Incoming {
  update(params: Json): void;
  /** Answers the outcome of a question for permission. */
  permission(params: Json): Json;
  /** A line that is not a message. */
  garbage(line: string): void;
  raw(direction: "in" | "out", message: unknown): void;
}

/**
 * The wire to one agent. Everything arrives as plain JSON and is read leniently elsewhere: agents send more than the schema has. Lines
 * are split here, since the package answers garbage with errors and writes to our stderr. The only file that knows the package.
 */
export class AcpConnection {
  readonly #connection: ClientConnection;

  constructor(child: Child, incoming: Incoming) {
    const app = client({ name: "waymark" })
      .onNotification("*", ({ method, params }) => {
        if (method === "session/update") incoming.update(params as Json);
      })
      .onRequest("*", ({ method, params }) => {
        if (method !== "session/request_permission") throw RequestError.methodNotFound(method);
        return incoming.permission(params as Json);
      });
    this.#connection = app.connect({ readable: readMessages(child, incoming), writable: writeMessages(child, incoming) });
  }

  /** Aborted when the agent's output ended. */
  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  /** Rejects with the agent's error, or when the connection ends. */
  async request(method: string, params: unknown): Promise<Json> {
    return (await this.#connection.agent.request<unknown, unknown>(method, params)) as Json;
  }

  /** Nobody waits for a notification: a connection that is gone shows elsewhere. */
  notify(method: string, params: unknown): void {
    this.#connection.agent.notify<unknown>(method, params).catch(() => undefined);
  }

  initialize(version: string, meta: Readonly<Record<string, unknown>> | undefined): Promise<Json> {
    return this.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: "waymark", version },
      // Without a person, files and terminals of the client only add ways to fail.
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        session: { notices: {} },
        ...(meta === undefined ? {} : { _meta: meta }),
      },
    });
  }

  close(): void {
    this.#connection.close();
  }
}

/** The facts of an agent's error; undefined for a failure of the connection. */
export function agentError(cause: unknown): { readonly code: number; readonly text: string } | undefined {
  if (!(cause instanceof RequestError)) return undefined;
  const data = cause.data as Json | undefined;
  const detail = typeof data === "string" ? data : isObject(data) ? (data["details"] ?? data["message"] ?? data["error"]) : undefined;
  return { code: cause.code, text: typeof detail === "string" && detail !== "" ? `${cause.message}: ${detail}` : cause.message };
}

function readMessages(child: Child, incoming: Incoming): ReadableStream<AnyMessage> {
  const lines = splitLines(child.output);
  return new ReadableStream<AnyMessage>({
    pull: async (controller) => {
      for (;;) {
        const { value: line, done } = await lines.next().catch(() => ({ value: undefined, done: true }));
        if (done === true || line === undefined) return controller.close();
        const message = parseMessage(line);
        if (message === undefined) incoming.garbage(line);
        else {
          incoming.raw("in", message);
          return controller.enqueue(message);
        }
      }
    },
  });
}

function writeMessages(child: Child, incoming: Incoming): WritableStream<AnyMessage> {
  return new WritableStream<AnyMessage>({
    write: (message) => {
      incoming.raw("out", message);
      return child.write(`${JSON.stringify(message)}\n`);
    },
  });
}

function parseMessage(line: string): AnyMessage | undefined {
  try {
    const message = JSON.parse(line) as Json;
    const isMessage = isObject(message) && message["jsonrpc"] === "2.0" && (typeof message["method"] === "string" || "id" in message);
    return isMessage ? (message as unknown as AnyMessage) : undefined;
  } catch {
    return undefined;
  }
}
